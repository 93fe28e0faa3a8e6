"""What a facilitator says, as values: a fault of it is a result like the others and never an exception."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol


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

    def supported(self) -> list[Mapping[str, Any]]:
        """Return the kinds of payment it takes: scheme, network and version."""
