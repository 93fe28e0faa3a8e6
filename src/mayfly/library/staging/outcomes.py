"""A plugin of pytest: write which tests were found and how each of them ended to the file that a variable names.

It runs behind the wall, beside the tests, and imports nothing of ours.
"""

from __future__ import annotations

import json
import os
from typing import Any

_FILE = os.environ.get("MAYFLY_STAGE_OUTCOMES", "")
_found: list[str] = []
_ended: dict[str, str] = {}
# The worst of a test's three parts is how it ended.
_WORST = ("passed", "skipped", "failed")


def pytest_collection_finish(session: Any) -> None:
    """Note what was found."""
    _found.extend(item.nodeid for item in session.items)


def pytest_collectreport(report: Any) -> None:
    """Note a file that cannot be read as tests."""
    if report.failed:
        _ended[report.nodeid] = "failed"


def pytest_runtest_logreport(report: Any) -> None:
    """Note how a part of a test ended."""
    before = _ended.get(report.nodeid, "passed")
    _ended[report.nodeid] = max(before, report.outcome, key=_WORST.index)


def pytest_unconfigure() -> None:
    """Write it down."""
    if _FILE:
        with open(_FILE, "w", encoding="utf-8") as file:
            json.dump({"found": _found, "ended": _ended}, file)
