"""HTTP on loopback that does what a case wants: any status, late, twice, or no answer at all."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple


@dataclass(frozen=True, kw_only=True)
class Asked:
    """One request; names of headers are in small letters."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def payment(self) -> str:
        """The payment it carries, of either version; empty where there is none."""
        return self.headers.get("payment-signature") or self.headers.get("x-payment") or ""


class Told(NamedTuple):
    """One answer."""

    status: int
    headers: Mapping[str, str]
    body: bytes


Answer = Callable[[Asked], Told | None]


class Door:
    """A server whose answers come from a callable; None closes the connection without a word."""

    def __init__(self, answer: Answer) -> None:
        class Handler(BaseHTTPRequestHandler):
            def _any(self) -> None:
                length = int(self.headers.get("content-length") or 0)
                headers = {name.lower(): value for name, value in self.headers.items()}
                asked = Asked(method=self.command, path=self.path, headers=headers, body=self.rfile.read(length))
                told = answer(asked)
                if told is None:
                    self.close_connection = True
                    self.connection.close()
                    return
                self.send_response(told.status)
                for name, value in told.headers.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(told.body)))
                self.end_headers()
                self.wfile.write(told.body)

            do_GET = do_POST = do_PUT = _any

            def log_message(self, format: str, *args: Any) -> None:
                """Say nothing."""

        class Quiet(ThreadingHTTPServer):
            # More than the copies that one case sends at once.
            request_queue_size = 64

            def handle_error(self, request: Any, client_address: Any) -> None:
                """Say nothing: who asked may have been killed on purpose."""

        self._http = Quiet(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        # The pause is how long the end may take; a module has a few of these.
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """Where it answers."""
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def close(self) -> None:
        """End it."""
        self._http.shutdown()
        self._http.server_close()
