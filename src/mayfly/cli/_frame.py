"""The frame of a command: its answer as data or as text, and the runtime or the ledger that is opened for it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from mayfly.cli._output import AsJson, answer, answer_json, busy, note
from mayfly.core import InputError, MachineError, Settings

if TYPE_CHECKING:
    from mayfly.runtime import Runtime
    from mayfly.store import Ledger


class Shown(NamedTuple):
    """What a command answers: *data* with --json, otherwise *text* on stdout and *hint* on stderr.

    *data* may be a function that returns it; *text* is a text, its lines, or a function that draws it. *status* is the
    exit status of the command.
    """

    data: object
    text: str | Iterable[str] | Callable[[], object] = ()
    hint: str = ""
    status: int = 0


def shows(command: Callable[..., Shown]) -> Callable[..., None]:
    """Give a command the option --json: what it returns is printed as data or as text."""
    signature = inspect.signature(command, eval_str=True)
    option = inspect.Parameter("as_json", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=AsJson)

    @wraps(command)
    def run(*given: Any, as_json: bool = False, **options: Any) -> None:
        show(command(*given, **options), as_json=as_json)

    # typer makes the options of a command from its signature.
    vars(run)["__signature__"] = signature.replace(parameters=[*signature.parameters.values(), option])
    return run


def show(shown: Shown, *, as_json: bool) -> None:
    """Print an answer as data or as text, and end with its status where that is not 0."""
    if as_json:
        answer_json(shown.data() if callable(shown.data) else shown.data)
    else:
        if callable(shown.text):
            shown.text()
        else:
            for line in [shown.text] if isinstance(shown.text, str) else shown.text:
                answer(line)
        if shown.hint:
            note(shown.hint)
    if shown.status:
        raise typer.Exit(shown.status)


@contextmanager
def opened(waiting: str = "", **options: Any) -> Iterator[Runtime]:
    """Open the runtime of the settings in force; *waiting* says on a terminal what takes long."""
    from mayfly.runtime import Runtime

    with busy(waiting) if waiting else nullcontext(), Runtime(Settings.load(), **options) as runtime:
        yield runtime


@contextmanager
def kept_ledger(settings: Settings | None = None) -> Iterator[Ledger | None]:
    """Open the ledger, if there is one: a look makes no store."""
    from mayfly.store import Ledger

    with Ledger.find(settings or Settings.load()) or nullcontext() as ledger:
        yield ledger


@contextmanager
def ledger_with(missing: str = "nothing has been run yet", *, fix: str = "try: mayfly demo") -> Iterator[Ledger]:
    """Open the ledger in which something is looked for; say that it is *missing* where there is none."""
    with kept_ledger() as ledger:
        if ledger is None:
            raise InputError(missing, fix=fix)
        yield ledger


def checked_directory(path: Path | None) -> Path | None:
    """Return the directory in which the work is done, as it was given; one that is none is an `InputError`."""
    if path is not None and not path.is_dir():
        raise InputError(f"{path} is no directory", fix="name the directory the work is done in")
    return path


def require(what: str, extras: str, *modules: str) -> None:
    """Import the modules that *what* is wanted for, or say which extras of ours bring them."""
    try:
        for module in modules:
            __import__(module)
    except ImportError as error:
        raise MachineError(
            f"{what} needs the package {error.name} and others", fix=f"pip install 'mayfly-agents[{extras}]'"
        ) from None
