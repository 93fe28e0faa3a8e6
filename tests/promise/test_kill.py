"""The kill test and the storm with few instants; `make chaos` has many."""

from __future__ import annotations

from pathlib import Path

import pytest

from promise.chaos import torture
from promise.storm import storm


@pytest.mark.first(1)
@pytest.mark.timeout(900)
@pytest.mark.parametrize("honours", [True, False], ids=["keys", "no-keys"])
def test_a_killed_run_goes_on_and_nothing_happens_twice(tmp_path: Path, honours: bool) -> None:
    report = torture(tmp_path, kills=2, honours=honours, seed=7)
    assert report.kills >= 2


@pytest.mark.later
@pytest.mark.timeout(900)
def test_f1_of_two_hosts_that_lose_their_sessions_one_goes_on_and_nothing_is_sent_twice() -> None:
    report = storm(rounds=3, seed=7)
    assert (report.rounds, report.sessions > 0) == (3, True)
