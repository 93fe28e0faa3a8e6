"""`Parts`: the workshop of a runtime, with what comes from higher floors: telemetry, wallet, rules, inbox."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from mayfly.library import Workshop

if TYPE_CHECKING:
    from mayfly.forge import Inbox
    from mayfly.mangle import Symbol
    from mayfly.policy import Fact
    from mayfly.runtime._policy import Desk
    from mayfly.sandbox import PurchaseReply, PurchaseRequest
    from mayfly.store import Ledger


class Parts(Workshop):
    """Own the sandbox, the ledger, the gates and the models of one runtime; safe to share between threads."""

    def _ledger(self) -> Ledger:
        ledger = super()._ledger()
        if self.settings.telemetry.exporter != "off":
            # Imported where it is used: nobody pays for what is off.
            from mayfly.runtime._telemetry import Telemetry

            ledger.tell(self._once("telemetry", lambda: Telemetry(self.settings)))
        return ledger

    def purchase(self, request: PurchaseRequest) -> PurchaseReply:
        """Buy through the wallet's broker; what a person has to agree to is put into the inbox."""
        # Imported where it is used: hardly any job buys.
        from mayfly.runtime._purchases import ask_person, purchase, with_strategy

        request = with_strategy(request, self.ledger, self.settings)
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
        from mayfly.runtime._policy import Desk

        return self._once("desk", lambda: Desk(self.settings, ledger=self.ledger))

    def follow_from(self, facts: Iterable[Fact], goals: Sequence[Symbol]) -> dict[Symbol, list[tuple[Any, ...]]]:
        """Return what the rules in force derive for each of *goals* from *facts*."""
        return self.desk.follow_from(facts, goals)
