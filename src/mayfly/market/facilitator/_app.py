"""A facilitator over HTTP, as x402 describes it: /verify, /settle and /supported."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mayfly.core import InputError, parse_json
from mayfly.market._asgi import App, HttpAsked, Reply, json_reply, small_app

if TYPE_CHECKING:
    from mayfly.market.facilitator._results import Facilitator

# A payment and a requirement are some kilobytes.
_LARGEST: Final = 100_000


def facilitator_app(facilitator: Facilitator, *, network: str) -> App:
    """Return the application; it knows no callers, so it belongs on loopback or behind a door."""

    def answer(request: HttpAsked) -> Reply:
        method, path = request.method, request.path
        if (method, path) == ("GET", "/supported"):
            return json_reply(200, {"kinds": facilitator.supported(), "extensions": [], "signers": {}})
        if method != "POST" or path not in ("/verify", "/settle"):
            return json_reply(404, {"error": "there is /verify, /settle and /supported"})
        try:
            asked = parse_json(request.body, "the request")
        except InputError as error:
            return json_reply(400, {"error": str(error)})
        payload, requirement = (
            asked.get(name) if isinstance(asked, dict) else None for name in ("paymentPayload", "paymentRequirements")
        )
        if not isinstance(payload, dict) or not isinstance(requirement, dict):
            return json_reply(400, {"error": "the request has no paymentPayload and paymentRequirements"})
        return _verify(payload, requirement) if path == "/verify" else _settle(payload, requirement)

    def _verify(payload: dict[str, Any], requirement: dict[str, Any]) -> Reply:
        said = facilitator.verify(payload, requirement)
        if said.status == "unknown":
            return json_reply(503, {"error": said.reason})
        valid = said.status == "valid"
        return json_reply(200, {"isValid": valid, **({} if valid else {"invalidReason": said.reason})})

    def _settle(payload: dict[str, Any], requirement: dict[str, Any]) -> Reply:
        said = facilitator.settle(payload, requirement)
        if said.status == "unknown" and not said.transaction:
            return json_reply(503, {"error": said.reason})
        about = {"success": said.status == "settled", "transaction": said.transaction, "network": network}
        return json_reply(200, about if about["success"] else {**about, "errorReason": said.reason})

    return small_app(answer, most=_LARGEST)
