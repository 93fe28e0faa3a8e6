"""`SignedPayment`: what a buyer sends to pay with, read strictly and into one spelling, and held against an offer.

Below it the answers of a seller besides the goods; each says in one line whether anything was charged.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from mayfly.core import InputError, address_key, shown
from mayfly.market._asgi import ShopReply, json_reply
from mayfly.market._requirements import PaymentOffer, encode_header
from mayfly.market._terms import (
    REQUIRED_HEADER,
    RESPONSE_HEADERS,
    SIGNATURE_HEADERS,
    chain_id_of,
    decode_header,
    read_address,
    read_network,
    read_units,
    same_resource,
    signed_payload,
)
from mayfly.market._wallet import signer_of, typed_authorization

if TYPE_CHECKING:
    from mayfly.store import SaleRow

# A payment is about a kilobyte; the signature of a wallet that is a contract may be some more.
_LARGEST: Final = 16_384
_NONCE: Final = re.compile(r"0x[0-9a-f]{64}")
_SIGNATURE: Final = re.compile(r"0x(?:[0-9a-f]{2}){65,4096}")
_TIME: Final = re.compile(r"0|[1-9][0-9]{0,18}")
_LATEST: Final = 2**63
# What is signed, in the order of EIP-3009.
_SIGNED: Final = ("payer", "payee", "units", "valid_after", "valid_before", "nonce")


@dataclass(frozen=True, kw_only=True)
class SignedPayment:
    """An authorization of EIP-3009 with its signature; nonce and signature are in small letters.

    *accepted* is the requirement the buyer says it pays, which v1 does not have; *resource* what it says it pays for.
    """

    version: int
    scheme: str
    network: str
    payer: str
    payee: str
    units: int
    valid_after: int
    valid_before: int
    nonce: str
    signature: str
    accepted: Mapping[str, Any] | None
    resource: str

    @property
    def payload(self) -> dict[str, Any]:
        """What was signed and the signature, as x402 writes them; two payments are the same where this is."""
        return signed_payload(self.signature, **{name: getattr(self, name) for name in _SIGNED})

    def objection(self, offer: PaymentOffer, url: str, *, now: float, shortest: float) -> str:
        """Return why it does not pay for *offer*, before anybody else is asked; nothing where it may."""
        wanted = offer.requirement
        if self.scheme != "exact" or self.network != offer.network:
            return f"it is paid by the scheme exact on {offer.network}"
        if self.accepted is not None and _spelled(self.accepted) != _spelled(wanted):
            return "the accepted terms are not the ones that are offered"
        if self.resource and not same_resource(self.resource, url):
            return "the payment is for another resource"
        if self.payee != offer.payee:
            return f"it is paid to {offer.payee}"
        if self.units != offer.units:
            return f"it costs {offer.units} units, and {self.units} are paid"
        if self.valid_after > now:
            return "the authorization is not valid yet"
        if self.valid_before < now + shortest:
            return f"the authorization is not valid for another {shortest:g} seconds"
        return ""

    def is_signed(self, offer: PaymentOffer) -> bool:
        """Whether the payer's own key signed it; what a wallet that is a contract signs only the chain can tell."""
        token = (offer.token_name, offer.token_version, chain_id_of(offer.network), offer.asset)
        signed = tuple(getattr(self, name) for name in _SIGNED)
        return signer_of(*typed_authorization(token, signed), self.signature) == self.payer


def read_payment(headers: Mapping[str, str]) -> SignedPayment | None:
    """Read the payment in the headers (names in small letters) of v2, otherwise of v1; None where there is none."""
    for version in (2, 1):
        text = headers.get(SIGNATURE_HEADERS[version].lower())
        if text is not None:
            return parse_payment(decode_header(text, "the payment", most=_LARGEST), version)
    return None


def parse_payment(value: object, version: int = 2) -> SignedPayment:
    """Read a payment of x402; whatever is missing, odd or out of range is an `InputError`."""
    try:
        return _parsed(value, version)
    except (KeyError, TypeError, AttributeError):
        raise InputError(f"the payment is none of x402 v{version}: something is missing") from None


def _parsed(value: Any, version: int) -> SignedPayment:
    if value["x402Version"] != version:
        raise InputError(f"the payment says version {shown(value['x402Version'], 20)} and stands where {version} does")
    accepted = value["accepted"] if version == 2 else None
    if accepted is not None and not isinstance(accepted, dict):
        raise InputError("the payment names no accepted terms")
    terms = value if accepted is None else accepted
    resource = value.get("resource") if version == 2 else None
    signed, given = value["payload"], value["payload"]["authorization"]
    return SignedPayment(
        version=version,
        scheme=str(terms["scheme"]),
        network=read_network(terms["network"]),
        payer=read_address(given["from"], "from"),
        payee=read_address(given["to"], "to"),
        units=read_units(given["value"]),
        valid_after=_time(given["validAfter"]),
        valid_before=_time(given["validBefore"]),
        nonce=_hex(given["nonce"], _NONCE, "nonce"),
        signature=_hex(signed["signature"], _SIGNATURE, "signature"),
        accepted=accepted,
        resource=str(resource.get("url") or "") if isinstance(resource, dict) else "",
    )


def _time(value: object) -> int:
    # The SDK writes texts, some clients numbers; a float or a sign is neither.
    text = str(value) if type(value) is int else value
    if not isinstance(text, str) or not _TIME.fullmatch(text) or int(text) >= _LATEST:
        raise InputError(f"{shown(value, 40)} is no time: seconds since 1970")
    return int(text)


def _hex(value: object, form: re.Pattern[str], what: str) -> str:
    text = value.lower() if isinstance(value, str) else ""
    if not form.fullmatch(text):
        raise InputError(f"the {what} of the payment is none: {shown(value, 80)}")
    return text


def _spelled(requirement: Mapping[str, Any]) -> object:
    """Return terms as they are compared: addresses as they are compared, and only what decides about money."""
    extra = requirement.get("extra")
    extra = extra if isinstance(extra, dict) else {}
    plain = [str(requirement.get(name)) for name in ("scheme", "network", "amount", "maxTimeoutSeconds")]
    return plain, *(address_key(str(requirement.get(name))) for name in ("asset", "payTo")), extra


# Common servers and proxies take eight kilobytes of headers; schemas that do not fit stand in the list of resources.
_LARGEST_HEADER: Final = 6000
# Seconds after which asking again may help: a block or two.
_AGAIN: Final = "2"


def payment_required(offer: PaymentOffer, url: str, error: str) -> ShopReply:
    """Say what is to be paid: to v2 in a header, to v1 in the body."""
    required = offer.required(url, error)
    header = encode_header(required)
    if len(header) > _LARGEST_HEADER:
        header = encode_header({name: value for name, value in required.items() if name != "extensions"})
    return json_reply(402, offer.required_v1(url, error), {REQUIRED_HEADER: header, "cache-control": "no-store"})


def refused(reason: str) -> ShopReply:
    """Say that the request itself is wrong."""
    return json_reply(400, {"error": reason})


def conflict() -> ShopReply:
    """Say that the payment was given for another request."""
    reason = "this payment was sent with another request; pay for this one with an authorization of its own"
    return json_reply(409, {"error": reason})


def busy(reason: str) -> ShopReply:
    """Say that the same payment may be sent again, and that this is safe."""
    return json_reply(503, {"error": reason}, {"retry-after": _AGAIN})


def failed(row: SaleRow) -> ShopReply:
    """Say that there is no answer and that nothing was charged."""
    return json_reply(500, {"error": row.reason, "charged": False})


def unsettled(row: SaleRow, reason: str) -> ShopReply:
    """Say that the payment did not arrive, so that nothing is handed out."""
    receipt = {"success": False, "errorReason": reason, "transaction": "", "network": row.network, "payer": row.payer}
    headers = dict.fromkeys(RESPONSE_HEADERS.values(), encode_header(receipt))
    return json_reply(402, {"error": reason, "charged": False}, headers)
