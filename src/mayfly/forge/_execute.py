"""Run one agent behind the wall, within bounds of time and memory, on a value, on many items or on a file."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from mayfly.core import UNSET, parse_python
from mayfly.forge._packed import checking
from mayfly.forge._spool import SPOOL_AT, collect
from mayfly.forge._story import Collapse, Ran
from mayfly.forge._task import size_of
from mayfly.gates import adapted, with_files
from mayfly.gates.stability import importable
from mayfly.sandbox import Result, Spender, Ticket
from mayfly.synthesis import records

if TYPE_CHECKING:
    from mayfly.core import Artifact
    from mayfly.forge._task import Task
    from mayfly.gates import Entry
    from mayfly.sandbox import Lane, Sandbox

CHUNK = 64 * 1024 * 1024
# Rows are made of another kind of input than the one a program was written for.
OTHER_ROWS = "OTHER_ROWS"
# Rows of what DuckDB does not read are made in memory, which takes about ten times as much.
MOST_MADE = 256 * 1024 * 1024
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
# What a question about data gives: its items or its value, and last of all the account of every line.
_ACCOUNTED = """

{account}

def _mayfly_accounted(argument):
    files = {files}
    value = {name}(files)
    if isinstance(value, list):
        yield from value
        yield {{"account": {counts}(files)}}
    else:
        yield {{"value": value, "account": {counts}(files)}}
"""
# The account of several files of one table: that of each of them, added up. Which lines DuckDB refused is read from
# the last query, so each file is asked about by itself once more.
_OF_SEVERAL = """

def _mayfly_account(files):
    counts, first = {{}}, None
    for number, path in enumerate(files):
        duckdb.execute("DROP TABLE IF EXISTS reject_errors; DROP TABLE IF EXISTS reject_scans")
        {name}(path)
        one = account(path)
        if one is None:
            return None
        if "other_header" in one:
            return one
        bad = one.pop("first_not_understood")
        if bad is not None and first is None:
            first = {{"file": number, **bad}}
        counts = {{kind: counts.get(kind, 0) + count for kind, count in one.items()}}
    return {{**counts, "first_not_understood": first}}
"""
# Of a program that was not written by the reading of a question no line is accounted for.
_NO_ACCOUNT = "def account(path):\n    return None\n"


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
    # Who is told which part of a large input has been read.
    progress: Callable[[float], None] | None = None

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
    order, profile = task.order, task.profile.for_artifact(artifact)
    bounds: dict[str, Any] = {
        "imports": importable(profile),
        "grants": profile.grants,
        "timeout": within.of(sum(map(size_of, task.bound))),
        "ticket": within.ticket,
        "spender": within.spender,
    }
    if entry.data:
        return _ask_data(box, artifact, entry, task, {**bounds, "progress": within.progress})
    source, name = _called(artifact, entry, task)
    argument = None if order.input is UNSET or order.lines is not None else order.input
    if order.lines is None and not task.each and not entry.generator:
        lane: Lane = "pinned" if pinned else "one-shot"
        result = box.run(source, name, argument, lane=lane, tenant="run", **bounds)
        return Ran(result=result, value=result.value)
    with box.stream(source, name, argument, lines=task.plain, **bounds) as stream:
        items = collect(stream, limit=_kept(task))
    result = stream.result or Result(status="died", error="the stream ended without a result")
    if len(items):
        return Ran(result=result, value=items, items=len(items))
    # Without items it was no generator: the one value came with the end of the stream.
    return Ran(result=result, value=result.value)


def _ask_data(box: Sandbox, artifact: Artifact, entry: Entry, task: Task, bounds: Mapping[str, Any]) -> Ran:
    """Call a program on its file, which is bound where it lies; anything else is written to one behind the wall."""
    made = str(artifact.provenance.get("rows", ""))
    # A part of a file is one without a name, which cannot be mounted.
    nameless = any(path.is_relative_to("/proc") for path in task.bound)
    bound = () if made or nameless else task.bound
    argument: object = None if bound else _held_items(task)
    accounts: Mapping[str, object] = {}
    if len(task.bound) > 1:
        task.given.check_columns()
    if made:
        argument, accounts = _made_again(made, cast("list[object]", argument), task)
    source, name = _accounted(artifact, entry, files=len(bound))
    # They are called as among all files of the question, also where these are only some of them.
    parts = task.given.name_parts if bound else 0
    with checking(task.given), box.stream(source, name, argument, data=bound, name_parts=parts, **bounds) as stream:
        pieces = _HeldBack(stream)
        items = collect(pieces, limit=_kept(task))
    result = stream.result or Result(status="died", error="the stream ended without a result")
    last = pieces.last if isinstance(pieces.last, dict) else {}
    account = last.get("account") if result.ok else None
    if accounts and account is not None:
        # Lines that give no row are seen by the detector alone.
        account = {**accounts, "used": account["used"], "filtered": account["filtered"]}
    if account and _other_header(account):
        raise Collapse("the input does not have the columns that this was written for", OTHER_ROWS)
    account = account and _with_name(account, task.given.names)
    if "value" in last:
        return Ran(result=result, value=last["value"], account=account)
    return Ran(result=result, value=items, items=len(items), account=account)


def _held_items(task: Task) -> list[object]:
    """Return the records of an input, or all its lines."""
    if task.order.lines is None:
        return list(task.records)
    return list(task.given.items(task.given.all_lines(MOST_MADE, "DuckDB does not read what is in it as it is")))


def _with_name(account: Mapping[str, Any], names: Sequence[str]) -> Mapping[str, Any]:
    """Return an account of several files that names the file of the first line that was not understood."""
    first = account.get("first_not_understood")
    number = first.get("file") if isinstance(first, dict) else None
    if first is None or not isinstance(number, int) or not 0 <= number < len(names):
        return account
    return {**account, "first_not_understood": {**first, "file": names[number]}}


def _other_header(account: Mapping[str, Any]) -> bool:
    return "other_header" in account or "other_header" in (account.get("second") or {})


def _made_again(made: str, items: list[object], task: Task) -> tuple[object, Mapping[str, object]]:
    """Return the rows that a program was written for, made of this input, and the account of its lines."""
    found = records.rows_again(made, items, task.called if task.names is None else task.names)
    if found is None:
        raise Collapse("the input does not have the columns that this was written for", OTHER_ROWS)
    return found


def answer_of(box: Sandbox, artifact: Artifact, entry: Entry, task: Task, data: object, seconds: float) -> object:
    """Return what the program of a question answers to lines or rows at hand; a run that fails is a `Collapse`."""
    profile = task.profile.for_artifact(artifact)
    source, name = adapted(artifact.source, entry)
    imports = importable(profile)
    result = box.run(source, name, data, imports=imports, grants=profile.grants, timeout=seconds)
    if not result.ok:
        raise Collapse.ran(result)
    return result.value


def _accounted(artifact: Artifact, entry: Entry, *, files: int) -> tuple[str, str]:
    """Return a source and the name in it that gives the answer with its account, for paths or for what is in memory."""
    account = str(artifact.provenance.get("accounts", "")) or _NO_ACCOUNT
    account += _OF_SEVERAL.format(name=entry.name) if files > 1 else ""
    given = "argument" if files else "_mayfly_files(argument)"
    counts = "_mayfly_account" if files > 1 else "account"
    calls = _ACCOUNTED.format(account=account, files=given, name=entry.name, counts=counts)
    return with_files(artifact.source, entry) + calls, "_mayfly_accounted"


def _kept(task: Task) -> int:
    """Return how many bytes of results are kept in memory: of a part less, since there are many parts at once."""
    return PART_IN_MEMORY if task.origin else SPOOL_AT


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
