"""Sales as the ledger has them: looked up, claimed once for each authorization, and moved a step at a time."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from mayfly.core import InputError, address_key
from mayfly.store._append import append_events
from mayfly.store._database import Connection
from mayfly.store._events import Payload
from mayfly.store._ledger import Ledger
from mayfly.store._money import shown_row
from mayfly.store._money_list import PAGE, MoneyList
from mayfly.store._rows import EVENTS
from mayfly.store._sales import SALES, SaleRow
from mayfly.store._strategies import naming


class ClaimedSale(NamedTuple):
    """The row of an authorization, and whether this call made it."""

    row: SaleRow
    fresh: bool


class SaleList(MoneyList[SaleRow]):
    """Read and move the sales of a store."""

    def __init__(self, ledger: Ledger) -> None:
        super().__init__(ledger, SALES)

    def sale(self, id: str) -> SaleRow | None:
        """Return one sale, None where there is none."""
        return self._get(id)

    def sale_of(self, network: str, asset: str, payer: str, nonce: str) -> SaleRow | None:
        """Return the sale of an authorization, None where nobody has claimed it."""
        with self._ledger._reading() as connection:
            return _of(connection, network, asset, payer, nonce)

    def sales(self, states: Collection[str] = (), *, after: str = "", limit: int = PAGE) -> list[SaleRow]:
        """Return sales that stand so, in the order of their ids, those after an id."""
        return self._page(states, after, limit)

    def claim_sale(self, payload: Payload, id: str) -> ClaimedSale:
        """Claim an authorization, or return the row of whoever did; of any number at once, one claims it."""
        event = self._event(payload, id)
        if event.kind != "sale.claimed":
            raise InputError(f"{event.kind} does not claim")
        SALES.folds[event.kind](None, event.payload)  # refuses what cannot be kept before anything is looked up
        network, asset, payer, nonce = (str(event.payload[name]) for name in ("network", "asset", "payer", "nonce"))
        with self._ledger._writing() as connection:
            connection.lock(EVENTS)
            there = _of(connection, network, asset, payer, nonce)
            if there is not None:
                return ClaimedSale(there, False)
            named = naming(connection, str(event.payload["strategy"]))
            recorded = append_events(connection, [*named, event], fence=self._ledger.fence)
            row = self._written(connection, id)
        self._announce(recorded)
        return ClaimedSale(row, True)

    def move_sale(self, id: str, payload: Payload) -> SaleRow:
        """Record one step and return the row it leaves; `ConflictError` where somebody was there before."""
        return self._move(id, payload)


def _of(connection: Connection, network: str, asset: str, payer: str, nonce: str) -> SaleRow | None:
    values: list[object] = [network, address_key(asset), address_key(payer), f"0x{nonce.lower().removeprefix('0x')}"]
    row = SALES.first(connection, "WHERE network = ? AND asset = ? AND payer = ? AND nonce = ?", values)
    return None if row is None else shown_row(row)
