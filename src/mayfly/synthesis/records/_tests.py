"""Write the tests of a program apart from it: what it has to answer is worked out by scanning, not by its patterns."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Literal

from mayfly.gates import Test
from mayfly.synthesis.records import _odd, _relations, _times
from mayfly.synthesis.records._emit_list import room
from mayfly.synthesis.records._emit_read import OBJECTS
from mayfly.synthesis.records._model import Condition, Format, Operation, Unable
from mayfly.synthesis.records._plan import Drafted, draft, split
from mayfly.synthesis.records._reference import evaluate

Kind = Literal["example", "held-out"]
MOST_ITEMS = 40
MOST_ALONE = 6
MOST_REPEATED = 5000


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
    yield from _wanted_alone(drafted, [*picked, *learned, *held])
    yield from _strange(drafted, [*learned, *held])
    check = _relations.check(found, operation)
    if check:
        yield Test(name="what every answer has to satisfy", kind="relation", input=[*picked, *held[:20]], check=check)


def _wanted_alone(drafted: Drafted, items: Sequence[object]) -> Iterator[Test]:
    """Ask about one wanted line alone, and about more of them than a ranking has room for."""
    found, operation = drafted.format, drafted.operation
    wanted = next((item for item in items if evaluate(found, _bare(operation), [item])), None)
    if wanted is not None:
        yield _example("one line alone", "example", drafted, [wanted])
    if operation.limit and operation.order:
        many = room(operation.limit) + 3
        repeated = [items[at % len(items)] for at in range(many * 2)] if items and many * 2 <= MOST_REPEATED else []
        yield _example("more lines than there is room for", "example", drafted, repeated)


def _strange(drafted: Drafted, items: Sequence[object]) -> Iterator[Test]:
    """Ask about values at the limits, odd values, broken lines and lines with their ends."""
    found, operation = drafted.format, drafted.operation
    bases = _bases(drafted, items)
    if not bases:
        return
    edges = _edges(drafted, bases)
    wanted = [item for item in bases if evaluate(found, _bare(operation), [item])] or bases
    names = [field.name for field in found.fields] if operation.records else list(operation.needs)
    kept = [str(one.value) for one in operation.conditions if not one.field and not one.negated]
    odd = _odd.odd_values(found, wanted, names, kept)
    broken = _odd.broken(found, wanted)
    groups = (("values at the limits of what was asked", edges), ("odd values", odd), ("broken lines", broken))
    for title, made in groups:
        if made:
            yield _example(title, "example", drafted, made)
    if found.kind not in OBJECTS:
        yield _example("lines with their ends", "example", drafted, _odd.ended(wanted[:6]))
        alone = [*_odd.mended(found, wanted), *_spread(edges, MOST_ALONE), *_spread(odd, MOST_ALONE)]
    else:
        alone = [*_spread(edges, MOST_ALONE), *_spread(odd, MOST_ALONE)]
    if _hides(operation):
        for number, item in enumerate(alone, start=1):
            yield _example(f"a strange line alone ({number})", "example", drafted, [item])
    if operation.measure in ("mean", "median", "share", "percent"):
        thirds = [_odd.with_value(found, wanted[0], operation.of, text) for text in ("1", "1", "2") if operation.of]
        mixed = [wanted[0], wanted[0], bases[-1]] if None in thirds or not thirds else thirds
        yield _example("an answer that has to be rounded", "example", drafted, mixed)


def _hides(operation: Operation) -> bool:
    """Whether an answer can hide one line behind another, so that strange lines have to be tried alone."""
    measured = operation.measure in ("distinct", "min", "max", "mean", "median", "share", "percent")
    return measured or operation.unique or operation.limit is not None


def _example(name: str, kind: Kind, drafted: Drafted, items: Sequence[object]) -> Test:
    expected = evaluate(drafted.format, drafted.operation, items)
    return Test(name=name, kind=kind, input=list(items), expected=json.loads(json.dumps(expected)))


def _bare(operation: Operation) -> Operation:
    return Operation(conditions=operation.conditions or operation.share)


def _telling(found: Format, operation: Operation, items: Sequence[object]) -> list[object]:
    """Choose lines that tell programs apart: some that are wanted, some that are not, spread over the sample."""
    wanted: list[object] = []
    other: list[object] = []
    for item in items:
        (wanted if evaluate(found, _bare(operation), [item]) else other).append(item)
    half = MOST_ITEMS // 2
    chosen = {id(item) for item in (*_spread(wanted, MOST_ITEMS - min(half, len(other))), *_spread(other, half))}
    return [item for item in items if id(item) in chosen][:MOST_ITEMS]


def _spread(items: Sequence[object], number: int) -> list[object]:
    step = max(1, len(items) // max(1, number))
    return list(items[::step][:number])


def _bases(drafted: Drafted, items: Sequence[object]) -> list[object]:
    """Choose lines to write other values into: wanted ones first, as different in their answers as possible."""
    free = replace(drafted.operation, conditions=(), share=(), limit=None, having=None)
    free = replace(free, measure="count", of="") if free.measure in ("share", "percent") else free
    held: dict[str, object] = {}
    bare = _bare(drafted.operation)
    for item in sorted(items[:400], key=lambda item: not evaluate(drafted.format, bare, [item])):
        answer = evaluate(drafted.format, free, [item])
        if answer:
            held.setdefault(json.dumps(answer), item)
    return list(held.values())[:12]


def _edges(drafted: Drafted, bases: Sequence[object]) -> list[object]:
    """Make lines whose values lie right at, below and above what the conditions compare with."""
    found, operation = drafted.format, drafted.operation
    wanted = [(one.field, text) for one in (*operation.conditions, *operation.share) for text in _around(found, one)]
    timed = [key.field for key in operation.keys if key.bucket]
    timed += [operation.order] if operation.order and found.named(operation.order).kind == "time" else []
    wanted += [(name, text) for name in timed for text in _moments(found, name, [datetime(2024, 2, 29, 23, 59, 59)])]
    made = [
        _odd.with_value(found, bases[at % len(bases)], name, text) for at, (name, text) in enumerate(wanted) if name
    ]
    plain = [item for item in made if item is not None]
    return [*plain, *_disguised(found, operation, plain)]


def _disguised(found: Format, operation: Operation, items: Sequence[object]) -> list[object]:
    """Repeat lines of an access log with a request that looks like the status that was asked for."""
    asked = [one.value for one in operation.conditions if one.field == "status" and one.operator in ("range", "eq")]
    if found.name != "access log" or not asked:
        return []
    low = asked[0][0] if isinstance(asked[0], tuple) else asked[0]
    requests = [f'GET /a\\" {low} HTTP/1.1', f'GET /a\\" {str(low)[0]} HTTP/1.1']
    made = [_odd.with_value(found, item, "request", request) for item in items for request in requests]
    return [item for item in made if item is not None]


def _around(found: Format, condition: Condition) -> list[str]:
    value = condition.value
    several = value if isinstance(value, tuple) else (value,)
    if condition.operator == "during":
        return _moments(found, condition.field, [bound for bound in several if isinstance(bound, datetime)])
    if condition.operator == "clock":
        clocks = [datetime.fromisoformat(f"2024-02-29 {bound}") for bound in several if isinstance(bound, str)]
        return _moments(found, condition.field, clocks)
    numbers = [one for one in several if isinstance(one, int) and not isinstance(one, bool)]
    if condition.operator in ("lt", "le", "gt", "ge", "range", "eq", "in") and numbers:
        return [str(number + step) for number in numbers[:4] for step in (-1, 0, 1) if number + step >= 0]
    if condition.operator in ("contains", "prefix", "suffix", "word", "eq", "in"):
        texts = [str(one) for one in several[:4]]
        return [made for text in texts for made in (text, f"a{text}z", text.upper(), f"{text}b", f"b{text}")]
    return []


def _moments(found: Format, name: str, bounds: Sequence[datetime]) -> list[str]:
    """Write the moments around some bounds, a second, an hour, a day, a month and a year away, as the field does."""
    layout = found.named(name).layout
    if found.named(name).kind != "time":
        return []
    steps = [timedelta(seconds=1), timedelta(hours=1), timedelta(days=1), timedelta(days=31), timedelta(days=366)]
    around = [moment for bound in bounds for moment in (bound, bound - steps[0])]
    around += [bound + sign * step for bound in bounds for step in steps for sign in (1, -1)]
    around += [bound.replace(month=month, day=1) for bound in bounds[:1] for month in range(1, 13)]
    return list(dict.fromkeys(_times.write(layout, moment) for moment in around))
