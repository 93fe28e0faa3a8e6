"""What a job behind the wall asks of the wallet: bought through the broker, answered in one line."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

from mayfly.core import ConflictError, InputError, MayflyError, one_line
from mayfly.market._broker_client import BrokerClient
from mayfly.market._wallet import Wallet
from mayfly.sandbox import PurchaseAnswer, PurchaseReply

if TYPE_CHECKING:
    from mayfly.core import Settings
    from mayfly.sandbox import PurchaseRequest

# Of a payment a program is told what it may want to write down; the rest is in the ledger.
_TOLD = ("id", "state", "network", "asset", "units", "decimals", "transaction")


def purchase(settings: Settings, request: PurchaseRequest) -> PurchaseReply:
    """Answer a job that buys, or asks what it has or had."""
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
