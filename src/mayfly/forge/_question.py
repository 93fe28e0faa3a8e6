"""Questions about data: read the input on the host, choose a reading, and hold every answer to the account of lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, cast

from mayfly.core import InputError, MayflyError, one_line
from mayfly.forge._request import CannotWrite, DataQuestion
from mayfly.forge._story import Collapse
from mayfly.forge._task import Task, size_of
from mayfly.synthesis import records

if TYPE_CHECKING:
    from mayfly.core import BadLines, Order, Settings
    from mayfly.forge._converting import OpenBox

# Up to one line in a hundred may be unreadable before somebody is asked.
TOLERATED = 0.01
TWO_ANSWERS = "the program and an independent reading of the same lines give different answers"
# So often a smaller input is looked for on which they still do.
_MOST_TRIES = 40


def ask_of_data(task: Task) -> DataQuestion:
    """Return the program that the words of a task lead to; `CannotWrite` has the readings it could have meant."""
    items, complete = _items(task)
    if task.order.reading:
        return DataQuestion(proposal=_typed_back(task, items), items=items, complete=complete)
    if task.names is not None:
        found = records.propose_join(task.order.intent, *_sides(items), names=task.names)
    else:
        found = records.propose(task.order.intent, items, name=task.called)
    if isinstance(found, records.Proposal):
        return DataQuestion(proposal=found, items=items, complete=complete)
    question = None
    if found.offers:
        question = "which of these is meant: " + "; ".join(offer.reading for offer in found.offers) + "?"
    raise CannotWrite(found.reason, helps=found.helps, question=question, offers=found.offers)


def _typed_back(task: Task, items: Sequence[object]) -> records.Proposal:
    from mayfly.language.question import Unreadable

    try:
        if task.names is not None:
            return records.propose_joined_reading(task.order.reading, *_sides(items), names=task.names)
        return records.propose_reading(task.order.reading, items, name=task.called)
    except Unreadable as error:
        raise InputError(
            f"the reading is not understood: {error}", fix="type it as it was printed after 'read as'"
        ) from None


def _sides(items: Sequence[object]) -> tuple[list[object], list[object]]:
    first, second = (cast("list[object]", side) for side in items)
    return first, second


def is_about_data(task: Task) -> bool:
    """Say whether a task is a question about the data that came with it, and not one by examples or a signature."""
    return not task.order.examples and task.signature is None and (task.order.lines is not None or bool(task.sample))


def is_understood(task: Task) -> bool:
    """Say whether the words of a task are a question about its data that is read without a model."""
    with suppress(MayflyError):
        return is_about_data(task) and bool(ask_of_data(task))
    return False


def runs_on_parts(order: Order, settings: Settings, box: OpenBox | None = None) -> bool:
    """Say whether a file is cut into parts: a question is answered by one statement, however large its input is."""
    if order.lines is None or order.more or size_of(order.lines) < settings.promise.split_from:
        return False
    if order.examples or order.model:
        with suppress(MayflyError):  # it will be said where the task is done
            task = Task.of(order, settings, box=box)
            return task.given.is_plain and task.bound == order.files and not is_understood(task)
    return False


def _items(task: Task) -> tuple[tuple[object, ...], bool]:
    """Return what is read on the host of an input, and whether that is all of it; of several files each by itself."""
    if task.order.lines is None:
        return tuple(task.records), True
    task.given.check_columns()
    samples, several = task.given.samples, len(task.given.samples) > 1
    items = task.given.items([(*one.lines, *one.within) for one in samples])
    # Without their names nobody knows which line of a file is the header of another.
    known = not several or isinstance(items[0], records.FileLines)
    return items, known and all(one.complete for one in samples)


def check_account(account: Mapping[str, object], policy: BadLines, value: object) -> None:
    """Refuse an answer that leaves out too many lines: whether they matter is for a person to say."""
    bad, lines = cast("int", account["not_understood"]), cast("int", account["lines"])
    if not bad or policy == "skip":
        return
    first = cast("Mapping[str, object] | None", account.get("first_not_understood")) or {}
    of = f" of {one_line(str(first['file']))}" if "file" in first else ""
    where = f"line {first.get('line', '?')}{of}: {str(first.get('text', ''))[:80]!r}"
    if policy == "stop":
        raise Collapse(f"{bad:,} of {lines:,} lines were not understood (first: {where})", "BAD_LINES", account=account)
    if bad > TOLERATED * lines:
        raise Collapse(
            f"{bad:,} of {lines:,} lines were not understood (first: {where})",
            "QUESTION",
            question="should the lines that were not understood be left out (--bad-lines skip)?",
            account=account,
            candidate=value,
        )


def agree(one: object, other: object) -> bool:
    """Say whether two answers are the same; the last digits of fractions depend on the order of additions."""
    if isinstance(one, (int, float)) and isinstance(other, (int, float)) and not isinstance(one, bool):
        # Sums are rounded to six digits, so that two ways to add them up may differ by one of the last.
        return not isinstance(other, bool) and abs(one - other) <= 2e-6 + 1e-9 * abs(one)
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return list(one) == list(other) and all(agree(one[key], other[key]) for key in one)
    if isinstance(one, Sequence) and isinstance(other, Sequence) and not isinstance(one, str):
        return not isinstance(other, str) and len(one) == len(other) and all(map(agree, one, other))
    return one == other


def smallest(items: Sequence[object], differ: Callable[[Sequence[object]], bool]) -> list[object]:
    """Return few of *items* on which two readings still *differ*, as found in some tries; the first may be a header."""
    kept, step = list(items), max(1, len(items) // 2)
    for _ in range(_MOST_TRIES):
        for start in range(1, len(kept), step):
            fewer = kept[:start] + kept[start + step :]
            if differ(fewer):
                kept = fewer
                break
        else:
            if step == 1:
                break
            step = max(1, step // 2)
    return kept
