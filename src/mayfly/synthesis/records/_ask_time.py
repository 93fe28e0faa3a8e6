"""Understand when: since, before, between, on a day, in a month, at a time of day."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from mayfly.synthesis.records import _emit_test, _times, _tokens
from mayfly.synthesis.records._ask import Ask
from mayfly.synthesis.records._model import Condition, Field, Operator

_SIGNS = {
    ">=": "since",
    ">": "after",
    "<": "before",
    "<=": "until",
    "=": "during",
    "==": "during",
    "=>": "since",
    "=<": "until",
}
_RELATIVE = frozenset({"today", "yesterday", "tomorrow", "recent", "recently", "now", "ago"})
Bound = datetime | str | None


def times(ask: Ask) -> None:
    """Turn every moment of the intent into a condition on the field that holds the time."""
    _years(ask)
    for index, token in enumerate(ask.tokens):
        if token.kind in ("time", "clock") and ask.free(index):
            _condition(ask, index)
    for index, token in enumerate(ask.tokens):
        if ask.free(index) and token.kind == "word" and token.plain in _RELATIVE:
            ask.problems.append(f"{token.text!r} depends on when it is asked; name the date instead")
            ask.spend(index, index + 1)


def _years(ask: Ask) -> None:
    for index, token in enumerate(ask.tokens):
        named = _tokens.year(token)
        if named and ask.word(index - 1) in (
            "in",
            "during",
            "since",
            "before",
            "after",
            "until",
            "of",
            "from",
            "year",
            "for",
        ):
            if ask.word(index - 1) == "year":
                ask.spend(index - 1, index)
            ask.tokens[index] = named


def _condition(ask: Ask, index: int) -> None:
    token = ask.tokens[index]
    start, end = index, index + 1
    other = index + 2
    joins = ask.word(index + 1) in ("and", "to", "until", "till", "through", "-")
    between = ask.word(index - 1) == "between"
    if (
        joins
        and other < len(ask.tokens)
        and ask.tokens[other].kind == token.kind
        and (between or ask.word(index + 1) != "and")
    ):
        bounds = _first(token), _second(ask.tokens[other])
        end = other + 1
        start -= 1 if ask.word(index - 1) in ("between", "from", "during", "in", "on") else 0
    else:
        start, bounds = _one(ask, index)
    field, start = _field(ask, start, token)
    if field is None:
        ask.problems.append(f"no field of the sample holds a time for {token.text!r}")
        ask.spend(start, end)
        return
    if token.unit not in ("", "noyear"):
        ask.notes.append(f"the offset in {token.text} was not used: times are compared as they are written")
    operator: Operator = "clock" if token.kind == "clock" else "during"
    value = bounds if operator == "clock" else _without_year(ask, field, bounds, token)
    ask.add(Condition(field=field.name, operator=operator, value=value), start, end)


def _first(token: _tokens.Token) -> Bound:
    return token.value[0] if isinstance(token.value, tuple) else None


def _second(token: _tokens.Token) -> Bound:
    return token.value[1] if isinstance(token.value, tuple) else None


def _one(ask: Ask, index: int) -> tuple[int, tuple[Bound, Bound]]:
    """Read one moment and the word before it: since, after, before, until, or the moment itself."""
    start, meaning = index, "during"
    at = index
    while ask.free(at - 1) and ask.word(at - 1) in ("the", "day", "date"):
        at -= 1
    found = ask.phrase_before(at, "time")
    if found:
        start, meaning = found[1], found[0].meaning
    elif ask.tokens[index - 1].kind == "sign" and index and ask.word(index - 1) in _SIGNS:
        start, meaning = index - 1, _SIGNS[ask.word(index - 1)]
    token = ask.tokens[index]
    low, high = _first(token), _second(token)
    bounds: dict[str, tuple[Bound, Bound]] = {
        "since": (low, None),
        "after": (high, None),
        "before": (None, low),
        "until": (None, high),
        "during": (low, high),
    }
    return start, bounds[meaning]


def _field(ask: Ask, start: int, token: _tokens.Token) -> tuple[Field | None, int]:
    """Return the field a moment is compared with: one named right before, or the one that holds the time."""
    at = start
    while ask.free(at - 1) and ask.word(at - 1) in ("is", "are", "was", "were", "falls", "fell"):
        at -= 1
    named = ask.field_before(at)
    if named:
        moments = [field for field in named[0].fields if field.kind in ("time", "epoch")]
        if moments:
            return moments[0], named[1]
    held = [field for field in ask.format.fields if field.kind in ("time", "epoch")]
    dated = [
        field for field in held if field.kind == "epoch" or _times.has_date(field.layout) == (token.kind == "time")
    ]
    held = dated or held
    if len(held) > 1 and ask.question is None:
        ask.question = f"Which time is meant: {' or '.join(field.name for field in held)}? The first was taken."
    return (held[0] if held else None), start


def _without_year(ask: Ask, field: Field, bounds: tuple[Bound, Bound], token: _tokens.Token) -> tuple[Bound, Bound]:
    """Move moments into the year that is assumed for lines that do not say theirs."""
    named = _times.has_year(field.layout) or field.kind == "epoch"
    if token.unit == "noyear" and named:
        ask.problems.append(f"{token.text!r} names no year, but the lines do; add the year")
        return bounds
    if named:
        return bounds
    if not _times.has_date(field.layout):
        ask.problems.append(f"the lines hold a time of day only, so {token.text!r} cannot be compared with it")
        return bounds
    ask.notes.append("the lines do not say their year; all are taken to be of the year asked about")
    moved = [_assumed(bound, bounds[0]) if isinstance(bound, datetime) else bound for bound in bounds]
    return moved[0], moved[1]


def _assumed(bound: datetime, first: Bound) -> datetime:
    base = first.year if isinstance(first, datetime) else bound.year
    return bound.replace(year=_emit_test.ASSUMED_YEAR + bound.year - base)


def merged(conditions: list[Condition]) -> list[Condition]:
    """Make one interval of a start and an end for the same field that were said apart."""
    kept: list[Condition] = []
    for condition in conditions:
        twin = next((one for one in kept if _joinable(one, condition)), None)
        if twin is None:
            kept.append(condition)
            continue
        low = [value[0] for value in (twin.value, condition.value) if isinstance(value, tuple) and value[0] is not None]
        high = [
            value[1] for value in (twin.value, condition.value) if isinstance(value, tuple) and value[1] is not None
        ]
        kept[kept.index(twin)] = replace(twin, value=(max(low, default=None), min(high, default=None)))
    return kept


def _joinable(one: Condition, other: Condition) -> bool:
    same = (one.field, one.operator) == (other.field, other.operator)
    return same and one.operator in ("during", "clock") and not one.negated and not other.negated
