"""`Parts`: the workshop of a runtime, with what comes from higher floors: telemetry, wallet, rules, inbox."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mayfly.core import ConflictError, InputError, MayflyError, one_line
from mayfly.library import Workshop
from mayfly.sandbox import PurchaseAnswer, PurchaseReply, PurchaseRequest

if TYPE_CHECKING:
    from mayfly.core import Settings
    from mayfly.forge import Inbox
    from mayfly.mangle import Symbol
    from mayfly.market import BrokerClient
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


# Of a payment a program is told what it may want to write down; the rest is in the ledger.
_TOLD = ("id", "state", "network", "asset", "units", "decimals", "transaction")


def purchase(settings: Settings, request: PurchaseRequest) -> PurchaseReply:
    """Answer a job; the market is loaded when the first one asks."""
    from mayfly.market import BrokerClient, Wallet

    if not Wallet(settings).exists:
        return _refused("there is no wallet here", "mayfly wallet init")
    client = BrokerClient(settings)
    # Asked before and not concluded from an error: who was lost in the middle may have bought.
    if not client.is_open:
        return _refused("the wallet is not open", "mayfly wallet open")
    try:
        return _asked(client, request)
    except (InputError, ConflictError) as error:
        return _refused(error.message, error.fix or "")
    except MayflyError as error:
        fix = f" ({error.fix})" if error.fix and request.op != "buy" else ""
        return PurchaseReply(status="unknown", reason=one_line(f"{error.message}{fix}"))


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


def _asked(client: BrokerClient, request: PurchaseRequest) -> PurchaseReply:
    if request.op == "balance":
        return PurchaseReply(status="ok", more=client.balance())
    if request.op == "status":
        return _told(client.status(request.call_id))
    return _told(
        client.buy(
            request.call_id,
            request.url,
            request.max_price,
            method=request.method,
            body=request.body,
            headers=[("content-type", _kind_of(request.body))] if request.body else (),
            agent=request.agent,
            run=request.run,
            tool=request.tool,
            strategy=request.strategy,
        )
    )


def _told(said: dict[str, Any]) -> PurchaseReply:
    answer, payment = said.get("answer"), said.get("payment")
    more: dict[str, object] = {"payment": {name: payment[name] for name in _TOLD}} if payment else {}
    if said.get("decision"):
        more["decision"] = said["decision"]
    return PurchaseReply(
        status=str(said["status"]),
        reason=str(said.get("reason", "")),
        answer=PurchaseAnswer(answer["status"], base64.b64decode(answer["body"])) if answer else None,
        more=more,
    )


def _refused(reason: str, fix: str) -> PurchaseReply:
    return PurchaseReply(status="refused", reason=one_line(f"{reason} ({fix})" if fix else reason))


def _kind_of(body: bytes) -> str:
    """Return what a body is sent as: a job sends text, mostly JSON, and says no more of it."""
    try:
        json.loads(body)
    except (ValueError, RecursionError):
        return "text/plain; charset=utf-8"
    return "application/json"
