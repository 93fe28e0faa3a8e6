"""Where a cluster may be: this machine and private networks, and elsewhere only where the settings say so."""

import socket
from dataclasses import dataclass

import pytest

from mayfly.core import InputError, MachineError, PromiseSettings
from mayfly.promise.engines._connect import NodeAddress, answers
from mayfly.promise.engines._open import find, is_here, is_private


@dataclass(frozen=True, kw_only=True)
class Named(PromiseSettings):
    ray_hosts: str = ""


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "127.9.9.9",
        "10.1.2.3",
        "172.16.0.1",
        "172.31.255.255",
        "192.168.1.1",
        "169.254.1.1",
        "100.64.0.1",
        "100.127.255.255",
        "::1",
        "fc00::1",
        "fd12:3456::1",
        "fe80::1",
        "fe80::1%eth0",
        "::ffff:10.0.0.1",
    ],
)
def test_loopback_and_private_networks_are_trusted(host: str) -> None:
    assert is_private(host)


@pytest.mark.parametrize(
    "host",
    [
        "8.8.8.8",
        "172.15.0.1",
        "172.32.0.1",
        "192.169.0.1",
        "100.63.0.1",
        "100.128.0.1",
        "0.0.0.0",
        "11.0.0.1",
        "192.0.2.2",
        "2606:4700::1111",
        "::ffff:8.8.8.8",
        "fec0::1",
        "ff02::1",
        "::",
    ],
)
def test_every_other_address_is_not(host: str) -> None:
    assert not is_private(host)


def test_an_address_is_read_and_resolved() -> None:
    assert find("ray://10.0.0.7:10001", PromiseSettings()) == NodeAddress("10.0.0.7", 10001)
    assert str(find("ray://[::1]:6379", PromiseSettings())) == "[::1]:6379"


def test_a_public_address_is_refused_with_the_way_to_allow_it() -> None:
    with pytest.raises(InputError, match=r"8\.8\.8\.8 is neither loopback nor in a private network") as caught:
        find("ray://8.8.8.8:10001", PromiseSettings())
    assert "MAYFLY_PROMISE_RAY_HOSTS=8.8.8.8" in str(caught.value)


def test_a_public_address_that_is_named_in_the_settings_is_taken() -> None:
    settings = Named(ray_hosts="one.example, 8.8.8.8")
    assert find("ray://8.8.8.8:10001", settings) == NodeAddress("8.8.8.8", 10001)
    with pytest.raises(InputError):
        find("ray://8.8.4.4:10001", settings)


def test_a_name_that_means_a_private_and_a_public_address_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    both = [(0, 0, 0, "", (number, 1)) for number in ("10.0.0.1", "8.8.8.8")]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: both)
    with pytest.raises(InputError, match=r"8\.8\.8\.8"):
        find("ray://both.example:1", PromiseSettings())


@pytest.mark.parametrize(
    "text", ["ray://", "ray://host", "ray://:10001", "ray://host:many", "ray://host:99999", "ray://[::1"]
)
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="local, ray or ray://HOST:PORT"):
        find(text, PromiseSettings())


def test_a_host_that_does_not_exist_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody(*_: object, **__: object) -> None:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", nobody)
    with pytest.raises(MachineError, match="there is no host of that name"):
        find("ray://nowhere.example:1", PromiseSettings())


def test_an_address_of_this_machine_is_known() -> None:
    assert is_here("127.0.0.1")
    assert not is_here("10.255.255.254")


def test_a_door_that_is_open_answers_and_a_closed_one_does_not() -> None:
    with socket.create_server(("127.0.0.1", 0)) as door:
        address = NodeAddress("127.0.0.1", door.getsockname()[1])
        assert answers(address)
    assert not answers(address)
