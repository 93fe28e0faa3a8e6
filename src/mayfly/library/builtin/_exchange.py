"""One HTTP request and its answer: no redirect is followed, no proxy used, everything bounded."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException, HTTPResponse
from typing import NamedTuple

from mayfly.core import InputError, NotSent, Stop
from mayfly.library.builtin._address import Address, resolved

SECONDS = 30.0
LARGEST = 4 * 1024 * 1024


class Answer(NamedTuple):
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
        self._address = address
        self._seconds = seconds

    def connect(self) -> None:
        where = resolved(self._address)
        sock = socket.create_connection((where, self.port), self._seconds)
        try:
            secure = ssl.create_default_context() if self._address.secure else None
            self.sock = secure.wrap_socket(sock, server_hostname=self.host) if secure else sock
        except BaseException:
            sock.close()
            raise


def exchange(
    address: Address,
    method: str,
    headers: Mapping[str, str],
    body: bytes | None,
    *,
    stop: Stop | None = None,
    seconds: float | None = None,
    largest: int | None = None,
) -> Answer:
    """Send one request and read the answer, all within *seconds* (`SECONDS`) and until *stop* is said.

    What fails before anything was sent is `NotSent`, or the refusal and look-up errors that mean the same; what fails
    afterwards is an `OSError`, and nobody can tell what the receiver did.
    """
    seconds = SECONDS if seconds is None else seconds
    largest = LARGEST if largest is None else largest
    connection = _Connection(address, seconds)
    try:
        _connect(connection)
        with _ending(connection, seconds, stop or Stop()) as late:
            try:
                connection.request(method, address.resource, body, dict(headers))
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
    finally:
        connection.close()


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


def _answer(response: HTTPResponse, largest: int) -> Answer:
    body = response.read(largest + 1)
    declared = response.getheader("Content-Length", "")
    if len(body) <= largest and declared.isdigit() and response.length:
        raise ConnectionError(f"the answer ended after {len(body)} of {declared} bytes")
    headers = {name.lower(): value for name, value in response.getheaders()}
    return Answer(response.status, response.reason, headers, body[:largest], len(body) <= largest)
