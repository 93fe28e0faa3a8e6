"""Payments as the ledger has them: looked up, reserved within caps, and moved a step at a time."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mayfly.core import ConflictError, InputError, LimitError, address_key
from mayfly.store._append import append_events
from mayfly.store._database import Connection
from mayfly.store._events import Payload
from mayfly.store._ledger import Ledger
from mayfly.store._money import SUM_OF_UNITS, joined, shown_row, whole
from mayfly.store._money_list import PAGE, MoneyList
from mayfly.store._payments import PAYMENTS, PaymentRow
from mayfly.store._rows import EVENTS
from mayfly.store._strategies import naming

_USED = f"SELECT {SUM_OF_UNITS} FROM mayfly_payments"


@dataclass(frozen=True, kw_only=True)
class Cap:
    """So many units of one asset may be set aside at most, by one *agent* or by all, *since* a moment or ever.

    Everything that is not released counts, so what is unknown counts as spent. The moment is a text as in the ledger.
    """

    name: str
    units: int
    network: str
    asset: str
    since: str | None = None
    agent: str | None = None


class PaymentList(MoneyList[PaymentRow]):
    """Read and move the payments of a store."""

    def __init__(self, ledger: Ledger) -> None:
        super().__init__(ledger, PAYMENTS)

    def payment(self, id: str) -> PaymentRow | None:
        """Return one payment, None where there is none."""
        return self._get(id)

    def payment_of_call(self, call: str) -> PaymentRow | None:
        """Return the live payment of a call, otherwise the newest one that was released, None where there is none."""
        with self._ledger._reading() as connection:
            newest = "WHERE call = ? ORDER BY at DESC, id DESC"
            row = _live(connection, call) or PAYMENTS.first(connection, newest, [call])
            return None if row is None else shown_row(row)

    def payments(self, states: Collection[str] = (), *, after: str = "", limit: int = PAGE) -> list[PaymentRow]:
        """Return payments that stand so, in the order of their ids, those after an id."""
        return self._page(states, after, limit)

    def reserve(self, payload: Payload, id: str, caps: Sequence[Cap] = ()) -> PaymentRow:
        """Set money aside for a call, within every cap, or return the live payment that the call has already.

        Nobody appends in between, so that a cap holds exactly however many reserve at once. `LimitError` names the cap;
        `ConflictError` says that the call was made before with another request.
        """
        event = self._event(payload, id)
        if event.kind != "payment.reserved":
            raise InputError(f"{event.kind} does not reserve")
        wanted = event.payload
        PAYMENTS.folds[event.kind](None, wanted)  # refuses terms that cannot be kept before anything is looked up
        with self._ledger._writing() as connection:
            connection.lock(EVENTS)
            live = _live(connection, str(wanted["call"]))
            if live is not None:
                return shown_row(_same_request(live, wanted))
            for cap in caps:
                _check_cap(connection, cap, wanted)
            named = naming(connection, str(wanted["strategy"]))
            recorded = append_events(connection, [*named, event], fence=self._ledger.fence)
            row = self._written(connection, id)
        self._announce(recorded)
        return row

    def move_payment(self, id: str, payload: Payload) -> PaymentRow:
        """Record one step and return the row it leaves; `ConflictError` where somebody was there before."""
        return self._move(id, payload)


def _live(connection: Connection, call: str) -> PaymentRow | None:
    return PAYMENTS.first(connection, "WHERE call = ? AND state <> 'released'", [call])


def _same_request(live: PaymentRow, wanted: Mapping[str, Any]) -> PaymentRow:
    if live.request == wanted["request"]:
        return live
    raise ConflictError(
        f"call {live.call} was made before with another request (payment {live.id})",
        fix="give this request a call id of its own",
    )


def _check_cap(connection: Connection, cap: Cap, wanted: Mapping[str, Any]) -> None:
    """Refuse what would go over a cap; one that is about something else is a mistake, not a permission."""
    about = [(cap.network, "network"), (cap.asset, "asset"), (cap.agent, "agent")]
    for value, name in about:
        if value is not None and address_key(value) != address_key(wanted[name]):
            raise InputError(f"the cap {cap.name} is about another {name} than the payment")
    where, values = (
        "state <> 'released' AND network = ? AND asset = ?",
        list[object]([cap.network, address_key(cap.asset)]),
    )
    if cap.agent is not None:
        where, values = f"{where} AND agent = ?", [*values, cap.agent]
    if cap.since is not None:
        where, values = f"{where} AND at >= ?", [*values, cap.since]
    high, low = connection.run(f"{_USED} WHERE {where}", values)[0]
    used = joined(high, low) + whole(wanted, "units")
    if used > cap.units:
        raise LimitError(f"cap {cap.name}", used=used, limit=cap.units, fix="see: mayfly market pnl")
