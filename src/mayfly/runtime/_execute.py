"""Run an admitted agent on the task's input, behind the wall, in memory that does not grow with the input."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mayfly.core import UNSET, parse_python
from mayfly.forge import Ran, size_of
from mayfly.gates import adapted
from mayfly.gates.stability import importable
from mayfly.promise.split import SPOOL_AT, collect
from mayfly.sandbox import Result, Spender

if TYPE_CHECKING:
    from mayfly.core import Artifact
    from mayfly.forge import Task
    from mayfly.gates import Entry
    from mayfly.sandbox import Lane, Sandbox, Ticket

CHUNK = 64 * 1024 * 1024
PART_IN_MEMORY = 256 * 1024

# What an agent yields for one item is the list of it, as it was in the proof.
_EACH = """

def _mayfly_each(items):
    for item in items:
        value = _mayfly_one(item)
        yield list(value) if hasattr(type(value), "__next__") else value


def _mayfly_one(item):
    made = {name}
    return made().invoke(item) if isinstance(made, type) else made(item)
"""
# Where anything in the source is async, the items are too: the sandbox drives all of them in one event loop, which the
# source could not, since it may not import asyncio. It costs a turn of the loop for each item, so others do without.
_EACH_AWAITED = """

async def _mayfly_each(items):
    for item in items:
        value = _mayfly_one(item)
        if hasattr(type(value), "__await__"):
            value = await value
        if hasattr(type(value), "__anext__"):
            value = [inner async for inner in value]
        yield list(value) if hasattr(type(value), "__next__") else value


def _mayfly_one(item):
    made = {name}
    return made().invoke(item) if isinstance(made, type) else made(item)
"""


@dataclass(frozen=True, kw_only=True)
class Within:
    """Bound one execution: *seconds* for each 64 MiB of a file, *most* in all; the *ticket* can end it.

    What it buys is bought in the name of *run*.
    """

    seconds: float
    most: float | None = None
    ticket: Ticket | None = None
    # The run in whose name something may be bought.
    run: str = ""

    @property
    def spender(self) -> Spender:
        """Who buys: the run, which one cap holds for with all its leaves, with a program that has no name."""
        return Spender(agent=self.run.partition("/")[0], run=self.run)

    def of(self, size: int) -> float:
        """Return the seconds for an input of *size* bytes."""
        seconds = self.seconds * (1 + size // CHUNK)
        return seconds if self.most is None else min(seconds, self.most)


def execute(box: Sandbox, artifact: Artifact, entry: Entry, task: Task, *, within: Within, pinned: bool = False) -> Ran:
    """Call the agent; time grows with the size of a file."""
    source, name = adapted(artifact.source, entry)
    if task.each:
        source += (_EACH_AWAITED if _has_async(source) else _EACH).format(name=name)
        name = "_mayfly_each"
    imports = importable(task.profile)
    accounts = artifact.provenance.get("accounts")
    if task.order.lines is not None or task.each or entry.generator:
        return _without_account(_streamed(box, source, name, task, imports, within, accounts), accounts)
    argument = task.records if accounts else None if task.order.input is UNSET else task.order.input
    lane: Lane = "pinned" if pinned else "one-shot"
    result = box.run(
        source,
        name,
        argument,
        imports=imports,
        grants=task.profile.grants,
        timeout=within.of(0),
        lane=lane,
        tenant="run",
        ticket=within.ticket,
        spender=within.spender,
    )
    return _without_account(Ran(result=result, value=result.value), accounts)


def _has_async(source: str) -> bool:
    # The word decides first: most sources have none, and need not be parsed.
    return "async" in source and any(isinstance(node, ast.AsyncFunctionDef) for node in ast.walk(parse_python(source)))


def _without_account(ran: Ran, accounts: object) -> Ran:
    """Part the answer of an agent that accounts for its lines from the account."""
    if accounts == "value" and isinstance(ran.value, dict) and ran.value.keys() == {"value", "account"}:
        return replace(ran, value=ran.value["value"], account=ran.value["account"])
    return ran


class _HeldBack:
    """Pass on all items of a stream but the last, which is the account of the others."""

    def __init__(self, stream: Iterable[object]) -> None:
        self._stream = stream
        self.last: object = None

    def __iter__(self) -> Iterator[object]:
        held: list[object] = []
        for item in self._stream:
            if held:
                yield held.pop()
            held.append(item)
        self.last = held[0] if held else None


def _streamed(
    box: Sandbox,
    source: str,
    name: str,
    task: Task,
    imports: frozenset[str] | None,
    within: Within,
    accounts: object,
) -> Ran:
    argument = None if task.order.input is UNSET or task.order.lines is not None else task.order.input
    if accounts and task.order.lines is None:
        argument = task.records
    timeout = within.of(size_of(task.order.lines) if task.order.lines else 0)
    with box.stream(
        source,
        name,
        argument,
        imports=imports,
        grants=task.profile.grants,
        timeout=timeout,
        lines=task.order.lines,
        ticket=within.ticket,
        spender=within.spender,
    ) as stream:
        # There are many parts at once, and nobody looks at one of them before all are joined.
        pieces = _HeldBack(stream) if accounts == "stream" else stream
        items = collect(pieces, limit=PART_IN_MEMORY if task.origin else SPOOL_AT)
    result = stream.result or Result(status="died", error="the stream ended without a result")
    if isinstance(pieces, _HeldBack) and result.ok and isinstance(pieces.last, dict):
        return Ran(result=result, value=items, items=len(items), account=pieces.last.get("account"))
    # Without items it was no generator: the one value came with the end of the stream.
    return Ran(result=result, value=items, items=len(items)) if len(items) else Ran(result=result, value=result.value)
