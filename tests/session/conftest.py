"""What tests of sessions share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from mayfly.core import Settings


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Return settings with a state directory of the test's own."""
    return Settings(state_dir=str(tmp_path / "state"))


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """Return an empty directory to work in."""
    place = tmp_path / "work"
    place.mkdir()
    return place


Lay = Callable[[str, str], None]
