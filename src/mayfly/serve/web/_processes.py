"""`serve_web`: one process or several that answer on one socket, each with a runtime of its own over the same store."""

from __future__ import annotations

import os
import signal
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from mayfly.core import MachineError
from mayfly.serve._socket import address_of, check_token_needed, listen, uvicorn_server
from mayfly.serve.web._guard import ENTER
from mayfly.serve.web._passes import Passes

if TYPE_CHECKING:
    from types import FrameType

    import uvicorn

    from mayfly.core import Settings
    from mayfly.serve.web._passes import WebOptions
    from mayfly.serve.web._served import ServedRuntime

WEB_TOKEN = "MAYFLY_WEB_TOKEN"
# Seconds that requests have to end in once the server has to; then they are ended.
_GRACE = 5
# Seconds that a process may take beyond that to close its runtime; then it is killed.
_CLOSING = 10
# A process that ends sooner than this many seconds after its start did not work; so many in a row are enough.
_SOON, _TRIES = 5.0, 3

Ready = Callable[[str, str], None]


def serve_web(settings: Settings, options: WebOptions, *, workers: int, ready: Ready) -> None:
    """Serve until somebody ends the process; *ready* is told the address, and the link that lets a browser in."""
    check_token_needed(options.host, options.token, WEB_TOKEN)
    with listen(options.host, options.port) as bound, tempfile.TemporaryDirectory(prefix="mayfly-web-") as spent:
        options = replace(options, spent=Path(spent))
        address = address_of(bound)
        link = f"{address}{ENTER}?link={Passes(options).make_link()}" if options.token else f"{address}/"
        # The socket listens already: who connects now waits a moment for the answer.
        if workers == 1:
            ready(address, link)
            _serve_here(settings, options, bound)
        else:
            _Family(settings, options, bound).keep(workers, lambda: ready(address, link))


def _serve_here(settings: Settings, options: WebOptions, bound: socket.socket, *, parent: int | None = None) -> None:
    """Answer requests in this process until a signal, or the end of the *parent*'s pipe, says to stop."""
    from mayfly.runtime import Runtime
    from mayfly.serve.web._app import make_app

    # The server raises the signals it was ended with once more when it has ended; by then all is said.
    for one in (signal.SIGTERM, signal.SIGINT):
        signal.signal(one, _ignore)
    with Runtime(settings) as runtime:
        # Who asks is who connects: what a header says about it could be anybody's word.
        server = uvicorn_server(make_app(runtime, options), _GRACE, proxy_headers=False)
        _end_streams_first(server)
        if parent is not None:
            threading.Thread(target=_end_with, args=(parent, server), name="mayfly-parent", daemon=True).start()
        server.run(sockets=[bound])


def _end_streams_first(server: uvicorn.Server) -> None:
    """Let streams end when the server has to: they would last as long as their readers, and be broken off after all."""
    shut_down = server.shutdown

    async def end(sockets: list[socket.socket] | None = None) -> None:
        served: ServedRuntime = server.config.app.state.served  # type: ignore[union-attr]  # the application of `make_app`
        served.feed.close()
        await shut_down(sockets)

    server.shutdown = end  # type: ignore[method-assign]


def _ignore(number: int, frame: FrameType | None) -> None:
    """Do nothing on a signal that the server has heard already; a handler, since children would inherit SIG_IGN."""


def _end_with(pipe: int, server: uvicorn.Server) -> None:
    """Wait until the parent is gone, however that came, and end the server."""
    while os.read(pipe, 1):
        pass
    server.should_exit = True


class _Family:
    """Processes that are forked from this one, which only keeps their number."""

    def __init__(self, settings: Settings, options: WebOptions, bound: socket.socket) -> None:
        self._settings, self._options, self._bound = settings, options, bound
        self._born: dict[int, float] = {}
        self._ending = False

    def keep(self, count: int, ready: Callable[[], None]) -> None:
        """Keep *count* processes until a signal says to stop; one that dies is started again."""
        # Loaded once for all of them; none of it starts a thread.
        import uvicorn  # noqa: F401

        import mayfly.runtime
        import mayfly.serve.web._app

        _ = mayfly.runtime.Runtime
        ears, mouth = os.pipe()
        for one in (signal.SIGTERM, signal.SIGINT):
            signal.signal(one, self._end)
        failed = 0
        try:
            for _ in range(count):
                self._bear(ears, mouth)
            ready()
            while self._born and not self._ending:
                failed = self._mourn(failed)
                if failed >= _TRIES:
                    raise MachineError("the processes of the server end as soon as they start", fix="look above")
                while not self._ending and len(self._born) < count:
                    self._bear(ears, mouth)
        finally:
            os.close(mouth)
            self._bury()

    def _end(self, number: int, frame: FrameType | None) -> None:
        self._ending = True
        for pid in self._born:
            _tell(pid, signal.SIGTERM)

    def _bear(self, ears: int, mouth: int) -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        pid = os.fork()
        if pid:
            self._born[pid] = time.monotonic()
            if self._ending:  # the signal came between
                _tell(pid, signal.SIGTERM)
            return
        code = 1
        try:
            os.close(mouth)
            _serve_here(self._settings, self._options, self._bound, parent=ears)
            code = 0
        except BaseException as error:
            print(f"mayfly serve: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
        finally:
            # Nothing of what the parent has open or meant to do at its end is this process's to end.
            os._exit(code)

    def _mourn(self, failed: int) -> int:
        """Wait for one to end; return how many in a row ended too soon."""
        try:
            pid, status = os.wait()
        except (InterruptedError, ChildProcessError):
            return failed
        lived = time.monotonic() - self._born.pop(pid, time.monotonic())
        if self._ending:
            return failed
        how = os.waitstatus_to_exitcode(status)
        print(f"mayfly serve: process {pid} ended with {how}; another one is started", file=sys.stderr, flush=True)
        return failed + 1 if lived < _SOON else 0

    def _bury(self) -> None:
        """End all that are left, and wait for them."""
        for pid in self._born:
            _tell(pid, signal.SIGTERM)
        until = time.monotonic() + _GRACE + _CLOSING
        while self._born and time.monotonic() < until:
            try:
                pid, _ = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            self._born.pop(pid, None)
            if not pid:
                # Nobody tells of several children with a limit of time; a twentieth of a second is soon enough.
                time.sleep(0.05)
        for pid in self._born:
            _tell(pid, signal.SIGKILL)


def _tell(pid: int, number: signal.Signals) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass
