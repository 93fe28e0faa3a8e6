"""`mayfly chat`: a conversation in a workspace that survives the process it is held in."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from mayfly.cli._do import WorkspaceOption, checked_workspace, fields_of, stopping
from mayfly.cli._output import answer, command, foreign, note, to_json
from mayfly.cli._run import ModelOption, Verbose
from mayfly.core import Settings, one_line

if TYPE_CHECKING:
    from mayfly.cli._session_view import SessionView
    from mayfly.runtime import Session
    from mayfly.session import TurnEnded

_HELP = (
    "Say what you want. /undo takes the last change back, /diff shows it, /agents lists agents, /quit leaves.\n"
    "Ctrl-C stops a turn and keeps the session."
)


def chat(
    request: Annotated[
        str | None, typer.Argument(help="What to begin with.", metavar="REQUEST", show_default=False)
    ] = None,
    *,
    resume: Annotated[
        str | None, typer.Option("--resume", help="Go on with a session: its id, or last.", metavar="ID|last")
    ] = None,
    model: ModelOption = None,
    workspace: WorkspaceOption = None,
    verbose: Verbose = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object a turn.")] = False,
) -> None:
    """Talk to an agent that works in this directory.

    It reads, edits and runs on a workbench, within the rules; you see what it does and what changed, and can take
    every change back. Everything is in the ledger: after a crash, --resume goes on with nothing done twice.
    """
    from mayfly.cli._session_view import SessionView
    from mayfly.runtime import Session

    view = SessionView(quiet=as_json, verbose=verbose)
    wanted = None if resume is None else "" if resume == "last" else resume
    with Session(
        Settings.load(), workspace=checked_workspace(workspace), model=model, resume=wanted, observe=view, ask=_ask
    ) as session:
        known = session.model.name if session.model is not None else "no model: only what single tools do"
        note(f"session   {session.id} in {session.workspace} ({known})")
        if sys.stdin.isatty():
            note(_HELP)
        if session.log.turn is not None:
            note(f"goes on   {one_line(session.log.turn.text, limit=100)}")
            with stopping(session):
                _show(session, view, session.go_on(), as_json=as_json)
        waiting = [request] if request is not None else []
        while (text := waiting.pop() if waiting else _read()) is not None:
            if not text.strip():
                continue
            if text.startswith("/"):
                said: list[str] = []
                goes_on = _command(text.strip(), session, said.append)
                for line in said:
                    answer(to_json({"command": text.strip(), "text": line}) if as_json else line)
                if not goes_on:
                    break
                continue
            with stopping(session):
                _show(session, view, session.turn(text), as_json=as_json)
        note(f"go on later with: {command()} chat --resume {session.id}")


def _show(session: Session, view: SessionView, ended: TurnEnded | None, *, as_json: bool) -> None:
    """Print a turn that has ended, where it was not shown while it happened, and forget what was shown of it."""
    if as_json and ended is not None:
        answer(to_json(fields_of(session, view, ended)))
        sys.stdout.flush()
    view.held.clear()
    view.calls.clear()


def _read() -> str | None:
    """Read one line; None at the end."""
    if not sys.stdin.isatty():
        line = sys.stdin.readline()
        return line.rstrip("\n") if line else None
    try:
        import readline  # noqa: F401 -- editing and history of the line
    except ImportError:
        pass
    try:
        return input("> ")
    except EOFError:
        return None
    except KeyboardInterrupt:
        note("")
        return ""


def _ask(question: str, choices: tuple[str, ...]) -> str | None:
    """Put a question of the agent to the person, if one is there."""
    if not sys.stdin.isatty():
        return None
    note(foreign(f"asks      {question}", sys.stderr))
    for number, choice in enumerate(choices, 1):
        note(foreign(f"  {number}  {choice}", sys.stderr))
    said = (_read() or "").strip()
    return choices[int(said) - 1] if said.isdigit() and 1 <= int(said) <= len(choices) else said or None


def _command(text: str, session: object, answer: Callable[[str], None]) -> bool:
    """Do one of the commands that begin with a slash; False to leave."""
    from mayfly.runtime import Session
    from mayfly.sandbox.workbench import commits, undo

    assert isinstance(session, Session)
    state = session.executor.room.state
    match text.split():
        case ["/quit" | "/exit" | "/q"]:
            return False
        case ["/undo"]:
            taken = undo(state, session.workspace, None)
            answer(f"taken back: {taken.changes.summary()} ({taken.id})")
        case ["/diff"]:
            known = commits(state, session.workspace)
            answer(known[0].changes.diff() if known else "nothing was changed yet")
        case ["/agents"]:
            for agent in session.spawner.agents:
                answer(f"{agent.id}  {agent.state:<9} {one_line(agent.request.task, limit=80)}")
        case _:
            note(_HELP)
    return True
