"""What the tests of tools share."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from .places import Here


@pytest.fixture
def here(tmp_path: Path) -> Here:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    return Here(workspace)


@pytest.fixture
def lifted() -> Iterator[Callable[[int], None]]:
    """A function that lifts the limit of recursion for one test."""
    before = sys.getrecursionlimit()
    yield lambda limit: sys.setrecursionlimit(max(before, limit))
    sys.setrecursionlimit(before)
