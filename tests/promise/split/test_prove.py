"""Joining results of parts: every way gives what the whole gives, and a program that has no way gets none."""

from __future__ import annotations

import inspect
import random
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any

import pytest

from mayfly.core import InputError
from mayfly.forge import Spool
from mayfly.promise.split import TrialFailed, merge, prove_merge

chance = random.Random(5)
NAMES = ("ann", "bob", "cid", "dora", "eve")
SAMPLE = [
    f"{hour:02d}:{chance.randrange(60):02d} {chance.choice(NAMES)} {chance.choice(('ok', 'error', 'late'))} "
    f"{chance.randrange(1000)}"
    for hour in range(20)
    for _ in range(9)
]
TRACES = [
    text
    for number in range(30)
    for text in (
        [f"10:{number:02d} error failed {number}", "  at one", "  at two"]
        if number % 4 == 0
        else [f"10:{number:02d} ok"]
    )
]


def proven(program: Callable[[Iterable[str]], Any], sample: Sequence[str] = SAMPLE) -> str | None:
    def run(lines: Sequence[str]) -> object:
        try:
            found = program(iter(lines))
        except (ValueError, IndexError, KeyError, ZeroDivisionError, StopIteration) as error:
            raise TrialFailed(str(error)) from None
        return list(found) if inspect.isgenerator(found) else found

    return prove_merge(run, sample, textwrap.dedent(inspect.getsource(program))).kind


def keep_errors(lines: Iterable[str]) -> Any:
    for line in lines:
        if " error " in line:
            yield {"line": line}


def count_all(lines: Iterable[str]) -> Any:
    return sum(1 for _ in lines)


def count_names(lines: Iterable[str]) -> Any:
    return dict(Counter(line.split()[1] for line in lines))


def count_names_sorted(lines: Iterable[str]) -> Any:
    return dict(sorted(Counter(line.split()[1] for line in lines).items()))


def rank_names(lines: Iterable[str]) -> Any:
    found = sorted(sorted(Counter(line.split()[1] for line in lines).items()), key=lambda pair: -pair[1])
    return [{"name": name, "count": count} for name, count in found]


def unique_names(lines: Iterable[str]) -> Any:
    return list(dict.fromkeys(line.split()[1] for line in lines))


def group_lines(lines: Iterable[str]) -> Any:
    found: dict[str, list[str]] = {}
    for line in lines:
        found.setdefault(line.split()[1], []).append(line)
    return found


def largest(lines: Iterable[str]) -> Any:
    return max((int(line.split()[3]) for line in lines if line.split()[3].isdigit()), default=None)


def first_line(lines: Iterable[str]) -> Any:
    return next(iter(lines), None)


def last_line(lines: Iterable[str]) -> Any:
    found = list(lines)
    return found[-1] if found else None


@pytest.mark.parametrize(
    ("program", "kind"),
    [
        (keep_errors, "concat"),
        (count_all, "sum"),
        (count_names, "record sum seen"),
        (count_names_sorted, "record sum key"),
        (rank_names, "rows sum value name"),
        (unique_names, "distinct"),
        (group_lines, "record concat seen"),
        (largest, "max"),
        (first_line, "first"),
        (last_line, "last"),
    ],
)
def test_what_can_be_joined_is_proven(program: Callable[[Iterable[str]], Any], kind: str) -> None:
    assert proven(program) == kind


def with_numbers(lines: Iterable[str]) -> Any:
    for number, line in enumerate(lines, 1):
        yield {"number": number, "line": line}


def without_the_first(lines: Iterable[str]) -> Any:
    rest = iter(lines)
    next(rest, None)
    yield from rest


def changes(lines: Iterable[str]) -> Any:
    before = None
    for line in lines:
        if line.split()[2:3] != before:
            yield line
        before = line.split()[2:3]


def without_repeats(lines: Iterable[str]) -> Any:
    before = None
    for line in lines:
        if line != before:
            yield line
        before = line


def average(lines: Iterable[str]) -> Any:
    sizes = [int(line.split()[3]) for line in lines if line.split()[3].isdigit()]
    return sum(sizes) / len(sizes) if sizes else None


def running_average(lines: Iterable[str]) -> Any:
    total = 0
    for number, line in enumerate(lines, 1):
        total += len(line)
        yield total / number


def longest_streak(lines: Iterable[str]) -> Any:
    longest = streak = 0
    for line in lines:
        streak = streak + 1 if "error" in line else 0
        longest = max(longest, streak)
    return longest


def streaks_of_three(lines: Iterable[str]) -> Any:
    found = streak = 0
    for line in lines:
        streak = streak + 1 if "error" in line else 0
        found += streak == 3
    return found


def late_after_error(lines: Iterable[str]) -> Any:
    found, before = 0, ""
    for line in lines:
        found += "late" in line and "error" in before
        before = line
    return found


def largest_step(lines: Iterable[str]) -> Any:
    sizes = [len(line) for line in lines]
    return max((abs(right - left) for left, right in pairwise(sizes)), default=None)


def every_hundredth(lines: Iterable[str]) -> Any:
    return [line for number, line in enumerate(lines, 1) if number % 100 == 0]


def count_distinct(lines: Iterable[str]) -> Any:
    return len(set(lines))


def shares(lines: Iterable[str]) -> Any:
    counts = Counter(line.split()[1] for line in lines)
    return {name: count * 100 // counts.total() for name, count in counts.items()}


def after_the_first_error(lines: Iterable[str]) -> Any:
    seen = False
    for line in lines:
        if seen:
            yield line
        seen = seen or "error" in line


def first_three(lines: Iterable[str]) -> Any:
    return list(lines)[:3]


def first_many(lines: Iterable[str]) -> Any:
    return list(lines)[:50_000]


def first_errors(lines: Iterable[str]) -> Any:
    found = []
    for line in lines:
        if "error" in line:
            found.append(line)
        if len(found) >= 900:
            break
    return found


def top_two(lines: Iterable[str]) -> Any:
    return dict(Counter(line.split()[1] for line in lines).most_common(2))


def top_thousands(lines: Iterable[str]) -> Any:
    names = Counter(line.split()[2] for line in lines if line.split()[2] in ("ok", "error", "late"))
    return dict(sorted(names.most_common(2000)))


def sort_lines(lines: Iterable[str]) -> Any:
    return sorted(lines)


def sum_fractions(lines: Iterable[str]) -> Any:
    return sum(len(line) / 10 for line in lines)


def count_ties_by_first_seen(lines: Iterable[str]) -> Any:
    return [{"name": name, "count": count} for name, count in Counter(line.split()[1] for line in lines).most_common()]


def nothing(lines: Iterable[str]) -> Any:
    return [line for line in lines if "never" in line and line.isspace()]


def always_one(lines: Iterable[str]) -> Any:
    return 1 if list(lines) is not None else 0


def fails_without_lines(lines: Iterable[str]) -> Any:
    return min(len(line) for line in lines)


@pytest.mark.parametrize(
    "program",
    [
        with_numbers,
        without_the_first,
        changes,
        without_repeats,
        average,
        running_average,
        longest_streak,
        streaks_of_three,
        late_after_error,
        largest_step,
        every_hundredth,
        count_distinct,
        shares,
        after_the_first_error,
        first_three,
        first_many,
        first_errors,
        top_two,
        top_thousands,
        sort_lines,
        sum_fractions,
        count_ties_by_first_seen,
        nothing,
        always_one,
        fails_without_lines,
    ],
)
def test_what_cannot_be_joined_for_certain_is_not(program: Callable[[Iterable[str]], Any]) -> None:
    assert proven(program) is None


def traces(lines: Iterable[str]) -> Any:
    found: list[str] = []
    for line in lines:
        if line.startswith(" ") and found:
            found.append(line.strip())
        elif found:
            yield " | ".join(found)
            found = []
        if "error" in line:
            found = [line]
    if found:
        yield " | ".join(found)


def test_records_of_several_lines_are_not_cut() -> None:
    assert proven(traces, TRACES) == "concat"


def bars(lines: Iterable[str]) -> Any:
    found = ""
    for line in lines:
        if not line.startswith("|"):
            if found:
                yield found
            found = ""
        found += line
    yield found


def test_lines_that_do_not_look_as_if_they_went_on_are_cut_apart() -> None:
    assert proven(bars, [line.replace("  at", "| at") for line in TRACES]) is None


def test_what_happens_late_in_the_sample_is_cut_too() -> None:
    calm = [f"10:00 {NAMES[number % 5]} ok {number}" for number in range(1800)]
    wild = calm[:1200] + ["10:00 ann error 1"] * 3 + calm[1200:] + ["10:01 bob error 2"] * 3
    assert proven(streaks_of_three, wild) is None


def test_a_sample_of_one_line_proves_nothing() -> None:
    assert proven(keep_errors, SAMPLE[:1]) is None


def test_the_same_sample_is_always_tried_in_the_same_way() -> None:
    seen: list[list[tuple[str, ...]]] = [[], []]
    for run in seen:

        def note(lines: Sequence[str], run: list[tuple[str, ...]] = run) -> object:
            run.append(tuple(lines))
            return len(lines)

        prove_merge(note, SAMPLE, "")
    assert seen[0] == seen[1]


@pytest.mark.parametrize(
    ("kind", "values", "joined"),
    [
        ("concat", [[1], [], [2, 1]], [1, 2, 1]),
        ("distinct", [[1, True], [1.0, 1]], [1, True, 1.0]),
        ("sum", [1, None, 2], 3),
        ("sum", [None, None], None),
        ("min", [3, None, 2.5], 2.5),
        ("max", ["a", "b"], "b"),
        ("max", [2**60, 2**60 + 1, 10**400], 10**400),
        ("max", [2**60 + 1, 2**60], 2**60 + 1),
        ("first", [None, [], 4, 5], 4),
        ("last", [4, 5, None], 5),
        ("record sum seen", [{"b": 1}, {"a": 1, "b": 1}], {"b": 2, "a": 1}),
        ("record sum key", [{"b": 1}, {"a": 1, "b": 1}], {"a": 1, "b": 2}),
        ("record sum key,number", [{"10": 1}, {"20": 1}], {"10": 1, "20": 1}),
        ("record sum number", [{"-": 1, "9": 1}, {"10": 1}], {"9": 1, "10": 1, "-": 1}),
        ("record concat seen", [{"b": [1]}, {"b": [2]}], {"b": [1, 2]}),
        (
            "rows sum value the name",
            [[{"the name": "a", "n": 1}], [{"the name": "b", "n": 3}]],
            [{"the name": "b", "n": 3}, {"the name": "a", "n": 1}],
        ),
    ],
)
def test_results_are_joined(kind: str, values: list[object], joined: object) -> None:
    found = merge(kind, values)
    assert found == joined
    if isinstance(joined, dict):
        assert list(found) == list(joined)  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("sum", [1, 0.5]),
        ("sum", [1, "2"]),
        ("sum", [True]),
        ("record sum number", [{"9": 1}, {"ten": 1}]),
        ("max", [1, "b"]),
        ("concat", [[1], {"a": 1}]),
        ("record sum seen", [{"a": 1}, [1]]),
        ("record sum key,number", [{"9": 1}, {"10": 1}]),
        ("rows sum key name", [[{"other": 1}]]),
        ("rows sum key name", [[{"name": "a", "n": 1}], [{"name": "a", "m": 1}]]),
        ("median", [1, 2]),
        ("record median seen", [{"a": 1}]),
    ],
)
def test_results_that_cannot_be_joined_are_refused(kind: str, values: list[object]) -> None:
    with pytest.raises(InputError):
        merge(kind, values)


def test_large_lists_are_joined_on_disk() -> None:
    found = merge("concat", [["x" * 1000] * 10_000, ["y" * 1000] * 10_000])
    assert isinstance(found, Spool)
    assert (len(found), found[0], found[19_999]) == (20_000, "x" * 1000, "y" * 1000)
