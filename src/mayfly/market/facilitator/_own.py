"""`SelfFacilitator`: a small facilitator of our own, the SDK's scheme over a node, with a key that only pays for gas.

Settling is idempotent: the chain is asked first, whoever settled before, and two settlements of one payment at the same
time are one after the other. Whatever goes wrong between us and the node is `unknown`.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from mayfly.core import InputError, MachineError, one_line
from mayfly.market._chain_reader import NodeError, Transfer
from mayfly.market._purchase import Turns
from mayfly.market._terms import read_address, read_units
from mayfly.market._wallet import depth_kept
from mayfly.market.facilitator._client import Settlement, Verification

if TYPE_CHECKING:
    from x402.mechanisms.evm.exact import ExactEvmFacilitatorScheme
    from x402.schemas import PaymentPayload, PaymentRequirements

    from mayfly.market._chain_reader import ChainReader

# What the SDK says when it looked and the payment is not one; its other reasons also stand for a node that was silent.
REFUSALS: Final = frozenset(
    {
        "asset_not_deployed_contract",
        "eip6492_factory_not_allowed",
        "invalid_exact_evm_eip3009_not_supported",
        "invalid_exact_evm_insufficient_balance",
        "invalid_exact_evm_nonce_already_used",
        "invalid_exact_evm_payload_authorization_valid_after",
        "invalid_exact_evm_payload_authorization_valid_before",
        "invalid_exact_evm_payload_authorization_value_mismatch",
        "invalid_exact_evm_payload_recipient_mismatch",
        "invalid_exact_evm_payload_signature",
        "invalid_exact_evm_payload_undeployed_smart_wallet",
        "invalid_exact_evm_token_name_mismatch",
        "invalid_exact_evm_token_version_mismatch",
        "missing_eip712_domain",
        "network_mismatch",
        "unsupported_scheme",
    }
)
# What the SDK says of a signature that it cannot read, and also where the node was silent.
_UNREAD: Final = "invalid_exact_evm_failed_to_verify_signature"
_REASON: Final = 300
# How far back a transfer is looked for; one that was used before that is unknown and not sent either.
_DAY: Final = 86_400


class SelfFacilitator:
    """Verify and settle on one network, for the named assets only; safe to share between threads."""

    pays_gas = True

    def __init__(
        self,
        *,
        rpc_url: str,
        key: str,
        network: str,
        assets: Collection[str],
        reader: ChainReader,
        seconds: float = 30.0,
    ) -> None:
        """Send through *rpc_url* with *key*, which pays for gas; *seconds* is how long a receipt is waited for.

        *reader* tells what the chain shows, without waiting for confirmations: whoever settles counts those.
        """
        self._rpc_url, self._key, self._seconds = rpc_url, key, seconds
        self._network, self._reader = network, reader
        self._assets = frozenset(read_address(one, "asset") for one in assets)
        # The second settlement of a payment finds what the first one did.
        self._turns = Turns()
        try:
            with depth_kept():
                import x402.mechanisms.evm.exact  # noqa: F401 -- all that is imported below comes with it
                from x402.pending_settlement_store import InMemoryPendingSettlementStore
        except ImportError as error:
            raise MachineError(f"settling needs {error.name}", fix="pip install 'mayfly-agents[x402]'") from None
        self._pending = InMemoryPendingSettlementStore()
        self._scheme = self._new_scheme()
        self.address: str = self._scheme.get_signers(network)[0]

    def _new_scheme(self) -> ExactEvmFacilitatorScheme:
        """Return the SDK's scheme; after a failure a new one, for its signer counts transactions that never left."""
        from x402.mechanisms.evm import FacilitatorWeb3Signer
        from x402.mechanisms.evm.exact import ExactEvmFacilitatorScheme, ExactEvmSchemeConfig

        signer = FacilitatorWeb3Signer(self._key, self._rpc_url, confirmation_timeout_seconds=self._seconds)
        # Tried on the chain as it is just before it is sent: a transaction that fails costs gas all the same.
        config = ExactEvmSchemeConfig(simulate_in_settle=True)
        return ExactEvmFacilitatorScheme(signer, config, self._pending)

    def verify(self, payload: Mapping[str, Any], requirement: Mapping[str, Any]) -> Verification:
        """Say whether a payment could be settled now: by its signature, and by trying it on the chain as it is."""
        read = self._read(payload, requirement)
        if isinstance(read, str):
            return Verification(status="refused", reason=read)
        try:
            said = self._scheme.verify(*read)
        except Exception as error:  # the SDK lets through whatever the node or the connection raise
            return Verification(status="unknown", reason=_words(error))
        if said.is_valid:
            return Verification(status="valid")
        reason = said.invalid_reason or ""
        refused = reason in REFUSALS or (reason == _UNREAD and self._is_garbage(read[0].payload))
        return Verification(status="refused" if refused else "unknown", reason=reason)

    def _is_garbage(self, signed: Mapping[str, Any]) -> bool:
        """Whether no key made the signature and the payer is no contract, whose signatures may look like anything."""
        from x402.mechanisms.evm.erc6492 import parse_erc6492_signature
        from x402.mechanisms.evm.verify import verify_eoa_signature

        payer = signed["authorization"]["from"]
        try:
            unwrapped = parse_erc6492_signature(bytes.fromhex(str(signed["signature"]).removeprefix("0x")))
            verify_eoa_signature(bytes(32), unwrapped.inner_signature, payer)
        except ValueError:
            with suppress(NodeError):
                return bool(self._reader.node.ask("eth_getCode", payer, "latest") == "0x")
        return False

    def settle(self, payload: Mapping[str, Any], requirement: Mapping[str, Any]) -> Settlement:
        """Send a payment unless the chain has it, and wait for its receipt."""
        read = self._read(payload, requirement)
        if isinstance(read, str):
            return Settlement(status="refused", reason=read)
        wanted, authorization = read[1], read[0].payload["authorization"]
        asset, payer, nonce = wanted.asset, authorization["from"], authorization["nonce"].lower()
        with self._turns.taken((asset, payer, nonce)):
            transfer = Transfer(self._network, asset, payer, wanted.pay_to, int(wanted.amount), nonce)
            found = self._reader.evidence_of(transfer, since=time.time() - _DAY)
            if found.state == "settled":
                return Settlement(status="settled", transaction=found.transaction)
            if found.state in ("cancelled", "other"):
                return Settlement(status="refused", reason="invalid_exact_evm_nonce_already_used")
            if found.state == "unknown":
                return Settlement(status="unknown", reason="the node does not say what became of the authorization")
            return self._send(*read)

    def _send(self, payload: PaymentPayload, requirement: PaymentRequirements) -> Settlement:
        scheme = self._scheme
        try:
            said = scheme.settle(payload, requirement)
        except Exception as error:  # as above; by now it may have been sent
            self._scheme = self._new_scheme()
            return Settlement(status="unknown", reason=_words(error))
        if said.success:
            return Settlement(status="settled", transaction=said.transaction.lower())
        self._scheme = self._new_scheme()
        reason = said.error_reason or ""
        # With a transaction it was sent, and may still arrive.
        refused = reason in REFUSALS and not said.transaction
        return Settlement(
            status="refused" if refused else "unknown", transaction=said.transaction.lower(), reason=reason
        )

    def _read(
        self, payload: Mapping[str, Any], requirement: Mapping[str, Any]
    ) -> tuple[PaymentPayload, PaymentRequirements] | str:
        """Return the SDK's own objects, or why a payment is none that is settled here.

        Their addresses have their checksums, however they came: the SDK sends others to no contract.
        """
        from pydantic import ValidationError
        from x402.schemas import PaymentPayload, PaymentRequirements

        try:
            signed = _spelled(payload["payload"]["authorization"], "from", "to")
            given = {**payload["payload"], "authorization": {**signed, "nonce": str(signed["nonce"])}}
            wanted = _spelled(requirement, "asset", "payTo")
            read_units(wanted["amount"])
            read = (
                PaymentPayload.model_validate({**payload, "payload": given}),
                PaymentRequirements.model_validate(wanted),
            )
        except (ValidationError, InputError, KeyError, TypeError, AttributeError):
            return "invalid_payload"
        if wanted["network"] != self._network:
            return "network_mismatch"
        if wanted["asset"] not in self._assets:
            return "unsupported_asset"
        return read


def _spelled(value: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """Return an object whose addresses have their checksums; one that is no address is an `InputError`."""
    return {**value, **{name: read_address(value[name], name) for name in names}}


def _words(error: Exception) -> str:
    return one_line(f"{type(error).__name__}: {error}", limit=_REASON)
