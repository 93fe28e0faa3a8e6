"""The types gate: `mypy --strict` is the verdict, from a server that has the standard library's types loaded."""

from __future__ import annotations

import ast
import os
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, Literal

from mayfly.core import Closing, Verdict, parse_python, shipped_table
from mayfly.gates._suppress import suppressions
from mayfly.gates._syntax import unreadable
from mayfly.gates.types._repair import DEMANDED, PLAIN, Repaired, complete, repair, tidied
from mayfly.gates.types._server import Answer, ServerGone, ServerSlow, TypeOptions, TypeServer, check_cold
from mayfly.gates.types._shapes import is_known_shape

GATE = "types"
_reject = partial(Verdict, gate=GATE, decision="reject")
_SIMPLER = "write it more simply: shorter expressions, less nesting, plainer types"

How = Literal["warm", "cold"]
_FIXES = Path(__file__).parent / "typeserver" / "data" / "fixes.toml"
_MOST = 20
_ROUNDS = 3
_FAILURES = 2
_PAUSE_SECONDS = 60.0


@dataclass(frozen=True, kw_only=True)
class TypeReport:
    """Say what mypy found, how long that took, and whether the server or a fresh process answered."""

    verdicts: tuple[Verdict, ...]
    milliseconds: float
    how: How

    @property
    def accepted(self) -> bool:
        """Whether nothing was found."""
        return all(verdict.decision == "accept" for verdict in self.verdicts)


class TypeGate(Closing):
    """Check the types of generated programs.

    A context manager; safe to share between threads, and usable in a child after `os.fork`. Its process starts with
    `start` or the first check. Sources are handed over in memory, nothing of them is ever on disk.
    """

    def __init__(
        self,
        *,
        cache_dir: Path | None,
        options: TypeOptions | None = None,
        beside: Callable[[], Sequence[str]] = tuple,
    ) -> None:
        """Make a gate; *beside* says where packages are looked for beside those of this environment."""
        self._cache = cache_dir
        self._beside = beside
        self._options = options or TypeOptions()
        self._begin()
        _OPEN.add(self)

    def _begin(self) -> None:
        self._lane = _Lane(self._options, self._cache, self._beside)
        self._finalizer = weakref.finalize(self, self._lane.close)

    def start(self) -> None:
        """Start the server in the background, because a check is ahead."""
        self._lane.start()

    def check(self, source: str, *, packages: bool = False) -> TypeReport:
        """Return what `mypy --strict` says of *source*. Never raises for what the source is."""
        began = time.perf_counter()
        unread = unreadable(source)
        verdicts = _too_large(source, self._options.source) or ((unread,) if unread else suppressions(source)[:_MOST])
        how: How = "warm"
        if not verdicts and not is_known_shape(source):
            how, answer = self._lane.check(source, packages=packages)
            verdicts = answer if isinstance(answer, tuple) else verdicts_of(answer, self._options)
        milliseconds = round((time.perf_counter() - began) * 1000, 3)
        return TypeReport(verdicts=verdicts or (_accept(milliseconds),), milliseconds=milliseconds, how=how)

    @contextmanager
    def ahead(self, source: str, *, packages: bool = False) -> Iterator[Callable[[], TypeReport | None]]:
        """Check *source* while the block does something else; what is handed out gives the report after the block.

        None is given where no server is ready: whoever is refused meanwhile should not have to wait for one.
        """
        found: list[TypeReport] = []
        thread = None
        if self._lane.is_ready():
            thread = threading.Thread(target=lambda: found.append(self.check(source, packages=packages)))
            thread.start()
        try:
            yield lambda: found[0] if found else None
        finally:
            if thread is not None:
                thread.join()

    def check_and_repair(
        self,
        source: str,
        *,
        packages: bool = False,
        first: TypeReport | None = None,
    ) -> tuple[TypeReport, Repaired]:
        """Check *source* and repair what a tool can repair, until it passes or nothing is left to do.

        The report is about the repaired source. *first* is what `ahead` has found.
        """
        first = first or self.check(source, packages=packages)
        if first.accepted:
            return first, Repaired(source=source)
        check = partial(self.check, packages=packages)
        report, done = _rounds(check, first, source, complete(source, PLAIN))
        if not report.accepted:
            again = _rounds(check, first, source, complete(source, DEMANDED))
            report, done = again if again[0].accepted else (report, done)
        neat = tidied(done) if report.accepted else done
        if neat.source != done.source and (tidy := check(neat.source)).accepted:
            return tidy, neat
        return report, done

    def close(self) -> None:
        """End the processes of this gate."""
        self._lane.close()

    def _after_fork(self) -> None:
        self._finalizer.detach()
        self._lane.abandon()
        self._begin()


def _rounds(
    check: Callable[[str], TypeReport], report: TypeReport, source: str, done: Repaired
) -> tuple[TypeReport, Repaired]:
    """Check and repair in turn until nothing is wrong or nothing more is repaired; *report* is about *source*."""
    if done.source != source:
        report = check(done.source)
    for _ in range(_ROUNDS):
        step = repair(done.source, report.verdicts)
        if report.accepted or step.source == done.source:
            break
        done = Repaired(source=step.source, repairs=(*done.repairs, *step.repairs))
        report = check(done.source)
    return report, done


class _Lane:
    """The server, and what to do when it is not there."""

    def __init__(self, options: TypeOptions, cache: Path | None, beside: Callable[[], Sequence[str]]) -> None:
        self._options = options
        self._beside = beside
        self._cache = cache
        self._lock = threading.Lock()
        self._server: TypeServer | None = None
        self._more = False
        self._failures = 0
        self._resume = 0.0

    def start(self) -> None:
        with self._lock:
            self._started()

    def is_ready(self) -> bool:
        """Whether a server would answer at once, as far as can be seen without waiting for anybody."""
        server = self._server
        return server is not None and not server.closed and server.is_ready

    def check(self, source: str, *, packages: bool) -> tuple[How, Answer | tuple[Verdict, ...]]:
        """Ask the server; what it cannot answer for sure, such as about *packages*, a fresh process is asked."""
        answer = None
        if not (packages and _uses_packages(source)):
            with self._lock:
                answer = self._ask(source)
        if answer is not None and answer.status in ("checked", "timeout"):
            return "warm", answer
        try:
            beside = self._beside() if packages else ()
            return "cold", check_cold(source, self._options, self._cache, packages=packages, beside=beside)
        except ServerSlow:
            return "cold", Answer(status="timeout")
        except ServerGone as gone:
            return "cold", (_crashed(str(gone)),)

    def _ask(self, source: str) -> Answer | None:
        server = self._started()
        if server is None:
            return None
        try:
            answer = server.check(source)
        except ServerGone:
            self._failed()
            return None
        self._failures = 0
        lacking = answer.status == "strange" and not self._more
        if lacking or answer.memory > self._options.memory or server.checks >= self._options.checks:
            # The next one loads while the caller goes on; whoever asks before that waits as for a fresh process.
            self._more = self._more or lacking
            server.close()
            self._server = self._begin()
        return answer

    def _started(self) -> TypeServer | None:
        """Return the server, which may still be loading: waiting for it takes no longer than a fresh process would."""
        if self._server is not None and self._server.closed:
            self._server = None
        if self._server is None and time.monotonic() >= self._resume:
            self._server = self._begin()
        return self._server

    def _begin(self) -> TypeServer | None:
        try:
            return TypeServer(self._options, self._cache, more=self._more)
        except ServerGone:
            self._failed()
            return None

    def _failed(self) -> None:
        """Count a failure in a row; after some of them the fresh processes have to do for a while."""
        if self._server is not None:
            self._server.close()
            self._server = None
        self._failures += 1
        if self._failures >= _FAILURES:
            self._resume = time.monotonic() + _PAUSE_SECONDS
            self._failures = 0

    def close(self) -> None:
        """End the server after the check that is being made."""
        with self._lock:
            if self._server is not None:
                self._server.close()
            self._server = None

    def abandon(self) -> None:
        """Let go of the parent's server."""
        if self._server is not None:
            self._server.abandon()


def _uses_packages(source: str) -> bool:
    """Whether a module outside the standard library is imported: a server would load it anew for every check."""
    try:
        nodes = list(ast.walk(parse_python(source)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    return not {name.split(".")[0] for name in names} <= sys.stdlib_module_names


def verdicts_of(answer: Answer, options: TypeOptions) -> tuple[Verdict, ...]:
    """Return one refusal for each error mypy reports, none if it reports none."""
    if answer.status == "timeout":
        return (_timeout(options.seconds),)
    errors = [message for message in answer.messages if message.get("severity") == "error"]
    return tuple(_verdict(error) for error in errors[:_MOST])


def _verdict(error: dict[str, Any]) -> Verdict:
    code = str(error.get("code") or "misc")
    hints = [hint for hint in str(error.get("hint") or "").splitlines() if not hint.startswith("See ")]
    line = error.get("line")
    return _reject(
        code=code.upper().replace("-", "_"),
        message=str(error["message"]),
        line=line if isinstance(line, int) and line > 0 else None,
        fix=hints[0] if hints else _fixes().get(code),
    )


@cache
def _fixes() -> dict[str, str]:
    return {code: str(fix) for code, fix in shipped_table(_FIXES).items()}


def _accept(milliseconds: float) -> Verdict:
    return Verdict(decision="accept", gate=GATE, code="OK", message="mypy --strict passes", measured=milliseconds)


def _crashed(reason: str) -> Verdict:
    message = f"the type check did not survive this source: {reason}"
    return _reject(code="TYPES_CRASH", message=message, fix=_SIMPLER)


def _timeout(seconds: float) -> Verdict:
    message = f"the type check took longer than {seconds:g} s"
    return _reject(code="TYPES_TIMEOUT", message=message, limit=seconds, fix=_SIMPLER)


def _too_large(source: str, limit: int) -> tuple[Verdict, ...]:
    if len(source) <= limit:
        return ()
    size = len(source)
    message = f"the source has {size} characters, the type check reads {limit}"
    return (_reject(code="TYPES_SIZE", message=message, measured=float(size), limit=float(limit), fix="split it up"),)


_OPEN: weakref.WeakSet[TypeGate] = weakref.WeakSet()


def _forked() -> None:
    for gate in list(_OPEN):
        gate._after_fork()


os.register_at_fork(after_in_child=_forked)
