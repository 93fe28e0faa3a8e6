"""Connect the sandbox's grant `buy` to the wallet: what a job asks goes to the broker, which has the key."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mayfly.core import ConflictError, InputError, MayflyError, one_line
from mayfly.sandbox import PurchaseAnswer, PurchaseReply, PurchaseRequest

if TYPE_CHECKING:
    from mayfly.core import Settings
    from mayfly.market import BrokerClient
    from mayfly.store import Ledger

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
    return PurchaseReply(
        status=str(said["status"]),
        reason=str(said.get("reason", "")),
        answer=PurchaseAnswer(answer["status"], base64.b64decode(answer["body"])) if answer else None,
        more={"payment": {name: payment[name] for name in _TOLD}} if payment else {},
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
