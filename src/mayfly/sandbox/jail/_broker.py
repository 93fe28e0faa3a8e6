"""The door of a `net` or `buy` grant: a proxy outside the sandbox that reaches what is granted and nothing else.

It speaks plain HTTP proxying and CONNECT, so ordinary client libraries work through the usual proxy variables. It holds
no secrets, trusts nothing a job sends, and connects to the very address it has checked, so a second DNS answer cannot
change where the bytes go. Each job has a listening socket of its own, which the kernel gives to nobody else, and with
it its own share of connections: what one job keeps busy, no other one misses.
"""

from __future__ import annotations

import array
import asyncio
import contextlib
import encodings.idna
import functools
import importlib.util
import ipaddress
import json
import os
import resource
import signal
import socket
from collections.abc import Callable, Coroutine
from concurrent.futures.thread import ThreadPoolExecutor
from types import ModuleType
from typing import NamedTuple, NoReturn
from urllib.parse import urlsplit

from . import _kernel, _wallet, _wire

_HEAD = 64 * 1024
_HEAD_SECONDS = 20.0
_CONNECT_SECONDS = 20.0
_IDLE_SECONDS = 120.0
# Of one job at once; as many as it may have descriptors by default.
_CONNECTIONS = 64
# Names of one job that are looked up at once: each takes a thread for as long as the name servers are silent.
_LOOKUPS = 2
# Descriptors of our own, beside two for each connection.
_OUR_DESCRIPTORS = 64
# After the kernel would not give a descriptor; another try at once would find none either.
_PAUSE_SECONDS = 0.05
_NOBODY = 0x6FFF0000
_HOP_HEADERS = (b"proxy-", b"connection:", b"keep-alive:")

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
# Of one connection: what is read from it, and what is written to it.
Ends = tuple[asyncio.StreamReader, asyncio.StreamWriter]


def _load_addresses() -> ModuleType:
    """Load the one file that tells kinds of addresses apart; this interpreter cannot import our packages."""
    path = os.path.join(os.path.dirname(__file__), "..", "..", "core", "_addresses.py")
    spec = importlib.util.spec_from_file_location("_addresses", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


_addresses = _load_addresses()


class Refused(Exception):
    """The grants do not cover this; the message goes to the job."""


class Target(NamedTuple):
    """Where a request wants to go."""

    host: str
    port: int


class Rules:
    """The granted hosts, as `host`, `host:port`, `*` or `*:port`."""

    def __init__(self, grants: list[list[str | None]]) -> None:
        self._grants = [(str(host), None if port is None else int(port)) for host, port in grants]

    def covers(self, target: Target) -> tuple[bool, bool]:
        """Return whether *target* is granted by its own name, and whether by the star."""
        fitting = [host for host, port in self._grants if port in (None, target.port)]
        return target.host.lower().rstrip(".") in fitting, "*" in fitting

    def check(self, target: Target, address: Address) -> None:
        """Raise unless *target* may be reached at *address*."""
        named, star = self.covers(target)
        kind = _addresses.address_kind(address)
        if named and (_is_literal(target.host) or _addresses.is_loopback_name(target.host)):
            return
        # Whoever owns a name decides where it points: not to this machine, its link or its cloud's own machinery.
        if named and kind in ("private", "public"):
            return
        if star and kind == "public":
            return
        if named or star:
            raise Refused(f"{target.host} is at {address}, which is not a public address; grant the address by name")
        raise Refused(f"no grant covers {target.host}:{target.port}")


def _is_literal(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


async def resolve(target: Target, rules: Rules) -> list[tuple[int, str]]:
    """Return the families and addresses to connect to, all checked; only names a grant could cover are looked up."""
    if not any(rules.covers(target)):
        raise Refused(f"no grant covers {target.host}:{target.port}")
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise Refused(f"{target.host} cannot be found: {error}") from None
    addresses = [(int(family), str(where[0]).partition("%")[0]) for family, _, _, _, where in found]
    for _, address in addresses:
        rules.check(target, ipaddress.ip_address(address))
    return addresses


class Door:
    """Serve the listening socket of one job."""

    def __init__(
        self,
        listener: socket.socket,
        rules: Rules,
        share: int,
        *,
        target: Target | None = None,
        wallet: _wallet.Wallet | None = None,
        tell_refused: Callable[[Target], None] = lambda target: None,
    ) -> None:
        """Open a door: as a proxy, or for every connection to one *target*; where the job may buy, with a *wallet*."""
        self.rules = rules
        self._target = target
        self._wallet = wallet
        self._tell_refused = tell_refused
        self._listener = listener
        self._slots = asyncio.Semaphore(share)
        self._lookups = asyncio.Semaphore(_LOOKUPS)
        self._tasks: set[asyncio.Task[None]] = set()
        listener.setblocking(False)
        self._start(self._accept())

    def close(self) -> None:
        """End every connection of the job."""
        for task in self._tasks:
            task.cancel()

    def _start(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _accept(self) -> None:
        """Take a connection when there is a slot for it; until then it waits in the kernel, which counts them too."""
        loop = asyncio.get_running_loop()
        with self._listener:
            while True:
                await self._slots.acquire()
                try:
                    near, _ = await loop.sock_accept(self._listener)
                except OSError:
                    self._slots.release()
                    await asyncio.sleep(_PAUSE_SECONDS)
                else:
                    self._start(self._handle(near))

    async def _handle(self, near: socket.socket) -> None:
        """Serve one connection: one request, then bytes both ways until an end closes."""
        try:
            reader, writer = await asyncio.open_connection(sock=near, limit=_HEAD)
        except BaseException:
            near.close()
            self._slots.release()
            raise
        try:
            if self._target is not None:
                # Who speaks no HTTP is told nothing but that the connection ended.
                with contextlib.suppress(Refused, OSError):
                    await self._carry(self._target, (reader, writer))
            else:
                await self._serve(reader, writer)
        except Refused as refusal:
            await _send(writer, "403 Forbidden", "text/plain", f"mayfly: {refusal}\n".encode())
        except Exception as error:
            text = f"mayfly: {type(error).__name__}: {error}\n"
            await _send(writer, "502 Bad Gateway", "text/plain", text.encode())
        finally:
            self._slots.release()
            with contextlib.suppress(OSError):
                writer.close()

    async def _carry(self, target: Target, near: Ends, *, request: bytes = b"", answer: bytes = b"") -> None:
        """Carry bytes both ways until an end closes; before them a *request* to the target, or an *answer* of ours."""
        far = await self._connect(target)
        try:
            near[1].write(answer)
            far[1].write(request)
            await _relay(near, far)
        finally:
            with contextlib.suppress(OSError):
                far[1].close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with asyncio.timeout(_HEAD_SECONDS):
            head = await reader.readuntil(b"\r\n\r\n")
        line, _, headers = head.partition(b"\r\n")
        method, url, version = line.decode("latin-1").split(" ")
        request = answer = b""
        if method == "CONNECT":
            target, answer = _authority(url), b"HTTP/1.1 200 Connection established\r\n\r\n"
        else:
            target, request = _rewrite(method, url, version, headers)
        # A name of ours, whatever else is granted: it is looked up nowhere and leads nowhere else.
        if _wallet.is_wallet(target.host):
            await self._ask_wallet(method, url, headers, reader, writer)
            return
        await self._carry(target, (reader, writer), request=request, answer=answer)

    async def _ask_wallet(
        self, method: str, url: str, headers: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        if self._wallet is None:
            status, told = "403 Forbidden", _wallet.refusal("no grant covers buying; it is called buy, or buy:HOST")
        elif method == "CONNECT":
            status, told = "403 Forbidden", _wallet.refusal(f"the wallet is at http://{_wallet.NAME}/, without TLS")
        else:
            status, told = await self._wallet.serve(method, url, headers, reader)
        await _send(writer, status, "application/json", told)

    async def _connect(self, target: Target) -> Ends:
        problem: Exception = Refused(f"{target.host} has no address")
        try:
            async with self._lookups:
                addresses = await resolve(target, self.rules)
        except Refused:
            self._tell_refused(target)
            raise
        for family, address in addresses:
            try:
                async with asyncio.timeout(_CONNECT_SECONDS):
                    reader, writer = await asyncio.open_connection(address, target.port, family=family)
            except (OSError, TimeoutError) as error:
                problem = error
            else:
                self._check_peer(target, writer)
                return reader, writer
        raise problem

    def _check_peer(self, target: Target, writer: asyncio.StreamWriter) -> None:
        """Check the address that was reached in the end, whatever led there."""
        reached = str(writer.get_extra_info("peername")[0]).partition("%")[0]
        try:
            self.rules.check(target, ipaddress.ip_address(reached))
        except Refused:
            writer.close()
            raise


def _authority(text: str) -> Target:
    parts = urlsplit("//" + text)
    if not parts.hostname or parts.port is None:
        raise ValueError("CONNECT needs host:port")
    return Target(parts.hostname, parts.port)


def _rewrite(method: str, url: str, version: str, headers: bytes) -> tuple[Target, bytes]:
    """Return the target of a proxied request and the request as its origin expects it."""
    parts = urlsplit(url)
    if parts.scheme != "http" or not parts.hostname:
        raise ValueError("this is a proxy: it needs an absolute http:// address, or CONNECT")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    kept = [line for line in headers.split(b"\r\n") if line and not line.lower().startswith(_HOP_HEADERS)]
    request = b"\r\n".join([f"{method} {path} {version}".encode("latin-1"), *kept, b"Connection: close", b"", b""])
    return Target(parts.hostname, parts.port or 80), request


async def _relay(near: Ends, far: Ends) -> None:
    async with asyncio.TaskGroup() as group:
        upward = group.create_task(_copy(near[0], far[1]))
        await _copy(far[0], near[1])
        upward.cancel()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError, TimeoutError):
        while True:
            async with asyncio.timeout(_IDLE_SECONDS):
                data = await reader.read(65536)
            if not data:
                break
            writer.write(data)
            await writer.drain()
        if writer.can_write_eof():
            writer.write_eof()


async def _send(writer: asyncio.StreamWriter, status: str, kind: str, body: bytes) -> None:
    head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    with contextlib.suppress(OSError):
        writer.write(head.encode() + body)
        await writer.drain()


def _step_down() -> None:
    _kernel.prctl(_kernel.PR_SET_NO_NEW_PRIVS, 1)
    if os.geteuid() == 0:
        with contextlib.suppress(OSError):
            _kernel.become(_NOBODY + os.getpid() % 0x10000)


class Broker:
    """Open and close the doors of jobs as the host says."""

    def __init__(self, control: int, rules: Rules, share: int) -> None:
        self._control = socket.socket(fileno=control)
        self._rules = rules
        self._share = share
        self._doors: dict[int, Door] = {}
        self._ended = asyncio.Event()

    async def run(self) -> None:
        """Serve until the host closes its end or dies."""
        loop = asyncio.get_running_loop()
        loop.add_reader(os.pidfd_open(os.getppid()), self._ended.set)
        loop.add_reader(self._control, self._obey)
        await self._ended.wait()

    def _obey(self) -> None:
        try:
            message, descriptors, _, _ = socket.recv_fds(self._control, _wire.DOOR_SIZE, 1)
        except OSError:
            message, descriptors = b"", []
        if not message:
            self._ended.set()
            return
        kind, number = _wire.DOOR.unpack_from(message)
        if kind == _wire.OPEN and descriptors:  # none came where the kernel had no room for it
            target, terms = json.loads(message[_wire.DOOR.size :])
            self._doors[number] = Door(
                socket.socket(fileno=descriptors[0]),
                self._rules,
                self._share,
                target=Target(*target) if target else None,
                wallet=_wallet.Wallet(functools.partial(self._tell, _wire.ASKED, number), *terms) if terms else None,
                tell_refused=functools.partial(self._tell_refused, number),
            )
        elif number in self._doors:
            self._doors.pop(number).close()

    def _tell(self, kind: bytes, number: int, data: bytes, *ways: socket.socket) -> None:
        """Send the host a message at once or not at all, with the descriptors of *ways*."""
        passed = array.array("i", [way.fileno() for way in ways])
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, passed)] if ways else []
        self._control.sendmsg([_wire.DOOR.pack(kind, number) + data], rights, socket.MSG_DONTWAIT)

    def _tell_refused(self, number: int, target: Target) -> None:
        text = f"{target.host}:{target.port}".encode("utf-8", "replace")[: _wire.DOOR_SIZE - _wire.DOOR.size]
        with contextlib.suppress(OSError):  # the host does not read: it does not want to know
            self._tell(_wire.REFUSED, number, text)


async def _run(control: int, grants: list[list[str | None]], doors: int) -> NoReturn:
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(_LOOKUPS * doors))
    await Broker(control, Rules(grants), _share(doors)).run()
    # At once: leaving the loop would wait for names that are being looked up, as long as name servers are silent.
    os._exit(0)


def _share(doors: int) -> int:
    """Return how many connections each of *doors* may have, so that all of them together find descriptors."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    if most == resource.RLIM_INFINITY:
        return _CONNECTIONS
    return max(1, min(_CONNECTIONS, (most - _OUR_DESCRIPTORS) // (2 * doors)))


def main(control: int, grants: list[list[str | None]], doors: int) -> NoReturn:
    """Serve as many as *doors* jobs until the host closes *control* or dies."""
    assert encodings.idna  # imported by others later, when files may be out of reach
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _step_down()
    asyncio.run(_run(control, grants, doors))
    raise AssertionError("serving ends with the process")
