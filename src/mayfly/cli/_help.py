"""`mayfly help` and `completion`: the help of a command, and what lets a shell complete commands and options."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files
from string import Template
from typing import Annotated, Any, NamedTuple

import typer

from mayfly.cli._frame import Shown, shows
from mayfly.core import InputError, one_line


@shows
def help(
    context: typer.Context,
    path: Annotated[
        list[str] | None, typer.Argument(help="The command, such as run or policy eval.", metavar="COMMAND")
    ] = None,
) -> Shown:
    """Print the help of a command, or the list of commands."""
    from mayfly.cli._app import COMMANDS, load

    here: Any = context.parent
    for depth, name in enumerate(path or ()):
        known = getattr(here.command, "commands", {})
        if name not in known:
            from difflib import get_close_matches

            likely = get_close_matches(name, list(known), n=1)
            meant = " ".join(["help", *(path or ())[:depth], *likely])
            raise InputError(
                f"there is no command {one_line(' '.join(path or ()), limit=100)!r}",
                fix=f"did you mean: mayfly {meant}" if likely else "see: mayfly help",
            )
        found = load(name) if not depth and name in COMMANDS else known[name]
        here = found.make_context(name, [], parent=here, resilient_parsing=True)
    return Shown({"command": here.command_path, "help": here.get_help()}, lambda: typer.echo(here.get_help()))


SHELLS = ("bash", "zsh", "fish")
# Values an option can take, as its help writes them: json|csv|lines.
CHOICES = re.compile(r"[a-z][\w-]*(?:\|[a-z][\w-]*)+")


class HelpWord(NamedTuple):
    """One word that may stand at a place, with what it does; *choices* are what may follow an option."""

    place: str
    word: str
    summary: str
    is_command: bool
    choices: tuple[str, ...] = ()


class ShellTemplate(Template):
    """Leave the dollars to the shell."""

    delimiter = "@@"


@shows
def completion(
    shell: Annotated[str, typer.Argument(help="Which shell: bash, zsh or fish.", metavar="SHELL")],
) -> Shown:
    """Print a script that completes commands and options.

    Write it again after an upgrade. bash: into ~/.local/share/bash-completion/completions/mayfly. zsh: into a file
    _mayfly in a directory of $fpath. fish: into ~/.config/fish/completions/mayfly.fish.
    """
    if shell not in SHELLS:
        raise InputError(
            f"there is no completion for {one_line(shell, limit=60)!r}", fix=f"one of: {', '.join(SHELLS)}"
        )
    script = script_for(shell)
    return Shown({"shell": shell, "script": script}, script.rstrip("\n"))


def script_for(shell: str) -> str:
    """Return the script of one shell."""
    words = list(_words())
    text = files("mayfly.cli").joinpath("completion", f"mayfly.{shell}").read_text(encoding="utf-8")
    places = sorted({one.place for one in words} - {""})
    if shell == "fish":
        filled = {"places": " ".join(f'"{place}"' for place in places), "words": "\n".join(map(_fish, words))}
        return ShellTemplate(text).substitute(filled)
    # A list in the shell's own form: of words that may stand at a place, and of values that may follow an option.
    form, entry = ('words="{}"', _word) if shell == "bash" else ("found=({})", _word_with_summary)
    cases = {place: [entry(one) for one in words if one.place == place] for place in ("", *places)}
    choices = {f"{one.place} {one.word}": one.choices for one in words if one.choices}
    return ShellTemplate(text).substitute(
        places="|".join(f'"{place}"' for place in places), words=_cases(cases, form), choices=_cases(choices, form)
    )


def _words() -> Iterator[HelpWord]:
    from typer.main import get_group

    from mayfly.cli._app import COMMANDS, app, load

    root: Any = get_group(app)
    context = root.make_context("mayfly", [], resilient_parsing=True)
    yield from _options(root, context, "")
    for name, lazy in COMMANDS.items():
        yield HelpWord("", name, lazy.summary, is_command=True)
        yield from _below(load(name), name, context, f" {name}")


def _below(command: Any, name: str, parent: Any, place: str) -> Iterator[HelpWord]:
    context = command.make_context(name, [], parent=parent, resilient_parsing=True)
    yield from _options(command, context, place)
    for inner, found in getattr(command, "commands", {}).items():
        yield HelpWord(place, inner, found.get_short_help_str(80), is_command=True)
        yield from _below(found, inner, context, f"{place} {inner}")


def _options(command: Any, context: Any, place: str) -> Iterator[HelpWord]:
    for param in command.get_params(context):
        if param.param_type_name != "option" or getattr(param, "hidden", False):
            continue
        metavar = str(param.metavar or "")
        choices = tuple(metavar.split("|")) if CHOICES.fullmatch(metavar) else ()
        for option in param.opts:
            yield HelpWord(place, option, str(param.help or ""), is_command=False, choices=choices)


def _cases(lists: Mapping[str, Iterable[str]], form: str) -> str:
    return "\n".join(f'        "{place}") {form.format(" ".join(some))} ;;' for place, some in lists.items())


def _word(one: HelpWord) -> str:
    return one.word


def _word_with_summary(one: HelpWord) -> str:
    return f"'{_quoted(one.word, colon=True)}:{_quoted(one.summary)}'"


def _fish(one: HelpWord) -> str:
    start = f"complete -c mayfly -n '__mayfly_at \"{one.place}\"'"
    said = f"-d '{_quoted(one.summary)}'"
    if one.is_command:
        return f"{start} -f -a '{one.word}' {said}"
    flag = f"-l {one.word[2:]}" if one.word.startswith("--") else f"-s {one.word[1:]}"
    chosen = f" -x -a '{' '.join(one.choices)}'" if one.choices else ""
    return f"{start} {flag}{chosen} {said}"


def _quoted(text: str, *, colon: bool = False) -> str:
    """Return text that may stand in single quotes of any of the shells."""
    plain = one_line(text, limit=100).replace("\\", "").replace("'", "’")
    return plain.replace(":", "\\:") if colon else plain
