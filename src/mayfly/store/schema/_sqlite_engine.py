"""Migrations, queries and rows on SQLite: under the engine's authorizer, and for no longer than the settings say."""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar

from mayfly.core import InputError, shown
from mayfly.store._database import Connection
from mayfly.store.schema._engine import (
    SchemaEngine,
    SchemaRelation,
    SchemaRows,
    TransactionTerms,
    check_values,
    failed,
)
from mayfly.store.schema._names import CheckedStatement, SchemaRules, check_own, refuse
from mayfly.store.schema._sqlite_compare import SqlToken, statements_of
from mayfly.store.schema._sqlite_gate import (
    StatementGuard,
    check_sqlite,
    guarded,
    named_in,
    one_statement,
    run_guarded,
)

# Steps of the engine between two looks at the clock: a fraction of a millisecond.
_STEPS = 10_000
_PARAMETER = re.compile(r"\$([1-9][0-9]*)")
_READS = frozenset({"SELECT", "WITH", "VALUES"})
_WRITES = frozenset({"INSERT", "UPDATE", "DELETE", "REPLACE"})
_CHANGES = frozenset({sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE})


class WriteGuard(StatementGuard):
    """Let rows of agents' own tables be changed, and what they may read be read."""

    def _read(self, action: int, first: str, second: str) -> None:
        if action in _CHANGES:
            check_own(first.lower())
        else:
            super()._read(action, first, second)


class SQLiteEngine(SchemaEngine):
    """A file of SQLite's; it has no roles, so the authorizer alone holds."""

    dialect: ClassVar = "sqlite"

    def check(self, sql: str, rules: SchemaRules | None = None) -> CheckedStatement:
        """Try the statement in memory."""
        return check_sqlite(sql, rules or self.rules)

    def split(self, sql: str) -> list[str]:
        """Cut the text at its semicolons."""
        return list(statements_of(sql))

    def run(self, connection: Connection, statement: CheckedStatement, terms: TransactionTerms) -> None:
        """Run a statement under both guards."""
        with self.told(connection, statement.does):
            run_guarded(connection.driver, statement.sql, terms.rules)

    @contextmanager
    def told(self, connection: Connection, statement: str) -> Iterator[None]:
        """Interrupt the engine in the body once the time for a statement is over."""
        driver: sqlite3.Connection = connection.driver
        until = time.monotonic() + self._settings.statement_timeout
        driver.set_progress_handler(lambda: time.monotonic() > until, _STEPS)
        try:
            yield
        except sqlite3.Error as error:
            if getattr(error, "sqlite_errorname", "") == "SQLITE_INTERRUPT":
                failed(error, statement, code="TIMEOUT", fix="raise MAYFLY_SCHEMA_STATEMENT_TIMEOUT")
            failed(error, statement)
        finally:
            driver.set_progress_handler(None, 0)

    def relations(self, connection: Connection) -> list[SchemaRelation]:
        """Look at the list of what is in the file."""
        query = "SELECT name, upper(type) FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY name"
        return [SchemaRelation(*row) for row in connection.run(query)]

    def rename(self, connection: Connection, relation: SchemaRelation, new: str) -> None:
        """Rename a table; a view holds nothing that could be lost."""
        if relation.kind != "TABLE":
            raise InputError(f"SQLite renames no view, and {shown(relation.name, 80)} holds no rows", fix="leave it")
        super().rename(connection, relation, new)

    def check_query(self, sql: str, values: Sequence[object], rules: SchemaRules | None = None) -> None:
        """Look how it begins; what it reads, the engine says when it runs."""
        _, tokens = one_statement(sql)
        if tokens[0].word not in _READS:
            refuse("STATEMENT", "this is no query", "write one SELECT; rows are changed with db_write")
        check_values(values, _parameters(tokens))

    def query(self, connection: Connection, sql: str, values: Sequence[object]) -> SchemaRows:
        """Run it on a connection that changes nothing, under the authorizer."""
        driver = connection.driver
        driver.execute("PRAGMA query_only = ON")
        try:
            guard = StatementGuard("select", self.rules, named=named_in(driver, sql))
            return self._rows(connection, guard, sql, values, "the query")
        finally:
            driver.execute("PRAGMA query_only = OFF")

    def check_write(self, sql: str, values: Sequence[object], rules: SchemaRules | None = None) -> str:
        """Look how it begins, whose table it names, and that values are given apart."""
        _, tokens = one_statement(sql)
        if tokens[0].word not in _WRITES:
            refuse("STATEMENT", "this changes no rows", "write one INSERT, UPDATE or DELETE")
        if any(token.kind in ("text", "blob") for token in tokens):
            refuse("LITERAL", "a text stands in the statement itself", "give it as a parameter: $1, $2, …")
        check_values(values, _parameters(tokens))
        table = _target(tokens)
        check_own(table.lower())
        return table

    def write(self, connection: Connection, sql: str, values: Sequence[object]) -> SchemaRows:
        """Change rows under the authorizer."""
        table = self.check_write(sql, values)
        guard = WriteGuard("write", self.rules, named=named_in(connection.driver, sql))
        return self._rows(connection, guard, sql, values, f"writing to {table}")

    def _rows(
        self, connection: Connection, guard: StatementGuard, sql: str, values: Sequence[object], told: str
    ) -> SchemaRows:
        named = {str(number): value for number, value in enumerate(values, 1)}
        with self.told(connection, told), guarded(connection.driver, guard):
            cursor = connection.driver.execute(one_statement(sql)[0], named)
            found = self.fetch(cursor)
            cursor.close()
        return found


def _parameters(tokens: Sequence[SqlToken]) -> set[int]:
    """Return the numbers of the parameters; SQLite's other ways of writing them are refused, as PostgreSQL has none."""
    found = set()
    for token in tokens:
        if token.kind == "value":
            number = _PARAMETER.fullmatch(token.text)
            if number is None:
                refuse("PARAMETERS", f"{shown(token.text, 40)} is no parameter", "number them $1, $2, …")
            found.add(int(number[1]))
    return found


def _target(tokens: Sequence[SqlToken]) -> str:
    """Return the table whose rows are changed, by its place in the statement."""
    words: list[Any] = [token.word for token in tokens]
    at = 1
    if words[0] in ("INSERT", "REPLACE"):
        at = words.index("INTO") + 1 if "INTO" in words else len(tokens)
    elif words[0] == "DELETE":
        at = 2
    elif words[1:2] == ["OR"]:
        at = 3
    if at + 1 < len(tokens) and tokens[at + 1].text == ".":
        at += 2
    if at >= len(tokens):
        refuse("SYNTAX", "there is no table in it", "write INSERT INTO agent_…, UPDATE agent_… or DELETE FROM agent_…")
    return tokens[at].name
