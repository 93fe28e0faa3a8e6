"""The wallet: one EVM key in an encrypted keystore, in a file that nobody but its owner reads.

The key exists in the clear in one place only: the memory of the broker process, which loads it once.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mayfly.core import ConflictError, InputError, MachineError, address_key, with_checksums, write_whole
from mayfly.market._terms import read_address

if TYPE_CHECKING:
    from eth_account.signers.local import LocalAccount

    from mayfly.core import Settings
    from mayfly.market._terms import PaymentTerms

EXTRA: Final = "pip install 'mayfly-agents[x402]'"
# The cost of scrypt as Ethereum's keystores have it: a guess takes about a second and 256 MiB.
WORK: Final = 2**18
# How far the clocks of a chain and of this machine may be apart: a chain for tests lives ahead of its time.
CLOCKS: Final = 7 * 86_400
# Shorter than this is guessed whatever a guess costs.
_SHORTEST_PASSWORD: Final = 8
# A keystore has some five hundred bytes.
_LARGEST_FILE: Final = 65_536
_SERVICE: Final = "mayfly-wallet"
AUTHORIZATION: Final = {
    "TransferWithAuthorization": [
        {"name": "from", "type": "address"},
        {"name": "to", "type": "address"},
        {"name": "value", "type": "uint256"},
        {"name": "validAfter", "type": "uint256"},
        {"name": "validBefore", "type": "uint256"},
        {"name": "nonce", "type": "bytes32"},
    ]
}


def wallet_directory(settings: Settings) -> Path:
    """Return where wallet and broker are."""
    return settings.state.absolute() / "wallet"


@contextlib.contextmanager
def reachable(path: Path) -> Iterator[None]:
    """Say in one line that a place of the wallet is not ours to use."""
    try:
        yield
    except (PermissionError, NotADirectoryError) as error:
        raise MachineError(
            f"{path}: {error.strerror}", fix="set MAYFLY_STATE_DIR to a directory that is yours"
        ) from None


class Wallet:
    """The keystore file of one state directory."""

    def __init__(self, settings: Settings) -> None:
        self.path = wallet_directory(settings) / "keystore.json"

    @property
    def exists(self) -> bool:
        """Whether there is one."""
        with reachable(self.path):
            return self.path.exists()

    @property
    def address(self) -> str:
        """The address of the key, which anybody may know."""
        return read_address("0x" + str(self._read().get("address", "")).removeprefix("0x"), str(self.path))

    def check_absent(self) -> None:
        """Refuse to go on where there is a wallet."""
        if self.exists:
            raise ConflictError(f"there is a wallet already: {self.path}", fix="mayfly wallet show")

    def create(self, password: str, *, work: int = WORK) -> str:
        """Make a key, keep it encrypted and return its address; a wallet that is there is never overwritten."""
        if len(password) < _SHORTEST_PASSWORD:
            raise InputError(
                f"a password of a wallet has at least {_SHORTEST_PASSWORD} characters", fix="choose a longer one"
            )
        self.check_absent()
        from_key = _accounts()
        key = secrets.token_bytes(32)
        kept = from_key.encrypt(key, password, kdf="scrypt", iterations=work)
        with reachable(self.path):
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            # It may have been made by somebody with another umask.
            self.path.parent.chmod(0o700)
            try:
                write_whole(self.path, json.dumps(kept).encode(), fresh=True)
            except FileExistsError:
                self.check_absent()
        return self.address

    def unlock(self, password: str) -> LocalAccount:
        """Decrypt the key; for the broker process alone."""
        account = _accounts()
        try:
            key = account.decrypt(self._read(), password)
        except (ValueError, KeyError, TypeError):
            raise InputError("the password does not open the wallet", fix="try another: mayfly wallet open") from None
        return account.from_key(key)

    def _read(self) -> dict[str, Any]:
        try:
            with reachable(self.path):
                descriptor = os.open(self.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except FileNotFoundError:
            raise InputError("there is no wallet yet", fix="mayfly wallet init") from None
        with open(descriptor, "rb") as file:
            if stat.S_IMODE(os.fstat(descriptor).st_mode) & 0o077:
                raise InputError(f"{self.path} can be read by others", fix=f"chmod 600 {self.path}")
            data = file.read(_LARGEST_FILE)
        try:
            kept = json.loads(data)
        except ValueError:
            kept = None
        if not isinstance(kept, dict):
            raise InputError(f"{self.path} is no keystore", fix="put back a copy of it; a key cannot be made again")
        return kept


class KeySigner:
    """Sign authorizations of payments, and nothing else: it builds what it signs from the terms itself."""

    def __init__(self, account: LocalAccount, *, longest: int) -> None:
        self._account = account
        self._longest = longest
        self.address = with_checksums(str(account.address))

    def sign_authorization(self, terms: PaymentTerms, nonce: str, valid_after: int, valid_before: int) -> str:
        """Return the signature of a transfer by these terms, valid for no longer than it may be."""
        if not 0 < valid_before - valid_after <= self._longest + CLOCKS:
            raise InputError("an authorization of that length is not signed")
        about = (terms.name, terms.token_version, terms.chain_id, terms.asset)
        domain, message = typed_authorization(
            about, (self.address, terms.payee, terms.units, valid_after, valid_before, nonce)
        )
        signed = self._account.sign_typed_data(domain, AUTHORIZATION, message)
        return "0x" + bytes(signed.signature).hex()


def typed_authorization(
    token: tuple[str, str, int, str], signed: tuple[Any, ...]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what is signed of a transfer (EIP-712): the domain and the message.

    *token* is its name, version, chain and address; *signed* payer, payee, units, both times and the nonce.
    """
    domain = dict(zip(("name", "version", "chainId", "verifyingContract"), token, strict=True))
    names = [one["name"] for one in AUTHORIZATION["TransferWithAuthorization"]]
    message: dict[str, Any] = dict(zip(names, signed, strict=True))
    return domain, {**message, "nonce": bytes.fromhex(signed[-1].removeprefix("0x"))}


def signer_of(domain: dict[str, Any], message: dict[str, Any], signature: str) -> str:
    """Return the address whose key signed a transfer; empty where it is no signature of a key."""
    accounts = _accounts()
    from eth_account.messages import encode_typed_data

    try:
        signable = encode_typed_data(domain, AUTHORIZATION, message)
        return with_checksums(str(accounts.recover_message(signable, signature=signature)))
    except Exception:  # a stranger's bytes: whatever eth_account and its parts raise, it is no signature
        return ""


def password_from(descriptor: int) -> str:
    """Read a password from a descriptor: one line, and never from an argument or the environment."""
    data = b""
    try:
        while b"\n" not in data and len(data) < _LARGEST_FILE:
            piece = os.read(descriptor, 4096)
            if not piece:
                break
            data += piece
        return data.partition(b"\n")[0].removesuffix(b"\r").decode()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"no password can be read from descriptor {descriptor}: {error}", fix="--password-fd 3 3<FILE"
        ) from None


def password_in_keyring(address: str) -> str | None:
    """Return the password that the keyring of the system has for a wallet; None where there is none, or no keyring."""
    try:
        import keyring
    except ImportError:
        return None
    # A keyring that is locked or broken is none; the person is asked instead.
    with contextlib.suppress(Exception):
        found = keyring.get_password(_SERVICE, address_key(address))
        return found if isinstance(found, str) else None
    return None


def keep_in_keyring(address: str, password: str) -> None:
    """Give the password of a wallet to the keyring of the system."""
    try:
        import keyring
    except ImportError:
        raise MachineError("there is no keyring here", fix="pip install keyring") from None
    try:
        keyring.set_password(_SERVICE, address_key(address), password)
    except Exception as error:
        # Every backend has errors of its own.
        raise MachineError(f"the keyring does not take it: {type(error).__name__}") from None


def _accounts() -> Any:
    try:
        with depth_kept():
            from eth_account import Account
    except ImportError as error:
        raise MachineError(f"a wallet needs {error.name}", fix=EXTRA) from None
    return Account()


@contextmanager
def depth_kept() -> Iterator[None]:
    """Let the limit of recursion be afterwards as it was: eth_account brings py_ecc, which lifts it to 100,000.

    With that, JSON of a stranger that is nested deep enough ends the process by a fault of memory, where it has to be
    an error. Whoever imports eth_account, web3, x402 or py-evm does so inside of this.
    """
    limit = sys.getrecursionlimit()
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)
