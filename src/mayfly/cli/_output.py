"""How answers, progress and errors reach the person, and who gives an order; only the answer goes to stdout."""

from __future__ import annotations

import getpass
import os
import re
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from typing import Annotated, Any, TextIO

import typer

# Extras of which the launcher's set `chain` has all.
_CHAIN_EXTRAS = re.compile(r"pip install 'mayfly-agents\[(?:chain|serve|x402)(?:,(?:chain|serve|x402))*\]'")
AsJson = Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")]


def prepare() -> None:
    """Make the streams take any text: what they cannot encode is escaped, and one that is closed takes it nowhere."""
    # The program was started with the stream closed; Python itself then prints nothing, and says nothing about it.
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115 - as long as the program
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
    # An answer may be a number of any length; who waits for it asked for it.
    sys.set_int_max_str_digits(0)


def prepare_server(name: str) -> None:
    """Make this process fit to serve others: it logs to stderr, and a long number in a request is refused."""
    import logging

    # Reading n digits takes n² steps: a megabyte of them would hold the process for seconds.
    sys.set_int_max_str_digits(sys.int_info.default_max_str_digits)
    # Warnings and worse: what the libraries say at every message is not for the log; stdout may be the client's.
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format=f"mayfly {name}: %(name)s: %(message)s")


def command() -> str:
    """Return the command as it was called, for hints that can be typed as they stand."""
    return os.environ.get("MAYFLY_COMMAND") or "mayfly"


def bare_group(**settings: Any) -> typer.Typer:
    """Make a group of commands with plain help; errors and completion are our own."""
    return typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False, **settings)


def group(help: str) -> typer.Typer:
    """Make a group of commands that prints its help where no command is named."""
    made = bare_group(help=help)

    @made.callback(invoke_without_command=True)
    def show_help(context: typer.Context) -> None:
        if context.invoked_subcommand is None:
            typer.echo(context.get_help())

    return made


def to_json(value: object, *, indent: int | None = None) -> str:
    """Write *value* as readable JSON that this terminal or pipe can carry and that holds no control characters."""
    from mayfly.core import json_text

    text = json_text(value, indent=indent)
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return json_text(value, ascii=True, indent=indent)
    return text


def answer(text: str) -> None:
    """Print one piece of the answer."""
    sys.stdout.write(text + "\n")


def answer_json(value: object) -> None:
    """Print the answer as one line of JSON."""
    answer(to_json(value))


def answer_either(data: object, text: str, *, as_json: bool) -> None:
    """Print the answer as one line of JSON, or what is said of it to a person."""
    answer(to_json(data) if as_json else text)


def answer_table(rows: Sequence[tuple[str, ...]]) -> None:
    """Print rows as columns that line up; the first is the heading."""
    for line in table(rows):
        answer(line)


def note(text: str) -> None:
    """Print one line of progress."""
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def foreign(text: str, stream: TextIO) -> str:
    """Return text written by somebody else; on a terminal its control characters are shown, not obeyed."""
    from mayfly.core import harmless

    return harmless(text) if stream.isatty() else text


def table(rows: Sequence[tuple[str, ...]], *, gap: int = 2) -> list[str]:
    """Align *rows* into columns; the last column is left as long as it is."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    padded = ([cell.ljust(width) for cell, width in zip(row, widths, strict=True)] for row in rows)
    return [(" " * gap).join(cells).rstrip() for cells in padded]


def report(error: Exception, *, debug: bool) -> int:
    """Print *error* as one line with its fix and return the exit status it stands for."""
    if isinstance(error, BrokenPipeError):
        _drop_stdout()
        return 141
    if debug:
        import traceback

        traceback.print_exception(error)
    from mayfly.core import harmless, one_line, without_secrets

    message, fix, status = _explain(error)
    hint = f"; {as_called(harmless(fix))}" if fix else ""
    # Errors are pasted into bug reports and kept in logs of others.
    note(f"mayfly: {one_line(without_secrets(message))}{hint}")
    if isinstance(error, OSError):
        _drop_stdout()
    return status


def interrupted() -> int:
    """End quietly after Ctrl-C, with the status shells expect."""
    _drop_stdout()
    return 130


def _explain(error: Exception) -> tuple[str, str | None, int]:
    from mayfly.core.errors import MayflyError

    if isinstance(error, MayflyError):
        return error.message, error.fix, error.exit_status
    if isinstance(error, typer.TyperException):
        return *_usage(error), error.exit_code
    if isinstance(error, typer.Abort):
        return "stopped", None, 1
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror or error}", None, 1
    return f"unexpected {type(error).__name__}: {error}", "run it again with --debug to see where", 1


def _usage(error: Any) -> tuple[str, str]:
    """Say what was typed wrongly and what was probably meant."""
    context: Any = getattr(error, "ctx", None)
    path = context.command_path if context is not None else command()
    option, likely = getattr(error, "option_name", ""), list(getattr(error, "possibilities", None) or ())
    if option and likely:
        from difflib import get_close_matches

        best = get_close_matches(option, likely, n=1) or likely[:1]
        return f"there is no option {option}", f"did you mean {best[0]}? see: {path} --help"
    said = error.format_message().rstrip(".")
    surplus = re.match(r"Got unexpected extra argument.*? \((?!s\))(.*)\)$", said, re.DOTALL)
    if surplus and any(os.path.exists(word) for word in surplus[1].split()):
        # The shell puts the names of files in the place of a pattern, and an option takes the first of them.
        return f"files that belong to no option: {surplus[1]}", "put a pattern in quotes: --input 'logs/*.log'"
    unknown = re.match(r"No such command '(.*?)'(?:\. Did you mean (.*)\?)?$", said, re.DOTALL)
    if unknown is None:
        return said, f"see: {path} --help"
    message = f"there is no command {unknown[1]!r}"
    if unknown[2]:
        return message, f"did you mean {unknown[2].replace(chr(39), '')}? see: {path} --help"
    # Who types a sentence wants it done.
    wants_run = " " in unknown[1].strip() and path == command()
    return message, f'to have it done: {path} run "…"' if wants_run else f"see: {path} --help"


def as_called(fix: str) -> str:
    """Return a hint with the command named as it was called; in a checkout the launcher installs what is missing."""
    if "MAYFLY_COMMAND" in os.environ:
        fix = _CHAIN_EXTRAS.sub(f"MAYFLY_SETUP=chain {command()}", fix)
    return re.sub(r"(?<![\w./-])mayfly (?=[a-z-])", lambda _: command() + " ", fix)


def _drop_stdout() -> None:
    """Send what is still buffered nowhere, so that Python's own exit does not stumble over it."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
    except (OSError, ValueError):
        pass


# Less than this nobody notices, and a line that comes and goes would only flicker.
BUSY_AFTER = 1.0


@contextmanager
def busy(words: str, *, patience: float = BUSY_AFTER) -> Iterator[None]:
    """Show *words* and the seconds while the body runs, from the first second on; nothing is left of it afterwards.

    The body prints nothing itself.
    """
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield
        return
    done = threading.Event()

    def show_seconds() -> None:
        if done.wait(patience):
            return
        for seconds in count(1):
            sys.stderr.write(f"\r\x1b[2K{words} … {seconds} s")
            sys.stderr.flush()
            if done.wait(1.0):
                break
        sys.stderr.write("\r\x1b[2K")
        sys.stderr.flush()

    thread = threading.Thread(target=show_seconds, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


STYLES = {"": "", "dim": "dim", "good": "green", "bad": "bold red", "title": "bold"}


class Screen:
    """Print the answer of a command that narrates; each piece is a text with the name of its style.

    A *quiet* one prints nothing: the answer is data then.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        from rich.console import Console

        self._console = Console(highlight=False, markup=False, emoji=False, quiet=quiet)

    def line(self, *pieces: tuple[str, str], end: str = "\n") -> None:
        """Print one line, however long; `end=""` leaves it open for what follows."""
        from rich.text import Text

        text = Text.assemble(*((piece, STYLES[style]) for piece, style in pieces))
        self._console.print(text, end=end, soft_wrap=True)
        self._console.file.flush()

    def title(self, text: str) -> None:
        """Print a heading with a blank line above it."""
        self.line()
        self.line((text, "title"))

    def commands(self, commands: list[tuple[str, str]]) -> None:
        """Print what to type next, as this command was called."""
        self.title("next")
        width = max(len(typed) for typed, _ in commands)
        for typed, meaning in commands:
            self.line((f"  {command()} {typed.ljust(width)}  ", ""), (meaning, "dim"))


By = Annotated[
    str | None, typer.Option(help="Who says so.", metavar="NAME", show_default="the name you are logged in under")
]
Reason = Annotated[str, typer.Option(help="Why.", metavar="TEXT")]


def who(by: str | None) -> str:
    """Return the name to record: the one given, or that of whoever is logged in."""
    from mayfly.core import InputError

    if by is not None:
        if not by.strip():
            raise InputError("--by is empty", fix="name who says so: --by NAME")
        return by
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        raise InputError("nobody is known by name here", fix="say who you are: --by NAME") from None
