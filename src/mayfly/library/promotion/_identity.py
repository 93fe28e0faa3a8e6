"""`Identities`: the key pairs that votes are signed with, and the public keys of those whose votes count.

An own identity is one file, `NAME.key`, which its owner alone can read; somebody else's is `NAME.pub`. Both hold 32
bytes of Ed25519 in hexadecimal. They are files and no rows: whoever can write the store cannot make a voter.
"""

from __future__ import annotations

import os
import re
import secrets
import stat
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, NamedTuple

from mayfly.core import ConflictError, InputError, MachineError, StoreError, open_plain

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

# The raw size of a key of Ed25519, private and public alike (RFC 8032).
_SIZE = 32
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,39}")
_OWN, _OTHER = ".key", ".pub"


class VoterIdentity(NamedTuple):
    """A voter: what it is called here, its public key in hexadecimal, and whether the private one is here as well."""

    name: str
    key: str
    own: bool


class Identities:
    """Make identities, sign with them, and know whose votes count."""

    def __init__(self, state: Path) -> None:
        self.folder = state / "identities"

    def all(self) -> list[VoterIdentity]:
        """Return everyone whose vote counts, by name; a file that is no key is an error and counts for nobody."""
        try:
            names = sorted(os.listdir(self.folder))
        except FileNotFoundError:
            return []
        except OSError as error:
            raise StoreError(f"{self.folder}: {error.strerror or error}") from None
        wanted = [(name, *os.path.splitext(name)) for name in names]
        return [self._read(stem, end) for name, stem, end in wanted if end in (_OWN, _OTHER) and _NAME.fullmatch(stem)]

    def named(self, name: str = "") -> VoterIdentity:
        """Return the own identity of that name, or the only one there is."""
        own = [one for one in self.all() if one.own]
        found = [one for one in own if one.name == name] if name else own
        if len(found) == 1:
            return found[0]
        if name:
            raise InputError(f"there is no identity of yours called {name[:50]!r}", fix=f"mayfly identity new {name}")
        if found:
            names = ", ".join(one.name for one in found)
            raise InputError(f"you have several identities: {names}", fix="say which: --as NAME")
        raise InputError("you have no identity to sign with", fix="mayfly identity new NAME")

    def known(self, key: str) -> VoterIdentity | None:
        """Return who has a public key, None where nobody here does."""
        return next((one for one in self.all() if one.key == key), None)

    def new(self, name: str) -> VoterIdentity:
        """Make a key pair."""
        private = _ed25519().Ed25519PrivateKey.generate()
        self._write(name, _OWN, private.private_bytes_raw().hex())
        return self._read(name, _OWN)

    def add(self, name: str, key: str) -> VoterIdentity:
        """Let the votes of somebody else count, whose public key this is."""
        key = key.strip().lower()
        if not re.fullmatch(f"[0-9a-f]{{{2 * _SIZE}}}", key):
            raise InputError(
                f"this is no public key: it has {2 * _SIZE} hexadecimal digits", fix="they see theirs: mayfly identity"
            )
        twin = self.known(key)
        if twin is not None:
            raise ConflictError(f"this key is known already, as {twin.name}", fix="one key is one voter")
        self._write(name, _OTHER, key)
        return self._read(name, _OTHER)

    def remove(self, name: str) -> VoterIdentity:
        """Forget somebody: their votes no longer count; a private key is gone for good."""
        for end in (_OWN, _OTHER):
            if _NAME.fullmatch(name) and (self.folder / f"{name}{end}").exists():
                gone = self._read(name, end)
                (self.folder / f"{name}{end}").unlink()
                return gone
        raise InputError(f"nobody is called {name[:50]!r} here", fix="see: mayfly identity")

    def sign(self, identity: VoterIdentity, text: str) -> str:
        """Return the signature of *identity*, an own one, over *text*."""
        raw = self._private(identity.name)
        private: Ed25519PrivateKey = _ed25519().Ed25519PrivateKey.from_private_bytes(raw)
        return private.sign(text.encode()).hex()

    def _read(self, name: str, end: str) -> VoterIdentity:
        if end == _OWN:
            private = _ed25519().Ed25519PrivateKey.from_private_bytes(self._private(name))
            return VoterIdentity(name, private.public_key().public_bytes_raw().hex(), own=True)
        key = self._content(name, end)
        return VoterIdentity(name, key.hex(), own=False)

    def _private(self, name: str) -> bytes:
        path = self.folder / f"{name}{_OWN}"
        with suppress(OSError):
            if stat.S_IMODE(os.lstat(path).st_mode) & 0o077:
                raise StoreError(f"{path} can be read by others", fix=f"chmod 600 {path}, or remove it")
        return self._content(name, _OWN)

    def _content(self, name: str, end: str) -> bytes:
        path = self.folder / f"{name}{end}"
        try:
            with open_plain(path) as file:
                # One byte more than a key and the end of its line: whatever is longer is no key.
                found = bytes.fromhex(file.read(2 * _SIZE + 2).decode("ascii").strip())
        except OSError as error:
            raise StoreError(f"{path}: {error.strerror or error}") from None
        except ValueError:
            found = b""
        if len(found) != _SIZE:
            raise StoreError(f"{path} is damaged: it holds no key", fix="remove it; its votes then count no more")
        return found

    def _write(self, name: str, end: str, text: str) -> None:
        """Put a key in place, whole or not at all; a name has one."""
        if not _NAME.fullmatch(name):
            raise InputError(
                f"{name[:50]!r} is no name for an identity", fix="up to 40 of a-z, 0-9, _ and -, a letter first"
            )
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if any((self.folder / f"{name}{other}").exists() for other in (_OWN, _OTHER)):
            raise ConflictError(f"somebody is called {name} already", fix="see: mayfly identity")
        aside = self.folder / f".{name}.{secrets.token_hex(8)}"
        descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            with open(descriptor, "w", encoding="ascii") as file:
                file.write(text + "\n")
                file.flush()
                os.fsync(file.fileno())
            os.link(aside, self.folder / f"{name}{end}")
        except FileExistsError:
            raise ConflictError(f"somebody is called {name} already", fix="see: mayfly identity") from None
        finally:
            aside.unlink(missing_ok=True)


def is_signed(key: str, text: str, signature: str) -> bool:
    """Whether *signature* was made over *text* with the private half of *key*."""
    ed25519 = _ed25519()
    try:
        ed25519.Ed25519PublicKey.from_public_bytes(bytes.fromhex(key)).verify(bytes.fromhex(signature), text.encode())
    except (ValueError, _invalid_signature()):
        return False
    return True


def _ed25519() -> ModuleType:
    try:
        from cryptography.hazmat.primitives.asymmetric import ed25519
    except ImportError:
        raise MachineError(
            "identities need the package cryptography, which is not installed",
            fix="pip install 'mayfly-agents[market]'",
        ) from None
    return ed25519


def _invalid_signature() -> type[Exception]:
    from cryptography.exceptions import InvalidSignature

    return InvalidSignature
