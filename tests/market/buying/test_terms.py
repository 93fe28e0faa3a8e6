"""Terms, amounts and URLs: what is read, and what is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mayfly.core import InputError
from mayfly.market import BuyOptions, ChainReader, PaidRequest, SellerAnswer, price_units, read_terms, read_units
from mayfly.market._chain_reader import (
    AUTHORIZATION_CANCELED,
    AUTHORIZATION_STATE,
    AUTHORIZATION_USED,
    BALANCE_OF,
    MINT,
    TRANSFER,
    Transfer,
)
from mayfly.market._decide import units_cap
from mayfly.market._purchase import is_seller
from mayfly.market._terms import same_resource
from mayfly.testing.chain import LocalChain, RpcServer


@given(st.integers(1, 2**63 - 1))
def test_digits_are_units(units: int) -> None:
    assert read_units(str(units)) == units


@pytest.mark.parametrize(
    "text",
    ["0.01", "-1", "1e4", str(2**256), str(2**63), "0", "007", "+1", " 1", "1\n", "", "１", "0x10", 1, 1.0, None],
)
def test_anything_else_is_no_amount(text: object) -> None:
    with pytest.raises(InputError, match="no amount"):
        read_units(text)


@given(st.integers(1, 10**12), st.integers(0, 6))
def test_a_price_is_exact(units: int, shift: int) -> None:
    whole, part = divmod(units, 10**6)
    assert price_units(f"{whole}.{part:06d}", 6) == units
    assert price_units(str(units), shift) == units * 10**shift


@pytest.mark.parametrize("price", ["", ".5", "1.", "-1", "1e4", "0", "0.0000001", "1,5", "01", "nan", str(2**63)])
def test_what_is_no_price(price: str) -> None:
    with pytest.raises(InputError):
        price_units(price, 6)


def test_a_cap_of_nothing_is_one() -> None:
    assert [units_cap(text, 6) for text in ("0", "0.00", "0.01")] == [0, 0, 10_000]
    for text in ("", "none", "-1", "."):
        with pytest.raises(InputError):
            units_cap(text, 6)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("http://a/x", "http://A:80/x", True),
        ("https://a", "https://a:443/", True),
        ("http://a/x#y", "http://a/x", True),
        ("http://a/x", "https://a/x", False),
        ("http://a/x", "http://a/x?y", False),
        ("http://a/x", "http://a/X", False),
        ("http://a:99999/x", "http://a:99999/x", False),
        ("http://u@a/x", "http://a/x", False),
    ],
)
def test_the_same_resource(one: str, other: str, same: bool) -> None:
    assert same_resource(one, other) is same


@pytest.mark.parametrize(
    ("url", "sellers", "named"),
    [
        ("https://api.shop.org/x", ["shop.org"], True),
        ("https://api.shop.org/x", ["*"], True),
        ("https://evilshop.org/x", ["shop.org"], False),
        ("http://127.0.0.1/x", ["*"], False),
        ("http://127.0.0.1/x", ["127.0.0.1"], True),
        ("http://2130706433/x", ["*"], False),
        ("http://10.0.0.8/x", ["*"], False),
        ("http://[::ffff:127.0.0.1]/x", ["*"], False),
        ("http://127.0.0.1.nip.io/x", ["*"], False),
        ("https://shop.org/x", [], False),
    ],
)
def test_who_is_a_seller(url: str, sellers: list[str], named: bool) -> None:
    assert is_seller(url, sellers) is named


def test_another_status_than_402_is_no_offer() -> None:
    with pytest.raises(InputError, match="HTTP 200"):
        read_terms(200, {}, b"", url="http://a/")


def test_requests_and_answers_are_kept_as_they_are() -> None:
    options: BuyOptions = {"body": b"\x00\xff", "headers": [("Accept", "text/plain")]}
    request = PaidRequest.check("http://a.org/x#y", options, largest=10)
    assert PaidRequest.from_bytes(request.to_bytes()) == request
    assert request.url == "http://a.org/x"
    answer = SellerAnswer(200, {"content-type": "a/b"}, b"\x00\xff")
    assert SellerAnswer.from_bytes(answer.to_bytes()) == answer


def test_the_hashes_are_those_of_the_signatures() -> None:
    from eth_utils import keccak

    def hashed(text: str) -> str:
        return "0x" + bytes(keccak(text=text)).hex()

    assert hashed("AuthorizationUsed(address,bytes32)") == AUTHORIZATION_USED
    assert hashed("AuthorizationCanceled(address,bytes32)") == AUTHORIZATION_CANCELED
    assert hashed("Transfer(address,address,uint256)") == TRANSFER
    short = {"balanceOf(address)": BALANCE_OF, "mint(address,uint256)": MINT}
    short["authorizationState(address,bytes32)"] = AUTHORIZATION_STATE
    assert {text: hashed(text)[:10] for text in short} == short


def test_an_address_without_a_token_makes_nothing_known(chain: LocalChain, rpc: RpcServer) -> None:
    reader = ChainReader(rpc.url, confirmations=0)
    nobody, nonce = "0x" + "11" * 20, "0x" + "22" * 32
    found = reader.evidence_of(Transfer(chain.network, nobody, nobody, nobody, 1, nonce), since=0)
    assert found.state == "unknown"
    real = reader.evidence_of(Transfer(chain.network, chain.asset, nobody, nobody, 1, nonce), since=0)
    assert real.state == "unused"
