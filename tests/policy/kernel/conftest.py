from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mayfly.core import Settings
from mayfly.policy.kernel import RuleFile, Snapshot
from mayfly.store import Ledger

CONSTITUTION = (Path(__file__).parent / "constitution.mg").read_text(encoding="utf-8")


class Clock:
    """A clock that stands still until it is told otherwise; nanoseconds since 1970."""

    def __init__(self) -> None:
        self.now = 1_800_000_000_000_000_000

    def __call__(self) -> int:
        return self.now

    def forward(self, seconds: float) -> None:
        self.now += int(seconds * 1_000_000_000)


def constitution(text: str = CONSTITUTION) -> tuple[RuleFile, ...]:
    return (RuleFile(name="constitution.mg", place="constitution.mg", text=text, protected=None),)


@pytest.fixture
def clock() -> Clock:
    return Clock()


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
