"""The gate for SQLite: the engine runs a statement under its own authorizer, and the schema is compared afterwards.

A statement is tried on an empty database in memory, in which the tables that it names stand in for the real ones; so it
is refused or not before the real database is opened. There it runs under the same two guards, in the transaction that
is undone where one of them objects.
"""

from __future__ import annotations

import re
import sqlite3
import tomllib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

from mayfly.core import Refusal, one_line, shown
from mayfly.store.schema._names import (
    NOT_AGENTS,
    PREFIX,
    CheckedStatement,
    SchemaRules,
    check_length,
    check_own,
    check_text,
    quoted,
    refuse,
    standing_of,
)
from mayfly.store.schema._sqlite_compare import (
    Picture,
    SqlToken,
    check_types,
    compare,
    picture,
    statements_of,
    tokens_of,
    with_names,
    words_of,
)

# Tables and columns that a statement may name and that have to stand in; a statement of 32 KiB names no more.
_TRIES = 400
_MASTER = frozenset({"sqlite_master", "sqlite_schema", "sqlite_temp_master", "sqlite_temp_schema", "sqlite_sequence"})
_NO_TABLE = re.compile(r"no such table: (?:main\.)?(.+)", re.DOTALL)
_NO_COLUMN = re.compile(r'no such column: "?(?:.*\.)?([^"]+)"?|has no column named (.+)', re.DOTALL)
_AMBIGUOUS = re.compile(r"ambiguous column name: (?:.*\.)?(.+)", re.DOTALL)
_STAND_IN = "mayfly_stand_in"
_HEADS = {
    **NOT_AGENTS,
    "with": ("STATEMENT", "rows are no part of the schema", "use db_query or db_write"),
    "values": NOT_AGENTS["select"],
    "replace": NOT_AGENTS["insert"],
    "begin": NOT_AGENTS["transaction"],
    "commit": NOT_AGENTS["transaction"],
}


@cache
def _lists() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("sqlite.toml").read_text(encoding="utf-8"))


@cache
def functions(group: str = "names") -> frozenset[str]:
    """Return the functions that may be called."""
    return frozenset(_lists()["functions"][group].split())


def check_sqlite(sql: str, rules: SchemaRules) -> CheckedStatement:
    """Return what one statement does, or raise the refusal that says why an agent may not; no database is opened."""
    sql, tokens = one_statement(sql)
    _head(tokens)
    stand_ins: dict[str, list[str]] = {}
    tries = 0
    while True:
        tries += 1
        with closing(sqlite3.connect(":memory:", isolation_level=None)) as driver:
            for name, columns in stand_ins.items():
                driver.execute(f"CREATE TABLE {quoted(name)} ({', '.join(map(quoted, columns))})")
            try:
                return run_guarded(driver, sql, rules)
            except sqlite3.Error as error:
                if tries > _TRIES or not _stand_in(str(error), stand_ins):
                    _refuse_engine(error)


def run_guarded(driver: sqlite3.Connection, sql: str, rules: SchemaRules) -> CheckedStatement:
    """Run one statement under both guards, in the transaction that is open; what the engine objects to is raised."""
    guard = StatementGuard(words_of(tokens_of(sql), 1), rules)
    before = picture(driver)
    with guarded(driver, guard):
        driver.execute(sql)
    made, touched = compare(before, after := picture(driver))
    known = {(one.kind, one.name, one.sql) for one in before.entries}
    fresh = [one for one in after.entries if (one.kind, one.name, one.sql) not in known]
    for one in fresh:
        _check_inside(driver, after, one.name, rules)
    return CheckedStatement(
        sql=sql,
        does=_does(sql),
        about=tuple(sorted({*touched, *(one.table for one in fresh)})),
        touches=tuple(sorted(touched)),
        makes=tuple(sorted(made)),
    )


class StatementGuard:
    """Say yes or no to everything the engine wants to do for one statement, and remember the first no."""

    def __init__(self, head: str, rules: SchemaRules, *, named: frozenset[str] = frozenset()) -> None:
        self._head = head
        self._rules = rules
        self._named = named
        self.refused: Refusal | None = None

    def __call__(
        self, action: int, first: str | None, second: str | None, database: str | None, inside: str | None
    ) -> int:
        """Answer the engine; whatever is not known is a no."""
        try:
            self._decide(action, first or "", second or "", database or "main")
        except Refusal as refusal:
            self.refused = self.refused or refusal
            return sqlite3.SQLITE_DENY
        return sqlite3.SQLITE_OK

    def _decide(self, action: int, first: str, second: str, database: str) -> None:
        if action == sqlite3.SQLITE_FUNCTION:
            return self._function(second.lower())
        if database == "temp" and not (self._head == "alter" and first in _MASTER):
            refuse("TEMPORARY", f"{shown(first, 80)} would not outlive the session", "make a plain one")
        if database not in ("main", "temp") and action != sqlite3.SQLITE_ALTER_TABLE:
            refuse("SCHEMA", f"{shown(first, 80)} is in another database", "leave the database out")
        match self._head:
            case "create":
                self._create(action, first, second)
            case "alter":
                self._alter(action, first, second)
            case _:
                self._read(action, first, second)
        return None

    def _function(self, name: str) -> None:
        if name == "sqlite_drop_column":
            refuse("DROP", "an agent drops no column", "leave it, or mayfly schema retire the table")
        allowed = functions() | (functions("altering") if self._head == "alter" else frozenset())
        if name not in allowed:
            refuse("FUNCTION", f"the function {shown(name, 80)} may not be called", "leave it out")

    def _create(self, action: int, first: str, second: str) -> None:
        match action:
            case sqlite3.SQLITE_INSERT | sqlite3.SQLITE_UPDATE if first in _MASTER:
                return
            case sqlite3.SQLITE_READ | sqlite3.SQLITE_REINDEX:
                return  # its own columns; the comparison says whose table it is
            case sqlite3.SQLITE_CREATE_TABLE:
                if first != "sqlite_sequence":
                    check_own(first.lower(), making=True)
            case sqlite3.SQLITE_CREATE_VIEW:
                check_own(first.lower(), what="view")
            case sqlite3.SQLITE_CREATE_INDEX:
                return  # the comparison says on what
            case sqlite3.SQLITE_SELECT:
                refuse("STATEMENT", "a table made of a query", "make the table, then fill it with db_write")
            case _:
                _refuse_action(action, first)

    def _alter(self, action: int, first: str, second: str) -> None:
        match action:
            case sqlite3.SQLITE_ALTER_TABLE | sqlite3.SQLITE_SELECT | sqlite3.SQLITE_READ:
                return  # the engine reads the schema and the table; the comparison says whose it is
            case sqlite3.SQLITE_UPDATE if first in _MASTER:
                return
            case sqlite3.SQLITE_PRAGMA if first == "quick_check":
                return  # the engine tries a new CHECK on the rows that are there
            case _:
                _refuse_action(action, first)

    def _read(self, action: int, first: str, second: str) -> None:
        if action in (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE):
            return
        if action != sqlite3.SQLITE_READ:
            _refuse_action(action, first)
        small = first.lower()
        if standing_of(small) in ("own", "money", "trash") or small in self._rules.readable | functions("tables"):
            return
        # Counting the rows of a WITH is told like counting those of a table: no column, no database.
        if not second and small in self._named:
            return
        refuse(
            "READS",
            f"{shown(first, 80)} may not be read by an agent",
            "read tables agent_…; an operator allows others with MAYFLY_SCHEMA_READABLE",
        )


@contextmanager
def guarded(driver: sqlite3.Connection, guard: Any) -> Iterator[None]:
    """Let *guard* answer the engine in the body; its own reason takes the place of the engine's error."""
    driver.set_authorizer(guard)
    try:
        yield
    except sqlite3.Error:
        if guard.refused is not None:
            raise guard.refused from None
        raise
    finally:
        driver.set_authorizer(None)
    if guard.refused is not None:
        raise guard.refused


def named_in(driver: sqlite3.Connection, sql: str = "") -> frozenset[str]:
    """Return the names that a statement, or a view it may read, gives to queries and that no table has."""
    views = [text for (text,) in driver.execute("SELECT sql FROM sqlite_master WHERE type = 'view'")]
    tables = {name.lower() for (name,) in driver.execute("SELECT name FROM sqlite_master")}
    return frozenset(name for text in (sql, *views) for name in with_names(text)) - tables


def _check_inside(driver: sqlite3.Connection, after: Picture, name: str, rules: SchemaRules) -> None:
    """Look at what the engine leaves for later: what a view reads, what a default calls, what a type means."""
    check_types(after, name)
    reading = StatementGuard("select", rules, named=named_in(driver))
    if after.is_view(name):
        with guarded(driver, reading):
            driver.execute(f"SELECT * FROM {quoted(name)} LIMIT 0")
    for column in after.columns.get(name, ()):
        if column.default is not None:
            with guarded(driver, reading):
                driver.execute(f"EXPLAIN SELECT (\n{column.default}\n)")


def one_statement(sql: str) -> tuple[str, list[SqlToken]]:
    """Return the one statement that a text is, and what it is made of; more than one is refused."""
    check_text(sql)
    parts = list(statements_of(sql))
    if not parts:
        refuse("EMPTY", "there is no statement", "write one statement")
    if len(parts) > 1:
        refuse("SEVERAL", f"these are {len(parts)} statements", "give one at a time, or a file to: mayfly schema apply")
    tokens = tokens_of(parts[0])
    check_length([token.name for token in tokens if token.kind in ("word", "name")])
    return parts[0], tokens


def _head(tokens: list[SqlToken]) -> None:
    """Refuse every statement that does not begin as one of those that agents have."""
    words = [token.word for token in tokens[:3]]
    for head, why in _lists()["unsupported"].items():
        if words_of(tokens, len(head.split())) == head:
            refuse("UNSUPPORTED", why, "leave it out, or use PostgreSQL")
    match words:
        case ["CREATE", "TEMP" | "TEMPORARY", *_]:
            refuse("TEMPORARY", "it would not outlive the session", "make a plain one")
        case ["CREATE", "TABLE" | "VIEW" | "INDEX", *_] | ["CREATE", "UNIQUE", "INDEX"]:
            return
        case ["ALTER", "TABLE", *_]:
            _altered(tokens)
        case _:
            first = tokens[0].text.lower()
            told = shown(words_of(tokens, 2).upper(), 60)
            refuse(*_HEADS.get(first, ("STATEMENT", f"{told} is no statement of an agent's", "see docs/schema.md")))


def _altered(tokens: list[SqlToken]) -> None:
    """Refuse changes of a table that SQLite cannot make."""
    at = 5 if len(tokens) > 3 and tokens[3].text == "." else 3
    words = [token.word for token in (*tokens[at : at + 2], *[SqlToken("", "", 0, 0)] * 2)][:2]
    make_anew = f"make a table {PREFIX}… with the new shape and fill it with db_write"
    match words:
        case ["DROP", _]:
            refuse("DROP", "an agent drops no column", "leave it, or mayfly schema retire the table")
        case ["ALTER", _]:
            refuse("UNSUPPORTED", "SQLite changes no type, default or constraint of a column", make_anew)
        case ["ADD", "CONSTRAINT" | "PRIMARY" | "UNIQUE" | "CHECK" | "FOREIGN"]:
            refuse("UNSUPPORTED", "SQLite adds no constraint to a table that is there", make_anew)
        case ["RENAME", "CONSTRAINT"] | ["VALIDATE", _]:
            refuse("UNSUPPORTED", "SQLite has no names for constraints", make_anew)


def _stand_in(message: str, stand_ins: dict[str, list[str]]) -> bool:
    """Make up the table or column that the engine misses; False where it complains about something else."""
    if table := _NO_TABLE.fullmatch(message):
        known = table[1] in stand_ins
        stand_ins.setdefault(table[1], [_STAND_IN])
        return not known
    if column := _NO_COLUMN.search(message):
        name = column[1] or column[2]
        for columns in stand_ins.values():
            if name.lower() not in map(str.lower, columns):
                columns.append(name)
                return True
    if column := _AMBIGUOUS.fullmatch(message):
        holders = [columns for columns in stand_ins.values() if column[1] in columns]
        if len(holders) > 1:
            holders[-1].remove(column[1])
            return True
    return False


def _does(sql: str) -> str:
    """Return the statement's beginning in one line, up to what is in brackets."""
    tokens = tokens_of(sql)
    until = next((at for at, token in enumerate(tokens) if token.text == "(" or token.word == "AS"), len(tokens))
    if tokens[0].word == "ALTER":
        until = min(until, 6)
    return " ".join(token.text for token in tokens[:until])


def _refuse_action(action: int, name: str) -> NoReturn:
    told = _ACTIONS.get(action, f"action {action}")
    code = "DROP" if told.startswith("drop") else "STATEMENT"
    refuse(code, f"{told} {shown(name, 60)}: not among what an agent may do", "see docs/schema.md")


def _refuse_engine(error: sqlite3.Error) -> NoReturn:
    message = str(error)
    code = "SYNTAX" if "syntax" in message or "incomplete" in message else "ENGINE"
    refuse(code, f"SQLite does not take it: {one_line(message, limit=200)}", "correct the statement")


# Every action by its number, in words: sqlite3 has no list of them but its constants, others of which share numbers.
_ACTIONS = {
    getattr(sqlite3, f"SQLITE_{name}"): name.replace("_", " ").lower()
    for name in (
        *("ATTACH", "DETACH", "PRAGMA", "REINDEX", "ANALYZE", "TRANSACTION", "SAVEPOINT", "SELECT"),
        *("DELETE", "INSERT", "UPDATE", "CREATE_VTABLE", "CREATE_TRIGGER"),
        *("DROP_TABLE", "DROP_VIEW", "DROP_INDEX", "DROP_TRIGGER", "DROP_VTABLE"),
    )
}
