"""Tables of money: rows that follow from the events of one subject, each event a legal step from the row before it.

The database refuses an illegal step by itself (triggers); here it is refused first, in words for a person.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import Field, astuple, dataclass, fields, replace
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from mayfly.core import HIDDEN, ConflictError, InputError, address_key, one_line, with_checksums
from mayfly.store._database import Connection, Row
from mayfly.store._rows import StoredEvent

# Both databases hold whole numbers of 64 bits, one of them for the sign.
LARGEST = 2**63 - 1
# An index takes keys of this size everywhere; ids, addresses and names are far shorter.
LONGEST_KEY = 256
# Long enough for any address of a service; browsers and servers stop at less.
LONGEST_TEXT = 8192
# What is told of why something happened: a line or two for a person.
LONGEST_REASON = 500
# Tokens say their decimals in one byte.
MOST_DECIMALS = 255
# Amounts of 64 bits, added up, do not fit the 64 bits that SQLite adds in: their halves do, and are joined in Python.
_HALF = 2**32
SUM_OF_UNITS = f"sum(units / {_HALF}), sum(units - units / {_HALF} * {_HALF})"
# Columns that hold addresses: of the token, of who is paid and of who pays.
ADDRESSES = ("asset", "payee", "payer")
_HASH = re.compile(r"[0-9a-f]{64}")


class MoneyRow(Protocol):
    """What rows of money have in common: *turn* counts the events so far."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    @property
    def id(self) -> str: ...

    @property
    def state(self) -> str: ...

    @property
    def turn(self) -> int: ...


R = TypeVar("R", bound=MoneyRow)
# Says what an event makes of a row; there is none before the first.
Fold = Callable[[Any, Mapping[str, Any]], Mapping[str, Any]]


@dataclass(frozen=True, kw_only=True)
class MoneyTable(Generic[R]):
    """One table: which events move its rows, and which state may follow which; None is before the first event."""

    name: str
    noun: str
    row: Callable[..., R]
    states: Mapping[str | None, frozenset[str]]
    folds: Mapping[str, Fold]
    columns: str

    def moves(self, kind: str) -> bool:
        """Whether events of this kind move a row of this table."""
        return kind in self.folds

    def subject(self, id: str) -> str:
        """Return the subject of the events of a row."""
        return f"{self.noun}:{id}"

    def id_of(self, subject: str) -> str:
        """Return the row that a subject is about."""
        return subject.removeprefix(f"{self.noun}:")

    def fold(self, row: R | None, event: StoredEvent, payload: Mapping[str, Any]) -> R:
        """Return the row as *event* leaves it; `ConflictError` where it does not follow."""
        id, state = self.id_of(event.subject), event.kind.partition(".")[2]
        self._check_turn(id, row, state, payload)
        changes = dict(self.folds[event.kind](row, payload))
        if row is None:
            return self.row(id=id, state=state, turn=1, at=event.at, changed=event.at, **changes)
        return replace(row, state=state, turn=row.turn + 1, changed=event.at, **changes)

    def _check_turn(self, id: str, row: R | None, state: str, payload: Mapping[str, Any]) -> None:
        turn = row.turn if row is not None else 0
        if payload.get("before") != turn:
            now = f"it is {row.state} now" if row is not None else "there is none"
            raise ConflictError(
                f"{self.noun} {id} was moved by somebody else meanwhile: {now}",
                fix=f"see: mayfly log --id {self.subject(id)}",
            )
        if state not in self.states.get(row.state if row is not None else None, frozenset()):
            now = f"is {row.state} and" if row is not None else "does not exist and"
            raise ConflictError(
                f"{self.noun} {id} {now} cannot become {state}", fix=f"see: mayfly log --id {self.subject(id)}"
            )

    def get(self, connection: Connection, id: str) -> R | None:
        """Return one row, None where there is none."""
        return self.first(connection, "WHERE id = ?", [id])

    def first(self, connection: Connection, where: str, values: list[object]) -> R | None:
        """Return the first row that fits; no row has what a database cannot hold."""
        if not all(value.isprintable() for value in values if isinstance(value, str)):
            return None
        rows = connection.run(f"SELECT {self.columns} FROM {self.name} {where} LIMIT 1", values)
        return self.to_row(rows[0]) if rows else None

    def to_row(self, row: Row) -> R:
        """Make a row of what the table has."""
        return self.row(**dict(zip(self.columns.split(", "), row, strict=True)))

    def move(self, connection: Connection, event: StoredEvent, payload: Mapping[str, Any]) -> R:
        """Write what an event makes of the row it is about."""
        before = self.get(connection, self.id_of(event.subject))
        after = self.fold(before, event, payload)
        _check_blobs(connection, payload)
        values = astuple(after)
        names = self.columns.split(", ")
        if before is None:
            marks = ", ".join("?" * len(names))
            connection.run(f"INSERT INTO {self.name} ({self.columns}) VALUES ({marks})", values)
            return after
        pairs = zip(names, astuple(before), values, strict=True)
        changed = {name: value for name, told, value in pairs if told != value}
        columns = ", ".join(f"{name} = ?" for name in changed)
        connection.run(f"UPDATE {self.name} SET {columns} WHERE id = ?", [*changed.values(), after.id])
        return after


def joined(high: object, low: object) -> int:
    """Return a sum of units of its two halves; there are none where there is no row."""
    return int(str(high or 0)) * _HALF + int(str(low or 0))


def columns_of(row: type) -> str:
    """Return the columns of a table that has the fields of a row."""
    return ", ".join(field.name for field in fields(row))


def _check_blobs(connection: Connection, payload: Mapping[str, Any]) -> None:
    """Refuse to name what is not kept: what may have left has to be there before."""
    for name, hash in payload.items():
        if name.endswith("_blob") and hash and not connection.run("SELECT 1 FROM mayfly_blobs WHERE hash = ?", [hash]):
            raise InputError(f"there is no blob {one_line(str(hash), limit=80)}", fix="put_blob keeps it first")


def amount(payload: Mapping[str, Any]) -> dict[str, int]:
    """Return units and decimals, exact, or refuse them."""
    units = whole(payload, "units")
    if units == 0:
        raise InputError("units is 0: nothing is paid", fix="give a whole number of the asset's smallest unit")
    return {"units": units, "decimals": whole(payload, "decimals", most=MOST_DECIMALS)}


def whole(payload: Mapping[str, Any], name: str, *, most: int = LARGEST) -> int:
    """Return a whole number that both databases hold."""
    value = payload[name]
    if type(value) is not int or not 0 <= value <= most:
        raise InputError(f"{name} is {one_line(repr(value), limit=80)}: not a whole number from 0 to {most}")
    return value


def key(payload: Mapping[str, Any], name: str, *, empty: bool = False) -> str:
    """Return a text that something is found by."""
    value = text(payload, name, longest=LONGEST_KEY)
    if not value and not empty:
        raise InputError(f"{name} is empty")
    if HIDDEN in value:
        # Two that were hidden would be one.
        raise InputError(f"{name} looks like a secret", fix="use another that does not")
    return value


def text(payload: Mapping[str, Any], name: str, *, longest: int = LONGEST_TEXT) -> str:
    """Return a text that both databases hold the same."""
    value = payload[name]
    if not isinstance(value, str) or not value.isprintable() or len(value) > longest:
        raise InputError(f"{name} must be printable text of at most {longest} characters")
    return value


def hash_of(payload: Mapping[str, Any], name: str, *, empty: bool = False) -> str:
    """Return a SHA-256 in hex."""
    value = payload[name]
    if empty and value == "":
        return ""
    if not isinstance(value, str) or not _HASH.fullmatch(value):
        raise InputError(f"{name} must be 64 hexadecimal digits")
    return value


def prefixed(payload: Mapping[str, Any], name: str) -> str:
    """Return a nonce or the hash of a transaction as chains write it; events keep it without the prefix."""
    return f"0x{hash_of(payload, name)}"


def reason_in(payload: Mapping[str, Any]) -> str:
    """Return why, in one line."""
    told = " ".join(str(payload["reason"]).split())
    # What one database does not hold (a NUL, half a character) is no reason to lose the event.
    return "".join(char if char.isprintable() else "?" for char in told)[:LONGEST_REASON]


def shown_row(row: R) -> R:
    """Return a row with its addresses as they are shown; the table has them as they are found and compared."""
    spelled = {name: with_checksums(getattr(row, name)) for name in ADDRESSES}
    return replace(row, **spelled)


def addresses(payload: Mapping[str, Any]) -> dict[str, str]:
    """Return token, payee and payer as they are compared; events have had them in other spellings."""
    return {name: address_key(key(payload, name)) for name in ADDRESSES}


def choose(payload: Mapping[str, Any], *names: str) -> dict[str, str]:
    """Return several keys, none of them empty."""
    return {name: key(payload, name) for name in names}
