"""Records over several lines: programs put them together as the host does, and stop at no number."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from mayfly.gates import Profile, check_stability
from mayfly.language.question import Query
from mayfly.promise.split._trials import limits_of
from mayfly.synthesis.records import _cells
from mayfly.synthesis.records._detect import detect
from mayfly.synthesis.records._helpers import helper
from mayfly.synthesis.records._write import write_program

LOG = ["10:00:00 INFO fine", "10:00:01 ERROR failed", "\tat one", "Caused by: x", "\tat two", "10:00:02 INFO fine"]
LINES = st.lists(st.sampled_from(["10:00 a", "10:01 b ", "", "  ", "\tat one", "Caused by: x", "}"]), max_size=14)


def written_join(most: int) -> Any:
    """Return `join_continued` as generated programs have it, for records of at most so many lines."""
    source = "\n\n".join(
        helper(name).replace("MOST_LINES", str(most)) for name in ("goes_on", "ended", "join_continued")
    )
    names = {
        "CONTINUED": re.compile(_cells.CONTINUED),
        "EDGES": "\ufeff\r\n",
        "Iterable": Iterable,
        "Iterator": Iterator,
    }
    exec(source, names)
    return names["join_continued"]


@given(LINES)
def test_programs_put_records_together_as_the_host_does(lines: list[str]) -> None:
    found = list(_cells.join_continued(lines))
    assert found == list(written_join(_cells.MOST_LINES)(lines))
    # Every line is in one record, at its number.
    together = [line if line.strip() else "" for line in lines]
    assert "\n".join(text for _, text in found).split("\n") == (together or [""])
    assert [number for number, _ in found] == [
        1 + sum(text.count("\n") + 1 for _, text in found[:at]) for at in range(len(found))
    ]


def test_a_record_ends_with_the_last_line_that_goes_on_with_it() -> None:
    lines = ["10:00 a", "\tat one", "", "Caused by: x", "", "", "10:01 b", ""]
    assert list(_cells.join_continued(lines)) == [
        (1, "10:00 a\n\tat one\n\nCaused by: x"),
        (5, ""),
        (6, ""),
        (7, "10:01 b"),
        (8, ""),
    ]


def test_a_record_of_too_many_lines_is_broken_off() -> None:
    lines = ["10:00 a", *["\tat one"] * 5]
    assert [number for number, _ in written_join(3)(lines)] == [1, 4]


def test_putting_records_together_fits_the_budget_of_the_second_floor() -> None:
    source = write_program(detect(LOG), Query()).source
    assert "def join_continued" in source
    scopes = {"goes_on", "ended", "join_continued"}
    verdicts = check_stability(ast.parse(source), source, Profile(depth=2)).verdicts
    assert not [verdict for verdict in verdicts if any(name in str(verdict) for name in scopes)]


def test_a_program_of_records_has_no_limit_of_results() -> None:
    assert limits_of(write_program(detect(LOG), Query()).source) == []
