"""A question about many files on the nodes of a cluster: a task for each part of them, and one answer or none."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from mayfly.core import InputError, content_hash, current_pool
from mayfly.forge import (
    AgentSpread,
    Collapse,
    FilesPart,
    PartFile,
    TaskRun,
    files_to_spread,
    joined_answer,
    versions_of,
)
from mayfly.promise import Done, Engine, Job, Work, open_engine
from mayfly.runtime._leaf import make_worker
from mayfly.runtime._tree import in_a_loop

if TYPE_CHECKING:
    from mayfly.core import Settings
    from mayfly.forge import Ran
    from mayfly.synthesis.records import Spread


def open_cluster(settings: Settings) -> Engine:
    """Return the engine of the settings, whose workers are like those of trees."""
    return open_engine(settings, make_worker)


def ask_spread(run: TaskRun, programs: Spread) -> Ran:
    """Ask the files of a run in parts, and join what they give; where one part fails, there is no answer.

    Stopping the run, or a limit of time, ends every part that is under way.
    """
    files = files_to_spread(run.task)
    done = in_a_loop(_Asking(run=run, programs=programs, files=files).work)
    answers = [cast("Sequence[object]", one.value) for one in done]
    accounts = [cast("dict[str, Any]", one.account) for one in done]
    ran = joined_answer(run.parts, run.task, programs.joining, answers, accounts, run.within)
    spent = 1000 * sum(one.sandbox_seconds for one in done)
    return replace(ran, result=replace(ran.result, milliseconds=ran.result.milliseconds + spent))


def deal_out(files: Sequence[PartFile], parts: int) -> list[tuple[PartFile, ...]]:
    """Divide files among at most so many parts, of sizes as equal as that goes; each keeps the order of its files."""
    dealt: list[list[int]] = [[] for _ in range(min(parts, len(files)))]
    sizes = [0] * len(dealt)
    for at in sorted(range(len(files)), key=lambda at: -files[at].size):
        # Of parts that have as much, one without a file comes first: an empty file is a part as well.
        least = min(range(len(dealt)), key=lambda part: (sizes[part], len(dealt[part])))
        dealt[least].append(at)
        sizes[least] += files[at].size
    return [tuple(files[at] for at in sorted(part)) for part in dealt]


@dataclass(frozen=True, kw_only=True)
class _Asking:
    """The parts of one question on their way."""

    run: TaskRun
    programs: Spread
    files: Sequence[PartFile]

    async def work(self) -> list[Done]:
        """Have every part asked; raise what stood in the way of the first that failed."""
        engine = await asyncio.to_thread(open_cluster, self.run.parts.settings)
        try:
            with _stopping(self.run):
                return await self._all(engine)
        finally:
            await engine.aclose()

    async def _all(self, engine: Engine) -> list[Done]:
        dealt = deal_out(self.files, await asyncio.to_thread(engine.cores))
        partial, joining = (content_hash(program.source) for program in self.programs)
        noted = AgentSpread(files=len(self.files), tasks=len(dealt), partial_hash=partial, joining_hash=joining)
        self.run.story.add(noted)
        self.run.story.tell("spread", (len(self.files), len(dealt)))
        slots, pool = asyncio.Semaphore(self.run.parts.settings.promise.parallel), current_pool()
        read: list[int] = []

        async def one(number: int, files: Sequence[PartFile]) -> Done:
            async with slots:
                done = await self._one(engine, self._job(number, files))
            read.extend(file.size for file in files)
            if self.run.within.progress is not None:
                self.run.within.progress(sum(read) / max(1, sum(file.size for file in self.files)))
            return done

        try:
            async with asyncio.timeout(pool.seconds_left() if pool else None), asyncio.TaskGroup() as group:
                tasks = [group.create_task(one(number, files)) for number, files in enumerate(dealt, start=1)]
        except TimeoutError:
            if pool:
                pool.check()
            raise
        except BaseExceptionGroup as failed:
            raise failed.exceptions[0] from None
        return [task.result() for task in tasks]

    def _job(self, number: int, files: Sequence[PartFile]) -> Job:
        run, program = self.run, self.programs.partial
        part = FilesPart(source=program.source, entry=program.entry, accounts=program.account, files=tuple(files))
        return Job(
            run=run.story.id,
            node=f"part-{number}",
            work=Work(kind="part"),
            intent=run.task.order.intent,
            argument=part.to_json(),
            tier=run.task.order.tier.value,
            seconds=run.within.most,
            versions=versions_of(run.parts),
        )

    async def _one(self, engine: Engine, job: Job) -> Done:
        await asyncio.to_thread(self.run.parts.switch.check)
        done = await engine.do(job)
        if done.status == "resolved":
            return done
        raise InputError(done.reason) if done.code == InputError.code else Collapse(done.reason, done.code)


@contextmanager
def _stopping(run: TaskRun) -> Iterator[None]:
    """Cancel the present task, and with it every part, when the run has to stop."""
    task, loop = asyncio.current_task(), asyncio.get_running_loop()
    assert task is not None, "it is called in one"
    try:
        with run.story.stop.ending(partial(loop.call_soon_threadsafe, task.cancel)):
            yield
    except asyncio.CancelledError:
        run.story.check()
        raise
