"""Accounts of parts: they add up to that of the file, and a bad line has the number that it has in the file."""

from __future__ import annotations

import pytest

from mayfly.promise.split._cut import FIRST, total

EMPTY = {"lines": 0, "used": 0, "filtered": 0, "not_understood": 0, "empty": 0, "header": 0, FIRST: None}
GOOD = {"lines": 5, "used": 2, "filtered": 1, "not_understood": 0, "empty": 1, "header": 1, FIRST: None}
BAD = {"lines": 3, "used": 2, "filtered": 0, "not_understood": 1, "empty": 0, "header": 0}
BAD_FIRST = {**BAD, FIRST: {"line": 2, "text": "?"}}


def before(part: int) -> int:
    """Say that every part has ten lines."""
    return part * 10


def test_the_lines_of_parts_are_summed() -> None:
    twice = {"lines": 10, "used": 4, "filtered": 2, "not_understood": 0, "empty": 2, "header": 2, FIRST: None}
    assert total([GOOD, EMPTY, GOOD], before=before) == twice


@pytest.mark.parametrize(
    ("parts", "line"), [([BAD_FIRST, BAD_FIRST], 2), ([GOOD, BAD_FIRST, BAD_FIRST], 12), ([GOOD, GOOD, BAD_FIRST], 22)]
)
def test_the_first_line_not_understood_has_its_number_in_the_file(parts: list[dict[str, object]], line: int) -> None:
    found = total(parts, before=before)
    assert found is not None
    assert found[FIRST] == {"line": line, "text": "?"}


def test_lines_are_counted_only_for_a_line_that_was_not_understood() -> None:
    def refuse(part: int) -> int:
        raise AssertionError(part)

    assert total([GOOD, GOOD], before=refuse) is not None


@pytest.mark.parametrize("parts", [[], [GOOD, None]])
def test_without_the_account_of_every_part_there_is_none(parts: list[dict[str, object] | None]) -> None:
    assert total(parts, before=before) is None
