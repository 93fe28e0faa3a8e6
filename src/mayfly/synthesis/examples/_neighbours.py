"""Questions near the one that a program asks, and inputs near the examples on which they would answer otherwise."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from mayfly.synthesis.examples._ops import CONTAINS, ENDS, LONGER, STARTS, WORD_COUNT, call
from mayfly.synthesis.examples._task import leaf, leaves, put
from mayfly.synthesis.examples._tree import ApplyOperation, Choose, Expr, Literal, Op, TreeScope, Value, walk
from mayfly.synthesis.examples._words import IntentWords, constants_of

# So many examples are varied, each beside so many of the other class; beyond that the same differences come again.
_VARIED, _BESIDE, _PATHS, _MOST = 8, 3, 6, 200
_WORD = Op(
    name="has word", run=lambda text, part: re.search(rf"(?<!\w){re.escape(part)}(?!\w)", text) is not None, words="has"
)
_PLACED = (CONTAINS, STARTS, ENDS, _WORD)
_AND = Op(name="and", run=lambda one, other: bool(one) and bool(other))
_OR_NOT = Op(name="or not", run=lambda one, other: bool(one) or not other)


class Decision(NamedTuple):
    """A question that a program answers for every input, or for every item of its inputs, with the answers wanted."""

    test: Expr
    given: tuple[Value, ...]
    wanted: tuple[bool, ...]
    further: tuple[Value, ...]
    of_items: bool = False

    def answers(self, expr: Expr, given: Sequence[Value]) -> tuple[bool | None, ...]:
        """Return what a question answers for each of some inputs, None where it fails."""
        answers = (self.value(expr, value) for value in given)
        return tuple(answer if isinstance(answer, bool) else None for answer in answers)

    def value(self, expr: Expr, given: Value) -> Value:
        """Return what an expression gives for an input, None where it fails."""
        try:
            return expr.value(TreeScope(None, given) if self.of_items else TreeScope(given))
        except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError):
            return None


def neighbours(decision: Decision, meant: IntentWords) -> Iterator[Expr]:
    """Yield the question with one of its constants asked for elsewhere, in other letters, or moved as a limit."""
    for part in walk(decision.test):
        if isinstance(part, ApplyOperation):
            for near in (*_placed(part, meant), *_moved(part, decision, meant)):
                yield _replaced(decision.test, part, near)


def by_feature(decision: Decision, asked: Sequence[Expr]) -> Iterator[Expr]:
    """Yield the question narrowed by a word that only examples of its class all have, or joined with a truth.

    A truth in a record may be the same in all examples of a class, or in all there are: its other value can occur all
    the same.
    """
    for feature in asked:
        answers = decision.answers(feature, decision.given)
        truth = isinstance(feature, ApplyOperation) and feature.op.name == "truth_of"
        word = isinstance(feature, ApplyOperation) and feature.op is CONTAINS
        if None in answers or not (truth or (word and len(set(answers)) > 1)):
            continue
        for held in (True, False):
            classes = [answer for answer, wanted in zip(answers, decision.wanted, strict=True) if wanted is held]
            for value in (True, False):
                if all(answer is value for answer in classes) and (truth or (value and held)):
                    turned = feature if value else call(_OR_NOT, Literal(False), feature)
                    yield call(_AND if held else _OR_NOT, decision.test, turned)


def _placed(part: ApplyOperation, meant: IntentWords) -> Iterator[Expr]:
    """Yield where else a text could be asked for: at the start, at the end, anywhere, as a word, in other letters."""
    constant = part.args[1] if len(part.args) == 2 else None
    if not isinstance(constant, Literal) or not isinstance(constant.constant, str) or part.op.returns != "bool":
        return
    if part.op in _PLACED:
        for op in _PLACED:
            if op is not part.op and (meant.names_operation(call(op)) or not meant.names_operation(part)):
                yield ApplyOperation(op=op, args=part.args)
    if not meant.spells(constant.constant):
        yield ApplyOperation(op=_in_any_letters(part.op), args=part.args)


def _in_any_letters(op: Op) -> Op:
    return Op(name=f"{op.name} in any letters", run=lambda text, part: op.run(str(text).casefold(), part.casefold()))


def _moved(part: ApplyOperation, decision: Decision, meant: IntentWords) -> Iterator[Expr]:
    """Yield the limit moved to both ends of the gap that the examples leave; one that the intent names stays there."""
    measure = _measure(part)
    if measure is None:
        return
    sizes = [measure(decision.value(part.args[0], value)) for value in decision.given]
    answers = decision.answers(part, decision.given)
    sides = [
        [size for size, answer in zip(sizes, answers, strict=True) if size is not None and answer is side]
        for side in (True, False)
    ]
    if not all(sides):
        return
    lower, upper = sorted(sides, key=max)
    limits = [float(str(one)) for one in constants_of(part)] if meant.names(part) else [max(lower), min(upper)]
    for limit in limits:
        for strict in (True, False):
            yield ApplyOperation(op=_cut(measure, limit, strict=strict, above=upper is sides[0]), args=part.args[:1])


def _cut(measure: Callable[[Value], float | None], limit: float, *, strict: bool, above: bool) -> Op:
    """Return whether a size is above or below a limit, or with *strict* not on it."""

    def run(value: Value) -> Value:
        size = measure(value)
        if size is None:
            raise ValueError("no number")
        return (size != limit or not strict) and (size >= limit if above else size <= limit)

    return Op(name=f"{'above' if above else 'below'} {limit}{' exactly' * strict}", run=run)


def _measure(part: ApplyOperation) -> Callable[[Value], float | None] | None:
    """Return how the size of what an operation compares with its limit is measured, if it has one."""
    if part.op is LONGER:
        return lambda value: float(len(value)) if isinstance(value, str) else None
    if part.op is WORD_COUNT:
        return lambda value: float(len(value.split())) if isinstance(value, str) else None
    if part.op.name == "is_below":
        return lambda value: value[0] / 10 ** value[1] if isinstance(value, tuple) else None
    if part.op.name in ("more", "less", "at least", "at most") and isinstance(part.args[1], Literal):
        return lambda value: float(value) if isinstance(value, (int, float)) else None
    return None


def _replaced(expr: Expr, part: Expr, near: Expr) -> Expr:
    """Return an expression with one of its parts in another form."""
    if expr is part:
        return near
    inside = isinstance(expr, (ApplyOperation, Choose))
    return expr.rebuilt(lambda inner: _replaced(inner, part, near)) if inside else expr


def plausible(given: Sequence[Value], wanted: Sequence[bool], marks: Sequence[Value]) -> list[Value]:
    """Make inputs as they may come: examples with one part of an example of the other class, or a part changed.

    *marks* are the constants of a program: an input of the other class may hold a text too, in another place, and a
    number may be the limit itself.
    """
    made: dict[str, Value] = {}
    for value, answer in islice(zip(given, wanted, strict=True), _VARIED):
        others = [other for other, theirs in zip(given, wanted, strict=True) if theirs != answer][:_BESIDE]
        for path in islice(leaves(value), _PATHS):
            for other in others:
                for new in _varied(leaf(value, path), leaf(other, path), marks):
                    varied = put(value, path, new)
                    made.setdefault(repr(varied), varied)
    known = {repr(value) for value in given}
    return [value for key, value in made.items() if key not in known][:_MOST]


def _varied(value: Value, other: Value, marks: Sequence[Value]) -> Iterator[Value]:
    """Yield what may stand in the place of a value, where an example of the other class has *other*."""
    if other is not None:
        yield other
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, (int, float)):
        yield from (value + 1, value - 1, 0)
        limits = (mark for mark in marks if isinstance(mark, (int, float)) and not isinstance(mark, bool))
        yield from (int(mark) if isinstance(value, int) else mark for mark in limits)
        if isinstance(other, (int, float)):
            yield from (value + (other - value) * share // 4 for share in (1, 2, 3))
    elif isinstance(value, str):
        yield from _rewritten(value, other if isinstance(other, str) else "", marks)


def _rewritten(text: str, other: str, marks: Sequence[Value]) -> Iterator[str]:
    """Yield a text in other letters, with one of its words left out or taken from another, and with marks put in."""
    yield from (text.upper(), text.lower())
    for mark in (mark for mark in marks if isinstance(mark, str)):
        yield from (f"{text} {mark}", f"{mark} {text}", f"{text}{mark}", f"{mark}{text}", f"{text} {mark} {other}")
    runs, theirs = re.findall(r"\w+|\W+", text), re.findall(r"\w+|\W+", other)
    for place, run in enumerate(runs[:_PATHS]):
        if run.isdigit():
            yield "".join([*runs[:place], str(int(run) + 1), *runs[place + 1 :]])
        elif run.isalnum() and len(runs) > 1:
            yield "".join([*runs[:place], *runs[place + 2 :]])
        if place < len(theirs) and len(runs) > 1:
            yield "".join([*runs[:place], theirs[place], *runs[place + 1 :]])
