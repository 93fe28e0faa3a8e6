"""`Terms`: one way to pay, as an answer 402 offers it, read and checked before anybody thinks of paying.

x402 v2 (header PAYMENT-REQUIRED) is spoken; v1 (the body of the answer) is understood. Amounts are whole numbers of the
asset's smallest unit from the first byte on: nothing here is ever a float.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import SplitResult, urljoin, urlsplit

from mayfly.core import InputError, one_line, parse_json, shown, with_checksums

PAYMENT_REQUIRED: Final = 402
REQUIRED_HEADER: Final = "PAYMENT-REQUIRED"
SIGNATURE_HEADERS: Final = {1: "X-PAYMENT", 2: "PAYMENT-SIGNATURE"}
"""In which header a payment is sent, by the version of x402."""
RESPONSE_HEADERS: Final = {1: "X-PAYMENT-RESPONSE", 2: "PAYMENT-RESPONSE"}
"""In which header a seller says how it settled."""
# What the store counts with: a signed number of 64 bits. USDC has never had a supply near a millionth of it.
_TOO_MANY: Final = 2**63
_UNITS: Final = re.compile(r"[1-9][0-9]{0,18}")
_PRICE: Final = re.compile(r"(0|[1-9][0-9]{0,12})(?:\.([0-9]{1,18}))?")
_ADDRESS: Final = re.compile(r"0x[0-9a-fA-F]{40}")
_NETWORK: Final = re.compile(r"eip155:([1-9][0-9]{0,18})")
# A header of eight kilobytes is the largest that common servers take; eight times that is nobody's honest offer.
_LARGEST_HEADER: Final = 65_536
# An offer has one entry for each asset and network; more are a list to drown the one that is bought.
_MOST_WAYS: Final = 64
# A day: validity is clamped far below it (`market.longest_validity`), and who asks for more has a slip or a plan.
_LONGEST: Final = 86_400
_NOBODY: Final = "0x" + "0" * 40
# The names v1 has for networks, from its specification; v2 says the number of the chain itself.
NETWORKS_V1: Final = {
    "base": 8453,
    "base-sepolia": 84532,
    "ethereum": 1,
    "polygon": 137,
    "polygon-amoy": 80002,
    "avalanche": 43114,
    "avalanche-fuji": 43113,
    "abstract": 2741,
    "abstract-testnet": 11124,
    "iotex": 4689,
    "sei": 1329,
    "sei-testnet": 1328,
    "peaq": 3338,
    "celo": 42220,
}


@dataclass(frozen=True, kw_only=True)
class PaymentTerms:
    """One way to pay, as a 402 answer offers it, checked."""

    version: int
    network: str
    asset: str
    payee: str
    units: int
    seconds: int
    name: str
    token_version: str
    resource: str
    description: str
    mime: str
    schema: Mapping[str, Any] | None
    raw: Mapping[str, Any]
    """The requirement exactly as it was offered; it is sent back as `accepted`."""

    @property
    def chain_id(self) -> int:
        """The number of the chain, which is part of what is signed."""
        return chain_id_of(self.network)


def read_terms(status: int, headers: Mapping[str, str], body: bytes, *, url: str) -> list[PaymentTerms]:
    """Return the ways to pay that an answer offers for *url* and that can be paid here: scheme exact, on an EVM chain.

    An offer for another URL, or with an amount or a time that is none, is an `InputError`: who slips there is not paid.
    """
    if status != PAYMENT_REQUIRED:
        raise InputError(f"the seller asks for no payment: HTTP {status}")
    offer = _offer(headers, body)
    version = offer.get("x402Version")
    if type(version) is not int or version not in (1, 2):
        raise InputError(f"the seller speaks x402 version {shown(version, 40)}; versions 1 and 2 are understood")
    accepts = offer.get("accepts")
    if not isinstance(accepts, list) or len(accepts) > _MOST_WAYS:
        raise InputError(f"the seller's 402 has no list of at most {_MOST_WAYS} ways to pay")
    ways = [one for one in accepts if isinstance(one, dict) and _payable(one)]
    if not ways:
        raise InputError("the seller takes no payment of the scheme exact on an EVM chain")
    return [_terms(one, offer, version, url) for one in ways]


def signed_payload(
    signature: str, *, payer: str, payee: str, units: int, valid_after: int, valid_before: int, nonce: str
) -> dict[str, Any]:
    """Return an authorization and its signature as x402 writes them; two payments are the same where this is."""
    authorization = {
        "from": payer,
        "to": payee,
        "value": str(units),
        "validAfter": str(valid_after),
        "validBefore": str(valid_before),
        "nonce": nonce,
    }
    return {"signature": signature, "authorization": authorization}


def read_units(text: object) -> int:
    """Read an amount of the smallest unit: digits alone, more than nothing, less than 2**63."""
    if not isinstance(text, str) or not _UNITS.fullmatch(text) or int(text) >= _TOO_MANY:
        raise InputError(f"{shown(text, 60)} is no amount: digits of the smallest unit, from 1 to 2**63 - 1")
    return int(text)


def price_units(price: str, decimals: int) -> int:
    """Turn a price in whole coins ("0.01") into units, exactly; more decimals than the asset has are refused."""
    found = _PRICE.fullmatch(price) if isinstance(price, str) else None
    if found is None:
        raise InputError(f"{shown(price, 60)} is no price", fix="write it like 0.01")
    fraction = (found[2] or "").rstrip("0")
    if len(fraction) > decimals:
        raise InputError(f"{price} has more than the {decimals} decimals of the asset")
    units = int(found[1] + fraction.ljust(decimals, "0"))
    if not 0 < units < _TOO_MANY:
        raise InputError(f"{price} is no price that can be paid: more than nothing, less than 2**63 units")
    return units


def read_address(text: object, what: str) -> str:
    """Read an address of an EVM chain, however it is spelled; it comes back with its checksum."""
    if not isinstance(text, str) or not _ADDRESS.fullmatch(text):
        raise InputError(f"{what}: {shown(text, 60)} is no address", fix="write 0x and 40 hexadecimal digits")
    return with_checksums(text)


def chain_id_of(network: str) -> int:
    """Return the number of an EVM chain that is named as CAIP-2 has it."""
    found = _NETWORK.fullmatch(network)
    if found is None:
        raise InputError(f"{shown(network, 60)} is no EVM network", fix="write it like eip155:8453")
    return int(found[1])


def read_network(name: object) -> str:
    """Read a network as v2 names it, or by its name of v1."""
    found = _network(name)
    if found is None:
        raise InputError(f"{shown(name, 60)} is no EVM network", fix="write it like eip155:8453")
    return found


def same_resource(one: str, other: str) -> bool:
    """Whether two URLs name the same thing: scheme, host, port, path and query; a fragment never leaves the client."""
    return _plain_url(one) == _plain_url(other)


def _offer(headers: Mapping[str, str], body: bytes) -> Mapping[str, Any]:
    text = _header(headers, REQUIRED_HEADER)
    if text is not None:
        offer = decode_header(text, f"the header {REQUIRED_HEADER}", most=_LARGEST_HEADER)
        if not isinstance(offer, dict):
            raise InputError(f"the header {REQUIRED_HEADER} is no object of x402")
        return offer
    offer = parse_json(body, "the seller's 402")
    if not isinstance(offer, dict):
        raise InputError("the seller's 402 is no object of x402")
    return offer


def _header(headers: Mapping[str, str], name: str) -> str | None:
    wanted = name.lower()
    return next((value for key, value in headers.items() if key.lower() == wanted), None)


def decode_header(text: str, where: str, *, most: int) -> object:
    """Return what a header of x402 holds: JSON in base64, of at most so many characters."""
    if len(text) > most:
        raise InputError(f"{where} has more than {most} characters")
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise InputError(f"{where} is not base64") from None
    return parse_json(data, where)


def _payable(way: Mapping[str, Any]) -> bool:
    """Whether it is a way to pay that is known here at all; others may stand beside it and are passed over."""
    extra = way.get("extra")
    method = extra.get("assetTransferMethod", "eip3009") if isinstance(extra, dict) else "eip3009"
    return way.get("scheme") == "exact" and method == "eip3009" and _network(way.get("network")) is not None


def _network(name: object) -> str | None:
    if not isinstance(name, str):
        return None
    if name in NETWORKS_V1:
        return f"eip155:{NETWORKS_V1[name]}"
    return name if _NETWORK.fullmatch(name) else None


def _terms(way: Mapping[str, Any], offer: Mapping[str, Any], version: int, url: str) -> PaymentTerms:
    about = way if version == 1 else offer.get("resource")
    about = about if isinstance(about, dict) else {}
    resource = about.get("resource" if version == 1 else "url")
    extra = way.get("extra")
    extra = extra if isinstance(extra, dict) else {}
    payee, asset = read_address(way.get("payTo"), "payTo"), read_address(way.get("asset"), "asset")
    if payee in (_NOBODY, asset):
        raise InputError(f"the seller wants to be paid at {payee}, where money is lost")
    return PaymentTerms(
        version=version,
        network=_network(way["network"]) or "",
        asset=asset,
        payee=payee,
        units=read_units(way.get("maxAmountRequired" if version == 1 else "amount")),
        seconds=_seconds(way.get("maxTimeoutSeconds")),
        name=_domain(extra, "name"),
        token_version=_domain(extra, "version"),
        resource=_own_resource(resource, url),
        description=_text(about.get("description")),
        mime=_text(about.get("mimeType")),
        schema=_schema(way, offer, version),
        raw=way,
    )


def _own_resource(resource: object, url: str) -> str:
    """Return the resource that is paid for, which has to be the one that was asked for."""
    if resource is None:
        return url
    if not isinstance(resource, str) or not same_resource(urljoin(url, resource), url):
        raise InputError(f"the seller's terms are for another resource: {one_line(str(resource), limit=200)}")
    return url


def _plain_url(url: str) -> tuple[object, ...]:
    try:
        parts = urlsplit(url)
        return parts.scheme, parts.username, parts.hostname, _port(parts), parts.path or "/", parts.query
    except ValueError:
        # A port that is no number; such a URL is the same as no other.
        return (url, object())


def _port(parts: SplitResult) -> int | None:
    return parts.port or {"http": 80, "https": 443}.get(parts.scheme)


def _seconds(value: object) -> int:
    if type(value) is not int or not 0 < value <= _LONGEST:
        raise InputError(f"maxTimeoutSeconds: {shown(value, 60)} is no time to pay in, from 1 to {_LONGEST} seconds")
    return value


def _domain(extra: Mapping[str, Any], key: str) -> str:
    value = extra.get(key)
    # The names of tokens are short; what is signed is never more than anybody would read.
    if not isinstance(value, str) or not 0 < len(value) <= 100:
        raise InputError(
            f"the seller does not say the token's {key} (extra.{key}), without which nothing can be signed"
        )
    return value


def _text(value: object) -> str:
    return one_line(value, limit=1000) if isinstance(value, str) else ""


def _schema(way: Mapping[str, Any], offer: Mapping[str, Any], version: int) -> Mapping[str, Any] | None:
    """Return what is said of input and output: `outputSchema` of v1, the extension bazaar of v2."""
    extensions = offer.get("extensions")
    found = way.get("outputSchema") if version == 1 else isinstance(extensions, dict) and extensions.get("bazaar")
    return found if isinstance(found, dict) else None
