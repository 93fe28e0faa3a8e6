"""What `AgentSchema` asks of a database, whichever it is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, NoReturn

from mayfly.core import InputError, SchemaSettings, one_line, shown
from mayfly.store._database import Connection
from mayfly.store.schema._names import (
    LONGEST_NAME,
    MIGRATIONS,
    PREFIX,
    TRASH,
    CheckedStatement,
    SchemaRules,
    quoted,
    refuse,
    standing_of,
)

# With milliseconds, so that a table of the same name can be put aside twice in a second.
_MOMENT = "%Y%m%d%H%M%S%f"
_MOMENT_LENGTH = 17


class SchemaRows(NamedTuple):
    """What a statement gave: the names of the columns, the rows, whether there were more, how many it changed."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    more: bool = False
    changed: int = 0


class SchemaRelation(NamedTuple):
    """A table or view that is there, and what it is."""

    name: str
    kind: str


@dataclass(frozen=True, kw_only=True)
class RoleState:
    """Which rights a migration runs with: *in_force* says whether it is the restricted role's."""

    role: str
    exists: bool
    in_force: bool
    reason: str
    statements: tuple[str, ...] = ()


class TransactionTerms(NamedTuple):
    """What holds in one transaction: which schema names mean, and the role that statements run as, if any."""

    rules: SchemaRules
    role: str = ""


class SchemaEngine(ABC):
    """Run what was let through, in the transaction of a connection."""

    dialect: ClassVar[str]

    def __init__(self, settings: SchemaSettings) -> None:
        self._settings = settings
        # What agents have made so far is no secret to them.
        self.rules = SchemaRules(readable=readable_tables(settings.readable) | {MIGRATIONS})

    @abstractmethod
    def check(self, sql: str, rules: SchemaRules | None = None) -> CheckedStatement:
        """Return what a statement does, or refuse it, without a database."""

    @abstractmethod
    def split(self, sql: str) -> list[str]:
        """Return the statements of a migration."""

    def begin(self, connection: Connection) -> TransactionTerms:
        """Set the limits of a transaction and what names mean in it, where the database keeps either."""
        return TransactionTerms(self.rules)

    @abstractmethod
    def run(self, connection: Connection, statement: CheckedStatement, terms: TransactionTerms) -> None:
        """Run one statement."""

    @abstractmethod
    def relations(self, connection: Connection) -> list[SchemaRelation]:
        """Return every table and view that names mean."""

    @abstractmethod
    def told(self, connection: Connection, statement: str) -> AbstractContextManager[None]:
        """Say which statement it was where the database would not carry it out in the body, or not in time."""

    def rename(self, connection: Connection, relation: SchemaRelation, new: str) -> None:
        """Give a table another name, with the rights of whoever connects."""
        with self.told(connection, f"the renaming of {relation.name}"):
            connection.run(f"ALTER {relation.kind} {quoted(relation.name)} RENAME TO {quoted(new)}")

    def drop(self, connection: Connection, relation: SchemaRelation) -> None:
        """Drop a table that was retired, unless something else needs it."""
        with self.told(connection, f"the dropping of {relation.name}"):
            connection.run(f"DROP {relation.kind} {quoted(relation.name)}")

    @abstractmethod
    def query(self, connection: Connection, sql: str, values: Sequence[object]) -> SchemaRows:
        """Run one query that changes nothing."""

    @abstractmethod
    def check_query(self, sql: str, values: Sequence[object], rules: SchemaRules | None = None) -> None:
        """Refuse what is no query over what agents may read, as far as that can be told without a database."""

    @abstractmethod
    def check_write(self, sql: str, values: Sequence[object], rules: SchemaRules | None = None) -> str:
        """Refuse what changes no rows of agents' own tables; return the table."""

    @abstractmethod
    def write(self, connection: Connection, sql: str, values: Sequence[object]) -> SchemaRows:
        """Change rows."""

    def role_state(self, connection: Connection) -> RoleState:
        """Say with which rights migrations run."""
        reason = "SQLite has no roles; its authorizer and a comparison of the schema hold"
        return RoleState(role="", exists=False, in_force=False, reason=reason)

    def make_role(self, connection: Connection) -> RoleState:
        """Make the restricted role and give it what is its own, where the database has roles."""
        raise InputError("SQLite has no roles", fix="leave --create out")

    def table_text(self) -> str:
        """Return the statement that makes the table of migrations."""
        return (Path(__file__).parent / "tables" / f"{self.dialect}.sql").read_text(encoding="utf-8")

    def find(self, connection: Connection, name: str) -> SchemaRelation:
        """Return the table of this name, in whatever letters SQLite takes for the same."""
        found = self.relations(connection)
        same = [one for one in found if one.name == name] or [
            one for one in found if self.dialect == "sqlite" and one.name.lower() == name.lower()
        ]
        if not same:
            raise InputError(f"there is no table {shown(name, 80)}", fix="mayfly schema log lists what was made")
        return same[0]

    def fetch(self, cursor: Any) -> SchemaRows:
        """Return what a statement gave, up to as many rows and bytes as the settings allow."""
        columns = tuple(str(column[0]) for column in cursor.description or ())
        rows, size = self._settings.rows, self._settings.bytes
        found, more = take_rows(cursor, rows=rows, size=size) if columns else ((), False)
        return SchemaRows(columns, found, more, max(cursor.rowcount, 0))


def readable_tables(text: str) -> frozenset[str]:
    """Return the tables that an operator lets agents read besides their own."""
    named = [name.strip() for name in text.split(",") if name.strip()]
    for name in named:
        if standing_of(name) == "protected" and not name.startswith("mayfly_"):
            raise InputError(f"MAYFLY_SCHEMA_READABLE names {name}, which belongs to the database itself")
    return frozenset(named)


def trash_name(table: str, now: datetime | None = None) -> str:
    """Return the name under which a table is put aside."""
    moment = (now or datetime.now(UTC)).strftime(_MOMENT)[:_MOMENT_LENGTH]
    room = LONGEST_NAME - len(TRASH) - _MOMENT_LENGTH - 1
    return f"{TRASH}{table[len(PREFIX) :].lower()[:room]}_{moment}"


def take_rows(cursor: Any, *, rows: int, size: int) -> tuple[tuple[tuple[Any, ...], ...], bool]:
    """Fetch up to *rows* rows and *size* bytes of them, and say whether there were more."""
    found: list[tuple[Any, ...]] = []
    used = 0
    while (row := cursor.fetchone()) is not None:
        plain = tuple(plain_value(value) for value in row)
        used += sum(len(str(value)) for value in plain)
        if len(found) >= rows or used > size:
            return tuple(found), True
        found.append(plain)
    return tuple(found), False


def plain_value(value: object) -> Any:
    """Return a value as JSON has it: what JSON lacks is told as text, numbers with all their digits."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else str(value)
    if isinstance(value, (bytes, memoryview)):
        return bytes(value).hex()
    if isinstance(value, (list, tuple)):
        return [plain_value(one) for one in value]
    if isinstance(value, dict):
        return {str(key): plain_value(one) for key, one in value.items()}
    moment = getattr(value, "isoformat", None)
    return moment() if moment is not None else str(value)


def check_values(values: Sequence[object], numbers: set[int]) -> None:
    """Refuse parameters that the statement does not name, and names that have none."""
    wanted = max(numbers, default=0)
    if numbers != set(range(1, wanted + 1)) or wanted != len(values):
        told = ", ".join(f"${number}" for number in sorted(numbers)) or "none"
        refuse("PARAMETERS", f"the statement names {told} and {len(values)} values are given", "number them $1, $2, …")
    for value in values:
        if not isinstance(value, (str, int, float, bool, type(None))):
            refuse(
                "PARAMETERS", "a value is a text, a number, true, false or null", "write lists and objects as JSON text"
            )


def failed(error: Exception, told: str, *, code: str = "FAILED", fix: str = "correct it and try again") -> NoReturn:
    """Say that the database would not, and that nothing was changed."""
    line = next(iter(str(error).strip().splitlines()), "")
    refuse(code, f"{one_line(told, limit=100)} failed, nothing was changed: {one_line(line, limit=300)}", fix)
