"""`Parts`: the workshop of a runtime, with what comes from higher floors: telemetry, wallet, rules, inbox."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mayfly.library import Workshop

if TYPE_CHECKING:
    from mayfly.core import Settings
    from mayfly.forge import Inbox
    from mayfly.mangle import Symbol
    from mayfly.persona import Desk
    from mayfly.policy import Fact
    from mayfly.sandbox import PurchaseReply, PurchaseRequest
    from mayfly.store import Ledger


class Parts(Workshop):
    """Own the sandbox, the ledger, the gates and the models of one runtime; safe to share between threads."""

    def _ledger(self) -> Ledger:
        ledger = super()._ledger()
        if self.settings.telemetry.exporter != "off":
            # Imported where it is used: nobody pays for what is off.
            from mayfly.store import Telemetry

            ledger.tell(self._once("telemetry", lambda: Telemetry(self.settings)))
        return ledger

    def purchase(self, request: PurchaseRequest) -> PurchaseReply:
        """Buy through the wallet's broker; what a person has to agree to is put into the inbox."""
        request = with_strategy(request, self.ledger, self.settings)
        # Loaded when the first job asks.
        from mayfly.market import purchase

        reply = purchase(self.settings, request)
        if decision := reply.more.get("decision"):
            ask_person(self.settings, self.ledger, request, str(decision), reply.reason)
        return reply

    @property
    def inbox(self) -> Inbox:
        """Where help is asked for."""
        from mayfly.forge import Inbox

        return Inbox(self.ledger)

    @property
    def desk(self) -> Desk:
        """What answers by the rules in force, in no workspace of its own."""
        from mayfly.persona import Desk

        return self._once("desk", lambda: Desk(self.settings, ledger=self.ledger))

    def follow_from(self, facts: Iterable[Fact], goals: Sequence[Symbol]) -> dict[Symbol, list[tuple[Any, ...]]]:
        """Return what the rules in force derive for each of *goals* from *facts*."""
        return self.desk.follow_from(facts, goals)


def with_strategy(request: PurchaseRequest, ledger: Ledger, settings: Settings) -> PurchaseRequest:
    """Return a request with the strategy of its run: the one it began with, whoever resumes it and however.

    The leaves of a tree are named by their run and a slash. A run that is not written down yet began in this process.
    """
    if request.strategy:
        return request
    run = request.run.partition("/")[0]
    began = ledger.last(kind="run.began", subject=run) if run else None
    strategy = settings.market.strategy if began is None else str(began.payload.get("strategy", ""))
    return replace(request, strategy=strategy)


def ask_person(settings: Settings, ledger: Ledger, request: PurchaseRequest, decision: str, reason: str) -> str:
    """Put a purchase into the inbox that a person would have to agree to; return its id there."""
    from mayfly.session import Approvals

    def sign(decision: str, *, by: str, reason: str) -> str:
        raise AssertionError("nobody agrees to money here")

    # Other terms under the same call are another question; the hash of what was decided tells them apart.
    decided = ledger.last(kind="policy.decided", subject=decision)
    digest = "" if decided is None else str(decided.payload.get("digest", ""))
    about = {"call_id": request.call_id, "max_price": request.max_price, "digest": digest}
    # Without what a profile agrees to by itself: money is a person's to give.
    return Approvals(ledger, settings.state, sign=sign).ask_action(
        decision=decision,
        session=request.run.partition("/")[0] or "market",
        action="buy",
        target=request.url,
        payload=json.dumps(about),
        reasons=(reason,),
    )
