"""What is piped in is the input, and a known agent is never called on nothing; nothing waits for a pipe for long."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from mayfly.cli._inputs import has_piped_input

from .conftest import Cli

TABLE = "name,amount\nann,10\nbob,20\nann,5\n"
ASKED = ("run", "sum of amount by name")
SUMS = {"ann": 15, "bob": 20}


@contextmanager
def piped(monkeypatch: pytest.MonkeyPatch, text: str | None, *, after: float = 0.0) -> Iterator[None]:
    """Put a pipe in the place of standard input; without a text nobody ever writes to it."""
    read, write = os.pipe()

    def feed() -> None:
        time.sleep(after)
        os.write(write, (text or "").encode())
        os.close(write)

    writer = threading.Thread(target=feed) if text is not None else None
    with os.fdopen(read) as stream:
        monkeypatch.setattr("sys.stdin", stream)
        if writer is not None:
            writer.start()
        yield
    if writer is None:
        os.close(write)
    else:
        writer.join()


@pytest.fixture
def known(cli: Cli, tmp_path: Path) -> Cli:
    """A command line that has answered the question once before, about a file."""
    (tmp_path / "sales.csv").write_text(TABLE)
    assert json.loads(cli(*ASKED, "--input", "sales.csv").out) == SUMS
    return cli


def test_a_known_agent_is_not_called_on_nothing(known: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    streams = [Path(os.devnull).open(), None]  # noqa: SIM115
    for stream in streams:
        monkeypatch.setattr("sys.stdin", stream)
        ran = known(*ASKED)
        assert (ran.status, ran.out) == (2, "")
        assert "no input" in ran.err
        assert "--input FILE" in ran.err
        if stream is not None:
            stream.close()
    told = json.loads(known(*ASKED, "--json").out)
    assert (told["code"], told["value"]) == ("INPUT", None)


@pytest.mark.parametrize("after", [0.0, 0.3])
def test_what_is_piped_in_is_the_input_of_a_known_agent(
    known: Cli, monkeypatch: pytest.MonkeyPatch, after: float
) -> None:
    with piped(monkeypatch, "name,amount\ncy,1\n", after=after):
        assert json.loads(known(*ASKED).out) == {"cy": 1}


def test_what_is_piped_in_is_the_input_of_a_new_one(cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with piped(monkeypatch, TABLE):
        assert json.loads(cli(*ASKED).out) == SUMS
    (tmp_path / "there").write_text(TABLE)
    with (tmp_path / "there").open() as stream:
        monkeypatch.setattr("sys.stdin", stream)
        assert json.loads(cli("run", "sum of amount").out) == 35


def test_an_empty_pipe_and_one_that_nobody_writes_to_are_no_input(known: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    for text in ("", None):
        with piped(monkeypatch, text):
            ran = known(*ASKED)
        assert (ran.status, ran.out) == (2, "")
        assert "no input" in ran.err


def test_a_named_input_leaves_the_pipe_alone(known: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    with piped(monkeypatch, "name,amount\ncy,1\n"):
        assert json.loads(known(*ASKED, "--input", "sales.csv").out) == SUMS


def test_a_terminal_is_no_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    master, terminal = os.openpty()
    with os.fdopen(terminal) as stream:
        monkeypatch.setattr("sys.stdin", stream)
        assert not has_piped_input()
    os.close(master)
