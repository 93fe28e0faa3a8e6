"""Choose how to go about a task by what is wanted: a text, a number, a yes or no, a list or a record."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import reduce
from typing import cast

from mayfly.core import same
from mayfly.synthesis.examples._conditions import branch, conditions, look_up
from mayfly.synthesis.examples._dates import add_dates
from mayfly.synthesis.examples._enumerate import (
    FAILED,
    FIELD_OF,
    EnumeratedTerm,
    evaluated,
    fill,
    gives,
    known_values,
    linear,
    matching,
    run_on,
)
from mayfly.synthesis.examples._numbers import add_numbers, add_ranges, number_sources
from mayfly.synthesis.examples._ops import STRING, call, native
from mayfly.synthesis.examples._pieces import AtomPool, add_pieces
from mayfly.synthesis.examples._places import PlacedPieces
from mayfly.synthesis.examples._search import FittingProgram, search
from mayfly.synthesis.examples._task import InputColumn, SearchTask, make_task
from mayfly.synthesis.examples._tree import (
    Each,
    Expr,
    FixedList,
    InputPart,
    Literal,
    LoopItem,
    Op,
    RecordTree,
    Value,
)
from mayfly.synthesis.examples._whole import add_whole


def write(task: SearchTask, wanted: int) -> list[FittingProgram]:
    """Return up to *wanted* programs without conditions that give all outputs, cheapest first."""
    pool = AtomPool(task)
    for column in task.columns:
        add_pieces(pool, column)
        add_whole(pool, column)
        task.check_time()
    dates = add_dates(pool, task)
    numbers = [*number_sources(task.columns, task.count), *dates]
    add_numbers(pool, task, numbers)
    add_ranges(pool, task, numbers)
    sources = [PlacedPieces(column, task) for column in task.columns if any(column.texts[: task.count])]
    return search(task, pool.atoms(), sources, wanted)


NOT = native("not", "not {0}", returns="bool", loose=True, words="not {0}")
# What is tried is bounded by its number, so that a busy machine finds what an idle one does; this ends the odd case.
_ENUMERATION = 4.0
_DEAR = 1.9


def solve(task: SearchTask, wanted: int) -> list[FittingProgram]:
    """Return up to *wanted* programs that give what the examples want, cheapest first."""
    plain = _plain(task, wanted)
    if plain or task.count < 2:
        return plain
    texts = all(isinstance(value, str) for value in task.wanted)
    found = branch(task, wanted, write if texts else _plain)
    if texts:
        found = sorted([*found, *look_up(task)], key=lambda candidate: candidate.cost)
    return found


def _plain(task: SearchTask, wanted: int) -> list[FittingProgram]:
    """Return programs without conditions at the top."""
    found: list[FittingProgram] = []
    for kind, way in _WAYS:
        if all(isinstance(value, kind) for value in task.wanted):
            found = way(task, wanted)
            break
    if not found and all(same(value, task.wanted[0]) for value in task.wanted):
        found = [FittingProgram(3.0, Literal(task.wanted[0]), (task.wanted[0],) * len(task.inputs))]
    return sorted(found, key=lambda candidate: candidate.cost)[:wanted]


def _texts(task: SearchTask, wanted: int) -> list[FittingProgram]:
    found = write(task, wanted) if task.columns else []
    if found:
        return found
    bank = fill(task, seconds=_ENUMERATION, rounds=2)
    if not any(_has_list(value) for value in task.inputs[: task.count]):
        return matching(bank, task.wanted, wanted)
    extra = [column for entry in bank.all()[:60] if (column := _as_column(entry, task)) is not None]
    known = [column.texts for column in task.columns[:6]]
    columns = [*task.columns[:6], *(column for column in extra if column.texts not in known)]
    return [*matching(bank, task.wanted, wanted), *write(replace(task, columns=tuple(columns[:14])), wanted)]


def _has_list(value: Value) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return isinstance(value, list) or any(_has_list(each) for each in inner)


def _as_column(entry: EnumeratedTerm, task: SearchTask) -> InputColumn | None:
    if entry.kind not in ("str", "int"):
        return None
    texts = tuple(None if value is FAILED else str(value) for value in entry.values)
    expr = entry.expr if entry.kind == "str" else call(STRING, entry.expr)
    return None if None in texts[: task.count] else InputColumn(expr, texts)


def _answers(task: SearchTask, wanted: int) -> list[FittingProgram]:
    """Return the questions that all examples answer as wanted."""
    found: list[FittingProgram] = []
    for condition in conditions(task):
        answers = condition.answers
        if answers[: task.count] == task.wanted:
            found.append(FittingProgram(condition.cost + 0.5, condition.expr, answers))
        elif tuple(not answer for answer in answers[: task.count]) == task.wanted:
            turned = tuple(not answer for answer in answers)
            found.append(FittingProgram(condition.cost + 0.9, call(NOT, condition.expr), turned))
    return [*found, *_compared(task)][: wanted * 2]


def _compared(task: SearchTask) -> Iterator[FittingProgram]:
    """Yield comparisons of two numbers, or of a number with a constant, that give the wanted answers."""
    for cost, op, left, right in _comparable(task):
        answers = run_on(op, [left.values, right.values])
        if answers[: task.count] == task.wanted:
            yield FittingProgram(cost, call(op, left.expr, right.expr), known_values(answers))


def comparisons(task: SearchTask) -> Iterator[tuple[float, Expr]]:
    """Yield every comparison that is tried, with its cost, also those that do not part the examples as wanted."""
    for cost, op, left, right in _comparable(task):
        yield cost, call(op, left.expr, right.expr)


def _comparable(task: SearchTask) -> Iterator[tuple[float, Op, EnumeratedTerm, EnumeratedTerm]]:
    from mayfly.synthesis.examples._typed import COMPARISONS

    numbers = [
        entry for entry in fill(task, seconds=_ENUMERATION, rounds=1).all() if entry.kind in ("int", "float", "str")
    ][:25]
    constants = [
        EnumeratedTerm(0.8, "int", Literal(value), (value,) * len(task.inputs)) for value in (0, 1, 2, 10, 18, 100)
    ]
    for left in numbers:
        for right in (*numbers, *constants):
            if left.expr == right.expr or (left.kind == "str") != (right.kind == "str"):
                continue
            for rank, op in enumerate(COMPARISONS):
                yield left.cost + right.cost + 1.0 + 0.1 * rank, op, left, right


def _numbers(task: SearchTask, wanted: int) -> list[FittingProgram]:
    bank = fill(task, seconds=_ENUMERATION)
    return [*matching(bank, task.wanted, wanted), *linear(bank, task.wanted)]


def _records(task: SearchTask, wanted: int) -> list[FittingProgram]:
    """Solve every field apart; a record whose keys vary has to be computed as a whole."""
    records = [value for value in task.wanted if isinstance(value, dict)]
    if any(list(record) != list(records[0]) for record in records) or not records[0]:
        return matching(fill(task, seconds=_ENUMERATION, rounds=2), task.wanted, wanted)
    by_field: list[tuple[str, list[FittingProgram]]] = []
    for key in records[0]:
        solved = solve(_with(task, [record[key] for record in records]), 3)
        if not solved:
            return matching(fill(task, seconds=_ENUMERATION, rounds=2), task.wanted, wanted)
        by_field.append((str(key), solved))
    return [_record([(key, solved[0]) for key, solved in by_field]), *_swapped(by_field, wanted)]


def _swapped(by_field: list[tuple[str, list[FittingProgram]]], wanted: int) -> list[FittingProgram]:
    """Return the records in which one field has its second-best program."""
    made: list[FittingProgram] = []
    for place, (_, solved) in enumerate(by_field):
        for rival in solved[1:2]:
            chosen = [(key, rival if index == place else each[0]) for index, (key, each) in enumerate(by_field)]
            made.append(_record(chosen))
    return made[:wanted]


def _record(chosen: Sequence[tuple[str, FittingProgram]]) -> FittingProgram:
    size = len(chosen[0][1].values)
    values = tuple(
        None
        if any(each.values[index] is None for _, each in chosen)
        else {key: each.values[index] for key, each in chosen}
        for index in range(size)
    )
    return FittingProgram(
        0.2 + sum(each.cost for _, each in chosen), RecordTree(tuple((key, each.expr) for key, each in chosen)), values
    )


def _with(task: SearchTask, values: Sequence[Value]) -> SearchTask:
    challenges = task.inputs[task.count :]
    return make_task(task.inputs[: task.count], values, challenges, deadline=task.deadline, probed=task.probed)


def _lists(task: SearchTask, wanted: int) -> list[FittingProgram]:
    """Try what the enumerator knows, then one program for every element of a list, then each place apart."""
    bank = fill(task, seconds=_ENUMERATION)
    found = matching(bank, task.wanted, wanted)
    if not found or found[0].cost > _DEAR:
        sources = [entry for entry in bank.all() if entry.kind.startswith("list[")]
        found += _filtered(task, sources[:8])
        found += _mapped(task, sources[:40]) if not found else ()
    sizes = {len(value) for value in task.wanted if isinstance(value, list)}
    if not found and len(sizes) == 1 and 0 < min(sizes) <= 6:
        found = _placed(task, min(sizes))
    return found


def _placed(task: SearchTask, size: int) -> list[FittingProgram]:
    solved: list[FittingProgram] = []
    for place in range(size):
        here = solve(_with(task, [value[place] for value in task.wanted if isinstance(value, list)]), 1)
        if not here:
            return []
        solved.append(here[0])
    values = tuple(
        None if any(each.values[index] is None for each in solved) else [each.values[index] for each in solved]
        for index in range(len(task.inputs))
    )
    return [
        FittingProgram(0.5 + sum(each.cost for each in solved), FixedList(tuple(each.expr for each in solved)), values)
    ]


def _mapped(task: SearchTask, sources: Sequence[EnumeratedTerm]) -> Iterator[FittingProgram]:
    """Yield one program for every element, for lists that are as long as what is wanted."""
    for source in sources:
        pairs: list[tuple[Value, Value]] = []
        for items, target in zip(source.values, task.wanted, strict=False):
            if not isinstance(items, list) or not isinstance(target, list) or len(items) != len(target):
                break
            pairs.extend(zip(items, target, strict=True))
        else:
            found = list(_each(task, source, pairs))
            yield from found
            if found:
                return


def _each(task: SearchTask, source: EnumeratedTerm, pairs: Sequence[tuple[Value, Value]]) -> Iterator[FittingProgram]:
    if not pairs or time.thread_time() > task.deadline:
        return
    inner = make_task([a for a, _ in pairs[:12]], [b for _, b in pairs[:12]], [], deadline=task.deadline, probed=False)
    for solved in solve(inner, 2):
        yield from _fitting(task, Each(source=source.expr, body=rebased(solved.expr)), source.cost + solved.cost + 0.8)


def _filtered(task: SearchTask, sources: Sequence[EnumeratedTerm]) -> Iterator[FittingProgram]:
    """Yield the elements that a question picks, for lists that hold what is wanted in the same order."""
    for source in sources:
        picked: list[tuple[Value, bool]] = []
        for items, target in zip(source.values, task.wanted, strict=False):
            mask = _mask(items, target)
            if mask is None or not isinstance(items, list):
                break
            picked.extend(zip(items, mask, strict=True))
        else:
            yield from _picked(task, source, picked)


def _picked(task: SearchTask, source: EnumeratedTerm, picked: Sequence[tuple[Value, bool]]) -> Iterator[FittingProgram]:
    if len({kept for _, kept in picked}) < 2:
        return
    inner = make_task(
        [item for item, _ in picked], [kept for _, kept in picked], [], deadline=task.deadline, probed=False
    )
    for solved in _answers(inner, 4):
        expr = Each(source=source.expr, body=LoopItem(), test=rebased(solved.expr))
        yield from _fitting(task, expr, source.cost + solved.cost + 0.9)


def _fitting(task: SearchTask, expr: Expr, cost: float) -> Iterator[FittingProgram]:
    """Yield a program if it gives all that is wanted."""
    values = evaluated(expr, task.inputs)
    if gives(values, task.wanted):
        yield FittingProgram(cost, expr, known_values(values))


def _mask(items: Value, target: Value) -> list[bool] | None:
    """Return which items are kept, if the target is the items with some left out."""
    if not isinstance(items, list) or not isinstance(target, list) or len(target) > len(items):
        return None
    mask: list[bool] = []
    place = 0
    for item in items:
        kept = place < len(target) and same(item, target[place])
        place += kept
        mask.append(kept)
    return mask if place == len(target) else None


def rebased(expr: Expr) -> Expr:
    """Return an expression about an input as one about the element at hand."""
    if isinstance(expr, InputPart):
        return reduce(lambda made, step: call(FIELD_OF, made, step), expr.path, cast("Expr", LoopItem()))
    if isinstance(expr, Each):
        return replace(expr, source=rebased(expr.source))
    return expr if isinstance(expr, FixedList) else expr.rebuilt(rebased)


_WAYS: tuple[tuple[type | tuple[type, ...], Callable[[SearchTask, int], list[FittingProgram]]], ...] = (
    (str, _texts),
    (bool, _answers),
    ((int, float), _numbers),
    (dict, _records),
    (list, _lists),
)
