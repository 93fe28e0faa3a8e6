"""One call: the request on the wire, the frames that come back, and the result they mean, whole or item by item."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from mayfly.core import SandboxSettings
from mayfly.sandbox import _data, _values
from mayfly.sandbox._grants import NO_GRANTS
from mayfly.sandbox._job import Job
from mayfly.sandbox._lines import LineFeed
from mayfly.sandbox._member import join_now
from mayfly.sandbox._pool import Lease, NoWall
from mayfly.sandbox._result import Lane, Result, Status
from mayfly.sandbox._worker import Reply, WorkerGone, WorkerLate
from mayfly.sandbox._workspace import Watch, Watched
from mayfly.sandbox.jail import _nodes, _wire

# Without namespaces and not as root, the kernel counts threads by user only: ours are counted anew after so many
# seconds, and a job may have so many more than there are.
_FRESH = 1.0
_SPARE = 32
# Seconds between two words about how far a query is.
_TELLING = 0.05
# What the processor time of a job about data follows from, and with it the guard by the clock.
_TIME_SETTINGS = "(sandbox.data_seconds, sandbox.data_rate)"
_NO_ANSWER = "something that is not an answer was written to the channel"


class MoreNeeded(Exception):
    """A lean worker gave the job up after *spent* seconds, so it has to be run again in one that has all modules."""

    def __init__(self, spent: float) -> None:
        super().__init__("the job needs more than its worker has")
        self.spent = spent


class NotSent(Exception):
    """The worker was dead before the request reached it, so the job has not run."""


class Call:
    """A request that was sent to one worker, and the result once it is known."""

    def __init__(self, lease: Lease, job: Job, settings: SandboxSettings, lane: Lane) -> None:
        """Make a call; its *lane* is the one it really goes, which is not always the one the job asked for."""
        self.lease = lease
        self.job = job
        self.settings = settings
        self.lane = lane
        self.threads = False
        self._watch: Watch | None = lease.zygote.watch
        self._watched: Watched | None = None
        self._told = float("-inf")
        self._started = time.monotonic() - job.spent
        self._deadline = self._started + job.timeout

    def send(self, *, again: bool = False) -> None:
        """Send the request; *again* sends the argument alone, to a worker that has the source."""
        worker, job = self.lease.worker, self.job
        if job.memory is not None and worker.member is not None and not again:
            worker.member.limit(job.memory)
        setup = self._furnish() if job.grants.data else b""
        if self._watch is not None:
            self._watched = self._watch.begin(worker)
        if worker.till is not None:
            worker.till.begin(job.spender)
        try:
            worker.feed = None if job.lines is None else LineFeed(job.lines, worker.kill)
            worker.send(setup + self._request(worker.next_nonce(), again=again), self._deadline)
        except (WorkerGone, RuntimeError) as error:  # or no thread is to be had for the lines
            raise NotSent(str(error)) from None
        except WorkerLate:
            return  # the deadline has passed, and reading will say so

    def _furnish(self) -> bytes:
        """Make the directory that the job may write to; return what its worker has to know before it is confined."""
        from mayfly.sandbox._scratch import Scratch

        job, worker = self.job, self.lease.worker
        alone = self.lease.zygote.level == "landlock"
        if worker.member is not None and alone:
            # DuckDB reads the limits of the group it is in, and Landlock has to let it before it is confined.
            join_now(worker.member)
        worker.scratch = scratch = Scratch(self.settings, handed_on=alone and os.geteuid() == 0)
        self._watch = scratch.watch
        return scratch.setup(job.inputs, job.processor, job.memory or _data.memory_of(self.settings))

    def _request(self, nonce: bytes, *, again: bool) -> bytes:
        job = self.job
        if again:
            sizes = (0, 0, 0, len(job.argument))
            return _wire.REQUEST.pack(nonce, _wire.AGAIN, 0, 0, self.settings.result, *sizes) + job.argument
        flags = 0 if job.entry is None else _wire.NAMED
        flags |= 0 if job.imports is None else _wire.GUARDED
        flags |= 0 if job.lines is None else _wire.LINES
        flags |= _wire.DATA if job.inputs else 0
        flags |= 0 if job.progress is None else _wire.WATCHED
        parts = ((job.entry or "").encode(), "\0".join(job.imports or ()).encode(), job.source, job.argument)
        tasks = _limit_tasks(self.lease.zygote.limits["threads"]) if self.lease.zygote.shares_tasks else 0
        # What a job about data may hold is said before it is confined.
        memory = 0 if job.grants.data else job.memory or 0
        limits = (memory, tasks, self.settings.result)
        header = _wire.REQUEST.pack(nonce, flags, *limits, *(len(part) for part in parts))
        return b"".join((header, *parts))

    def result(self) -> Result:
        """Read to the end and return the result; a streamed one is collected into a list.

        Raises `NotSent` where the worker was killed before it had read the request.
        """
        items: list[object] = []
        size = nodes = 0
        for part in self.parts(first=True):
            if isinstance(part, Result):
                return replace(part, value=items) if part.ok and items else part
            text, batch = part
            size += len(text)
            nodes += _nodes.exactly(text, self.settings.nodes)
            if size > self.settings.result:
                return self._ended("error", f"the result is larger than the limit of {self.settings.result} bytes")
            if nodes > self.settings.nodes:
                return self._ended("error", f"the result holds more than {self.settings.nodes} values, keys included")
            items += batch
        raise AssertionError("the last part is a result")

    def parts(self, *, first: bool = False) -> Iterator[Result | tuple[bytes, list[object]]]:
        """Yield the parts of a streamed result as they come, as text and items; the last thing is the `Result`."""
        streamed = False
        while not isinstance(reply := self._reply(first=first and not streamed), Result):
            if reply.kind != _wire.PART:
                yield self._conclude(reply, streamed=streamed)
                return
            streamed = True
            batch = self._decode(reply)
            if isinstance(batch, Result):
                yield batch
                return
            assert isinstance(batch, list)
            yield reply.value, batch
        yield reply

    def _reply(self, *, first: bool) -> Reply | Result:
        """Read the next frame that is no progress; where none can come any more, return the result that means."""
        try:
            while (reply := self.lease.worker.reply(self._deadline, self.settings.result)).kind == _wire.PROGRESS:
                self._tell(reply.value)
            return reply
        except WorkerLate:
            self.lease.worker.kill()
            guard = self.job.processor and self.job.timeout == _data.wall_seconds(self.job.processor, self.settings)
            setting = f" {_TIME_SETTINGS}" if guard else ""
            return self._ended("timeout", f"Sandbox timeout after {self.job.timeout * 1000:.0f}ms{setting}")
        except WorkerGone as error:
            feed = self.lease.worker.feed
            if feed is not None and feed.error is not None:
                raise feed.error from None
            # It was killed while it waited, as a machine without memory does it. With lines there is more to be read
            # than the request, and what may do something outside is never begun twice, whatever it looks like.
            alone = self.lane == "one-shot" and self.job.grants is NO_GRANTS and self.job.lines is None
            if first and error.unread and alone:
                raise NotSent(str(error)) from None
            return self._gone(str(error))

    def _tell(self, text: bytes) -> None:
        """Pass on how far the query is, now and then; a job can say any number as often as it likes, and no more."""
        now = time.monotonic()
        if self.job.progress is None or now - self._told < _TELLING:
            return
        self._told = now
        try:
            part = float(text)
        except ValueError:
            return
        if 0 <= part <= 1:
            self.job.progress(part)

    def died(self, said: str) -> Result:
        """Return the result of a job whose worker was ended by whoever asked for it."""
        return self._ended("died", said)

    def _decode(self, reply: Reply) -> object:
        try:
            depth = self.settings.depth + (reply.kind == _wire.PART)
            value = _values.decode(reply.value, depth=depth, nodes=self.settings.nodes)
        except _values.BadValue as error:
            return self._ended("error", str(error))
        if reply.kind == _wire.PART and not isinstance(value, list):
            return self._ended("died", _NO_ANSWER)
        return value

    def _conclude(self, reply: Reply, *, streamed: bool) -> Result:
        if reply.kind == _wire.OK:
            self.threads = bool(reply.error)
            value = [] if streamed else self._decode(reply)
            return value if isinstance(value, Result) else self._ended("ok", None, value=value)
        if reply.kind == _wire.MEMORY:
            return self._out_of_memory()
        if reply.kind == _wire.MORE:
            if self.lease.zygote.outfit.lean:
                raise MoreNeeded(time.monotonic() - self._started)
            return self._ended("died", _NO_ANSWER)
        if reply.kind == _wire.BROKEN:
            return self._ended("died", f"the sandbox failed to close: {reply.error}")
        return self._ended("error", reply.error or "the job failed without a message", traceback=reply.trace or None)

    def _out_of_memory(self) -> Result:
        limit = self.job.memory or self.settings.memory
        if not self.job.grants.data:
            return self._ended("memory", f"the job needs more than {limit} bytes of memory")
        limit, disk = self.job.memory or _data.memory_of(self.settings), self.settings.data_spill
        said = f"the job needs more than {limit} bytes of memory and {disk} on disk"
        return self._ended("memory", f"{said} (sandbox.data_memory, sandbox.data_spill)")

    def _gone(self, said: str) -> Result:
        if said:
            return self._ended("died", said)
        ended = self.lease.zygote.how_it_ended(self.lease.worker)
        member = self.lease.worker.member
        if member is not None and member.was_killed():
            return self._out_of_memory()
        if ended is None:
            return self._ended("died", "the worker was killed")
        status, used = ended
        if status == signal.SIGKILL and _data.used_up(used, self.job.processor):
            said = f"the job used more than {self.job.processor} s of processor time"
            return self._ended("timeout", f"{said} {_TIME_SETTINGS}")
        if os.WIFSIGNALED(status):
            number = os.WTERMSIG(status)
            return self._ended("died", f"the worker was killed by signal {number} ({signal.Signals(number).name})")
        return self._ended("died", f"the worker exited with status {os.WEXITSTATUS(status)} without an answer")

    def _ended(
        self, status: Status, error: str | None, *, value: object = None, traceback: str | None = None
    ) -> Result:
        watch, watched = self._watch, self._watched
        if watch is not None and watched is not None and (reason := watch.end(watched)):
            status, error, value = "error", reason, None
        return Result(
            status=status,
            value=value,
            error=None if error is None else _one_line(error),
            level=self.lease.zygote.level,
            milliseconds=(time.monotonic() - self._started) * 1000,
            output=self.lease.worker.printed(),
            traceback=traceback,
            lane=self.lane,
        )


def _one_line(text: str) -> str:
    """Return *text* without its line breaks: a job writes what it likes, and `error` goes into lists and logs."""
    return " ".join(line.strip() for line in text.splitlines() if line.strip())


class _TaskCount:
    """The tasks of this user as they were counted last."""

    at = float("-inf")
    tasks = 0


def _limit_tasks(threads: int) -> int:
    """Return the limit that leaves a job about *threads*: what the user runs now, and a little for what may come."""
    if time.monotonic() - _TaskCount.at > _FRESH:
        _TaskCount.tasks, _TaskCount.at = _count_tasks(), time.monotonic()
    return _TaskCount.tasks + threads + _SPARE


def _count_tasks() -> int:
    total, user = 0, os.getuid()
    for entry in os.scandir("/proc"):
        with contextlib.suppress(OSError):
            if entry.name.isdigit() and entry.stat().st_uid == user:
                total += len(os.listdir(f"/proc/{entry.name}/task"))
    return total


class Stream:
    """Iterate over the items of a result while they come; `result` says how it ended."""

    def __init__(self, job: Job, send: Callable[[Job], Call], widen: Callable[[Job, MoreNeeded], Job]) -> None:
        self.result: Result | None = None
        self._widen = widen
        self._send = send
        self._call: Call | None = None
        self._begin(job)
        self._items = self._take(job)

    def __iter__(self) -> Iterator[object]:
        return self._items

    def _begin(self, job: Job) -> None:
        self.end()
        try:
            self._call = self._send(job)
        except NoWall as error:
            self.result = refused(str(error))

    def _take(self, job: Job) -> Iterator[object]:
        """Yield the items; a job that needs more than a lean worker has begins again, if none was handed out yet."""
        handed_out = False
        while self._call is not None and self.result is None:
            try:
                for part in self._call.parts():
                    if isinstance(part, Result):
                        self.result = part
                        return
                    handed_out = True
                    yield from part[1]
            except MoreNeeded as error:
                more = self._widen(job, error)
                if handed_out:
                    reason = "the job needs a module it did not import before its first item"
                    self.result = Result(status="error", error=reason)
                else:
                    self._begin(more)

    def end(self) -> None:
        """End the worker, whatever it does."""
        call, self._call = self._call, None
        if call is not None:
            call.job.ticket.release()
            call.lease.end()


def refused(reason: str) -> Result:
    """Return the result of a job for which no sandbox could be had."""
    return Result(status="refused", error=reason, level="none")
