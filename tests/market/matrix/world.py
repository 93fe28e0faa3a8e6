"""One case of the matrix: its processes, its words, and what has to hold whatever happened.

After every case all faults end, the shop is up, the chain goes past every expiry, and both sides look at what is open.
Then: what left the payer arrived at the payee; the cost in the buyer's ledger is what left; the revenue in the seller's
is what arrived; nothing is at risk; nothing was handed out unpaid; both ledgers verify.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from market.matrix.actors import settings_of
from market.matrix.case import PAYEE, Bench, Case
from market.matrix.words import Words, count_states
from mayfly.operations import pnl
from mayfly.store import Ledger, PaymentList, SaleList
from mayfly.testing.chain import account

POEM = "poem about sea"


class World(Words):
    """One case, and what has to hold at its end."""

    def settle_down(self) -> None:
        """End all faults and bring everything to its end."""
        self.do("unlock")
        for party in (self.bench.settler, self.bench.gate):
            party.modes.clear()
        for node in self.bench.nodes.values():
            node.set("ok")
        if self.case.shop == "ours":
            self._sell([], {})
            # Leases of those who were killed.
            time.sleep(1.05 if self._open_sales() else 0)
            self._recover([], {})
        self._expire([], {})
        self._reconcile([], {})
        if self.case.shop == "ours":
            self._recover([], {})

    def _open_sales(self) -> bool:
        with Ledger.open(settings_of(self.config("seller"))) as ledger:
            return any(SaleList(ledger).each(("claimed", "answered", "settling")))

    def wrongs(self) -> list[str]:
        """Return what does not hold at the end."""
        found = [*self._wrong_money(), *self._wrong_case()]
        if self.bench.gate.unpaid:
            found.append(f"handed out unpaid: {self.bench.gate.unpaid}")
        if self.bench.gate.elsewhere:
            found.append("a redirect was followed")
        return found

    def charges(self) -> list[int]:
        """Return the transfers from the payer to the payee."""
        payer, payee = account(self.payer).address, account(PAYEE).address
        return [units for one, other, units in self.chain.transfers()[self.before :] if (one, other) == (payer, payee)]

    def _wrong_money(self) -> Iterator[str]:
        charges = self.charges()
        arrived = self.chain.balance(account(PAYEE).address) - self.start
        if arrived != sum(charges):
            yield f"{arrived} arrived and {sum(charges)} were paid"
        with Ledger.open(settings_of(self.config("buyer"))) as ledger:
            cost = sum(one.cost for one in pnl(ledger).totals)
            open_units = sum(one.at_risk + one.reserved for one in pnl(ledger).totals)
            rows = [*PaymentList(ledger).each()]
            if not ledger.verify().ok:
                yield f"the buyer's ledger is broken: {ledger.verify().broken}"
        if not self.raw_paid and cost != sum(charges):
            yield f"the buyer's ledger says {cost}, the chain {sum(charges)}"
        if open_units:
            yield f"{open_units} are still open: {count_states(rows)}"
        calls = Counter(row.call for row in rows if row.state != "released")
        if any(count > 1 for count in calls.values()):
            yield f"calls with several payments: {calls}"
        if self.case.shop == "ours":
            yield from self._wrong_sales(sum(charges))
            stuck = [row.reason for row in rows if row.state in ("settled", "disputed")]
            if stuck and not self.case.lost:
                yield f"paid and not delivered: {stuck}"

    def _wrong_sales(self, paid: int) -> Iterator[str]:
        with Ledger.open(settings_of(self.config("seller"))) as ledger:
            revenue = sum(one.revenue for one in pnl(ledger).totals)
            rows = [*SaleList(ledger).each()]
            if not ledger.verify().ok:
                yield f"the seller's ledger is broken: {ledger.verify().broken}"
        if revenue != paid:
            yield f"the seller's ledger says {revenue}, the chain {paid}"
        if open_rows := [row.state for row in rows if row.state in ("claimed", "answered", "settling")]:
            yield f"sales are still open: {open_rows}"
        if self.case.sales is not None and count_states(rows) != dict(self.case.sales):
            yield f"sales are {count_states(rows)}, not {dict(self.case.sales)}"

    def _wrong_case(self) -> Iterator[str]:
        case = self.case
        charged = (case.charged,) if isinstance(case.charged, int) else case.charged
        if len(self.charges()) not in charged:
            yield f"charged {len(self.charges())} times, not {charged}"
        runs = (case.runs,) if isinstance(case.runs, int) else case.runs
        if runs is not None and self.runs() not in runs:
            yield f"the tool ran {self.runs()} times, not {runs}"
        if case.payments is not None:
            with Ledger.open(settings_of(self.config("buyer"))) as ledger:
                rows = [*PaymentList(ledger).each()]
            if count_states(rows) != dict(case.payments):
                yield f"payments are {count_states(rows)}, not {dict(case.payments)}"
        sent = len({one.payment for one in self.bench.gate.paid}) + len(self.bench.stranger.nonces)
        if case.signed is not None and sent != case.signed:
            yield f"{sent} payments left the buyer, not {case.signed}"
        for one in self.said:
            if one["status"] == "delivered" and POEM not in one["body"] and "takehuge" not in case.name:
                yield f"delivered {one['body'][:80]!r}"


@contextmanager
def world_of(bench: Bench, case: Case, directory: Path) -> Iterator[World]:
    """Yield the world of one case; the chain is afterwards as it was."""
    with bench.chain.taken_back():
        world = World(bench, case, directory)
        try:
            yield world
        finally:
            world.close()


def judged(bench: Bench, case: Case, directory: Path) -> list[str]:
    """Play a case and return everything that is not as it has to be."""
    with world_of(bench, case, directory) as world:
        seen = world.play()
        found = []
        if not _as_expected(seen, case.see):
            reasons = [one.get("reason", "") for one in world.said]
            found.append(f"seen {seen}, not {list(case.see)} ({reasons})")
        world.settle_down()
        return found + world.wrongs()


def _as_expected(seen: list[str], wanted: tuple[str, ...]) -> bool:
    return len(seen) == len(wanted) and all(
        any(_fits(one, way) for way in other.split("|")) for one, other in zip(seen, wanted, strict=True)
    )


def _fits(seen: str, wanted: str) -> bool:
    """Whether it is what is wanted; a wanted text that ends in `…` is only how it begins."""
    return seen.startswith(wanted[:-1]) if wanted.endswith("…") else seen == wanted
