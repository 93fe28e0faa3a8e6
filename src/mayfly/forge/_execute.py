"""Run one agent behind the wall, within bounds of time and memory, on a value, on many items or on a file."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mayfly.core import UNSET, parse_python
from mayfly.forge._spool import SPOOL_AT, collect
from mayfly.forge._task import size_of
from mayfly.gates import adapted
from mayfly.gates.stability import importable
from mayfly.sandbox import Result, Spender, Ticket

if TYPE_CHECKING:
    from mayfly.core import Artifact
    from mayfly.forge._task import Task
    from mayfly.gates import Entry
    from mayfly.sandbox import Lane, Sandbox

CHUNK = 64 * 1024 * 1024
PART_IN_MEMORY = 256 * 1024

# What an agent yields for one item is the list of it, as it was in the proof. Where anything in the source is async,
# the items are too: the sandbox drives all of them in one event loop, which the source could not, since it may not
# import asyncio. It costs a turn of the loop for each item, so others do without.
_EACH = """

{kind} _mayfly_each(items):
    for item in items:
        value = _mayfly_one(item)
{waits}        yield list(value) if hasattr(type(value), "__next__") else value


def _mayfly_one(item):
    made = {name}
    return made().invoke(item) if isinstance(made, type) else made(item)
"""
_WAITS = """\
        if hasattr(type(value), "__await__"):
            value = await value
        if hasattr(type(value), "__anext__"):
            value = [inner async for inner in value]
"""


@dataclass(frozen=True, kw_only=True)
class Ran:
    """How the execution of an agent ended, and what came of it."""

    result: Result
    value: object
    items: int | None = None
    # How many lines were used, filtered out and not understood, where the agent says so.
    account: Mapping[str, object] | None = None


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
    source, name = _called(artifact, entry, task)
    accounts, order = artifact.provenance.get("accounts"), task.order
    argument = None if order.input is UNSET or order.lines is not None else order.input
    if accounts and order.lines is None:
        argument = task.records
    bounds: dict[str, Any] = {
        "imports": importable(task.profile),
        "grants": task.profile.grants,
        "timeout": within.of(size_of(order.lines) if order.lines else 0),
        "ticket": within.ticket,
        "spender": within.spender,
    }
    if order.lines is None and not task.each and not entry.generator:
        lane: Lane = "pinned" if pinned else "one-shot"
        result = box.run(source, name, argument, lane=lane, tenant="run", **bounds)
        return _told_apart(result, result.value, accounts)
    with box.stream(source, name, argument, lines=order.lines, **bounds) as stream:
        # There are many parts at once, and nobody looks at one of them before all are joined.
        pieces = _HeldBack(stream) if accounts == "stream" else stream
        items = collect(pieces, limit=PART_IN_MEMORY if task.origin else SPOOL_AT)
    result = stream.result or Result(status="died", error="the stream ended without a result")
    if isinstance(pieces, _HeldBack) and result.ok and isinstance(pieces.last, dict):
        return Ran(result=result, value=items, items=len(items), account=pieces.last.get("account"))
    if len(items):
        return Ran(result=result, value=items, items=len(items))
    # Without items it was no generator: the one value came with the end of the stream.
    return _told_apart(result, result.value, accounts)


def _called(artifact: Artifact, entry: Entry, task: Task) -> tuple[str, str]:
    """Return a source and the name to call in it: the agent, or what calls it on each of many items."""
    source, name = adapted(artifact.source, entry)
    if not task.each:
        return source, name
    awaited = _has_async(source)
    calls = _EACH.format(name=name, kind="async def" if awaited else "def", waits=_WAITS if awaited else "")
    return source + calls, "_mayfly_each"


def _has_async(source: str) -> bool:
    # The word decides first: most sources have none, and need not be parsed.
    return "async" in source and any(isinstance(node, ast.AsyncFunctionDef) for node in ast.walk(parse_python(source)))


def _told_apart(result: Result, value: object, accounts: object) -> Ran:
    """Part the answer of an agent that accounts for its lines from the account."""
    if accounts == "value" and isinstance(value, dict) and value.keys() == {"value", "account"}:
        return Ran(result=result, value=value["value"], account=value["account"])
    return Ran(result=result, value=value)


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
