"""Kinds of addresses: our own list, the same under every Python."""

import ipaddress
import itertools
from functools import partial

import pytest

from mayfly.core import address_kind
from mayfly.core._addresses import carried

# Every row of IANA's registries of special-purpose addresses that has a block, and what clouds use for themselves.
NOT_PUBLIC = [
    *("0.0.0.0/8", "0.0.0.0/32", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16"),
    *("172.16.0.0/12", "192.0.0.0/24", "192.0.0.0/29", "192.0.0.8/32", "192.0.0.9/32", "192.0.0.10/32"),
    *("192.0.0.170/32", "192.0.0.171/32", "192.0.0.192/32", "192.0.2.0/24", "192.31.196.0/24"),
    *("192.52.193.0/24", "192.88.99.0/24", "192.88.99.2/32", "192.168.0.0/16", "192.175.48.0/24"),
    *("198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4"),
    *("255.255.255.255/32", "::1/128", "::/128", "64:ff9b:1::/48", "100::/64", "100:0:0:1::/64"),
    *("2001::/23", "2001::/32", "2001:1::1/128", "2001:1::2/128", "2001:1::3/128", "2001:2::/48"),
    *("2001:3::/32", "2001:4:112::/48", "2001:10::/28", "2001:20::/28", "2001:30::/28", "2001:db8::/32"),
    *("2002::/16", "2620:4f:8000::/48", "3fff::/20", "5f00::/16", "fc00::/7", "fe80::/10", "fec0::/10"),
    *("ff00::/8", "200::/7", "4000::/3", "8000::/3", "e000::/4", "168.63.129.16/32", "169.254.169.254/32"),
    *("169.254.170.2/32", "100.100.100.200/32", "161.26.0.10/32", "166.9.8.1/32", "fd00:ec2::254/128"),
    *("fd20:ce::254/128", "fd00:42::42/128", "fe80::a9fe:a9fe/128"),
]
PUBLIC = [
    *("1.1.1.1", "8.8.8.8", "9.9.9.9", "11.0.0.1", "100.63.255.255", "100.128.0.1", "126.255.255.255"),
    *("128.0.0.1", "169.253.1.1", "169.255.1.1", "172.15.0.1", "172.32.0.1", "192.0.1.1", "192.0.3.1"),
    *("192.88.98.1", "192.167.1.1", "192.169.1.1", "198.17.1.1", "198.20.1.1", "168.63.129.15"),
    *("168.63.129.17", "203.0.112.1", "203.0.114.1", "223.255.255.255", "161.25.0.1", "161.27.0.1"),
    *("166.7.0.1", "166.12.0.1", "2001:200::1", "2001:4860:4860::8888", "2003::1", "2400::1"),
    *("2606:4700::1111", "2620:4f:8001::1", "2a00::1", "2c00::1", "64:ff9b::8.8.8.8", "::ffff:8.8.8.8"),
]


@pytest.mark.parametrize("text", NOT_PUBLIC)
def test_w8_no_special_range_is_public_from_its_first_address_to_its_last(text: str) -> None:
    network = ipaddress.ip_network(text)
    for address in (network[0], network[-1], network[network.num_addresses // 2]):
        assert address_kind(address) != "public", address


@pytest.mark.parametrize("text", PUBLIC)
def test_w8_what_lies_beside_them_is_public(text: str) -> None:
    assert address_kind(ipaddress.ip_address(text)) == "public"


V4 = [
    "127.0.0.1",
    "10.0.0.1",
    "169.254.169.254",
    "192.0.0.192",
    "168.63.129.16",
    "0.0.0.0",
    "255.255.255.255",
    "192.0.2.1",
]


@pytest.mark.parametrize("inner", V4)
def test_w8_an_ipv6_address_is_no_more_public_than_what_it_carries(inner: str) -> None:
    number = int(ipaddress.IPv4Address(inner))
    carriers = {
        "mapped": 0xFFFF << 32 | number,
        "compatible": number,
        "translated": 0xFFFF << 48 | number,
        "6to4": 0x2002 << 112 | number << 80 | 1,
        "Teredo server": 0x20010000 << 96 | number << 64 | ~0x08080808 & 0xFFFFFFFF,
        "Teredo client": 0x20010000 << 96 | 0x08080808 << 64 | ~number & 0xFFFFFFFF,
        "NAT64": int(ipaddress.IPv6Address(f"64:ff9b::{inner}")),
        "NAT64 of one's own": int(ipaddress.IPv6Address(f"64:ff9b:1::{inner}")),
    }
    for way, value in carriers.items():
        address = ipaddress.IPv6Address(value)
        assert address_kind(address) != "public", (way, address)
        if way in ("mapped", "6to4", "NAT64", "Teredo server", "Teredo client"):
            assert ipaddress.IPv4Address(inner) in carried(address), way


def _answer(answer: bool | None, address: object) -> bool | None:
    return answer


def test_w8_the_list_is_ours_and_not_the_one_of_this_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a standard library that calls everything global, and then nothing, the answers are the same."""
    every = [ipaddress.ip_network(text)[0] for text in NOT_PUBLIC] + [ipaddress.ip_address(text) for text in PUBLIC]
    before = [address_kind(address) for address in every]
    names = [name for name in dir(ipaddress.IPv6Address) if name.startswith("is_")]
    names += ["ipv4_mapped", "sixtofour", "teredo"]
    for answer in (True, None):
        for kind, name in itertools.product((ipaddress.IPv4Address, ipaddress.IPv6Address), names):
            if hasattr(kind, name):
                monkeypatch.setattr(kind, name, property(partial(_answer, answer)))
        assert [address_kind(address) for address in every] == before
