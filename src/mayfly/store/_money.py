"""Money: what was bought and what was sold, one row each, the steps it may take, and the names both are added up under.

The database refuses an illegal step by itself (triggers); here it is refused first, in words for a person.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from mayfly.core import ConflictError, InputError, address_key, one_line, was_hidden
from mayfly.store._database import Connection
from mayfly.store._projection import Fold, Projection, subject_key
from mayfly.store._rows import StoredEvent

# Both databases hold whole numbers of 64 bits, one of them for the sign.
LARGEST = 2**63 - 1
# An index takes keys of this size everywhere; ids, addresses and names are far shorter.
_LONGEST_KEY = 256
# Long enough for any address of a service; browsers and servers stop at less.
_LONGEST_TEXT = 8192
# What is told of why something happened: a line or two for a person.
_LONGEST_REASON = 500
# Tokens say their decimals in one byte.
_MOST_DECIMALS = 255
# So many digits of wei are more than there will ever be.
_LONGEST_GAS = 78
# Columns that hold addresses: of the token, of who is paid and of who pays.
ADDRESSES = ("asset", "payee", "payer")
NAMED = "strategy.named"
# What the subject of the event that names a strategy begins with.
STRATEGY = "strategy:"
_HASH = re.compile(r"[0-9a-f]{64}")
_Payload = Mapping[str, Any]


@dataclass(kw_only=True, slots=True)
class MoneyRow:
    """What a payment and a sale have in common: the terms, what was signed (*payload*), where it stands and why.

    *units* are whole ones of the asset's smallest unit; *turn* counts the events so far.
    """

    id: str
    network: str = ""
    asset: str = ""
    payee: str = ""
    payer: str = ""
    units: int = 0
    decimals: int = 0
    valid_before: int = 0
    nonce: str = ""
    request: str = ""
    payload: str = ""
    tool: str = ""
    strategy: str = ""
    state: str = ""
    turn: int = 0
    answer: str = ""
    transaction_hash: str = ""
    block: int = 0
    reason: str = ""
    at: str = ""
    changed: str = ""


@dataclass(kw_only=True, slots=True)
class PaymentRow(MoneyRow):
    """One payment as it stands.

    *state* is reserved (nothing was signed), sent (what was signed is kept and may have left), unknown (the chain does
    not say yet), settled (the chain shows the transfer), delivered (settled, and the answer is there), released (never
    to be charged) or disputed (charged, and no answer can be had).
    """

    call: str = ""
    url: str = ""
    host: str = ""
    method: str = ""
    valid_after: int = 0
    agent: str = ""
    run: str = ""


@dataclass(kw_only=True, slots=True)
class SaleRow(MoneyRow):
    """One sale as it stands. *lease* is when, in seconds since 1970, whoever works on it is no longer believed alive.

    *state* is claimed, answered (the answer is kept, and not paid), settling, settled (the chain shows the transfer:
    only now the answer is handed out), failed (no answer, never charged) or lapsed (it will never pay).
    """

    version: int = 0
    lease: int = 0
    gas: str = ""


@dataclass(kw_only=True, slots=True)
class StrategyRow:
    """A name of a strategy: a tag on runs, purchases and sales, to which tables of agents may refer."""

    name: str
    note: str = ""
    at: str = ""


def _take(fields: str, then: Fold | None = None) -> Fold:
    """Return the fold that writes the named fields of an event, checked, to the row; *then* goes on with it."""
    names = fields.split()

    def fold(row: MoneyRow, event: StoredEvent, payload: _Payload) -> None:
        _set_all(row, _read(payload, names))
        if then is not None:
            then(row, event, payload)

    return fold


def _read(payload: _Payload, names: Iterable[str]) -> dict[str, object]:
    """Return the values of fields by their columns; one with a question mark may be empty and then says nothing."""
    found: dict[str, object] = {}
    for asked in names:
        name = asked.rstrip("?")
        if asked == name or payload[name] != "":
            found[_COLUMNS.get(name, name)] = _READERS[name](payload, name)
    return found


def _check_times(row: PaymentRow, event: StoredEvent, payload: _Payload) -> None:
    if row.valid_after >= row.valid_before:
        raise InputError("valid_before must come after valid_after")


def _check_block(row: MoneyRow, event: StoredEvent, payload: _Payload) -> None:
    row.reason = ""
    if not row.block:
        raise InputError("a transfer is in a block after the first")


def _check_answer(row: PaymentRow, event: StoredEvent, payload: _Payload) -> None:
    row.reason = ""
    if not row.answer:
        raise InputError(f"payment {row.id} has no answer to deliver", fix="keep it with put_blob and name it")


def _release(row: PaymentRow, event: StoredEvent, payload: _Payload) -> None:
    block = whole(payload, "block")
    row.reason = _reason(payload, "reason")
    if row.state == "reserved":
        return
    if not block:
        raise InputError(f"payment {row.id} may have left: only a block of the chain releases it")
    row.block = block


def _dispute(row: PaymentRow, event: StoredEvent, payload: _Payload) -> None:
    if row.state != "settled":
        _take("transaction block", _check_block)(row, event, payload)
    row.reason = _reason(payload, "reason")


def _claim(row: SaleRow, event: StoredEvent, payload: _Payload) -> None:
    terms = _read(payload, _SALE_TERMS)
    other = [name for name, value in terms.items() if row.turn and getattr(row, name) != value]
    if other:
        raise ConflictError(f"sale {row.id} was claimed with another {other[0]}")
    _set_all(row, terms)
    row.lease = whole(payload, "lease")


def _name(row: StrategyRow, event: StoredEvent, payload: _Payload) -> None:
    if not row.at:  # named once; later events change nothing
        row.note, row.at = str(payload["note"]), event.at


def _set_all(row: object, values: Mapping[str, object]) -> None:
    for name, value in values.items():
        setattr(row, name, value)


def _units(payload: _Payload, name: str) -> int:
    units = whole(payload, name)
    if units == 0:
        raise InputError(f"{name} is 0: nothing is paid", fix="give a whole number of the asset's smallest unit")
    return units


def _decimals(payload: _Payload, name: str) -> int:
    return whole(payload, name, most=_MOST_DECIMALS)


def whole(payload: _Payload, name: str, *, most: int = LARGEST) -> int:
    """Return a whole number that both databases hold."""
    value = payload[name]
    if type(value) is not int or not 0 <= value <= most:
        raise InputError(f"{name} is {one_line(repr(value), limit=80)}: not a whole number from 0 to {most}")
    return value


def _key(payload: _Payload, name: str) -> str:
    """Return a text that something is found by."""
    value = _tag(payload, name)
    if not value:
        raise InputError(f"{name} is empty")
    return value


def _tag(payload: _Payload, name: str) -> str:
    """Return a text that rows are added up by; it may be empty."""
    value = _text(payload, name, longest=_LONGEST_KEY)
    if was_hidden(value):
        # Two that were hidden would be one.
        raise InputError(f"{name} looks like a secret", fix="use another that does not")
    return value


def _text(payload: _Payload, name: str, *, longest: int = _LONGEST_TEXT) -> str:
    """Return a text that both databases hold the same."""
    value = payload[name]
    if not isinstance(value, str) or not value.isprintable() or len(value) > longest:
        raise InputError(f"{name} must be printable text of at most {longest} characters")
    return value


def _hash(payload: _Payload, name: str) -> str:
    """Return a SHA-256 in hex."""
    value = payload[name]
    if not isinstance(value, str) or not _HASH.fullmatch(value):
        raise InputError(f"{name} must be 64 hexadecimal digits")
    return value


def _prefixed(payload: _Payload, name: str) -> str:
    """Return a nonce or the hash of a transaction as chains write it; events keep it without the prefix."""
    return f"0x{_hash(payload, name)}"


def _reason(payload: _Payload, name: str) -> str:
    """Return why, in one line."""
    told = " ".join(str(payload[name]).split())
    # What one database does not hold (a NUL, half a character) is no reason to lose the event.
    return "".join(char if char.isprintable() else "?" for char in told)[:_LONGEST_REASON]


def _address(payload: _Payload, name: str) -> str:
    """Return an address as it is compared; events have had them in other spellings."""
    return address_key(_key(payload, name))


def _gas(payload: _Payload, name: str) -> str:
    """Return what a transaction cost in wei; more than 64 bits, so a text."""
    value = payload[name]
    digits = isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= _LONGEST_GAS
    if value != "" and not digits:
        raise InputError(f"{name} must be a whole number of wei, written in digits")
    return str(value)


def has_strategies(connection: Connection) -> bool:
    """Whether the table is the one that the migration made: an application that shares the database may have another of
    this name, which is left alone, and the names are in the events only."""
    return bool(connection.value(connection.database.has_strategies))


# How each field of an event is checked and read, and which column it is where that is named otherwise.
_READERS: dict[str, Callable[[_Payload, str], object]] = {
    **dict.fromkeys(("call", "method", "request", "network", "tool"), _key),
    **dict.fromkeys(("agent", "run", "strategy"), _tag),
    **dict.fromkeys(("url", "host"), _text),
    **dict.fromkeys(ADDRESSES, _address),
    **dict.fromkeys(("valid_after", "valid_before", "version", "lease", "block"), whole),
    **dict.fromkeys(("nonce", "transaction"), _prefixed),
    **dict.fromkeys(("payload_blob", "answer_blob"), _hash),
    "units": _units,
    "decimals": _decimals,
    "reason": _reason,
    "gas": _gas,
}
_COLUMNS = {"transaction": "transaction_hash", "payload_blob": "payload", "answer_blob": "answer"}
_TERMS = "network asset payee payer units decimals request strategy"
_SALE_TERMS = f"{_TERMS} tool nonce version valid_before payload_blob".split()
PAYMENTS = Projection(
    table="mayfly_payments",
    label="payment {0}",
    row=PaymentRow,
    keys_of=subject_key("payment:"),
    states={
        "": frozenset({"reserved"}),
        "reserved": frozenset({"sent", "released"}),
        "sent": frozenset({"unknown", "settled", "released", "disputed"}),
        "unknown": frozenset({"unknown", "settled", "released", "disputed"}),
        "settled": frozenset({"delivered", "disputed"}),
        "disputed": frozenset({"delivered"}),
    },
    folds={
        "payment.reserved": _take(f"{_TERMS} call url host method agent run tool?"),
        "payment.sent": _take("valid_after valid_before nonce payload_blob", _check_times),
        "payment.unknown": _take("reason answer_blob?"),
        "payment.settled": _take("transaction block answer_blob?", _check_block),
        "payment.delivered": _take("answer_blob?", _check_answer),
        "payment.released": _release,
        "payment.disputed": _dispute,
    },
)
SALES = Projection(
    table="mayfly_sales",
    label="sale {0}",
    row=SaleRow,
    keys_of=subject_key("sale:"),
    states={
        "": frozenset({"claimed"}),
        "claimed": frozenset({"claimed", "answered", "failed"}),
        "answered": frozenset({"settling", "lapsed"}),
        "settling": frozenset({"settling", "settled", "lapsed"}),
    },
    folds={
        "sale.claimed": _claim,
        "sale.answered": _take("answer_blob"),
        "sale.settling": _take("lease"),
        "sale.settled": _take("transaction block gas", _check_block),
        "sale.failed": _take("reason"),
        "sale.lapsed": _take("reason block gas"),
    },
)
STRATEGIES = Projection(
    table="strategies",
    label="strategy {0}",
    row=StrategyRow,
    key=("name",),
    keys_of=subject_key(STRATEGY),
    folds={NAMED: _name},
    is_ours=has_strategies,
)
