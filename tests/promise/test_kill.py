"""The kill test with few instants; `make chaos` has many."""

from __future__ import annotations

from pathlib import Path

import pytest

from promise.chaos import torture


@pytest.mark.timeout(900)
@pytest.mark.parametrize("honours", [True, False], ids=["keys", "no-keys"])
def test_a_killed_run_goes_on_and_nothing_happens_twice(tmp_path: Path, honours: bool) -> None:
    report = torture(tmp_path, kills=2, honours=honours, seed=7)
    assert report.kills >= 2
