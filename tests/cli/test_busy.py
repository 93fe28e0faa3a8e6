"""Progress on what takes longer than a second: on a terminal only, and nothing of it is left."""

import io
import sys
import threading

import pytest

from mayfly.cli._output import busy


class Terminal(io.StringIO):
    """Take what is written, and say when something was."""

    def __init__(self) -> None:
        super().__init__()
        self.wrote = threading.Event()

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self.wrote.set()
        return super().write(text)


def test_what_takes_long_says_so_and_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    monkeypatch.setenv("TERM", "xterm")
    with busy("working", patience=0.0):
        assert terminal.wrote.wait(10)
    assert terminal.getvalue().startswith("\r\x1b[2Kworking … 1 s")
    assert terminal.getvalue().endswith("\r\x1b[2K")


def test_what_is_quick_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    monkeypatch.setenv("TERM", "xterm")
    with busy("working", patience=60):
        pass
    assert terminal.getvalue() == ""


@pytest.mark.parametrize("term", ["dumb", "pipe"])
def test_nothing_is_drawn_where_it_could_not_be_taken_back(monkeypatch: pytest.MonkeyPatch, term: str) -> None:
    terminal = Terminal() if term == "dumb" else io.StringIO()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", term)
    with busy("working", patience=0.0):
        pass
    assert terminal.getvalue() == ""


def test_an_error_goes_its_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    monkeypatch.setenv("TERM", "xterm")

    def fail() -> None:
        with busy("working", patience=0.0):
            assert terminal.wrote.wait(10)
            raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        fail()
    assert terminal.getvalue().endswith("\r\x1b[2K")
