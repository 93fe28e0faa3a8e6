"""Which host an address names, and of which kind it is: one answer for the rules, the broker and clusters."""

import ipaddress

import pytest

from mayfly.core import address_kind, host_of


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("https://api.example.org/x?y", "api.example.org", "public"),
        ("https://EXAMPLE.org./", "example.org", "public"),
        ("example.org:443/x", "example.org", "public"),
        ("//example.org/x", "example.org", "public"),
        ("git@example.org:a/b.git", "example.org", "public"),
        ("https://user:word@example.org:8443/", "example.org", "public"),
        ("https://good.org@evil.org/", "evil.org", "public"),
        ("https://bücher.de/", "xn--bcher-kva.de", "public"),
        ("http://8.8.8.8", "8.8.8.8", "public"),
        ("http://[2606:4700::1111]:80/", "2606:4700::1111", "public"),
        ("http://127.0.0.1", "127.0.0.1", "loopback"),
        ("http://127.1", "127.0.0.1", "loopback"),
        ("http://2130706433", "127.0.0.1", "loopback"),
        ("http://0x7f000001", "127.0.0.1", "loopback"),
        ("http://0177.0.0.01", "127.0.0.1", "loopback"),
        ("http://0/", "0.0.0.0", "loopback"),
        ("http://[::1]/", "::1", "loopback"),
        ("http://[::]/", "::", "loopback"),
        ("http://[::ffff:127.0.0.1]/", "127.0.0.1", "loopback"),
        ("http://[::ffff:7f00:1]/", "127.0.0.1", "loopback"),
        ("http://[64:ff9b::7f00:1]/", "64:ff9b::7f00:1", "loopback"),
        ("http://[2002:7f00:1::]/", "2002:7f00:1::", "loopback"),
        ("http://１２７。0。0。1/", "127.0.0.1", "loopback"),
        ("http://localhost:8000", "localhost", "loopback"),
        ("http://a.LOCALHOST.", "a.localhost", "loopback"),
        ("localhost:8000", "localhost", "loopback"),
        ("http://10.1.2.3", "10.1.2.3", "private"),
        ("http://169.254.169.254/latest", "169.254.169.254", "private"),
        ("http://[::ffff:169.254.169.254]/", "169.254.169.254", "private"),
        ("http://[fd00:ec2::254]/", "fd00:ec2::254", "private"),
        ("http://metadata.google.internal/", "metadata.google.internal", "private"),
        ("http://100.100.100.200/", "100.100.100.200", "private"),
        ("http://168.63.129.16/", "168.63.129.16", "private"),
        ("http://printer/", "printer", "private"),
        ("http://nas.local/", "nas.local", "private"),
    ],
)
def test_a_host_is_named_in_one_spelling(text: str, name: str, kind: str) -> None:
    host = host_of(text)
    assert host is not None
    assert (host.name, host.kind) == (name, kind)


@pytest.mark.parametrize(
    "text",
    [
        "https://good.org\\@evil.org/",
        "https://a@b@evil.org/",
        "https://ex\tample.org/",
        "https://%65vil.org/",
        "https:evil.org",
        "https:/evil.org",
        "https:///evil.org",
        "http://256.256.256.256",
        "http://1.2.3.4.5",
        "http://0x100000000",
        "http://a..b",
        "http://-a.org",
        "http://[fe80::1%25eth0]/",
        "http://[nonsense]/",
        "http://127.0.0.1.nip.io/",
        "http://evil.org:80x/",
        "http://" + "a" * 300 + ".org",
        "http://user@",
    ],
)
def test_a_host_that_readers_disagree_on_is_unclear(text: str) -> None:
    host = host_of(text)
    assert host is not None
    assert (host.kind, host.within) == ("unclear", ())


@pytest.mark.parametrize("text", ["", "src/a.py", "rm -rf /", "hello", "a b.c", "/etc/hosts", "javascript:x"])
def test_what_names_no_host_has_none(text: str) -> None:
    assert host_of(text) is None


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("127.9.9.9", "loopback"),
        ("::1", "loopback"),
        ("::ffff:127.0.0.1", "loopback"),
        ("0.0.0.0", "unspecified"),
        ("0.1.2.3", "unspecified"),
        ("::", "unspecified"),
        ("169.254.1.1", "link_local"),
        ("fe80::1", "link_local"),
        ("224.0.0.1", "multicast"),
        ("ff02::1", "multicast"),
        ("10.1.2.3", "private"),
        ("172.31.255.255", "private"),
        ("192.168.1.1", "private"),
        ("100.64.0.1", "private"),
        ("fd12:3456::1", "private"),
        ("::ffff:10.0.0.1", "private"),
        ("64:ff9b::10.0.0.1", "private"),
        ("2002:a00:1::", "private"),
        ("192.0.2.2", "special"),
        ("fec0::1", "special"),
        ("169.254.169.254", "special"),
        ("100.100.100.200", "special"),
        ("8.8.8.8", "public"),
        ("172.32.0.1", "public"),
        ("2606:4700::1111", "public"),
        ("::ffff:8.8.8.8", "public"),
        ("64:ff9b::8.8.8.8", "public"),
    ],
)
def test_an_address_is_of_one_kind(text: str, kind: str) -> None:
    assert address_kind(ipaddress.ip_address(text)) == kind
