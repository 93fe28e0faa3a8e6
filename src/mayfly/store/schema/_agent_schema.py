"""`AgentSchema`: what agents make of a database, one migration at a time, all of it or nothing; and its events."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from mayfly.core import ConflictError, InputError, Refusal, Settings, Verdict, content_hash, shown
from mayfly.store._append import append_events
from mayfly.store._database import Connection, Database
from mayfly.store._events import Event, Payload, checked, event
from mayfly.store._fork import ForkGuard
from mayfly.store._money import has_strategies
from mayfly.store._rows import EVENTS, newest, to_events
from mayfly.store.schema._engine import RoleState, SchemaEngine, SchemaRows, trash_name
from mayfly.store.schema._names import (
    GATE,
    LARGEST_MIGRATION,
    MIGRATIONS,
    CheckedStatement,
    check_own,
    check_text,
    refuse,
    standing_of,
)

if TYPE_CHECKING:
    from mayfly.store._ledger import Ledger

Dialect = Literal["postgres", "sqlite"]

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,127}")


@dataclass(frozen=True, kw_only=True)
class AgentMigration:
    """A migration that was let through: its name, its text, and what each statement does."""

    name: str
    sql: str
    statements: tuple[CheckedStatement, ...]

    @property
    def about(self) -> tuple[str, ...]:
        """Every table that it names."""
        return tuple(sorted({table for one in self.statements for table in one.about}))

    @property
    def touches(self) -> tuple[str, ...]:
        """Tables of others that are locked while it runs."""
        return tuple(sorted({table for one in self.statements for table in one.touches}))


@dataclass(frozen=True, kw_only=True)
class Applied:
    """What became of a migration: *fresh* where it was applied now, and not before."""

    name: str
    fresh: bool
    role: str
    statements: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class MigrationRow:
    """One migration as the database remembers it."""

    id: int
    name: str
    sql: str
    at: str


def check_statement(sql: str, *, dialect: Dialect, settings: Settings | None = None) -> Verdict:
    """Say whether an agent may run one statement; nothing is connected to."""
    try:
        found = engine_for(dialect, settings or Settings()).check(sql)
    except Refusal as refusal:
        return refusal.verdict
    return Verdict(decision="accept", gate=GATE, code="OK", message=found.does)


def engine_for(dialect: Dialect, settings: Settings) -> SchemaEngine:
    """Return what knows a database's statements."""
    if dialect == "sqlite":
        from mayfly.store.schema._sqlite_engine import SQLiteEngine

        return SQLiteEngine(settings.schema)
    from mayfly.store.schema._postgres_engine import PostgresEngine

    return PostgresEngine(settings.schema)


def dialect_of(settings: Settings) -> Dialect:
    """Return which database agents extend."""
    return "postgres" if settings.schema.database_url or settings.store.database_url else "sqlite"


class AgentSchema:
    """Check, apply and remember migrations of agents, put tables aside, read and write their rows.

    They live in the store's own database, and then one transaction holds what is done and the event that says so; or in
    another one that the settings name, and then the event follows, and is made up for where a process died in between.
    """

    def __init__(self, ledger: Ledger, settings: Settings) -> None:
        self._ledger = ledger
        self.dialect = dialect_of(settings)
        self.engine = engine_for(self.dialect, settings)
        self._other: Database | None = None
        if not settings.schema.database_url:
            self._let_read_strategies()
        if settings.schema.database_url:
            from mayfly.store._postgres import PostgreSQL

            there = replace(settings.store, database_url=settings.schema.database_url)
            self._other = PostgreSQL(replace(settings, store=there))
            self._guard = ForkGuard(self._other.disconnect)

    def _let_read_strategies(self) -> None:
        """Let agents read the names of strategies, where the table is ours and not the application's."""
        with self._ledger._reading() as connection:
            ours = has_strategies(connection)
        if ours:
            rules = self.engine.rules
            self.engine.rules = replace(rules, readable=rules.readable | {"strategies"})

    @property
    def ledger(self) -> Ledger:
        """The ledger it writes to."""
        return self._ledger

    def close(self) -> None:
        """Close the connections that are not the ledger's."""
        if self._other is not None:
            self._guard.shut()
            self._guard.reopen()

    def plan(self, name: str, sql: str) -> AgentMigration:
        """Look at every statement of a migration; the first that an agent may not run refuses the whole."""
        if not _NAME.fullmatch(name):
            raise InputError(
                f"{shown(name, 60)} is no name of a migration", fix="use up to 128 letters, digits, _, - and ."
            )
        check_text(sql, largest=LARGEST_MIGRATION)
        statements = self.engine.split(sql)
        if not statements:
            refuse("EMPTY", "there is no statement in it", "write at least one")
        return AgentMigration(name=name, sql=sql.strip(), statements=tuple(map(self.engine.check, statements)))

    def apply(self, migration: AgentMigration) -> Applied:
        """Run a migration and remember it, in one transaction; one that was applied before is left alone.

        Nothing is asked of anybody while the transaction is open: the text was complete before.
        """
        told = tuple(one.does for one in migration.statements)
        with self._changing() as (connection, record):
            self._make_table(connection)
            if self._is_applied(connection, migration):
                self._make_up(migration, told, record)
                return Applied(name=migration.name, fresh=False, role="", statements=told)
            terms = self.engine.begin(connection)
            for statement in migration.statements:
                self.engine.run(connection, statement, terms)
            row = [migration.name, migration.sql]
            connection.run("INSERT INTO agent_migrations (migration_name, sql_executed) VALUES (?, ?)", row)
            record(self._applied(migration, told, terms.role), f"schema-{migration.name}")
        return Applied(name=migration.name, fresh=True, role=terms.role, statements=told)

    def log(self) -> list[MigrationRow]:
        """Return what was applied, the oldest first."""
        with self._reading() as connection:
            if not connection.value(connection.database.has_table, [MIGRATIONS]):
                return []
            rows = connection.run(
                "SELECT id, migration_name, sql_executed, applied_at FROM agent_migrations ORDER BY id"
            )
        return [MigrationRow(id=id, name=name, sql=sql, at=_moment(at)) for id, name, sql, at in rows]

    def retire(self, table: str, *, by: str = "") -> str:
        """Give a table a name under which nobody uses it, and return that; its rows stay."""
        if standing_of(table.lower() if self.dialect == "sqlite" else table) != "own":
            check_own(table)
        with self._changing() as (connection, record):
            self.engine.begin(connection)
            found = self.engine.find(connection, table)
            renamed = trash_name(found.name)
            self.engine.rename(connection, found, renamed)
            record(SchemaRetired(table=found.name, renamed=renamed, by=by), f"schema-{found.name}")
        return renamed

    def retired(self) -> list[str]:
        """Return the tables that were put aside and not purged yet."""
        with self._reading() as connection:
            return [one.name for one in self.engine.relations(connection) if standing_of(one.name) == "trash"]

    def purge(self, tables: Sequence[str], *, by: str) -> None:
        """Drop tables that were put aside, all of them or none; this alone loses data, and a person asks for it."""
        wrong = [table for table in tables if standing_of(table) != "trash"]
        if wrong:
            raise InputError(
                f"{shown(wrong[0], 80)} was not retired", fix=f"mayfly schema retire {wrong[0]} puts it aside first"
            )
        with self._changing() as (connection, record):
            self.engine.begin(connection)
            for table in tables:
                self.engine.drop(connection, self.engine.find(connection, table))
            if tables:
                record(SchemaPurged(tables=tuple(tables), by=by), "schema")

    def query(self, sql: str, values: Sequence[object] = ()) -> SchemaRows:
        """Run one query over what agents may read."""
        self.engine.check_query(sql, values)
        with self._reading() as connection:
            return self.engine.query(connection, sql, values)

    def write(self, sql: str, values: Sequence[object] = (), *, key: str) -> SchemaRows:
        """Change rows of agents' own tables once for each *key*: asked again, what it gave then is returned."""
        self.engine.check_write(sql, values)
        subject = f"write-{content_hash(key)[:32]}"
        with self._changing() as (connection, record):
            before = self._wrote_before(connection, subject)
            if before is not None:
                return before
            found = self.engine.write(connection, sql, values)
            record(SchemaWrote(sql=sql, rows=found.changed, returned=found.rows), subject)
        return found

    @property
    def beside_ledger(self) -> bool:
        """Whether agents' tables are in the database of the ledger."""
        return self._other is None

    def tables(self) -> list[str]:
        """Return every table and view that names mean."""
        with self._reading() as connection:
            return [one.name for one in self.engine.relations(connection)]

    @contextmanager
    def filling(self) -> Iterator[Connection]:
        """Yield a connection on which the product itself writes rows of agents' tables; no agent gets one."""
        with self._changing() as (connection, _):
            self.engine.begin(connection)
            yield connection

    def role_state(self) -> RoleState:
        """Say with which rights migrations run."""
        with self._reading() as connection:
            return self.engine.role_state(connection)

    def make_role(self) -> RoleState:
        """Make the restricted role, or give it what it lacks."""
        with self._changing() as (connection, _):
            self._make_table(connection)
            return self.engine.make_role(connection)

    def _wrote_before(self, connection: Connection, subject: str) -> SchemaRows | None:
        found = next(iter(self._events(connection, "schema.wrote", subject)), None)
        data = found.data if found is not None else None
        if not isinstance(data, SchemaWrote):
            return None
        return SchemaRows((), tuple(tuple(row) for row in data.returned), False, data.rows)

    def _events(self, connection: Connection, kind: str, subject: str) -> Iterator[Event]:
        """Return the newest event, as this transaction sees it where the ledger is in the same database."""
        if self._other is None:
            connection.lock(EVENTS)
            return iter(list(to_events(connection.run(*newest(kind, [subject])))))
        last = self._ledger.last(kind, subject)
        return iter([] if last is None else [last])

    def _make_table(self, connection: Connection) -> None:
        """Make the table of migrations where there is none; nobody else makes it at the same time."""
        if not connection.value(connection.database.has_table, [MIGRATIONS]):
            connection.run(self.engine.table_text())

    def _is_applied(self, connection: Connection, migration: AgentMigration) -> bool:
        query = "SELECT sql_executed FROM agent_migrations WHERE migration_name = ?"
        known = connection.value(query, [migration.name])
        if known is not None and known != migration.sql:
            raise ConflictError(
                f"the migration {migration.name} was applied with other SQL", fix="give this one another name"
            )
        return known is not None

    def _make_up(
        self, migration: AgentMigration, told: tuple[str, ...], record: Callable[[Payload, str], None]
    ) -> None:
        """Record a migration whose process died between the other database and the ledger."""
        subject = f"schema-{migration.name}"
        if self._other is not None and self._ledger.last("schema.applied", subject) is None:
            record(self._applied(migration, told, ""), subject)

    def _applied(self, migration: AgentMigration, told: tuple[str, ...], role: str) -> SchemaApplied:
        hash = content_hash(migration.sql)
        return SchemaApplied(name=migration.name, dialect=self.dialect, statements=told, hash=hash, role=role)

    def _reading(self) -> AbstractContextManager[Connection]:
        return self._ledger._reading() if self._other is None else self._other_transaction(self._other, writing=False)

    @contextmanager
    def _other_transaction(self, database: Database, *, writing: bool) -> Iterator[Connection]:
        inside = self._guard.exclusive() if writing else self._guard.shared()
        with inside, database.transaction(writing=writing) as connection:
            yield connection

    @contextmanager
    def _changing(self) -> Iterator[tuple[Connection, Callable[[Payload, str], None]]]:
        """Yield a connection that writes, and what records an event in one piece with what it writes."""
        waiting: list[Event] = []

        def record(payload: Payload, subject: str) -> None:
            waiting.append(checked(payload, subject, self._ledger.secrets.now()))

        if self._other is not None:
            with self._other_transaction(self._other, writing=True) as connection:
                connection.lock(MIGRATIONS)
                yield connection, record
            self._ledger.append_many(waiting)
            return
        with self._ledger._writing() as connection:
            connection.lock(MIGRATIONS)
            yield connection, record
            append_events(connection, waiting, fence=self._ledger.fence)


def _moment(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)


@event("schema.applied")
class SchemaApplied:
    """Record a migration of an agent's: what its statements did, the hash of its text, and as which role it ran."""

    name: str
    dialect: str
    statements: tuple[str, ...]
    hash: str
    role: str = ""


@event("schema.retired")
class SchemaRetired:
    """Record that a table was put aside under another name."""

    table: str
    renamed: str
    by: str = ""


@event("schema.purged")
class SchemaPurged:
    """Record that tables that had been put aside were dropped, and by whom."""

    tables: tuple[str, ...]
    by: str


@event("schema.wrote")
class SchemaWrote:
    """Record that rows of agents' tables were changed: by which statement, how many, and the rows it returned."""

    sql: str
    rows: int
    returned: tuple[tuple[object, ...], ...] = ()
