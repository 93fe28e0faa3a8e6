"""`mayfly do`, `chat` and `agents`: requests to an agent that works in a directory, and how a session is shown."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mayfly.cli._frame import Shown, checked_directory, kept_ledger, shows
from mayfly.cli._output import AsJson, answer, answer_json, command, foreign, note, table, to_json
from mayfly.cli._run import ModelOption, Quiet, Verbose
from mayfly.core import InputError, Settings, one_line
from mayfly.operations import pick_fields

if TYPE_CHECKING:
    from mayfly.runtime import Session
    from mayfly.session import SessionLog, ToolCalled, ToolReturned, TurnConfigured, TurnEnded
    from mayfly.world import SettledChanges

WorkspaceOption = Annotated[Path | None, typer.Option(help="The directory the work is done in.", metavar="DIR")]
# How a turn ended, as an exit status: done, stopped by the person, else refused.
TURN_STATUS = {"done": 0, "stopped": 130}
_WAITING = 3
LONGEST_REQUEST = 200_000


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
    from mayfly.runtime import Session

    text = sys.stdin.read(LONGEST_REQUEST + 1) if request == "-" else request
    if not text.strip() or len(text) > LONGEST_REQUEST:
        raise InputError("the request is empty or too long", fix='say what is wanted: mayfly do "run the tests"')
    view = SessionView(quiet=quiet or as_json, verbose=verbose)
    with Session(Settings.load(), workspace=checked_directory(workspace), model=model, observe=view) as session:
        with stopping(session):
            ended = session.turn(text)
        if as_json:
            answer_json(turn_fields(session, view, ended))
        elif ended.status == "stopped":
            note(f"go on: {command()} chat --resume {session.id}")
    # Without a model nobody says whether a tool that failed was the point.
    failed = session.model is None and any(call["status"] in ("error", "refused") for call in view.calls)
    raise typer.Exit(TURN_STATUS.get(ended.status, 1) or (_WAITING if view.held else int(failed)))


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


def turn_fields(session: Session, view: SessionView, ended: TurnEnded) -> dict[str, object]:
    """Return a turn as JSON: how it ended, what was said, every call with what became of it."""
    turn = pick_fields(ended, "status text reason turn")
    return {**turn, "id": session.id, **pick_fields(view, "calls held tokens dollars")}


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
    from mayfly.runtime import Session

    view = SessionView(quiet=as_json, verbose=verbose)
    wanted = None if resume is None else "" if resume == "last" else resume
    with Session(
        Settings.load(),
        workspace=checked_directory(workspace),
        model=model,
        resume=wanted,
        observe=view,
        ask=_ask_person,
    ) as session:
        known = session.model.name if session.model is not None else "no model: only what single tools do"
        note(f"session   {session.id} in {session.workspace} ({known})")
        if sys.stdin.isatty():
            note(_HELP)
        if session.log.turn is not None:
            note(f"goes on   {one_line(session.log.turn.text, limit=100)}")
            with stopping(session):
                _show_turn(session, view, session.go_on(), as_json=as_json)
        waiting = [request] if request is not None else []
        while (text := waiting.pop() if waiting else _read_line()) is not None:
            if not text.strip():
                continue
            if text.startswith("/"):
                said: list[str] = []
                goes_on = _slash_command(text.strip(), session, said.append)
                for line in said:
                    answer(to_json({"command": text.strip(), "text": line}) if as_json else line)
                if not goes_on:
                    break
                continue
            with stopping(session):
                _show_turn(session, view, session.turn(text), as_json=as_json)
        note(f"go on later with: {command()} chat --resume {session.id}")


def _show_turn(session: Session, view: SessionView, ended: TurnEnded | None, *, as_json: bool) -> None:
    """Print a turn that has ended, where it was not shown while it happened, and forget what was shown of it."""
    if as_json and ended is not None:
        answer(to_json(turn_fields(session, view, ended)))
        sys.stdout.flush()
    view.held.clear()
    view.calls.clear()


def _read_line() -> str | None:
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


def _ask_person(question: str, choices: tuple[str, ...]) -> str | None:
    """Put a question of the agent to the person, if one is there."""
    if not sys.stdin.isatty():
        return None
    note(foreign(f"asks      {question}", sys.stderr))
    for number, choice in enumerate(choices, 1):
        note(foreign(f"  {number}  {choice}", sys.stderr))
    said = (_read_line() or "").strip()
    return choices[int(said) - 1] if said.isdigit() and 1 <= int(said) <= len(choices) else said or None


def _slash_command(text: str, session: Session, answer: Callable[[str], None]) -> bool:
    """Do one of the commands that begin with a slash; False to leave."""
    from mayfly.sandbox.workbench import commits, undo

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


@shows
def agents(*, all: Annotated[bool, typer.Option("--all", help="Those that ended for good too.")] = False) -> Shown:
    """List sessions and spawned agents, the newest first: how each stands and what it was last asked."""
    from mayfly.session import sessions

    with kept_ledger() as ledger:
        logs = [] if ledger is None else list(reversed(sessions(ledger)))
    found = [_agent_fields(log) for log in logs if all or log.ended is None or log.ended.status != "ended"]
    if not found:
        return Shown([], hint=f'no session yet; begin one: {command()} chat, or {command()} do "run the tests"')
    rows = [("id", "kind", "state", "turns", "where", "last asked")]
    rows += [
        (one["id"], one["kind"], one["state"], str(one["turns"]), one["workspace"], one_line(one["last"], limit=60))
        for one in found
    ]
    return Shown(found, table(rows))


def _agent_fields(log: SessionLog) -> dict[str, Any]:
    state = "at work or interrupted" if log.turn is not None else "open"
    names = "kind name parent workspace model"
    began = pick_fields(log.began, names) if log.began is not None else dict.fromkeys(names.split(), "")
    return {
        **began,
        "id": log.id,
        "kind": began["kind"] or "session",
        "state": log.ended.status if log.ended is not None else state,
        "turns": len(log.turns),
        "last": log.turns[-1].text if log.turns else "",
    }


# Lines of a diff that are shown before the rest is folded away.
_DIFF_LINES = 12
_RESULT = 100
# Tools that leave behind what they make anew each time, which nobody wants to read.
_MADE_ANEW = frozenset({"test_exec", "run_pytest", "run_mypy", "build_check", "coverage_analyzer"})


class SessionView:
    """Be told what happens in a session and print it; nothing but the answer goes to stdout."""

    def __init__(self, *, quiet: bool = False, verbose: bool = False, stream: bool = True) -> None:
        self._quiet = quiet
        self._verbose = verbose
        self._stream = stream
        self._said = ""
        self.dollars = 0.0
        self.tokens = 0
        self.calls: list[dict[str, Any]] = []
        self.held: list[str] = []

    def __call__(self, happened: object) -> None:
        """Print one thing that happened."""
        from mayfly.session import ModelSaid, TextPiece, ToolCalled, ToolReturned, TurnConfigured, TurnEnded
        from mayfly.world import SettledChanges

        match happened:
            case TextPiece():
                self._piece(happened.text)
            case ModelSaid():
                self.dollars += happened.dollars
                self.tokens += happened.tokens
                self._end_of_text(happened.text, whole=not happened.calls)
            case TurnConfigured():
                self._configured(happened)
            case ToolCalled():
                self._called(happened)
            case ToolReturned():
                self._returned(happened, None)
            case (ToolReturned() as returned, SettledChanges() as settled):
                self._returned(returned, settled)
            case TurnEnded():
                self._ended(happened)

    def _piece(self, text: str) -> None:
        self._said += text
        if self._stream and not self._quiet:
            sys.stdout.write(foreign(text, sys.stdout))
            sys.stdout.flush()

    def _end_of_text(self, text: str, *, whole: bool) -> None:
        if self._stream and not self._quiet:
            if text and not self._said:
                sys.stdout.write(foreign(text, sys.stdout))
            if (text or self._said) and not (text or self._said).endswith("\n"):
                sys.stdout.write("\n")
            sys.stdout.flush()
        self._said = ""

    def _configured(self, configured: TurnConfigured) -> None:
        for line in configured.told:
            self._note(f"note      {one_line(line, limit=300)}")
        if self._verbose:
            self._note(f"acts as   {', '.join(configured.personas)}; tools: {', '.join(configured.tools)}")

    def _called(self, called: ToolCalled) -> None:
        given = called.arguments if isinstance(called.arguments, dict) else {}
        shown = next(
            (str(given[key]) for key in ("command", "path", "pattern", "url", "task", "question") if key in given), ""
        )
        if not shown and given:
            shown = ", ".join(f"{key}={value}" for key, value in given.items())
        self._note(f"  {called.tool:<14} {one_line(shown, limit=_RESULT)}".rstrip())

    def _returned(self, returned: ToolReturned, settled: SettledChanges | None) -> None:
        fields = {"tool": returned.tool, "status": returned.status, "commit": returned.commit, "held": returned.held}
        self.calls.append(fields)
        if returned.held:
            self.held.append(returned.held)
        if returned.status in ("refused", "error", "held", "unknown"):
            self._note(f"    {returned.status}: {one_line(returned.text, limit=300)}")
        elif self._verbose:
            self._note(f"    {one_line(returned.text, limit=300)}")
        if settled is None or not settled.diff:
            return
        if returned.tool in _MADE_ANEW and not self._verbose:
            self._note(f"    {settled.summary}")
        else:
            self._diff(settled)

    def _diff(self, settled: SettledChanges) -> None:
        lines = settled.diff.splitlines()
        most = len(lines) if self._verbose else _DIFF_LINES
        for line in lines[:most]:
            self._note(f"    {line}")
        if len(lines) > most:
            self._note(
                f"    … {len(lines) - most} more lines ({settled.summary}); whole: {command()} undo --show {settled.id}"
            )

    def _ended(self, ended: TurnEnded) -> None:
        if ended.status != "done":
            self._note(f"{ended.status:<10}{one_line(ended.reason, limit=300)}")
        for id in self.held:
            self._note(f"waits     {id}: {command()} inbox; {command()} approve {id}")
        money = f", ${self.dollars:.4f}" if self.dollars else ""
        if self.tokens:
            self._note(f"cost      {self.tokens:,} tokens{money}")

    def _note(self, text: str) -> None:
        if not self._quiet:
            note(foreign(text, sys.stderr))
