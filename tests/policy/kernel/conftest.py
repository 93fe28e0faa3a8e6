from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mayfly.core import Settings
from mayfly.policy import RuleFile, Snapshot
from mayfly.store import Ledger
from mayfly.testing import FakeClock

SECOND = 10**9
CONSTITUTION = (Path(__file__).parent / "constitution.mg").read_text(encoding="utf-8")


def constitution(text: str = CONSTITUTION) -> tuple[RuleFile, ...]:
    return (RuleFile(name="constitution.mg", place="constitution.mg", text=text, protected=None),)


@pytest.fixture
def clock() -> FakeClock[int]:
    """Return a clock of nanoseconds since 1970."""
    return FakeClock(1_800_000_000 * SECOND)


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.open(Settings(state_dir=str(tmp_path / "state"))) as opened:
        yield opened


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    place = tmp_path / "work"
    place.mkdir()
    return place


@pytest.fixture(scope="session")
def snapshot() -> Snapshot:
    return Snapshot(constitution())


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str], Path]:
    def write(name: str, text: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return write
