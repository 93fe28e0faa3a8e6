"""`Offer`: what is sold, for how much and to whom it is paid; and how x402 writes that, in both of its versions."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from mayfly.core import InputError
from mayfly.market._terms import NETWORKS_V1, chain_id_of, read_address, read_units

MIME: Final = "application/json"
# Where a seller lists what it sells: the file of x402, and the list of the bazaar.
WELL_KNOWN: Final = "/.well-known/x402"
RESOURCES: Final = "/discovery/resources"
# Names of paths, and of tools in the library, are plainer than that; nothing else may stand in a URL unquoted.
_NAME: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-")


@dataclass(frozen=True, kw_only=True)
class PaymentOffer:
    """One capability with its price; *seconds* is how long a payment for it may take."""

    tool: str
    version: int
    units: int
    network: str
    asset: str
    payee: str
    token_name: str
    token_version: str
    decimals: int = 6
    seconds: int = 300
    description: str = ""
    strategy: str = ""
    input_schema: Mapping[str, Any] = field(default_factory=lambda: {"type": "object"})
    output_schema: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.tool or not set(self.tool) <= _NAME:
            raise InputError(f"{self.tool[:60]!r} is no name that can be sold under")
        read_units(str(self.units))
        chain_id_of(self.network)
        for name in ("asset", "payee"):
            object.__setattr__(self, name, read_address(getattr(self, name), name))

    @property
    def path(self) -> str:
        """Where it is sold."""
        return f"/tools/{self.tool}"

    @property
    def requirement(self) -> dict[str, Any]:
        """How it is paid, as x402 v2 says it; a payment has to name exactly this."""
        return {
            "scheme": "exact",
            "network": self.network,
            "asset": self.asset,
            "amount": str(self.units),
            "payTo": self.payee,
            "maxTimeoutSeconds": self.seconds,
            "extra": {"name": self.token_name, "version": self.token_version},
        }

    @property
    def about(self) -> dict[str, Any]:
        """The extension bazaar of v2: how it is asked for and what it answers, with schemas."""
        return {
            "info": {
                "input": {"type": "http", "method": "POST", "bodyType": "json", "body": {}},
                "output": {"type": "json"},
            },
            "schema": {
                "type": "object",
                "properties": {
                    "input": {"type": "object", "properties": {"body": dict(self.input_schema)}},
                    "output": {"type": "object", "properties": {"example": dict(self.output_schema)}},
                },
            },
        }

    def required(self, url: str, error: str) -> dict[str, Any]:
        """Return what a 402 of v2 says: what is paid for, how, and why it is not given yet."""
        return {
            "x402Version": 2,
            "error": error,
            "resource": {"url": url, "description": self.description, "mimeType": MIME},
            "accepts": [self.requirement],
            "extensions": {"bazaar": self.about},
        }

    def required_v1(self, url: str, error: str) -> dict[str, Any]:
        """Return the same for those who speak v1 only, which stands in the body."""
        names = {number: name for name, number in NETWORKS_V1.items()}
        way = {
            "scheme": "exact",
            "network": names.get(chain_id_of(self.network), self.network),
            "maxAmountRequired": str(self.units),
            "resource": url,
            "description": self.description,
            "mimeType": MIME,
            "payTo": self.payee,
            "maxTimeoutSeconds": self.seconds,
            "asset": self.asset,
            "outputSchema": {
                "input": {"type": "http", "method": "POST", "bodyType": "json", "body": dict(self.input_schema)},
                "output": dict(self.output_schema),
            },
            "extra": {"name": self.token_name, "version": self.token_version},
        }
        return {"x402Version": 1, "error": error, "accepts": [way]}

    def listed(self, url: str) -> dict[str, Any]:
        """Return its entry in a list of resources, as the bazaar has them."""
        return {
            "resource": url,
            "type": "http",
            "x402Version": 2,
            "accepts": [self.requirement],
            "description": self.description,
            "mimeType": MIME,
            "extensions": {"bazaar": self.about},
        }


def encode_header(value: Mapping[str, Any]) -> str:
    """Return an object as it stands in a header of x402."""
    return base64.b64encode(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()).decode()
