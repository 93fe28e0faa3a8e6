"""`LeafWorker`: do the work of one leaf of a tree, in this process or in one that an engine started elsewhere."""

from __future__ import annotations

import asyncio
import os
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from mayfly.core import (
    UNSET,
    InputError,
    Invocation,
    LimitError,
    MayflyError,
    Order,
    Outcome,
    Settings,
    Stop,
    StoreError,
    Tier,
)
from mayfly.forge import (
    Collapse,
    Compiled,
    FilesPart,
    Observer,
    Spool,
    Story,
    Task,
    TaskRun,
    Within,
    collapsed,
    execute,
    keep_agent,
    load_agent,
    look_at,
    needs_input,
    no_input,
    resolved,
    versions_of,
    weak_collapse,
)
from mayfly.library import FunctionCapability, ToolCapability
from mayfly.promise import NOT_THERE, Done, Job, about_store, copied
from mayfly.promise.split import (
    MergeProof,
    OutOfTime,
    TrialFailed,
    part_as_file,
    prove_merge,
    text_as_file,
)
from mayfly.runtime._parts import Parts
from mayfly.sandbox import Ticket, with_shared_memory
from mayfly.store import Killed

if TYPE_CHECKING:
    from mayfly.library import ToolCaller

# From here down prompts are short, and from there down no model is asked.
SIMPLE_FROM = 2
NO_MODEL_FROM = 3
MOST_KNOWN = 10_000


class LeafWorker:
    """Do leaves: write agents, run known ones, prove how results of parts are joined. Safe to share between threads.

    The parts of a runtime can be shared; then they are not closed here.
    """

    def __init__(self, settings: Settings, *, parts: Parts | None = None, observer: Observer | None = None) -> None:
        self.settings = settings
        self.parts = parts or Parts(settings)
        self._shared = parts is not None
        self._observer = observer
        self._lock = threading.Lock()
        self._stops: set[Stop] = set()
        self._ran: set[str] = set()
        self._busy: Counter[str] = Counter()
        self._caller: ToolCaller | None = None

    def do(self, job: Job, data: bytes | None = None, *, stop: Stop | None = None) -> Done:
        """Do *job* until *stop* says to end; *data* is its part where the file is on another machine. Never raises."""
        stop = stop or Stop()
        try:
            with self._under_way(stop):
                if job.work.kind == "tool":
                    done = self._tool(job, stop)
                else:
                    done = _called(job, stop) if job.work.kind == "call" else self._done(job, data, stop)
        except Exception as error:
            done = _failed(f"unexpected {type(error).__name__}: {error}", "UNEXPECTED")
        return replace(done, where=f"{socket.gethostname()}:{os.getpid()}")

    def close(self) -> None:
        """End every job, process and connection."""
        with self._lock:
            stops = list(self._stops)
        for stop in stops:
            stop.cancel()
        if not self._shared:
            self.parts.close()

    @contextmanager
    def _under_way(self, stop: Stop) -> Iterator[None]:
        with self._lock:
            self._stops.add(stop)
        try:
            yield
        finally:
            with self._lock:
                self._stops.discard(stop)

    def _done(self, job: Job, data: bytes | None, stop: Stop) -> Done:
        story = Story(job.id, self._observer, stop=stop, fence=job.fence)
        ticket = Ticket()
        try:
            # What runs behind the wall and calls of models end at once, everything else before its next step.
            with stop.ending(ticket.cancel):
                outcome = self._work(job, data, story, ticket)
        except Exception as error:
            why = Collapse("cancelled", "CANCELLED") if stop.cancelled else _to_blame(error)
            outcome = collapsed(why, story, self.parts, intent=job.intent)
        story.keep(self.parts.ledger)
        return Done(
            status=outcome.status,
            value=self._plain(outcome.value),
            reason=outcome.reason,
            code=outcome.code,
            proof=outcome.proof,
            cost=outcome.cost,
            sandbox_seconds=round(story.sandbox_seconds, 6),
            source_hash=outcome.source_hash,
            question=outcome.question,
            account=outcome.account,
        )

    def _tool(self, job: Job, stop: Stop) -> Done:
        """Call a version of a tool; the store is asked each time whether it may still be called."""
        # Imported where it is used: most leaves call no tools.
        from mayfly.library import ToolCaller, ToolFailed

        name, version = ToolCapability.at(job.work.name)
        with self._lock:
            self._caller = caller = self._caller or ToolCaller(self.parts)
        try:
            caller.open(caller.versions.version(name, version))
        except InputError as error:
            return _failed(str(error), error.code)
        except StoreError as error:
            # Another key than where it was sealed, or other gates: whoever sent the job decides for itself.
            return _failed(str(error), NOT_THERE)
        given = job.argument if isinstance(job.argument, Mapping) else {}
        found = caller.call(name, dict(given), version=version, stop=stop, seconds=job.seconds, key=job.id)
        if found.ok:
            return Done(status="resolved", value=found.value)
        code = Killed.code if found.status == "killed" else ToolFailed.code
        return _failed(found.error or found.status, code)

    def _plain(self, value: object) -> object:
        """Return a list in place of a sequence on disk where it has to cross to another process."""
        return list(value) if isinstance(value, Spool) and not self._shared else value

    def _work(self, job: Job, data: bytes | None, story: Story, ticket: Ticket) -> Outcome[Any]:
        self._refuse_strangers(job)
        if job.seconds is not None and job.seconds <= 0:
            raise LimitError("sandbox seconds", used=0, limit=job.seconds)
        within = Within(seconds=self.settings.sandbox.timeout, most=job.seconds, ticket=ticket)
        if job.work.kind == "part":
            return self._part(job, story, within)
        given = job.part is not None or data is not None
        with part_as_file(job.part, data) if given else nullcontext() as lines:
            run = TaskRun(parts=self.parts, task=self._task(job, lines), story=story, within=within)
            if job.work.kind == "run":
                return self._agent(job, run)
            return self._write(run) if job.work.kind == "write" else run.resolve()

    def _refuse_strangers(self, job: Job) -> None:
        if job.versions and job.versions != versions_of(self.parts):
            raise Collapse("the gates of this worker are not those of whoever sent the job", "VERSION")
        if job.work.kind not in ("run", "compile", "write", "part"):
            raise Collapse(f"no worker does {job.work}", "SERVICE")

    def _task(self, job: Job, lines: Path | None) -> Task:
        asks = job.work.kind != "run" and job.depth < NO_MODEL_FROM
        model = self.parts.model_named(job.model) if asks else ""
        order = Order.of(
            job.intent,
            input=UNSET if lines is not None else job.argument,
            lines=lines,
            examples=job.examples,
            context=job.context,
            tier=job.tier,
            # Limits hold where an agent is written: a tree of one node is an agent by itself, at depth 0, and one that
            # is only run was admitted where it was written, which may have been at the root of another tree.
            depth=0 if job.work.kind == "run" else job.depth,
            hints=job.hints,
            model=model,
            accept_weak=job.accept_weak,
        )
        origin = job.part.path if job.part else ""
        simple = bool(model) and job.depth >= SIMPLE_FROM
        return Task.of(order, self.settings, origin=origin, simple=simple, box=lambda: self.parts.sandbox)

    def _agent(self, job: Job, run: TaskRun) -> Outcome[Any]:
        """Run an admitted agent: in a fresh worker the first time, then in the one kept for it where that is idle."""
        task, story = run.task, run.story
        story.began(task)
        self.parts.switch.check()
        hash = job.work.name
        if task.order.has_nothing and needs_input(self.parts, source_hash=hash):
            raise no_input()
        compiled, each = load_agent(self.parts, hash, task.profile)
        if not compiled.proof.holds and not job.accept_weak:
            raise weak_collapse(compiled)
        if not task.order.examples:
            run = replace(run, task=replace(task, items=each))
        # There is one kept worker for each agent: leaves that run side by side would wait for each other there.
        with self._lock:
            pinned = hash in self._ran and not self._busy[hash]
            self._busy[hash] += 1
        try:
            ran = run.execute(compiled, pinned=pinned)
        finally:
            with self._lock:
                self._busy[hash] -= 1
                if not self._busy[hash]:
                    del self._busy[hash]
        if len(self._ran) < MOST_KNOWN:
            self._ran.add(hash)
        return resolved(compiled, ran.value, story, cached=True, account=ran.account)

    def _part(self, job: Job, story: Story, within: Within) -> Outcome[Any]:
        """Ask some of the files of a question, where they lie, and give what is joined where it was asked."""
        self.parts.switch.check()
        part = FilesPart.from_json(cast("Mapping[str, Any]", job.argument))
        task = part.task(self.settings, job.tier, job.intent)
        compiled = part.compiled(self.parts, task.profile)
        ran = TaskRun(parts=self.parts, task=task, story=story, within=within).execute(compiled, pinned=False)
        return Outcome(
            status="resolved", value=ran.value, reason="a part", id=story.id, account=part.named(ran.account)
        )

    def _write(self, run: TaskRun) -> Outcome[Any]:
        """Write and prove an agent, and prove how results of parts are joined; the value says where it is and how."""
        task, story = run.task, run.story
        if task.profile.tier is Tier.EPHEMERAL:
            raise Collapse("at tier ephemeral nothing is kept, so no other leaf could run what is written", "TIER")
        compiled, again = run.find_or_write()
        if not again:
            compiled.remember(self.parts, task, story)
        keep_agent(self.parts, compiled, each=task.each)
        joined = _joined(run, compiled)
        value = {
            "agent": compiled.artifact.hash,
            "merge": joined.kind,
            "reason": joined.reason,
            "entry": compiled.entry.name,
            "spread": compiled.entry.spread,
            "reading": compiled.reading,
        }
        return resolved(compiled, value, story, cached=again)


def _joined(whole: TaskRun, compiled: Compiled) -> MergeProof:
    """Prove how results of parts are joined, by running the agent on pieces of the sample."""
    task, within = whole.task, whole.within
    if compiled.entry.data:
        return MergeProof(kind=None, reason="a question is answered by one statement, however large its input is")
    sample = [line for line in task.sample if isinstance(line, str)]
    if not task.is_lines or len(sample) != len(task.sample):
        return MergeProof(kind=None, reason="the input is not lines")
    until = time.monotonic() + within.of(0)

    def run(lines: Sequence[str]) -> object:
        whole.story.check()
        left = until - time.monotonic()
        if left <= 0:
            raise OutOfTime
        with text_as_file(lines) as path:
            order = replace(task.order, lines=path, input=UNSET)
            piece = replace(task, order=order, given=look_at((path,)), items=task.each)
            limits = Within(seconds=left, ticket=within.ticket)
            ran = execute(whole.parts.sandbox, compiled.artifact, compiled.entry, piece, within=limits)
        whole.story.sandbox_seconds += ran.result.milliseconds / 1000
        if not ran.result.ok:
            raise TrialFailed(ran.result.error or ran.result.status)
        return ran.value

    return prove_merge(run, sample, compiled.artifact.source)


def _called(job: Job, stop: Stop) -> Done:
    """Call a function of the host's own program that changes nothing, if this process can import it."""
    try:
        capability = FunctionCapability.at(job.work.name)
        if capability.reaches_out or capability.effect != "none":
            raise InputError(f"{job.work.name} reaches out, so it is called where the rules are asked")
    except InputError as error:
        return _failed(str(error), NOT_THERE)
    given = job.argument if isinstance(job.argument, Mapping) else {}
    call = Invocation(arguments=given, context=job.context, key=job.id, stop=stop, seconds=job.seconds)
    try:
        value = copied(asyncio.run(capability.invoke(call)))
    except MayflyError as error:
        return _failed(str(error), error.code)
    except Exception as error:
        return _failed(f"{type(error).__name__}: {error}", "UNEXPECTED")
    return Done(status="resolved", value=value)


def _failed(reason: str, code: str) -> Done:
    return Done(status="failed", reason=reason, code=code)


def _to_blame(error: Exception) -> Exception:
    """Return *error*, but for a switch that could not be read what that is: the store's trouble, which may pass."""
    return StoreError(str(error)) if isinstance(error, Killed) and about_store(error) else error


def make_worker(settings: Settings) -> LeafWorker:
    """Return a worker with parts of its own; an engine calls this in its processes, of which each core may have one."""
    return LeafWorker(replace(settings, sandbox=with_shared_memory(settings.sandbox, len(os.sched_getaffinity(0)))))
