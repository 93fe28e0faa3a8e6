"""The tree of commands: help, versions, wrong usage, and how errors look."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from mayfly import __version__
from mayfly.cli import _output
from mayfly.cli._app import COMMANDS, app, load
from mayfly.core import HelpNeeded, InputError, MachineError, MayflyError, Settings

from .conftest import Cli


def mayfly(*args: str, **environ: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mayfly.cli", *args]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environ}, timeout=200)


def test_without_arguments_the_help_is_printed(cli: Cli) -> None:
    bare, asked = cli(), cli("--help")
    assert bare == asked
    assert bare.status == 0
    assert all(name in bare.out for name in COMMANDS)
    assert bare.err == ""


def test_a_group_without_a_command_prints_its_help(cli: Cli) -> None:
    ran = cli("config")
    assert ran.status == 0
    assert "show" in ran.out


def test_the_version_is_the_packages(cli: Cli) -> None:
    assert cli("--version") == (0, f"mayfly {__version__}\n", "")


@pytest.mark.parametrize("name", COMMANDS)
def test_the_line_in_the_list_is_what_the_command_says_of_itself(name: str) -> None:
    summary = COMMANDS[name].summary.rstrip(".")
    own = load(name).help
    assert own.startswith(summary) or name == "log"


@pytest.mark.parametrize(
    ("args", "line"),
    [
        (["confg"], "mayfly: there is no command 'confg'; did you mean config? see: mayfly --help"),
        (["config", "shw"], "mayfly: there is no command 'shw'; did you mean show? see: mayfly config --help"),
        (["demo", "--loud"], "mayfly: No such option: --loud; see: mayfly demo --help"),
        (["sandbox", "exec"], "mayfly: Missing argument 'FILE.py'; see: mayfly sandbox exec --help"),
        (["sandbox", "exec", "x.py"], "mayfly: Missing option '--entry'; see: mayfly sandbox exec --help"),
        (["doctor", "--level", "none"], "mayfly: Invalid value for '--level': "),
        (["--colour"], "mayfly: No such option: --colour"),
    ],
)
def test_wrong_usage_gets_one_line_and_status_2(cli: Cli, args: list[str], line: str) -> None:
    ran = cli(*args)
    assert ran.status == 2
    assert ran.out == ""
    assert ran.err.startswith(line)
    assert ran.err.count("\n") == 1


def test_hints_name_the_command_as_it_was_called(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAYFLY_COMMAND", "./mayfly")
    monkeypatch.chdir(os.getcwd())
    Path("mayfly.toml").write_text("speed = 3\n")
    assert cli("demo", "--loud").err.endswith("see: ./mayfly demo --help\n")
    assert cli("config", "show").err == (
        "mayfly: mayfly.toml: unknown setting speed; see: ./mayfly config show --defaults\n"
    )
    assert "Usage: ./mayfly " in cli("--help").out


@pytest.mark.parametrize(
    ("error", "status", "line"),
    [
        (InputError("no such file", fix="name another"), 2, "mayfly: no such file; name another\n"),
        (MachineError("no wall here"), 4, "mayfly: no wall here\n"),
        (MayflyError("two\nlines"), 1, "mayfly: two lines\n"),
        (MayflyError("\x1b[31mred"), 1, "mayfly: \\x1b[31mred\n"),
        (
            HelpNeeded("coder", "parse", 3, "boom"),
            3,
            "mayfly: Persona 'coder' needs help with 'parse' after 3 attempts\n",
        ),
        (FileNotFoundError(2, "No such file", "a.txt"), 1, "mayfly: a.txt: No such file\n"),
        (typer.Abort(), 1, "mayfly: stopped\n"),
        (KeyError("x"), 1, "mayfly: unexpected KeyError: 'x'; run it again with --debug to see where\n"),
    ],
)
def test_an_error_is_one_line_with_its_own_exit_status(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, error: Exception, status: int, line: str
) -> None:
    def fail() -> None:
        raise error

    monkeypatch.setattr(_output, "_drop_stdout", lambda: None)
    monkeypatch.setattr(Settings, "load", fail)
    assert cli("config", "show") == (status, "", line)


@pytest.mark.parametrize("args", [["--debug", "config", "show"], ["config", "show", "--debug"]])
def test_debug_shows_the_traceback_wherever_it_stands(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, args: list[str]
) -> None:
    def fail() -> None:
        raise InputError("wrong")

    monkeypatch.setattr(Settings, "load", fail)
    ran = cli(*args)
    assert ran.status == 2
    assert ran.err.startswith("Traceback")
    assert ran.err.endswith("mayfly: wrong\n")


def test_ctrl_c_ends_with_130_and_no_traceback(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(_output, "_drop_stdout", lambda: None)
    monkeypatch.setattr(Settings, "load", stop)
    assert cli("config", "show") == (130, "", "")


def test_a_closed_pipe_is_quiet() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "mayfly.cli", "config", "show"]
    with os.fdopen(writer, "w") as out:
        ran = subprocess.run(command, stdout=out, stderr=subprocess.PIPE, text=True, timeout=200)
    assert ran.stderr == ""
    assert ran.returncode in (1, 141)


def test_a_program_started_without_an_output_says_nothing() -> None:
    command = ["sh", "-c", 'exec "$0" -m mayfly.cli config show >&-', sys.executable]
    ran = subprocess.run(command, stderr=subprocess.PIPE, text=True, timeout=60)
    assert (ran.returncode, ran.stderr) == (0, "")


def test_a_full_disk_under_the_answer_is_one_line() -> None:
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "mayfly.cli", "config", "show"]
        ran = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=200)
    assert ran.returncode == 1
    assert ran.stderr == "mayfly: No space left on device\n"


def test_help_imports_no_command_and_nothing_heavy() -> None:
    script = (
        "import sys; from mayfly.cli._app import run; run(['--help']);"
        "print(*sorted(m for m in sys.modules if m.split('.')[0] in ('rich', 'pydantic', 'sqlite3')"
        " or m.startswith(('mayfly.cli._', 'mayfly.core', 'mayfly.store', 'mayfly.sandbox'))))"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[-1] == "mayfly.cli._app mayfly.cli._output"


def test_an_encoding_without_the_letters_does_not_break_the_answer() -> None:
    ran = mayfly("config", "show", PYTHONIOENCODING="ascii:strict", MAYFLY_STATE_DIR="/tmp/é")
    assert ran.returncode == 0
    assert "/tmp/\\xe9" in ran.stdout


def test_the_group_lists_commands_in_the_order_of_the_table() -> None:
    group = typer.main.get_group(app)
    assert list(group.commands) == list(COMMANDS)
