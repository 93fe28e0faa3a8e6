"""Write the tests of a program apart from it: what it has to answer is worked out by scanning, not by its patterns."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Literal

from mayfly.forge.records import _relations, _scan, _times
from mayfly.forge.records._emit_read import OBJECTS
from mayfly.forge.records._model import Condition, Format, Operation, Unable
from mayfly.forge.records._plan import Drafted, draft, split
from mayfly.forge.records._reference import evaluate
from mayfly.gates import Test

Kind = Literal["example", "held-out"]
MOST_ITEMS = 40
MOST_ALONE = 6
MISFITS = ("", "this line has none of the shape that was asked about", "\x00\x01\ufffd \udc80 }{")


def tests(intent: str, sample: Sequence[object]) -> tuple[Test, ...]:
    """Return tests for any program that does what the intent asks with lines like those of the sample.

    Tests of the kind held-out use lines the format was not learned from. None are returned if the intent or the lines
    are not understood.
    """
    drafted = draft(intent, sample)
    if isinstance(drafted, Unable):
        return ()
    return tuple(_tests(drafted, *split(sample)))


def _tests(drafted: Drafted, learned: list[object], held: list[object]) -> Iterator[Test]:
    found, operation = drafted.format, drafted.operation
    picked = _telling(found, operation, learned)
    yield _example("lines of the sample", "example", drafted, picked)
    yield _example("no lines at all", "example", drafted, [])
    if held:
        kind: Kind = "held-out" if drafted.held_out else "example"
        chosen = _telling(found, operation, held)
        yield _example("lines that were held out", kind, drafted, chosen)
        yield _example("held out lines in another order", kind, drafted, [*chosen[1::2], *reversed(chosen[::2])])
    yield _example("the same lines twice", "example", drafted, [*picked[:12], *picked[:12]])
    edges = _edges(drafted, [*learned, *held])
    if edges:
        yield _example("values at the limits of what was asked", "example", drafted, edges)
    if operation.unique or operation.measure in ("distinct", "min", "max"):
        # Such answers hide a line behind another one, so some limits are tried alone.
        for number, edge in enumerate(edges[:MOST_ALONE], start=1):
            yield _example(f"a value at a limit, alone ({number})", "example", drafted, [edge])
    odd: list[object] = [*_misfits(found), *picked[:4]]
    yield _example("lines that do not fit among those that do", "example", drafted, odd)
    if found.kind not in OBJECTS:
        ended = [f"{item}\r\n" for item in picked[:6]]
        yield _example("lines with their ends", "example", drafted, [f"\ufeff{ended[0]}", *ended[1:]] if ended else [])
    check = _relations.check(found, operation)
    if check:
        yield Test(name="what every answer has to satisfy", kind="relation", input=[*picked, *held[:20]], check=check)


def _example(name: str, kind: Kind, drafted: Drafted, items: Sequence[object]) -> Test:
    expected = evaluate(drafted.format, drafted.operation, items)
    return Test(name=name, kind=kind, input=list(items), expected=json.loads(json.dumps(expected)))


def _telling(found: Format, operation: Operation, items: Sequence[object]) -> list[object]:
    """Choose lines that tell programs apart: some that are wanted, some that are not, spread over the sample."""
    bare = Operation(conditions=operation.conditions or operation.share)
    wanted: list[object] = []
    other: list[object] = []
    for item in items:
        (wanted if evaluate(found, bare, [item]) else other).append(item)
    half = MOST_ITEMS // 2
    chosen = {id(item) for item in (*_spread(wanted, MOST_ITEMS - min(half, len(other))), *_spread(other, half))}
    return [item for item in items if id(item) in chosen][:MOST_ITEMS]


def _spread(items: Sequence[object], number: int) -> list[object]:
    step = max(1, len(items) // max(1, number))
    return list(items[::step][:number])


def _misfits(found: Format) -> list[object]:
    return [None, 3, [], {}] if found.kind == "objects" else list(MISFITS)


def _edges(drafted: Drafted, items: Sequence[object]) -> list[object]:
    """Make lines whose values lie right at, below and above what the conditions compare with."""
    found, operation = drafted.format, drafted.operation
    bases = _bases(drafted, items)
    wanted = [(one.field, text) for one in (*operation.conditions, *operation.share) for text in _around(found, one)]
    timed = [key.field for key in operation.keys if key.bucket]
    timed += [operation.order] if operation.order and found.named(operation.order).kind == "time" else []
    wanted += [(name, text) for name in timed for text in _moments(found, name, [datetime(2024, 2, 29, 23, 59, 59)])]
    if not bases:
        return []
    changed = [_changed(found, bases[at % len(bases)], name, text) for at, (name, text) in enumerate(wanted) if name]
    return [item for item in changed if item is not None]


def _bases(drafted: Drafted, items: Sequence[object]) -> list[object]:
    """Choose lines to write other values into, as different from each other in their answers as possible."""
    free = replace(drafted.operation, conditions=(), share=(), limit=None, having=None)
    free = replace(free, measure="count", of="") if free.measure in ("share", "percent") else free
    held: dict[str, object] = {}
    for item in items[:400]:
        answer = evaluate(drafted.format, free, [item])
        if answer:
            held.setdefault(json.dumps(answer), item)
    return list(held.values())[:12]


def _around(found: Format, condition: Condition) -> list[str]:
    value = condition.value
    several = value if isinstance(value, tuple) else (value,)
    if condition.operator == "during":
        return _moments(found, condition.field, [bound for bound in several if isinstance(bound, datetime)])
    if condition.operator == "clock":
        clocks = [datetime.fromisoformat(f"2024-02-29 {bound}") for bound in several if isinstance(bound, str)]
        return _moments(found, condition.field, clocks)
    numbers = [one for one in several if isinstance(one, int) and not isinstance(one, bool)]
    if condition.operator in ("lt", "le", "gt", "ge", "range", "eq", "in"):
        return [str(number + step) for number in numbers[:4] for step in (-1, 0, 1) if number + step >= 0]
    if condition.operator in ("contains", "prefix", "suffix", "word"):
        return [f"a{value}z", str(value).upper(), f"{value}b", f"b{value}"]
    return []


def _moments(found: Format, name: str, bounds: Sequence[datetime]) -> list[str]:
    """Write the moments around some bounds, a second, an hour, a day, a month and a year away, as the field does."""
    layout = found.named(name).layout
    if found.named(name).kind != "time":
        return []
    steps = [timedelta(seconds=1), timedelta(hours=1), timedelta(days=1), timedelta(days=31), timedelta(days=366)]
    around = [moment for bound in bounds for moment in (bound, bound - steps[0])]
    around += [bound + sign * step for bound in bounds for step in steps for sign in (1, -1)]
    return list(dict.fromkeys(_times.write(layout, moment) for moment in around))


def _changed(found: Format, item: object, name: str, text: str) -> object | None:
    """Write another value into a line, at the place where a scan finds the field."""
    if isinstance(item, str) and found.kind == "pattern":
        for shape in found.shapes:
            try:
                spans = {held: (start, end) for held, _, start, end in _scan.walk(shape.parts, item)}
            except _scan.Misfit:
                continue
            if name in spans:
                start, end = spans[name]
                return item[:start] + text + item[end:]
    if isinstance(item, str) and found.kind == "delimited" and '"' not in item and found.delimiter != " ":
        cells = item.split(found.delimiter)
        cells[[field.name for field in found.fields].index(name)] = text
        return found.delimiter.join(cells)
    return None
