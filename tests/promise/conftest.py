from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mayfly.core import SandboxSettings, Settings
from mayfly.sandbox import Sandbox
from mayfly.store import Ledger

if TYPE_CHECKING:
    from promise.bed import Bed


@pytest.fixture(scope="session")
def wall() -> Iterator[Sandbox]:
    with Sandbox(SandboxSettings(timeout=5.0, workers=1)) as box:
        yield box


@pytest.fixture
def bed(tmp_path: Path, wall: Sandbox) -> Iterator[Bed]:
    from promise.bed import Bed

    with Ledger.open(Settings(state_dir=str(tmp_path / "state"))) as ledger:
        yield Bed(ledger=ledger, sandbox=wall, workspace=tmp_path)
