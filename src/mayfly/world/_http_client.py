"""The one HTTP client: an address read as the rules read it, one request, its answer, everything bounded.

No redirect is followed and no proxy is used.
"""

from __future__ import annotations

import os
import re
import socket
import ssl
import threading
import time
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from http.client import HTTPConnection, HTTPException, HTTPResponse
from typing import NamedTuple
from urllib.parse import quote, urlsplit

from mayfly.core import InputError, NotSent, Stop, host_of

SECONDS = 30.0
LARGEST = 4 * 1024 * 1024
# Seconds a connection may lie idle and be used again: servers and routers forget them after fifteen and more.
_IDLE = 10.0
# Connections that are kept: as many as ask at the same moment, seldom more.
_MOST_IDLE = 8

_LONGEST_ADDRESS = 2_000
_PLAIN = "/%:@!$&'()*+,;=~-._?"


class Address(NamedTuple):
    """An address taken apart; *host* is the one that the rules decide on, and *kind* what they take it for."""

    secure: bool
    host: str
    kind: str
    port: int
    resource: str

    @property
    def without_query(self) -> str:
        """The address without its query, which may hold what nobody should read in a log."""
        scheme = "https" if self.secure else "http"
        return f"{scheme}://{self.host}:{self.port}{self.resource.partition('?')[0]}"


def address_of(url: str) -> Address:
    """Take an address apart; one with a user or password in it, or that can be read in two ways, is refused."""
    if len(url) > _LONGEST_ADDRESS or re.search(r"[\s\\\x00-\x1f\x7f]", url):
        raise InputError(
            f"the address is longer than {_LONGEST_ADDRESS}"
            if len(url) > _LONGEST_ADDRESS
            else "the address has blanks"
        )
    try:
        split = urlsplit(url)
        port = split.port
    except ValueError as error:
        raise InputError(f"that is not an address: {error}") from None
    if split.scheme.lower() not in ("http", "https") or not split.hostname:
        raise InputError("the address must begin with http:// or https:// and name a host")
    if "@" in split.netloc:
        raise InputError("the address holds a user or a password, which would be recorded", fix="leave them out")
    host = host_of(url)
    if host is None or host.kind == "unclear":
        raise InputError("nobody can tell which machine the address names")
    secure = split.scheme.lower() == "https"
    resource = quote(split.path or "/", safe=_PLAIN) + (f"?{quote(split.query, safe=_PLAIN)}" if split.query else "")
    return Address(secure, host.name, host.kind, port or (443 if secure else 80), resource)


def resolved(address: Address) -> str:
    """Look the host up; a public name that leads to a machine of the private network is refused."""
    found = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)
    where = str(found[0][4][0])
    there = host_of(f"http://[{where}]/" if ":" in where else f"http://{where}/")
    if address.kind == "public" and (there is None or there.kind != "public"):
        raise InputError(f"{address.host} leads to {where}, which is not a public address")
    return where


class HttpAnswer(NamedTuple):
    """What a server said; *whole* is false where more followed than is taken."""

    status: int
    reason: str
    headers: Mapping[str, str]
    body: bytes
    whole: bool


class _Connection(HTTPConnection):
    """Connect to the address that was looked up and judged, not to what a second look-up says."""

    def __init__(self, address: Address, seconds: float) -> None:
        super().__init__(address.host, address.port, timeout=seconds)
        self.address = address
        self.seconds = seconds

    def connect(self) -> None:
        where = resolved(self.address)
        sock = socket.create_connection((where, self.port), self.seconds)
        try:
            # Head and body are two pieces, and the second does not wait for the first one's acknowledgement.
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            secure = _certificates() if self.address.secure else None
            self.sock = secure.wrap_socket(sock, server_hostname=self.host) if secure else sock
        except BaseException:
            sock.close()
            raise


@cache
def _certificates() -> ssl.SSLContext:
    """Return whom to believe; reading all of it takes longer than most questions."""
    return ssl.create_default_context()


def exchange(
    address: Address,
    method: str,
    headers: Mapping[str, str],
    body: bytes | None,
    *,
    stop: Stop | None = None,
    seconds: float | None = None,
    largest: int | None = None,
) -> HttpAnswer:
    """Send one request and read the answer, all within *seconds* (`SECONDS`) and until *stop* is said.

    What fails before anything was sent is `NotSent`, or the refusal and look-up errors that mean the same; what fails
    afterwards is an `OSError`, and nobody can tell what the receiver did.
    """
    seconds = SECONDS if seconds is None else seconds
    largest = LARGEST if largest is None else largest
    connection = _Connection(address, seconds)
    try:
        _connect(connection)
        return _sent(connection, method, headers, body, largest, stop)
    finally:
        connection.close()


class KeptConnections:
    """Connections to one address that are used again, for questions that may be asked twice; safe between threads."""

    def __init__(self, address: Address, *, seconds: float, largest: int) -> None:
        self._address, self._seconds, self._largest = address, seconds, largest
        self._idle: list[tuple[_Connection, float]] = []
        self._process = os.getpid()
        self._lock = threading.Lock()
        # They are closed with the last one who could use them.
        weakref.finalize(self, _close_all, self._idle)

    def exchange(self, method: str, headers: Mapping[str, str], body: bytes | None) -> HttpAnswer:
        """Do as `exchange` does; where a kept connection turns out to be closed, once more over a new one."""
        kept = self._take()
        if kept is not None:
            try:
                return self._over(kept, method, headers, body)
            except (ConnectionResetError, BrokenPipeError):
                # The other end gave it up while it lay idle, which is its right.
                pass
        connection = _Connection(self._address, self._seconds)
        _connect(connection)
        return self._over(connection, method, headers, body)

    def _over(self, connection: _Connection, method: str, headers: Mapping[str, str], body: bytes | None) -> HttpAnswer:
        answer = None
        try:
            answer = _sent(connection, method, headers, body, self._largest)
            return answer
        finally:
            with self._lock:
                # Its socket is gone where the other end wants it closed; what was not read whole is in the way.
                keep = answer is not None and answer.whole and connection.sock and len(self._idle) < _MOST_IDLE
                if keep:
                    self._idle.append((connection, time.monotonic()))
            if not keep:
                connection.close()

    def _take(self) -> _Connection | None:
        found = None
        with self._lock:
            if self._process != os.getpid():
                # Whose they are goes on with them: two processes on one connection would read each other's answers.
                self._process = os.getpid()
                _close_all(self._idle)
            while self._idle and found is None:
                connection, since = self._idle.pop()
                if time.monotonic() - since < _IDLE:
                    found = connection
                else:
                    connection.close()
        return found


def _close_all(idle: list[tuple[_Connection, float]]) -> None:
    while idle:
        idle.pop()[0].close()


def _sent(
    connection: _Connection,
    method: str,
    headers: Mapping[str, str],
    body: bytes | None,
    largest: int,
    stop: Stop | None = None,
) -> HttpAnswer:
    seconds = connection.seconds
    with _ending(connection, seconds, stop or Stop()) as late:
        try:
            connection.request(method, connection.address.resource, body, dict(headers))
            answer = _answer(connection.getresponse(), largest)
        except (HTTPException, OSError, ValueError) as error:
            # Once the time is up the connection is shut, and then any error means that.
            if late.is_set():
                raise TimeoutError(f"no whole answer within {seconds:g} seconds") from None
            if isinstance(error, OSError):
                raise
            raise ConnectionError(f"that is no HTTP answer: {type(error).__name__}") from None
    # An answer that was shut off in its head looks like one that is complete.
    if late.is_set():
        raise TimeoutError(f"no whole answer within {seconds:g} seconds")
    return answer


def _connect(connection: _Connection) -> None:
    try:
        connection.connect()
    except (ConnectionRefusedError, socket.gaierror):
        raise
    except InputError as error:
        raise NotSent(str(error)) from None
    except (OSError, ValueError) as error:
        raise NotSent(f"no connection to {connection.host}: {error}") from None


@contextmanager
def _ending(connection: _Connection, seconds: float, stop: Stop) -> Iterator[threading.Event]:
    """Shut the connection after some seconds: a server that sends a byte now and then never runs into a timeout."""
    late, sock = threading.Event(), connection.sock

    def end() -> None:
        late.set()
        try:
            socket.socket.shutdown(sock, socket.SHUT_RDWR)
        except OSError:
            # It was closed in the meantime.
            pass

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()
    try:
        with stop.ending(end):
            yield late
    finally:
        timer.cancel()


def _answer(response: HTTPResponse, largest: int) -> HttpAnswer:
    body = response.read(largest + 1)
    declared = response.getheader("Content-Length", "")
    if len(body) <= largest and declared.isdigit() and response.length:
        raise ConnectionError(f"the answer ended after {len(body)} of {declared} bytes")
    headers = {name.lower(): value for name, value in response.getheaders()}
    return HttpAnswer(response.status, response.reason, headers, body[:largest], len(body) <= largest)
