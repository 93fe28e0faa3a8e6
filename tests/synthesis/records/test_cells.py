"""Records over several lines are put together, up to a number of lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mayfly.synthesis.records import _cells

LINES = st.lists(st.sampled_from(["10:00 a", "10:01 b ", "", "  ", "\tat one", "Caused by: x", "}"]), max_size=14)


@given(LINES)
def test_every_line_is_in_one_record_at_its_number(lines: list[str]) -> None:
    found = list(_cells.join_continued(lines))
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


def test_a_record_of_too_many_lines_is_broken_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_cells, "MOST_LINES", 3)
    lines = ["10:00 a", *["\tat one"] * 5]
    assert [number for number, _ in _cells.join_continued(lines)] == [1, 4]
