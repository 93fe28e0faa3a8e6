"""Outputs with few values: which examples sort their inputs into classes, and which class has too few of them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from mayfly.core._shown import clipped
from mayfly.core._types import Example

# One example of a class fits a question about any detail of its input; only a second one can speak against most.
_EACH = 2
_HELP = "add one with --examples"

Pairs = list[tuple[object, object]]


def sorts_into_classes(examples: Sequence[Example]) -> bool:
    """Whether some output of the examples is a class: a yes or no, something or nothing, one of a few labels."""
    return any(True for _ in _classified(examples))


def missing_class(examples: Sequence[Example], more: Sequence[Example] = ()) -> str:
    """Return which class of the examples has too few of them, and how to help; an empty text where none has.

    *more* are further cases, such as tests from the intent: they add to the classes, and are no reason to see any.
    """
    every = dict(_columns([*examples, *more]))
    for place, outputs in _classified(examples):
        counts = _counted([_class_of(output, outputs) for _, output in every.get(place, [])])
        known = {_class_of(output, outputs) for output in outputs}
        of = f" of {place}" if place else ""
        if len(counts) < _EACH:
            return f"every example{of} gives {next(iter(known))}: {_HELP} that gives another output"
        rare = next((name for name, number in counts.items() if name in known and number < _EACH), None)
        if rare is not None:
            return f"the class {rare}{of} has one example; two are needed: {_HELP}"
    return ""


def _classified(examples: Sequence[Example]) -> Iterator[tuple[str, list[object]]]:
    """Yield the outputs that are classes, with the field they stand in."""
    for place, pairs in _columns(examples):
        outputs = [output for _, output in pairs]
        if _are_classes(pairs, whole=not place):
            yield place, outputs


def _columns(examples: Sequence[Example]) -> Iterator[tuple[str, Pairs]]:
    """Yield the outputs as they are, or those of every field of records; a list of truths is a truth for each item."""
    outputs = [example.output for example in examples]
    if outputs and all(isinstance(output, Mapping) for output in outputs):
        records = [(one.input, one.output) for one in examples if isinstance(one.output, Mapping)]
        for key in dict.fromkeys(key for _, record in records for key in record):
            yield str(key), [(given, record[key]) for given, record in records if key in record]
    elif outputs and all(isinstance(output, list) for output in outputs):
        yield "items", [(one.input, item) for one in examples if isinstance(one.output, list) for item in one.output]
    else:
        yield "", [(one.input, one.output) for one in examples]


def _are_classes(pairs: Pairs, *, whole: bool) -> bool:
    """Whether outputs are truths, or labels that on average come twice and are not copied from their inputs.

    In records and lists only truths count: other fields repeat themselves without anybody choosing among them.
    """
    outputs = [output for _, output in pairs]
    if any(isinstance(output, bool) for output in outputs):
        return all(isinstance(output, bool) or output is None for output in outputs)
    some = [(given, output) for given, output in pairs if output is not None]
    if not whole or len(some) < len(pairs):
        return whole and bool(pairs)
    if not all(isinstance(output, (str, int, float)) for output in outputs):
        return False
    if all(str(output) in str(given) for given, output in some):
        return False
    return len(pairs) >= _EACH * len({repr(output) for output in outputs})


def _class_of(output: object, outputs: Sequence[object]) -> str:
    """Return the name of the class of an output: itself, or whether there is one where others are missing."""
    if output is not None and None in outputs and not isinstance(output, bool):
        return "something"
    return clipped(json.dumps(output, ensure_ascii=False), 40)


def _counted(names: Sequence[str]) -> dict[str, int]:
    return {name: names.count(name) for name in dict.fromkeys(names)}
