"""One way to run a command line in this process and look at what it did."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from mayfly.cli._app import run


class Ran(NamedTuple):
    """What a command line ended in."""

    status: int
    out: str
    err: str


Cli = Callable[..., Ran]


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, state: Path) -> Cli:
    """Run command lines in an empty directory, with no settings from outside and a state directory of their own."""
    for name in os.environ:
        if name.startswith("MAYFLY_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("MAYFLY_STATE_DIR", str(state))
    monkeypatch.chdir(tmp_path)

    def call(*args: str) -> Ran:
        capsys.readouterr()
        status = run(list(args))
        return Ran(status, *capsys.readouterr())

    return call
