"""What the tests of tools share."""

from pathlib import Path

import pytest

from .places import Here


@pytest.fixture
def here(tmp_path: Path) -> Here:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    return Here(workspace)
