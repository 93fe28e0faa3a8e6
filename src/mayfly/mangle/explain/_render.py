"""Render explanations as text with branches, and as plain JSON."""

from collections.abc import Iterator
from typing import TypeAlias

from mayfly.mangle._ast import Place
from mayfly.mangle.explain._change import Repair
from mayfly.mangle.explain._outline import Branch, outline, say_failure, say_repair
from mayfly.mangle.explain._say import (
    say_atom,
    say_bindings,
    say_fact,
    say_premise,
    say_rule,
    say_value,
    shorten,
)
from mayfly.mangle.explain._terms import Bindings
from mayfly.mangle.explain._why import Fact, Step, Why
from mayfly.mangle.explain._why_not import Attempt, WhyNot

JSON: TypeAlias = "dict[str, JSON] | list[JSON] | str | int | bool | None"


def to_text(explanation: Why | WhyNot, *, width: int | None = 60) -> str:
    """Return an explanation as a tree of lines: what, then the rule, then where it stands.

    Values wider than `width` are shortened in the middle, rules at three times that; None shortens nothing.
    """
    return "\n".join(_lines(outline(explanation, width=width), "", "", width))


def _lines(branch: Branch, first: str, others: str, width: int | None) -> Iterator[str]:
    rule = shorten(branch.rule, None if width is None else 3 * width)
    parts = (branch.text, f"by {rule}" if rule else "", branch.place)
    yield first + "  ".join(part for part in parts if part)
    for below in branch.below[:-1]:
        yield from _lines(below, f"{others}├─ ", f"{others}│  ", width)
    for below in branch.below[-1:]:
        yield from _lines(below, f"{others}└─ ", f"{others}   ", width)


def to_json(explanation: Why | WhyNot) -> JSON:
    """Return an explanation as plain JSON, nothing shortened."""
    return _step(explanation.root) if isinstance(explanation, Why) else _why_not(explanation)


def _step(step: Step) -> JSON:
    return {
        "fact": _claim(step),
        "because": step.because,
        "rule": None if step.rule is None else say_rule(step.rule),
        "place": _place(step.place),
        "premises": [_step(premise) for premise in step.premises],
        "value": None if step.value is None else say_value(step.value),
        "note": step.note or None,
        "more": step.more,
    }


def _claim(step: Step) -> str:
    if step.fact is not None:
        return say_fact(step.fact)
    return say_bindings(step.bindings) if step.claim is None else say_premise(step.claim)


def _why_not(found: WhyNot) -> dict[str, JSON]:
    goal = found.goal.symbol
    return {
        "goal": say_atom(found.goal),
        "holds": found.holds,
        "because": None if found.because is None else _step(found.because.root),
        "external": found.external,
        "rules": [_attempt(attempt) for attempt in found.rules],
        "nearest": [say_fact(Fact(goal, row)) for row in found.nearest],
        "note": found.note or None,
        "would_hold_if": [_repair(repair) for repair in found.repairs],
    }


def _attempt(attempt: Attempt) -> JSON:
    failed = attempt.failed
    return {
        "rule": say_rule(attempt.rule),
        "place": _place(attempt.rule.place),
        "failed": {
            "premise": None if failed.premise is None else say_premise(failed.premise),
            "number": failed.number,
            "reason": failed.reason,
            "says": say_failure(failed, attempt),
            "missing": [_why_not(missing) for missing in failed.missing],
            "blocking": [_step(blocking.root) for blocking in failed.blocking],
            "results": [say_fact(Fact(attempt.rule.head.symbol, row)) for row in failed.results],
        },
        "bindings": [_bindings(bindings) for bindings in failed.bindings],
        "count": failed.count,
    }


def _bindings(bindings: Bindings) -> JSON:
    return {name: say_value(value) for name, value in bindings.items()}


def _repair(repair: Repair) -> JSON:
    return {
        "says": say_repair(repair),
        "add": [say_fact(change.fact) for change in repair.changes if change.kind == "add"],
        "remove": [say_fact(change.fact) for change in repair.changes if change.kind == "remove"],
        "free": [list(change.free) for change in repair.changes if change.kind == "add"],
    }


def _place(place: Place | None) -> JSON:
    return None if place is None else {"file": place.file, "line": place.line, "column": place.column}
