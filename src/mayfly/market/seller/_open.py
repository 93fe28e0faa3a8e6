"""Put a seller together from the settings: the chain, the token, who settles, and to whom it is paid."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mayfly.core import InputError, one_line
from mayfly.market._chain_reader import ChainReader
from mayfly.market._requirements import PaymentOffer
from mayfly.market._terms import chain_id_of, price_units, read_address
from mayfly.market._wallet import Wallet
from mayfly.market.facilitator import FacilitatorClient, SelfFacilitator
from mayfly.market.seller._seller import Handler, Seller, SellerLimits

if TYPE_CHECKING:
    from mayfly.core import Capability, Settings
    from mayfly.market.facilitator import Facilitator
    from mayfly.store import Ledger

# The first four bytes of the hashes of `name()` and `version()`.
_NAME: Final = "0x06fdde03"
_VERSION: Final = "0x54fd4d50"
# A key is 66 characters; whatever is larger is another file.
_LARGEST_KEY: Final = 200


def make_offer(settings: Settings, capability: Capability, price: str, *, pay_to: str = "") -> PaymentOffer:
    """Return a capability with its price in whole coins; what the token is called in signatures it says itself."""
    market = settings.market
    reader = open_reader(settings)
    asset = read_address(market.asset, "market.asset")
    payee = pay_to or market.payee
    if not payee:
        wallet = Wallet(settings)
        if not wallet.exists:
            raise InputError("nobody is named to be paid", fix="--pay-to ADDRESS, market.payee, or mayfly wallet init")
        payee = wallet.address
    return PaymentOffer(
        tool=capability.name,
        version=capability.version,
        units=price_units(price, market.asset_decimals),
        network=market.network,
        asset=asset,
        payee=payee,
        token_name=market.asset_name or _text(reader, asset, _NAME, "name"),
        token_version=market.asset_version or _text(reader, asset, _VERSION, "version"),
        decimals=market.asset_decimals,
        seconds=market.offer_seconds,
        description=one_line(capability.summary, limit=500),
        strategy=market.strategy,
        input_schema=_plain(capability.input_schema),
        output_schema=_plain(capability.output_schema),
    )


def open_reader(settings: Settings) -> ChainReader:
    """Return who reads the chain that the settings name; one that is another chain is refused before anything."""
    market = settings.market
    number = chain_id_of(market.network)
    reader = ChainReader(market.rpc_url, confirmations=market.confirmations, timeout=market.rpc_timeout)
    if reader.chain_id() != number:
        raise InputError(f"the node of market.rpc_url is not of {market.network}", fix="mayfly config show")
    return reader


def open_seller(settings: Settings, ledger: Ledger, handler: Handler) -> Seller:
    """Return a seller as the settings describe it."""
    market = settings.market
    limits = SellerLimits(
        lease=market.lease,
        patience=market.settle_wait,
        settle=market.settle_wait,
        shortest=market.shortest_validity,
        answer=market.answer_size,
    )
    return Seller(ledger, handler, _facilitator(settings), open_reader(settings), limits=limits)


def _facilitator(settings: Settings) -> Facilitator:
    market = settings.market
    if market.facilitator_url:
        return FacilitatorClient(market.facilitator_url, timeout=market.timeout)
    if not market.relay_key_file:
        raise InputError(
            "nobody is named to settle payments",
            fix="set market.facilitator_url, or market.relay_key_file to settle through the node yourself",
        )
    return SelfFacilitator(
        rpc_url=market.rpc_url,
        key=_read_key(Path(market.relay_key_file).expanduser()),
        network=market.network,
        assets=[market.asset],
        reader=ChainReader(market.rpc_url, confirmations=0, timeout=market.rpc_timeout),
        seconds=market.timeout,
    )


def _read_key(path: Path) -> str:
    """Read a key from a file that nobody else reads."""
    try:
        with path.open("rb") as file:
            about = os.fstat(file.fileno())
            if not stat.S_ISREG(about.st_mode) or about.st_mode & 0o077:
                raise InputError(f"{path}: others can read this key", fix=f"chmod 600 {path}")
            text = file.read(_LARGEST_KEY + 1).decode("ascii", "replace").strip().removeprefix("0x")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None
    if len(text) != 64 or not set(text.lower()) <= set("0123456789abcdef"):
        raise InputError(f"{path} holds no key: 64 hexadecimal digits")
    return text


def _plain(schema: Any) -> Any:
    """Return a schema without what only we understand, whose names begin with `x-`."""
    if isinstance(schema, Mapping):
        return {name: _plain(one) for name, one in schema.items() if not name.startswith("x-")}
    return [_plain(one) for one in schema] if isinstance(schema, list) else schema


def _text(reader: ChainReader, asset: str, selector: str, what: str) -> str:
    """Ask a token for a text about itself."""
    call: Mapping[str, Any] = {"to": asset, "data": selector}
    said = reader.node.ask("eth_call", call, "latest")
    try:
        data = bytes.fromhex(str(said).removeprefix("0x"))
        start = int.from_bytes(data[:32], "big")
        length = int.from_bytes(data[start : start + 32], "big")
        text = data[start + 32 : start + 32 + length].decode()
    except (ValueError, OverflowError):
        text = ""
    # The names of tokens are short; what is signed is never more than anybody would read.
    if not 0 < len(text) <= 100:
        raise InputError(f"the token does not say its {what}", fix=f"set market.asset_{what}")
    return text
