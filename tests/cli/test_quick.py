"""Command lines that are read without typer come out as typer would have them; what is not plain is left to it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any

import pytest
import typer as real_typer
from typer.main import get_command

from mayfly.cli import _typer as typer
from mayfly.cli._app import COMMANDS, declared
from mayfly.cli._quick import read_quickly

SEEN: list[Any] = []


def take(
    text: Annotated[str, typer.Argument()],
    files: Annotated[list[Path] | None, typer.Argument()] = None,
    *,
    word: Annotated[str | None, typer.Option()] = None,
    number: Annotated[int, typer.Option(min=2, max=99)] = 7,
    seconds: Annotated[float, typer.Option(min=0.5)] = 1.5,
    place: Annotated[Path | None, typer.Option("--place", "-p")] = None,
    some_words: Annotated[list[str] | None, typer.Option()] = None,
    yes: Annotated[bool, typer.Option()] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q")] = False,
    loud: Annotated[bool, typer.Option("--loud/--soft")] = True,
) -> None:
    SEEN.append((text, files, word, number, seconds, place, some_words, yes, quiet, loud))


def by_typer(args: list[str]) -> list[Any]:
    """Return what typer hands to the command, or nothing where it refuses."""
    SEEN.clear()
    app = real_typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command()(typer.real(take))
    try:
        get_command(app)(args, standalone_mode=False)
    except Exception:
        return []
    return list(SEEN)


QUICK = [
    ["t"],
    ["t", "a.txt", "b"],
    ["", ""],
    ["-"],
    ["two words", "--word", "w", "--number", "12", "--place", "/tmp", "--yes"],
    ["--some-words", "a", "t", "--some-words=b=c", "file"],
    ["t", "--no-yes", "--soft", "-q"],
    ["t", "-p", "/tmp", "--loud"],
    ["é\u202e", "--word", "-", "--place", ""],
    ["t", "--word", ""],
]
LEFT = [
    [],
    ["t", "--help"],
    ["t", "--"],
    ["--", "-t"],
    ["-t"],
    ["t", "-qq"],
    ["t", "-p/tmp"],
    ["t", "-p=/tmp"],
    ["t", "--wor", "w"],
    ["t", "--word"],
    ["t", "--word", "--yes"],
    ["t", "--word="],
    ["t", "--yes=1"],
    ["t", "--word", "a", "--word", "b"],
    ["t", "--yes", "--no-yes"],
    ["t", "--number", "1"],
    ["t", "--number", "100"],
    ["t", "--number", " 12 "],
    ["t", "--number", "+3"],
    ["t", "--number", "١٢"],
    ["t", "--number", "9" * 30],
    ["t", "--seconds", "2"],
    ["bytes that are no text: \udcff"],
    ["t", "--nonsense"],
]


def called(args: list[str]) -> list[Any] | None:
    SEEN.clear()
    call = read_quickly(take, args, {})
    if call is None:
        return None
    call()
    return list(SEEN)


@pytest.mark.parametrize("args", QUICK, ids=repr)
def test_a_plain_line_is_read_as_typer_reads_it(args: list[str]) -> None:
    ours = called(args)
    assert ours is not None
    assert ours == by_typer(args) != []


@pytest.mark.parametrize("args", LEFT, ids=lambda args: ascii(args))
def test_what_is_not_plain_is_left_to_typer(args: list[str]) -> None:
    assert called(args) is None


def test_a_value_that_is_a_dash_at_the_end_is_a_value() -> None:
    assert called(["t", "--word", "-"]) == by_typer(["t", "--word", "-"]) != []


def test_a_declaration_that_asks_for_more_is_left_to_typer() -> None:
    def asks(name: Annotated[str, typer.Option(envvar="NAME")] = "x") -> None: ...

    def either(name: Annotated[int | str, typer.Option()] = "x") -> None: ...

    def unknown(name: str) -> None: ...

    for function in (asks, either, unknown):
        assert read_quickly(function, [], {}) is None


def test_a_context_holds_what_was_typed() -> None:
    def asks(context: typer.Context, name: Annotated[str, typer.Argument()]) -> Any:
        return name, context.meta

    # Its annotations are texts, which name things of this module alone.
    asks.__annotations__["context"] = typer.Context
    call = read_quickly(asks, ["n"], {"mayfly.typed": ["asks", "n"]})
    assert call is not None
    assert call() == ("n", {"mayfly.typed": ["asks", "n"]})


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_can_be_declared_to_typer(name: str) -> None:
    found = declared(name)
    assert found.real() if isinstance(found, typer.Typer) else typer.real(found)


@pytest.mark.parametrize("args", [["config", "show", "--json"], ["sandbox", "nothing"], ["run"]])
def test_typer_is_loaded_only_where_it_is_needed(args: list[str]) -> None:
    script = (
        "import sys; from mayfly.cli._app import run; status = run(sys.argv[1:]);"
        "print(status, 'typer' in sys.modules, file=sys.stderr)"
    )
    ran = subprocess.run([sys.executable, "-c", script, *args], capture_output=True, text=True, check=True)
    assert ran.stderr.splitlines()[-1] == ("0 False" if args[0] == "config" else "2 True")
