"""Questions about data: read the input on the host, choose a reading, and hold every answer to the account of lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

from mayfly.core import InputError
from mayfly.forge._request import CannotWrite, DataQuestion
from mayfly.forge._story import Collapse
from mayfly.forge._task import read_lines
from mayfly.synthesis import records

if TYPE_CHECKING:
    from mayfly.core import BadLines
    from mayfly.forge._task import Task

# So much of a file is read on the host to learn its format and its values: a few seconds of work at most.
MOST_BYTES = 16 * 1024 * 1024
# Up to one line in a hundred may be unreadable before somebody is asked.
TOLERATED = 0.01


def ask_of_data(task: Task) -> DataQuestion:
    """Return the program that the words of a task lead to; `CannotWrite` has the readings it could have meant."""
    items, complete = _items(task)
    if task.order.reading:
        return DataQuestion(proposal=_typed_back(task, items), items=items, complete=complete)
    if task.names is not None:
        found = records.propose_join(task.order.intent, *_sides(items), names=task.names)
    else:
        found = records.propose(task.order.intent, items, name=_name(task))
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
        return records.propose_reading(task.order.reading, items, name=_name(task))
    except Unreadable as error:
        raise InputError(
            f"the reading is not understood: {error}", fix="type it as it was printed after 'read as'"
        ) from None


def _name(task: Task) -> str:
    return task.order.name or task.origin or (str(task.order.lines) if task.order.lines else "")


def _sides(items: Sequence[object]) -> tuple[list[object], list[object]]:
    first, second = (cast("list[object]", side) for side in items)
    return first, second


def is_about_data(task: Task) -> bool:
    """Say whether a task is a question about the data that came with it, and not one by examples or a signature."""
    return not task.order.examples and task.signature is None and (task.order.lines is not None or bool(task.sample))


def _items(task: Task) -> tuple[tuple[object, ...], bool]:
    lines = task.order.lines
    if lines is None:
        return tuple(task.records), True
    read = tuple(read_lines(lines, MOST_BYTES))
    return read, lines.stat().st_size <= MOST_BYTES


def check_account(account: Mapping[str, object], policy: BadLines, value: object) -> None:
    """Refuse an answer that leaves out too many lines: whether they matter is for a person to say."""
    bad, lines = cast("int", account["not_understood"]), cast("int", account["lines"])
    if not bad or policy == "skip":
        return
    first = cast("Mapping[str, object] | None", account.get("first_not_understood")) or {}
    where = f"line {first.get('line', '?')}: {str(first.get('text', ''))[:80]!r}"
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
