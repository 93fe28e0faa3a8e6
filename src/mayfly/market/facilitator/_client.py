"""What a facilitator says, as values, and `FacilitatorClient`: one that is asked over HTTP.

A fault of it is a result like the others and never an exception; it is believed no more than it has to be.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol

from mayfly.core import InputError, MayflyError, one_line, parse_json
from mayfly.world import address_of, exchange


@dataclass(frozen=True, kw_only=True)
class Verification:
    """Whether a payment could be settled now; `unknown` where nobody could tell."""

    status: Literal["valid", "refused", "unknown"]
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class Settlement:
    """What came of sending a payment to the chain.

    `settled` is what the facilitator says, with its transaction; `refused` that it says it will not; `unknown` that the
    payment may or may not have been sent. In each case the chain has the last word.
    """

    status: Literal["settled", "refused", "unknown"]
    transaction: str = ""
    reason: str = ""


class Facilitator(Protocol):
    """Who verifies and settles; payload and requirement are objects of x402 v2."""

    pays_gas: bool
    """Whether the gas is paid from our own pocket, so that it counts among what a sale cost."""

    def verify(self, payload: Mapping[str, Any], requirement: Mapping[str, Any]) -> Verification:
        """Say whether a payment could be settled now."""

    def settle(self, payload: Mapping[str, Any], requirement: Mapping[str, Any]) -> Settlement:
        """Send a payment to the chain and wait until it is there; asked again it is not sent again."""


# Its answers are a few hundred bytes.
_LARGEST: Final = 1_000_000
_HASH: Final = re.compile(r"0x[0-9a-fA-F]{64}")
_REASON: Final = 300
_NONE_OF_X402: Final = "the facilitator's answer is none of x402"


class FacilitatorClient:
    """Ask a facilitator; safe to share between threads.

    A connection that fails, an answer that comes too late, a 5xx and whatever is no answer of x402 are `unknown`: after
    a settlement nobody can tell from them whether money moved. Redirects are not followed.
    """

    pays_gas = False

    def __init__(self, url: str, *, timeout: float = 30.0) -> None:
        """Ask the one at *url*; *timeout* is how many seconds an answer may take."""
        address = address_of(url)
        if not address.secure and address.kind != "loopback":
            raise InputError("a facilitator on another machine is asked over https", fix="set market.facilitator_url")
        self.url, self._timeout = url.rstrip("/"), timeout

    def verify(self, payload: Mapping[str, Any], requirement: Mapping[str, Any]) -> Verification:
        """Say whether a payment could be settled now."""
        said = self._ask("/verify", payload, requirement)
        if isinstance(said, str):
            return Verification(status="unknown", reason=said)
        valid = said.get("isValid")
        if valid is True:
            return Verification(status="valid")
        if valid is False:
            return Verification(status="refused", reason=_reason(said, "invalidReason"))
        return Verification(status="unknown", reason=_NONE_OF_X402)

    def settle(self, payload: Mapping[str, Any], requirement: Mapping[str, Any]) -> Settlement:
        """Have a payment sent to the chain; what is asked twice is settled once, for its nonce is used up then."""
        said = self._ask("/settle", payload, requirement)
        if isinstance(said, str):
            return Settlement(status="unknown", reason=said)
        given = said.get("transaction")
        transaction = given.lower() if isinstance(given, str) and _HASH.fullmatch(given) else ""
        success = said.get("success")
        if success is True and transaction:
            return Settlement(status="settled", transaction=transaction)
        if success is False and not transaction:
            return Settlement(status="refused", reason=_reason(said, "errorReason"))
        # One that failed and has a transaction was sent and not seen to arrive: the chain has to tell.
        reason = _reason(said, "errorReason") if success is False else _NONE_OF_X402
        return Settlement(status="unknown", transaction=transaction, reason=reason)

    def _ask(self, path: str, payload: Mapping[str, Any], requirement: Mapping[str, Any]) -> dict[str, Any] | str:
        """Return the object it answers with, or why there is none."""
        asked = {"x402Version": 2, "paymentPayload": payload, "paymentRequirements": requirement}
        body = json.dumps(asked).encode()
        headers = {"Content-Type": "application/json", "Accept": "application/json", "Accept-Encoding": "identity"}
        try:
            answer = exchange(
                address_of(self.url + path),
                "POST",
                headers,
                body,
                seconds=self._timeout,
                largest=_LARGEST,
            )
        except (OSError, MayflyError) as error:
            return f"the facilitator does not answer: {one_line(str(error), limit=_REASON)}"
        # A refusal comes as 200 or as 400 with the same object; anything above says nothing about the payment.
        if answer.status not in (200, 400, 402):
            return f"the facilitator answers HTTP {answer.status}"
        if not answer.whole:
            return f"the facilitator's answer has more than {_LARGEST} bytes"
        try:
            said = parse_json(answer.body, "the facilitator's answer")
        except InputError as error:
            return error.message
        return said if isinstance(said, dict) else _NONE_OF_X402


def _reason(said: Mapping[str, Any], name: str) -> str:
    reason = said.get(name)
    return one_line(reason, limit=_REASON) if isinstance(reason, str) and reason else "it gives no reason"
