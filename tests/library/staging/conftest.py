"""What tests of staging share."""

from pathlib import Path

import pytest

from .bed import Bed, make_bed


@pytest.fixture
def bed(tmp_path: Path) -> Bed:
    """Return a small product in a repository of its own."""
    return make_bed(tmp_path)
