"""Which yes-or-no questions a program rests on, and whether the examples and the intent settle each of them."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mayfly.core import same, shown
from mayfly.synthesis.examples._conditions import questions
from mayfly.synthesis.examples._enumerate import fill
from mayfly.synthesis.examples._neighbours import Decision, by_feature, neighbours, plausible
from mayfly.synthesis.examples._ops import call
from mayfly.synthesis.examples._search import FittingProgram
from mayfly.synthesis.examples._solve import NOT, comparisons, rebased
from mayfly.synthesis.examples._task import make_task
from mayfly.synthesis.examples._tree import (
    ApplyOperation,
    Choose,
    Each,
    Expr,
    FixedList,
    Literal,
    RecordTree,
    TreeScope,
    Value,
    walk,
)
from mayfly.synthesis.examples._words import IntentWords, constants_of

# How likely some question as simple fits by chance: with four of each class one question alone stays below a
# twentieth, the usual bar. One whose constants stand in the intent was not picked for its fit: two of each class do (a
# third), if it is alone. Where the intent joins conditions, one of them may fit alone: then no more than one of 30.
_CHANCE, _CHANCE_NAMED, _CHANCE_JOINED = 0.05, 0.34, 0.03
# Rivals that are dearer by more than this are no longer as simple: about one more operation.
_AS_SIMPLE = 1.5
# What is looked at grows with the examples; so many show both classes from all sides.
_MOST = 40
# What a look for rivals takes is a tenth of this; a search that used up its time says nothing about them.
_SECONDS = 5.0


@dataclass(frozen=True, kw_only=True)
class Doubt:
    """Why a decision is not settled; *input* is one on which a rival gives the other answer, where it *asks*."""

    reason: str
    input: Value = None
    asks: bool = False


def doubt(
    lead: FittingProgram,
    inputs: Sequence[Value],
    wanted: Sequence[Value],
    further: Sequence[Value],
    intent: str,
) -> Doubt | None:
    """Return why some decision of a program is not settled by the examples and the intent, if any is not.

    *further* are inputs of which nobody has said what they give.
    """
    meant, deadline = IntentWords(intent), time.thread_time() + _SECONDS
    few = _are_few(inputs, wanted)
    if few and _numbers_by_chance(lead, inputs[:_MOST], wanted[:_MOST], deadline) > _most_by_chance(lead, meant):
        return Doubt(reason=f"many sums as simple give these {len(wanted)} small numbers by chance; {_HELP_NUMBERS}")
    for decision in _decisions(lead.expr, inputs[:_MOST], wanted[:_MOST], further):
        found = _doubt(decision, meant, deadline)
        if found is not None:
            return found
    return None


def _doubt(decision: Decision, meant: IntentWords, deadline: float) -> Doubt | None:
    if len(set(decision.wanted)) < 2:
        return Doubt(reason="every example gives the same answer; add some that give the other (--examples)")
    if any(isinstance(part, Choose) for part in walk(decision.test)):
        # Two questions together part nearly every handful of inputs in any way.
        return Doubt(reason=f"only several questions together fit the {len(decision.given)} examples; {_HELP}")
    unused = meant.unused_field(decision.given, decision.test)
    if unused:
        return Doubt(reason=f"the task names {unused!r}, which the program does not use; {_HELP}")
    marks = list(constants_of(decision.test))
    further = (*decision.further, *plausible(decision.given, decision.wanted, marks))
    inner = make_task(decision.given, decision.wanted, further, deadline=deadline, probed=False)
    simple = [(one.cost, one.expr) for one in questions(inner)]
    asked = [(cost, rebased(expr) if decision.of_items else expr) for cost, expr in (*simple, *comparisons(inner))]
    same_test = (cost for cost, expr in asked if decision.test in (expr, call(NOT, expr)))
    own = min(same_test, default=_weight(decision.test))
    named = meant.names(decision.test)
    fair = [(cost, expr) for cost, expr in asked if not named or meant.names(expr)]
    most = _CHANCE_JOINED if meant.joins else _CHANCE_NAMED if named else _CHANCE
    if _chance(decision, [expr for cost, expr in fair if cost <= own]) > most:
        return Doubt(reason=f"many questions as simple fit {len(decision.given)} examples by chance; {_HELP}")
    close = [expr for cost, expr in fair if cost <= own + _AS_SIMPLE]
    features = by_feature(decision, [expr for _, expr in asked[: len(simple)]])
    return _split(decision, [*close, *neighbours(decision, meant), *features], further)


_HELP_NUMBERS = "add examples with other numbers (--examples), or a model (--model)"
_HELP = "add examples of each answer (--examples), or a model (--model)"


def _are_few(inputs: Sequence[Value], wanted: Sequence[Value]) -> bool:
    """Whether outputs are whole numbers from a range no wider than there are examples, and not copied from inputs."""
    numbers = [value for value in wanted if type(value) is int]
    if len(numbers) < len(wanted) or max(numbers) - min(numbers) >= len(numbers):
        return False
    return not all(str(number) in str(given) for given, number in zip(inputs, numbers, strict=True))


def _most_by_chance(lead: FittingProgram, meant: IntentWords) -> float:
    """Return which chance a computation may have: more where the intent names one of its operations."""
    operations = [part for part in walk(lead.expr) if isinstance(part, ApplyOperation) and part.op.name != "number_in"]
    return _CHANCE_NAMED if any(map(meant.names_operation, operations)) else _CHANCE


def _numbers_by_chance(
    lead: FittingProgram, inputs: Sequence[Value], wanted: Sequence[Value], deadline: float
) -> float:
    """Return for which share of all outputs from their range some computation as simple as the lead fits."""
    task = make_task(inputs, wanted, [], deadline=deadline, probed=False)
    tried = {
        entry.values for entry in fill(task, seconds=_SECONDS).all() if entry.kind == "int" and entry.cost <= lead.cost
    }
    numbers = [value for value in wanted if isinstance(value, int)]
    span = max(numbers) - min(numbers) + 1
    return max(1, len(tried)) / math.pow(span, len(numbers))


def _weight(test: Expr) -> float:
    """Return about what a question costs that another search has found: an operation and a constant are dearer."""
    parts = list(walk(test))
    return 0.3 + 0.8 * sum(isinstance(part, ApplyOperation) for part in parts) + 0.3 * sum(map(_is_literal, parts))


def _is_literal(part: Expr) -> bool:
    return isinstance(part, Literal)


def _chance(decision: Decision, asked: Sequence[Expr]) -> float:
    """Return for which share of all ways to sort the inputs into classes of these sizes some question fits."""
    size, count = len(decision.given), sum(decision.wanted)
    patterns = {decision.wanted}
    for expr in asked:
        answers = decision.answers(expr, decision.given)
        for pattern in (answers, tuple(not answer for answer in answers)):
            if None not in answers and sum(map(bool, pattern)) == count:
                patterns.add(tuple(map(bool, pattern)))
    return len(patterns) / math.comb(size, count)


def _split(decision: Decision, rivals: Sequence[Expr], further: Sequence[Value]) -> Doubt | None:
    """Return an input on which a rival that fits all examples answers otherwise."""
    mine = decision.answers(decision.test, further)
    for rival in rivals:
        shown_answers = decision.answers(rival, decision.given)
        if shown_answers == decision.wanted:
            theirs = decision.answers(rival, further)
        elif None not in shown_answers and tuple(not answer for answer in shown_answers) == decision.wanted:
            theirs = tuple(None if answer is None else not answer for answer in decision.answers(rival, further))
        else:
            continue
        for value, one, other in zip(further, mine, theirs, strict=True):
            if one is not None and other is not None and one != other:
                reason = f"the examples do not settle what {shown(value, 80)} gives; {_HELP}"
                return Doubt(reason=reason, input=value, asks=not decision.of_items)
    return None


def _decisions(
    expr: Expr, given: Sequence[Value], wanted: Sequence[Value], further: Sequence[Value]
) -> Iterator[Decision]:
    """Yield what a program decides: truths it gives, anywhere in its output, and constants that it chooses among."""
    if wanted and all(isinstance(value, bool) for value in wanted):
        yield Decision(expr, tuple(given), tuple(value is True for value in wanted), tuple(further))
    elif isinstance(expr, Choose) and any(isinstance(part, Literal) for part in _results(expr)):
        yield from _chosen(expr, given, further)
    elif isinstance(expr, RecordTree):
        for key, part in expr.fields:
            inner = [value[key] for value in wanted if isinstance(value, dict)]
            yield from _decisions(part, given, inner, further)
    elif isinstance(expr, FixedList):
        for place, part in enumerate(expr.elements):
            inner = [value[place] for value in wanted if isinstance(value, list)]
            yield from _decisions(part, given, inner, further)
    elif isinstance(expr, Each):
        yield from _of_items(expr, given)


def _results(expr: Choose) -> Iterator[Expr]:
    for result in (*(result for _, result in expr.arms), expr.otherwise):
        yield from _results(result) if isinstance(result, Choose) else (result,)


def _chosen(expr: Choose, given: Sequence[Value], further: Sequence[Value]) -> Iterator[Decision]:
    """Yield the question of every arm, about the inputs that the arms before it leave."""
    left = list(given)
    for test, _ in expr.arms:
        decision = Decision(test, tuple(left), (), tuple(further))
        answers = tuple(answer is True for answer in decision.answers(test, left))
        yield decision._replace(wanted=answers)
        left = [value for value, answer in zip(left, answers, strict=True) if not answer]


def _of_items(expr: Each, given: Sequence[Value]) -> Iterator[Decision]:
    """Yield what is decided about the items of lists: which are kept, and truths that are made of them."""
    lists = [expr.source.value(TreeScope(value)) for value in given]
    items: list[Value] = []
    for item in (item for each in lists if isinstance(each, list) for item in each):
        if len(items) < _MOST and not any(same(item, other) for other in items):
            items.append(item)
    for test in (expr.test, expr.body):
        decision = None if test is None or not items else Decision(test, tuple(items), (), (), of_items=True)
        values = () if decision is None else tuple(test.value(TreeScope(None, item)) for item in items) if test else ()
        if decision is not None and all(isinstance(value, bool) for value in values):
            yield decision._replace(wanted=tuple(value is True for value in values))
