"""`mayfly do`: one request to its end, in a session, for scripts and for the impatient."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mayfly.cli._output import AsJson, answer_json, command, note
from mayfly.cli._run import ModelOption, Quiet, Verbose
from mayfly.core import InputError, Settings

if TYPE_CHECKING:
    from mayfly.runtime import Session
    from mayfly.session import TurnEnded

WorkspaceOption = Annotated[Path | None, typer.Option(help="The directory the work is done in.", metavar="DIR")]
# How a turn ended, as an exit status: done, stopped by the person, else refused.
STATUS = {"done": 0, "stopped": 130}
_WAITING = 3
LONGEST = 200_000


def do(
    request: Annotated[str, typer.Argument(help="What is wanted, in words; - is stdin.", metavar="REQUEST")],
    *,
    model: ModelOption = None,
    workspace: WorkspaceOption = None,
    verbose: Verbose = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Do one request with tools, in the workspace.

    Commands and edits happen on a workbench; what they change is judged by the rules, then kept, held for you or
    dropped. The answer is on stdout, what was done on stderr. Status 3: something waits for your approval.
    """
    from mayfly.cli._session_view import SessionView
    from mayfly.runtime import Session

    text = sys.stdin.read(LONGEST + 1) if request == "-" else request
    if not text.strip() or len(text) > LONGEST:
        raise InputError("the request is empty or too long", fix='say what is wanted: mayfly do "run the tests"')
    view = SessionView(quiet=quiet or as_json, verbose=verbose)
    with Session(Settings.load(), workspace=checked_workspace(workspace), model=model, observe=view) as session:
        with stopping(session):
            ended = session.turn(text)
        if as_json:
            answer_json(fields_of(session, view, ended))
        elif ended.status == "stopped":
            note(f"go on: {command()} chat --resume {session.id}")
    # Without a model nobody says whether a tool that failed was the point.
    failed = session.model is None and any(call["status"] in ("error", "refused") for call in view.calls)
    raise typer.Exit(STATUS.get(ended.status, 1) or (_WAITING if view.held else int(failed)))


def checked_workspace(workspace: Path | None) -> Path | None:
    """Return the directory as it was given; one that is none is an error."""
    if workspace is not None and not workspace.is_dir():
        raise InputError(f"{workspace} is no directory", fix="name the directory the work is done in")
    return workspace


@contextmanager
def stopping(session: Session) -> Iterator[None]:
    """Let Ctrl-C stop the turn and keep the session; pressed again, it ends the program."""

    def stop(*_: object) -> None:
        session.stop()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        note("stopping the turn; press Ctrl-C again to leave")

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def fields_of(session: Session, view: Any, ended: TurnEnded) -> dict[str, object]:
    """Return a turn as JSON: how it ended, what was said, every call with what became of it."""
    return {
        "status": ended.status,
        "text": ended.text,
        "reason": ended.reason,
        "id": session.id,
        "turn": ended.turn,
        "calls": view.calls,
        "held": view.held,
        "tokens": view.tokens,
        "dollars": view.dollars,
    }
