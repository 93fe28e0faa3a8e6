"""Projections: tables whose rows follow from events and are written in one transaction with them.

A declaration says which columns a row has, which events move it, what each makes of it, and which step may follow
which. Appends, lists and `log verify`, which folds all events anew and compares, follow from it on both databases.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import Field, dataclass, fields
from functools import cached_property
from operator import attrgetter
from typing import Any, ClassVar, Generic, Protocol, TypeAlias, TypeVar

from mayfly.core import ConflictError, InputError, one_line
from mayfly.store._database import Connection, Row
from mayfly.store._rows import StoredEvent

# Rows asked for in one statement; databases take a few thousand values at most.
_MANY = 1000


class ProjectedRow(Protocol):
    """A dataclass whose fields are the columns of a table; all but those of its key have a default."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]


R = TypeVar("R", bound=ProjectedRow)
# The value of the key column, or the values of all of them.
Key: TypeAlias = Any
Payload: TypeAlias = Mapping[str, Any]
# Changes a row as an event says.
Fold = Callable[[Any, StoredEvent, Payload], None]


@dataclass(frozen=True, kw_only=True, eq=False)
class Projection(Generic[R]):
    """One table.

    *label* names a row in messages by the values of its *key* columns. *keys_of* tells by its subject and payload which
    rows an event moves, and *folds* has a function for each kind of event that changes a row as the event says. *check*
    refuses an event that does not follow when it is appended.

    With *states* a row has the columns state, turn, at and changed, an event is named ``NOUN.STATE`` and says by
    *before* how many events the row had when its writer looked. The database itself refuses other steps (triggers), so
    each is written by itself. Rows that come *once* are only ever added, so none is looked up. Without *is_ours* the
    table is taken to be there.
    """

    table: str
    label: str
    row: type[R]
    folds: Mapping[str, Fold]
    keys_of: Callable[[str, Payload], Iterable[Key]]
    key: tuple[str, ...] = ("id",)
    check: Callable[[Any, StoredEvent, Payload], None] | None = None
    states: Mapping[str, frozenset[str]] | None = None
    once: bool = False
    is_ours: Callable[[Connection], bool] | None = None

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        return tuple(field.name for field in fields(self.row))

    @cached_property
    def columns(self) -> str:
        """The columns as a statement lists them."""
        return ", ".join(self.names)

    @cached_property
    def values_of(self) -> Callable[[R], tuple[Any, ...]]:
        """Return the values of a row; not `astuple`, which copies each of them deeply."""
        return attrgetter(*self.names)

    def label_of(self, key: Key) -> str:
        """Name a row in a message."""
        return self.label.format(*_parts(key))

    def blank(self, key: Key) -> R:
        """Return the row as it is before its first event."""
        return self.row(**dict(zip(self.key, _parts(key), strict=True)))

    def to_row(self, values: Sequence[Any]) -> R:
        """Make a row of the values that the table has."""
        return self.row(**dict(zip(self.names, values, strict=True)))

    def select(self, connection: Connection, rest: str = "", values: Sequence[object] = ()) -> list[R]:
        """Return the rows that *rest*, the end of the statement, chooses."""
        found = connection.run(f"SELECT {self.columns} FROM {self.table} {rest}", values)
        return [self.to_row(row) for row in found]

    def get(self, connection: Connection, key: str) -> R | None:
        """Return the row of one key, None where there is none."""
        return next(iter(self.select(connection, f"WHERE {self.key[0]} = ?", [key])), None)

    def fold(self, row: R, event: StoredEvent, payload: Payload) -> None:
        """Change *row* as *event* says; `ConflictError` where it is no legal step."""
        if self.states is None:
            self.folds[event.kind](row, event, payload)
            return
        # Rows with states have these columns, whatever else they have.
        stepped: Any = row
        state = event.kind.partition(".")[2]
        self._check_step(stepped, state, event, payload)
        self.folds[event.kind](row, event, payload)
        stepped.at = stepped.at or event.at
        stepped.state, stepped.turn, stepped.changed = state, stepped.turn + 1, event.at

    def _check_step(self, row: Any, state: str, event: StoredEvent, payload: Payload) -> None:
        """Refuse a step from another row than its writer saw, and one that is not legal from this state."""
        name, fix = self.label_of(getattr(row, self.key[0])), f"see: mayfly log --id {event.subject}"
        if payload.get("before") != row.turn:
            now = f"it is {row.state} now" if row.turn else "there is none"
            raise ConflictError(f"{name} was moved by somebody else meanwhile: {now}", fix=fix)
        if state not in (self.states or {}).get(row.state, frozenset()):
            now = f"is {row.state} and" if row.turn else "does not exist and"
            raise ConflictError(f"{name} {now} cannot become {state}", fix=fix)

    def find_difference(self, connection: Connection, counted: dict[Key, R]) -> str:
        """Return the first thing in which the table differs from the rows *counted* from the events, or nothing."""
        if self.is_ours is not None and not self.is_ours(connection):
            return ""
        left = dict(counted)
        for found in connection.each(self.table, self.names, self.key):
            row = left.pop(self._key_in(found), None)
            if row is None:
                return f"the row of {self.label_of(self._key_in(found))} was inserted: no event is about it"
            for name, told, value in zip(self.names, found, self.values_of(row), strict=True):
                if told != value:
                    label = self.label_of(self._key_in(found))
                    return f"the row of {label} says {name} {told!r}, its events {value!r}"
        return f"the row of {self.label_of(next(iter(left)))} is missing" if left else ""

    def _key_in(self, values: Row) -> Key:
        found = tuple(values[self.names.index(name)] for name in self.key)
        return found if len(found) > 1 else found[0]


class RowBatch(dict[Key, R]):
    """The rows of one table that appends are about, as they stand; one that is not there yet is blank."""

    def __init__(self, table: Projection[R], connection: Connection, keys: Iterable[Key]) -> None:
        wanted = list(dict.fromkeys(keys))
        super().__init__((key, table.blank(key)) for key in wanted)
        self.table = table
        self._connection = connection
        self._stored: dict[Key, tuple[Any, ...]] = {}
        for start in range(0, 0 if table.once else len(wanted), _MANY):
            some = wanted[start : start + _MANY]
            asked = f"WHERE {table.key[0]} IN ({', '.join('?' * len(some))})"
            rows = connection.ask(f"SELECT {table.columns} FROM {table.table} {asked}", some)()
            self._stored |= {row[0]: tuple(row) for row in rows}
        self.update({key: table.to_row(row) for key, row in self._stored.items()})

    def move(self, event: StoredEvent, payload: Payload) -> None:
        """Change the rows that an event is about."""
        for key in self.table.keys_of(event.subject, payload):
            if self.table.check is not None:
                self.table.check(self[key], event, payload)
            self.table.fold(self[key], event, payload)
        if self.table.states is not None:
            _check_blobs(self._connection, payload)
            self.save()

    def save(self) -> None:
        """Write what is new, and of what was there the columns that changed: most events change one or none."""
        table, fresh = self.table, []
        for key, row in self.items():
            values, stored = table.values_of(row), self._stored.get(key)
            if stored is None:
                fresh.append(values)
            elif stored != values:
                pairs = zip(table.names, stored, values, strict=True)
                changed = {name: value for name, told, value in pairs if told != value}
                columns = ", ".join(f"{name} = ?" for name in changed)
                update = f"UPDATE {table.table} SET {columns} WHERE {table.key[0]} = ?"
                self._connection.send(update, [*changed.values(), key])
            self._stored[key] = values
        if fresh:
            marks = ", ".join("?" * len(table.names))
            self._connection.run_many(f"INSERT INTO {table.table} ({table.columns}) VALUES ({marks})", fresh)


class Recount:
    """Rows folded anew from all events as they are read; `find_difference` compares them with the tables."""

    def __init__(self, tables: Sequence[Projection[Any]]) -> None:
        self._rows: dict[Projection[Any], dict[Key, Any]] = {table: {} for table in tables}
        self._moved = moved_by(tables)
        self._wrong = ""

    def moves(self, kind: str) -> bool:
        """Whether events of this kind move a row."""
        return kind in self._moved

    def take(self, event: StoredEvent, payload: Payload) -> None:
        """Fold one event."""
        for table in self._moved[event.kind]:
            rows = self._rows[table]
            for key in table.keys_of(event.subject, payload):
                row = rows.get(key)
                if row is None:
                    row = rows[key] = table.blank(key)
                try:
                    table.fold(row, event, payload)
                except (ConflictError, InputError) as error:
                    self._wrong = self._wrong or f"event {event.id} cannot have been appended: {error.message}"

    def find_difference(self, connection: Connection) -> str:
        """Return the first thing that is not as the events say, nothing where all is."""
        found = (table.find_difference(connection, rows) for table, rows in self._rows.items())
        return self._wrong or next(filter(None, found), "")


def moved_by(tables: Sequence[Projection[Any]]) -> dict[str, list[Projection[Any]]]:
    """Return which of the tables each kind of event moves."""
    found: dict[str, list[Projection[Any]]] = {}
    for table in tables:
        for kind in table.folds:
            found.setdefault(kind, []).append(table)
    return found


def subject_key(prefix: str) -> Callable[[str, Payload], tuple[str]]:
    """Return the *keys_of* of a table whose rows are named by the subjects of their events, after a prefix."""
    return lambda subject, payload: (subject.removeprefix(prefix),)


def _parts(key: Key) -> tuple[Any, ...]:
    return key if isinstance(key, tuple) else (key,)


def _check_blobs(connection: Connection, payload: Payload) -> None:
    """Refuse to name what is not kept: what may have left has to be there before."""
    for name, hash in payload.items():
        if name.endswith("_blob") and hash and not connection.run("SELECT 1 FROM mayfly_blobs WHERE hash = ?", [hash]):
            raise InputError(f"there is no blob {one_line(str(hash), limit=80)}", fix="put_blob keeps it first")
