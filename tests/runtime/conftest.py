"""One runtime for all tests of this package: its type server takes seconds to start."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from mayfly.core import SandboxSettings, Settings
from mayfly.runtime import Runtime
from mayfly.testing import write_script


class Watched:
    """A runtime and what it told its observer since the test began."""

    def __init__(self, state: Path) -> None:
        self.told: list[tuple[str, Any]] = []
        # How parts are joined is tried for as long as one execution may last, which is short on a slow machine.
        settings = Settings(state_dir=str(state), sandbox=SandboxSettings(timeout=300.0))
        self.runtime = Runtime(settings, observer=lambda what, about: self.told.append((what, about)))

    def events(self, id: str) -> list[str]:
        return [event.kind for event in self.runtime.parts.ledger.read(subject=id)]

    def payloads(self, id: str, kind: str) -> list[dict[str, Any]]:
        return [dict(event.payload) for event in self.runtime.parts.ledger.read(subject=id, kind=kind)]


@pytest.fixture(autouse=True)
def warm_types(request: pytest.FixtureRequest) -> None:
    """Let the runtimes that a test makes in its own directory know what the type checker has read."""
    if "tmp_path" in request.fixturenames:
        request.getfixturevalue("state")


@pytest.fixture(scope="session")
def session_runtime(tmp_path_factory: pytest.TempPathFactory, type_cache: Path) -> Iterator[Watched]:
    state = tmp_path_factory.mktemp("state")
    (state / "mypy-cache").symlink_to(type_cache)
    watched = Watched(state)
    with watched.runtime:
        watched.runtime.parts.types.start()
        yield watched


@pytest.fixture
def watched(session_runtime: Watched) -> Watched:
    session_runtime.told.clear()
    session_runtime.runtime.parts.memo.clear()
    return session_runtime


@pytest.fixture
def runtime(watched: Watched) -> Runtime:
    return watched.runtime


Script = Callable[..., str]


@pytest.fixture
def script(tmp_path: Path) -> Script:
    """Write a scripted model: pairs of purpose and answer."""
    number = iter(range(1000))

    def write(*answers: tuple[str, str]) -> str:
        path = tmp_path / f"script{next(number)}.jsonl"
        return write_script(path, *answers)

    return write
