"""A workspace of real files, and a way to call a capability as a tree does: ask, call, check."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from mayfly.library import Builtin, Invocation, Registry
from mayfly.library.builtin import builtins

Run = Callable[..., object]
REGISTRY = Registry(builtins())


def get(name: str) -> Builtin:
    return REGISTRY.get(name)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    place = tmp_path / "workspace"
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
def run(workspace: Path) -> Run:
    """Call a capability and accept its value only with its own test, as a tree does."""

    def call(name: str, argument: object = None, *, intent: str = "", key: str = "run/node") -> object:
        invocation = Invocation(argument=argument, intent=intent, key=key, workspace=workspace)
        builtin = get(name)
        builtin.target(invocation)
        value = builtin.call(invocation)
        assert builtin.check(invocation, value) is True
        return value

    return call


@pytest.fixture
def checks(workspace: Path) -> Callable[[str, object, object], object]:
    """Ask the test of a capability about a value that somebody else made."""

    def check(name: str, argument: object, value: object) -> object:
        return get(name).check(Invocation(argument=argument, workspace=workspace), value)

    return check
