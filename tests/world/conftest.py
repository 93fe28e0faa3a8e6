"""A workspace of real files, and a way to call a capability as a tree does: check, ask, call, verify."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from mayfly.core import Capability, Invocation, Settings
from mayfly.library import Registry
from mayfly.policy import Kernel
from mayfly.store import Ledger
from mayfly.world import StepChanges, builtins

from .places import Here

Run = Callable[..., object]
Checks = Callable[[str, Mapping[str, Any], object], bool]
REGISTRY = Registry(builtins())


def get(name: str) -> Capability:
    return REGISTRY.get(name)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    return fill(tmp_path / "workspace")


def fill(place: Path) -> Path:
    """Make a workspace with a few files of every kind."""
    place.mkdir()
    (place / "a.txt").write_text("one\ntwo\nthree")
    (place / "src").mkdir()
    (place / "src" / "main.py").write_text("# TODO: more\nprint('hello')\n")
    (place / "src" / "deep").mkdir()
    (place / "src" / "deep" / "more.py").write_text("x = 1  # TODO\n")
    (place / "data.json").write_text('{"name": "Ada", "tags": ["x", {"y": 2}]}')
    (place / ".env").write_text("TODO=secret\n")
    return place


@pytest.fixture
def run(workspace: Path, tmp_path: Path) -> Iterator[Run]:
    """Call a capability and accept its value only with its own test, as a tree does."""
    settings = Settings(state_dir=str(tmp_path / "state"))

    ledger = Ledger.open(settings)
    changes = StepChanges(
        settings=settings,
        state=tmp_path / "state" / "workbench",
        ledger=ledger,
        kernel=lambda workspace, _: Kernel(workspace=workspace),
        inbox=lambda: None,  # type: ignore[arg-type, return-value]
    )
    registry = Registry(builtins(settings, changes))

    def call(name: str, arguments: Mapping[str, Any] | None = None, *, key: str = "run/node") -> object:
        capability = registry.get(name)
        invocation = Invocation(arguments=arguments or {}, key=key, workspace=workspace)
        capability.check_arguments(invocation.arguments)
        capability.asks(invocation)
        value = asyncio.run(capability.invoke(invocation))
        assert asyncio.run(capability.verify(invocation, value)) == ""
        return value

    with ledger:
        yield call


@pytest.fixture
def checks(workspace: Path) -> Checks:
    """Ask the test of a capability about a value that somebody else made."""

    def check(name: str, arguments: Mapping[str, Any], value: object) -> bool:
        invocation = Invocation(arguments=arguments, workspace=workspace)
        return asyncio.run(get(name).verify(invocation, value)) == ""

    return check


@pytest.fixture
def here(tmp_path: Path) -> Here:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    return Here(workspace)
