"""Money: what was bought and what was sold, one row each, the steps it may take, and the names both are added up under.

The database refuses an illegal step by itself (triggers); here it is refused first, in words for a person.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mayfly.core import ConflictError, InputError, address_key, one_line, was_hidden
from mayfly.store._database import Connection
from mayfly.store._projection import Projection, subject_key
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
class PaymentRow:
    """One payment as it stands. *units* are whole ones of the asset's smallest unit; *turn* counts the events so far.

    *state* is reserved (nothing was signed), sent (what was signed is kept and may have left), unknown (the chain does
    not say yet), settled (the chain shows the transfer), delivered (settled, and the answer is there), released (never
    to be charged) or disputed (charged, and no answer can be had).
    """

    id: str
    call: str = ""
    url: str = ""
    host: str = ""
    method: str = ""
    request: str = ""
    network: str = ""
    asset: str = ""
    payee: str = ""
    payer: str = ""
    units: int = 0
    decimals: int = 0
    valid_after: int = 0
    valid_before: int = 0
    nonce: str = ""
    payload: str = ""
    state: str = ""
    turn: int = 0
    transaction_hash: str = ""
    block: int = 0
    answer: str = ""
    reason: str = ""
    agent: str = ""
    run: str = ""
    tool: str = ""
    strategy: str = ""
    at: str = ""
    changed: str = ""


@dataclass(kw_only=True, slots=True)
class SaleRow:
    """One sale as it stands. *lease* is when, in seconds since 1970, whoever works on it is no longer believed alive.

    *state* is claimed, answered (the answer is kept, and not paid), settling, settled (the chain shows the transfer:
    only now the answer is handed out), failed (no answer, never charged) or lapsed (it will never pay).
    """

    id: str
    network: str = ""
    asset: str = ""
    payer: str = ""
    nonce: str = ""
    request: str = ""
    tool: str = ""
    version: int = 0
    units: int = 0
    decimals: int = 0
    payee: str = ""
    valid_before: int = 0
    payload: str = ""
    state: str = ""
    turn: int = 0
    lease: int = 0
    answer: str = ""
    transaction_hash: str = ""
    block: int = 0
    gas: str = ""
    reason: str = ""
    strategy: str = ""
    at: str = ""
    changed: str = ""


@dataclass(kw_only=True, slots=True)
class StrategyRow:
    """A name of a strategy: a tag on runs, purchases and sales, to which tables of agents may refer."""

    name: str
    note: str = ""
    at: str = ""


def _reserve(row: PaymentRow, event: StoredEvent, payload: _Payload) -> None:
    for name in ("call", "method", "request", "network"):
        setattr(row, name, _key(payload, name))
    for name in ("agent", "run", "tool", "strategy"):
        setattr(row, name, _key(payload, name, empty=True))
    row.url, row.host = _text(payload, "url"), _text(payload, "host")
    _set_all(row, _addresses(payload) | _amount(payload))


def _send(row: PaymentRow, event: StoredEvent, payload: _Payload) -> None:
    row.valid_after, row.valid_before = whole(payload, "valid_after"), whole(payload, "valid_before")
    if row.valid_after >= row.valid_before:
        raise InputError("valid_before must come after valid_after")
    row.nonce, row.payload = _prefixed(payload, "nonce"), _hash(payload, "payload_blob")


def _wonder(row: PaymentRow, event: StoredEvent, payload: _Payload) -> None:
    row.reason = _reason(payload)
    _keep_answer(row, payload)


def _settle(row: PaymentRow, event: StoredEvent, payload: _Payload) -> None:
    _note_transfer(row, payload)
    row.reason = ""
    _keep_answer(row, payload)


def _note_transfer(row: PaymentRow | SaleRow, payload: _Payload) -> None:
    """Take where the chain shows the transfer."""
    row.transaction_hash, row.block = _prefixed(payload, "transaction"), whole(payload, "block")
    if not row.block:
        raise InputError("a transfer is in a block after the first")


def _deliver(row: PaymentRow, event: StoredEvent, payload: _Payload) -> None:
    row.reason = ""
    _keep_answer(row, payload)
    if not row.answer:
        raise InputError(f"payment {row.id} has no answer to deliver", fix="keep it with put_blob and name it")


def _release(row: PaymentRow, event: StoredEvent, payload: _Payload) -> None:
    block = whole(payload, "block")
    row.reason = _reason(payload)
    if row.state == "reserved":
        return
    if not block:
        raise InputError(f"payment {row.id} may have left: only a block of the chain releases it")
    row.block = block


def _dispute(row: PaymentRow, event: StoredEvent, payload: _Payload) -> None:
    if row.state != "settled":
        _note_transfer(row, payload)
    row.reason = _reason(payload)


def _keep_answer(row: PaymentRow, payload: _Payload) -> None:
    """Take the answer that an event brings; without one the row keeps what it has."""
    row.answer = _hash(payload, "answer_blob", empty=True) or row.answer


def _claim(row: SaleRow, event: StoredEvent, payload: _Payload) -> None:
    terms = {
        **{name: _key(payload, name) for name in ("network", "request", "tool")},
        **_addresses(payload),
        "nonce": _prefixed(payload, "nonce"),
        "version": whole(payload, "version"),
        **_amount(payload),
        "valid_before": whole(payload, "valid_before"),
        "payload": _hash(payload, "payload_blob"),
        "strategy": _key(payload, "strategy", empty=True),
    }
    other = [name for name, value in terms.items() if row.turn and getattr(row, name) != value]
    if other:
        raise ConflictError(f"sale {row.id} was claimed with another {other[0]}")
    _set_all(row, terms)
    row.lease = whole(payload, "lease")


def _answer(row: SaleRow, event: StoredEvent, payload: _Payload) -> None:
    row.answer = _hash(payload, "answer_blob")


def _try_to_settle(row: SaleRow, event: StoredEvent, payload: _Payload) -> None:
    row.lease = whole(payload, "lease")


def _settle_sale(row: SaleRow, event: StoredEvent, payload: _Payload) -> None:
    _note_transfer(row, payload)
    row.gas, row.reason = _gas(payload), ""


def _fail(row: SaleRow, event: StoredEvent, payload: _Payload) -> None:
    row.reason = _reason(payload)


def _lapse(row: SaleRow, event: StoredEvent, payload: _Payload) -> None:
    row.reason, row.block, row.gas = _reason(payload), whole(payload, "block"), _gas(payload)


def _name(row: StrategyRow, event: StoredEvent, payload: _Payload) -> None:
    if not row.at:  # named once; later events change nothing
        row.note, row.at = str(payload["note"]), event.at


def _set_all(row: object, values: Mapping[str, object]) -> None:
    for name, value in values.items():
        setattr(row, name, value)


def _amount(payload: _Payload) -> dict[str, object]:
    """Return units and decimals, exact, or refuse them."""
    units = whole(payload, "units")
    if units == 0:
        raise InputError("units is 0: nothing is paid", fix="give a whole number of the asset's smallest unit")
    return {"units": units, "decimals": whole(payload, "decimals", most=_MOST_DECIMALS)}


def whole(payload: _Payload, name: str, *, most: int = LARGEST) -> int:
    """Return a whole number that both databases hold."""
    value = payload[name]
    if type(value) is not int or not 0 <= value <= most:
        raise InputError(f"{name} is {one_line(repr(value), limit=80)}: not a whole number from 0 to {most}")
    return value


def _key(payload: _Payload, name: str, *, empty: bool = False) -> str:
    """Return a text that something is found by."""
    value = _text(payload, name, longest=_LONGEST_KEY)
    if not value and not empty:
        raise InputError(f"{name} is empty")
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


def _hash(payload: _Payload, name: str, *, empty: bool = False) -> str:
    """Return a SHA-256 in hex."""
    value = payload[name]
    if empty and value == "":
        return ""
    if not isinstance(value, str) or not _HASH.fullmatch(value):
        raise InputError(f"{name} must be 64 hexadecimal digits")
    return value


def _prefixed(payload: _Payload, name: str) -> str:
    """Return a nonce or the hash of a transaction as chains write it; events keep it without the prefix."""
    return f"0x{_hash(payload, name)}"


def _reason(payload: _Payload) -> str:
    """Return why, in one line."""
    told = " ".join(str(payload["reason"]).split())
    # What one database does not hold (a NUL, half a character) is no reason to lose the event.
    return "".join(char if char.isprintable() else "?" for char in told)[:_LONGEST_REASON]


def _addresses(payload: _Payload) -> dict[str, object]:
    """Return token, payee and payer as they are compared; events have had them in other spellings."""
    return {name: address_key(_key(payload, name)) for name in ADDRESSES}


def _gas(payload: _Payload) -> str:
    """Return what a transaction cost in wei; more than 64 bits, so a text."""
    value = payload["gas"]
    digits = isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= _LONGEST_GAS
    if value != "" and not digits:
        raise InputError("gas must be a whole number of wei, written in digits")
    return str(value)


def has_strategies(connection: Connection) -> bool:
    """Whether the table is the one that the migration made: an application that shares the database may have another of
    this name, which is left alone, and the names are in the events only."""
    return bool(connection.value(connection.database.has_strategies))


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
        "payment.reserved": _reserve,
        "payment.sent": _send,
        "payment.unknown": _wonder,
        "payment.settled": _settle,
        "payment.delivered": _deliver,
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
        "sale.answered": _answer,
        "sale.settling": _try_to_settle,
        "sale.settled": _settle_sale,
        "sale.failed": _fail,
        "sale.lapsed": _lapse,
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
