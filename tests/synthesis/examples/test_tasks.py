from __future__ import annotations

import pytest

from synthesis.examples.helpers import learned
from synthesis.examples.tasks import BRANCHES, DATA, DATES, NUMBERS, TEXTS, Case


def holds(case: Case) -> None:
    found = learned(case.name)
    assert found.programs, found.reason
    for given, output in (*case.shown, *case.hidden):
        assert found.programs[0].apply(given) == output


@pytest.mark.parametrize("case", TEXTS, ids=lambda case: case.name)
def test_texts_are_taken_apart_and_put_together(case: Case) -> None:
    holds(case)


@pytest.mark.parametrize("case", NUMBERS, ids=lambda case: case.name)
def test_numbers_are_rounded_and_written(case: Case) -> None:
    holds(case)


@pytest.mark.parametrize("case", DATES, ids=lambda case: case.name)
def test_dates_and_times_are_read_and_written(case: Case) -> None:
    holds(case)


@pytest.mark.parametrize("case", DATA, ids=lambda case: case.name)
def test_lists_and_records_are_computed(case: Case) -> None:
    holds(case)


@pytest.mark.parametrize("case", BRANCHES, ids=lambda case: case.name)
def test_inputs_of_two_kinds_get_a_condition(case: Case) -> None:
    holds(case)
