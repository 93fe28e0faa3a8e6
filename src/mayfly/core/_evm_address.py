"""Addresses of EVM chains: one spelling to sign, send and show them in (EIP-55), and one to find and compare them by.

EIP-55 writes a checksum with the capitals: a letter is one where the Keccak-256 hash of the address says so. Common
libraries refuse an address in any other spelling. What is stored and compared is in small letters.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_ADDRESS: Final = re.compile(r"\b0x[0-9a-fA-F]{40}\b")
# Keccak-256 takes in 136 bytes at a time (17 lanes of 64 bits), in 24 rounds.
_RATE: Final = 136
_ROUNDS: Final = 24
_LANE: Final = 2**64 - 1


def with_checksums(text: str) -> str:
    """Return *text* with every address in it spelled with its checksum: an address alone, or a line that has some."""
    return _ADDRESS.sub(lambda found: _checksummed(found[0].lower()), text)


def address_key(text: str) -> str:
    """Return the spelling of an address by which it is stored and compared; other text stays as it is."""
    return text.lower() if _ADDRESS.fullmatch(text) else text


# A store has a few addresses of its own, and as many payers as there are buyers; a hash takes most of a millisecond.
@lru_cache(maxsize=4096)
def _checksummed(address: str) -> str:
    digits = address.removeprefix("0x")
    hash = _keccak_256(digits.encode()).hex()
    return "0x" + "".join(one.upper() if int(mark, 16) > 7 else one for one, mark in zip(digits, hash, strict=False))


def _keccak_256(data: bytes) -> bytes:
    """Return the hash of less than a block; hashlib has SHA-3, which pads with another byte (6 for 1)."""
    block = bytearray(data.ljust(_RATE, b"\0"))
    block[len(data)] ^= 0x01
    block[-1] ^= 0x80
    lanes = [int.from_bytes(block[at : at + 8], "little") for at in range(0, _RATE, 8)]
    state = [[lanes[x + 5 * y] if x + 5 * y < len(lanes) else 0 for y in range(5)] for x in range(5)]
    _permute(state)
    return b"".join(state[x][0].to_bytes(8, "little") for x in range(4))


def _permute(state: list[list[int]]) -> None:
    """Apply Keccak-f[1600], with the names of its steps in FIPS 202; constants come of the shift register there."""
    register = 1
    for _ in range(_ROUNDS):
        _mix(state)
        for y in range(5):  # chi
            row = [state[x][y] for x in range(5)]
            for x in range(5):
                state[x][y] = row[x] ^ (~row[(x + 1) % 5] & row[(x + 2) % 5])
        for bit in range(7):  # iota
            register = (register << 1 ^ (register >> 7) * 0x71) % 256
            if register & 2:
                state[0][0] ^= 1 << ((1 << bit) - 1)


def _mix(state: list[list[int]]) -> None:
    """Apply the steps theta, rho and pi."""
    columns = [state[x][0] ^ state[x][1] ^ state[x][2] ^ state[x][3] ^ state[x][4] for x in range(5)]
    for x in range(5):
        parity = columns[x - 1] ^ _rotated(columns[(x + 1) % 5], 1)
        state[x] = [lane ^ parity for lane in state[x]]
    x, y = 1, 0
    moved = state[x][y]
    for turn in range(24):
        x, y = y, (2 * x + 3 * y) % 5
        moved, state[x][y] = state[x][y], _rotated(moved, (turn + 1) * (turn + 2) // 2 % 64)


def _rotated(lane: int, by: int) -> int:
    return (lane << by | lane >> (64 - by)) & _LANE
