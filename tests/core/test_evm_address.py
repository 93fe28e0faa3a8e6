"""Addresses: the examples of EIP-55, the library that others use, and one spelling to compare by."""

from __future__ import annotations

import random

import pytest

from mayfly.core import address_key, with_checksums

# Of EIP-55: all capitals, all small, and two of the others.
EXAMPLES = (
    "0x52908400098527886E0F7030069857D2E4169EE7",
    "0xde709f2102306220921060314715629080e2fb77",
    "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
    "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
)


@pytest.mark.parametrize("address", EXAMPLES)
@pytest.mark.parametrize("spelled", [str.lower, lambda one: "0x" + one[2:].upper(), str])
def test_an_address_gets_its_checksum_however_it_was_written(address: str, spelled: type[str]) -> None:
    assert with_checksums(spelled(address)) == address
    assert address_key(spelled(address)) == address.lower()


def test_it_is_what_common_libraries_take() -> None:
    utils = pytest.importorskip("eth_utils.address")
    for number in range(200):
        address = "0x" + random.Random(number).randbytes(20).hex()
        assert with_checksums(address) == utils.to_checksum_address(address)


def test_addresses_in_a_line_are_spelled_so_too() -> None:
    one, other = EXAMPLES[2:]
    assert with_checksums(f"{one.lower()} on eip155:1, not {other.lower()}.") == f"{one} on eip155:1, not {other}."


@pytest.mark.parametrize(
    "text", ["", "usdc", "0x12", "0xAB" + "c" * 62, "x0x" + "a" * 40, "0X" + "A" * 40, "0x" + "g" * 40]
)
def test_what_is_no_address_stays_as_it_is(text: str) -> None:
    assert (with_checksums(text), address_key(text)) == (text, text)
