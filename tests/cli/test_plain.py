"""Plain values are read without pydantic, and come out as typer itself would have them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any

import pytest
import typer
from typer.main import get_command

from mayfly.cli._plain import read_plainly


def made(seen: list[Any]) -> Any:
    """Return a command with a parameter of each kind that ours have."""
    app = typer.Typer(add_completion=False, rich_markup_mode=None)

    @app.command()
    def take(
        text: Annotated[str, typer.Argument()],
        files: Annotated[list[Path] | None, typer.Argument()] = None,
        *,
        word: Annotated[str | None, typer.Option()] = None,
        number: Annotated[int, typer.Option(min=2, max=99)] = 7,
        seconds: Annotated[float, typer.Option(min=0.5)] = 1.5,
        place: Annotated[Path | None, typer.Option()] = None,
        words: Annotated[list[str] | None, typer.Option()] = None,
        yes: Annotated[bool, typer.Option()] = False,
    ) -> None:
        seen.append((text, files, word, number, seconds, place, words, yes))

    return get_command(app)


def ending(command: Any, args: list[str]) -> str:
    """Return how a command ended: the error it gave, if any."""
    try:
        return str(command(args, standalone_mode=False))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


LINES = [
    ["t"],
    ["t", "a.txt", "b"],
    ["", ""],
    ["t", "--word", "w", "--number", "12", "--place", "/tmp", "--words", "a", "--words", "b", "--yes"],
    ["é\u202e", "--word=", "--place="],
    ["t", "--number", "1"],
    ["t", "--number", "100"],
    ["t", "--number", " 12 "],
    ["t", "--number", "+3"],
    ["t", "--number", "1_0"],
    ["t", "--number", "١٢"],
    ["t", "--number", "9" * 30],
    ["t", "--number", "x"],
    ["t", "--seconds", "2"],
    ["t", "--seconds", "0.1"],
    ["t", "--seconds", "nan"],
    ["bytes that are no text: \udcff"],
    ["t", "\udcff"],
    [],
    ["t", "--nonsense"],
    ["--help"],
]


@pytest.mark.parametrize("args", LINES, ids=lambda args: " ".join(args).encode("ascii", "backslashreplace").decode())
def test_a_value_comes_out_as_typer_has_it(args: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    usual: list[Any] = []
    ours: list[Any] = []
    expected = ending(made(usual), args), capsys.readouterr()
    assert (ending(read_plainly(made(ours)), args), capsys.readouterr()) == expected
    assert ours == usual


def test_a_file_that_cannot_be_read_is_still_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    closed = tmp_path / "closed"
    closed.write_text("x")
    monkeypatch.setattr("os.access", lambda *_: False)
    assert "is not readable" in ending(read_plainly(made([])), ["t", "--place", str(closed)])


def test_a_command_is_read_without_pydantic() -> None:
    script = (
        "import sys; from mayfly.cli._app import run; run(['config', 'show', '--json']);"
        "sys.exit(any(name.startswith(('pydantic', 'rich')) for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, check=False).returncode == 0
