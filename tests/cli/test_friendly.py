"""What makes the command line kind: a hint for what was mistyped, JSON everywhere, completion, no colour in a pipe."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from mayfly.cli._app import COMMANDS, app, load

from .conftest import Cli


def every_command() -> Iterator[tuple[str, Any, set[str]]]:
    """Yield each command that does something, with its options."""

    def below(command: Any, name: str, parent: Any, path: str) -> Iterator[tuple[str, Any, set[str]]]:
        context = command.make_context(name, [], parent=parent, resilient_parsing=True)
        inner = getattr(command, "commands", {})
        options = {option for param in command.get_params(context) for option in param.opts}
        # A group that has options does something by itself; one that has none prints its help.
        if not inner or options - {"--help", "-h"}:
            yield path, command, options
        for child, found in inner.items():
            yield from below(found, child, context, f"{path} {child}")

    root: Any = typer.main.get_group(app)
    context = root.make_context("mayfly", [], resilient_parsing=True)
    for name in COMMANDS:
        yield from below(load(name), name, context, name)


def test_every_command_has_json() -> None:
    found = {path: options for path, _, options in every_command()}
    assert len(found) > 80
    assert [path for path, options in found.items() if "--json" not in options] == []


def test_every_command_and_every_option_says_what_it_does() -> None:
    silent = [path for path, command, _ in every_command() if not command.help]
    for path, command, _ in every_command():
        silent += [f"{path} {param.opts}" for param in command.params if not getattr(param, "help", "")]
    assert silent == []


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["rnu"], "there is no command 'rnu'; did you mean run? see: mayfly --help"),
        (["tools", "lsit"], "there is no command 'lsit'; did you mean list? see: mayfly tools --help"),
        (["run", "x", "--inptu", "y"], "there is no option --inptu; did you mean --input? see: mayfly run --help"),
        (["runs", "--jsn"], "there is no option --jsn; did you mean --json? see: mayfly runs --help"),
        (["count the lines"], "there is no command 'count the lines'; to have it done: mayfly run \"…\""),
        (["zzzz"], "there is no command 'zzzz'; see: mayfly --help"),
        (["help", "polcy"], "there is no command 'polcy'; did you mean: mayfly help policy"),
        (["help", "policy", "evl"], "there is no command 'policy evl'; did you mean: mayfly help policy eval"),
    ],
)
def test_what_is_mistyped_gets_a_hint(cli: Cli, typed: list[str], said: str) -> None:
    assert cli(*typed) == (2, "", f"mayfly: {said}\n")


def test_a_mistyped_command_with_control_characters_is_one_harmless_line(cli: Cli) -> None:
    ran = cli("ru\x1b[2Jn\n")
    assert (ran.status, ran.err.count("\n")) == (2, 1)
    assert "\x1b" not in ran.err


def test_help_is_data_on_request(cli: Cli) -> None:
    found = json.loads(cli("help", "policy", "eval", "--json").out)
    assert found["command"] == "mayfly policy eval"
    assert found["help"].startswith("Usage: mayfly policy eval")


def test_a_chat_has_an_object_a_turn(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "model.jsonl"
    script.write_text("".join(json.dumps({"for": "chat", "answer": text}) + "\n" for text in ("hello", "bye")))
    said = tmp_path / "said"
    said.write_text("hi\n/diff\nthanks\n/quit\n")
    with said.open() as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        ran = cli("chat", "--json", "--model", f"scripted:{script}")
    first, command, second = (json.loads(line) for line in ran.out.splitlines())
    assert (first["text"], first["turn"], second["text"], second["turn"]) == ("hello", 1, "bye", 2)
    assert command == {"command": "/diff", "text": "nothing was changed yet"}


BASH = """
source "$1"
try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _mayfly; echo "${COMPREPLY[*]}"; }
try mayfly to
try mayfly tools ro
try mayfly run "count lines" --as j
try mayfly run --inp
try mayfly log verify --js
try mayfly run nothing-like-it
"""


def test_bash_completes_commands_options_and_values(cli: Cli, tmp_path: Path) -> None:
    script = tmp_path / "mayfly.bash"
    script.write_text(cli("completion", "bash").out)
    ran = subprocess.run(["bash", "-c", BASH, "bash", script], capture_output=True, text=True, check=True, timeout=30)
    assert ran.stdout.splitlines() == ["tools", "rollback", "json", "--input", "--json", ""]
    assert ran.stderr == ""


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
def test_fish_completes_commands_options_and_values(cli: Cli, tmp_path: Path) -> None:
    script = tmp_path / "mayfly.fish"
    script.write_text(cli("completion", "fish").out)
    asked = "; ".join(
        f"complete -C '{line}'" for line in ("mayfly tools ro", "mayfly run x --as js", "mayfly run --inp")
    )
    command = ["fish", "--no-config", "-c", f"source {script}; {asked}"]
    env = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    ran = subprocess.run(command, capture_output=True, text=True, check=True, timeout=30, env=env)
    assert [line.split("\t")[0] for line in ran.stdout.splitlines()] == ["rollback", "json", "--input"]


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")
def test_zsh_reads_its_script(cli: Cli, tmp_path: Path) -> None:
    script = tmp_path / "_mayfly"
    script.write_text(cli("completion", "zsh").out)
    load_it = f"autoload -U compinit; compinit -D; source {script}; print $_comps[mayfly]"
    ran = subprocess.run(["zsh", "-f", "-c", load_it], capture_output=True, text=True, check=True, timeout=30)
    assert ran.stdout == "_mayfly\n"


def test_every_command_is_in_every_script(cli: Cli) -> None:
    for shell in ("bash", "zsh", "fish"):
        script = json.loads(cli("completion", shell, "--json").out)["script"]
        assert [name for name in COMMANDS if name not in script] == []


def test_another_shell_is_one_line(cli: Cli) -> None:
    assert cli("completion", "tcsh").err == "mayfly: there is no completion for 'tcsh'; one of: bash, zsh, fish\n"


@pytest.mark.parametrize(
    "args", [["--help"], ["runs"], ["config", "show"], ["run", "say something"], ["tools", "list"]]
)
def test_nothing_is_coloured_in_a_pipe(cli: Cli, args: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    ran = cli(*args)
    assert "\x1b" not in ran.out + ran.err
