"""What every page shares: its frame, safe templates, and what happened as moments of a timeline."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastapi import Request
from fastapi.responses import HTMLResponse, RedirectResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from mayfly import __version__
from mayfly.core import clipped, ending_of, harmless, utf8, without_secrets
from mayfly.operations import INBOX_EVENTS, event_words, inbox, tell
from mayfly.serve.web._answer import plain_data
from mayfly.serve.web._passes import form_token
from mayfly.serve.web._served import served_by

if TYPE_CHECKING:
    from starlette.datastructures import FormData

    from mayfly.store import Event, Ledger

HERE = Path(__file__).parent
# The pages in the order of the menu: address and name.
MENU = (
    ("/", "Home"),
    ("/runs", "Runs"),
    ("/chat", "Chat"),
    ("/library", "Library"),
    ("/policy", "Policy"),
    ("/inbox", "Inbox"),
    ("/market", "Market"),
    ("/doctor", "Doctor"),
)
# What a page says after something was done. The address has the key alone, so that nobody can make a link that has
# our page say something else.
DONE = {
    "approved": "Approved, and done.",
    "denied": "Denied; the agent is told.",
    "settled": "Recorded. The run can go on.",
    "made": "It is proven, and serves.",
    "rolled-back": "That version serves again.",
    "undone": "The change was taken back.",
    "stopped": "It was asked to stop.",
    "voted": "Your vote is signed and counted.",
}
# Every page is of its moment, and may hold what only this browser should see.
_HEADERS = {"Cache-Control": "no-store"}
# Lines of a diff and characters of a value that are put on a page; a browser shows more only slowly.
_DIFF_LINES = 1500
_VALUE = 60_000
_OPTIONS = re.compile(r" \(--[a-z][a-z-]*(?: [a-z]+)?\)")


def page(request: Request, template: str, *, status: int = 200, **context: Any) -> HTMLResponse:
    """Return a page made of *template*; the frame knows the menu, what waits, and the token for forms."""
    served = served_by(request)
    here = "/" + request.url.path.strip("/").partition("/")[0]
    text = (
        templates()
        .get_template(template)
        .render(
            menu=MENU,
            here=here,
            inbox_count=_waiting.count(served.ledger),
            token=form_token(request),
            done=DONE.get(request.query_params.get("done", ""), ""),
            version=__version__,
            **context,
        )
    )
    return HTMLResponse(utf8(text), status, _HEADERS)


def see(address: str, done: str = "") -> RedirectResponse:
    """Send a browser that has sent a form on to what came of it."""
    return RedirectResponse(f"{address}{'?done=' + done if done else ''}", 303)


def word_in(form: FormData, name: str, *, most: int = 20_000) -> str:
    """Return what was typed into a field, without blanks around it; nothing where it was not sent."""
    given = form.get(name, "")
    return given.strip()[:most] if isinstance(given, str) else ""


class _Waiting:
    """Count what waits for a person; counted again only when something of it has changed."""

    def __init__(self) -> None:
        self._known: tuple[tuple[int, ...], int] = ((), 0)

    def count(self, ledger: Ledger) -> int:
        newest = [ledger.last(kind=kind) for kind in INBOX_EVENTS]
        mark = (id(ledger), *(event.id if event else 0 for event in newest))
        if self._known[0] != mark:
            self._known = mark, len(inbox(ledger))
        return self._known[1]


_waiting = _Waiting()


@cache
def templates() -> Environment:
    """Return the templates of the pages."""
    made = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
    )
    made.filters |= {
        "ago": ago,
        "clip": lambda text, limit: clipped(" ".join(str(text).split()), limit),
        "count": lambda number: f"{number:,}",
        "diff": diff_lines,
        "for_pages": for_pages,
        "model_name": model_name,
        "moment": moment,
        "pretty": pretty,
        "standing": ending_of,
        "took": took,
    }
    return made


def _shown(value: object) -> object:
    """Show what would steer a terminal or turn a text around, in whatever is put on a page, and hide secrets."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return harmless(without_secrets(value))
    return value


def took(seconds: float | None) -> str:
    """Say how long something took, as short as it is meant."""
    if seconds is None:
        return ""
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def moment(at: datetime | str) -> str:
    """Say when something was, to the second."""
    found = datetime.fromisoformat(at) if isinstance(at, str) else at
    return found.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S")


def ago(at: datetime | str) -> str:
    """Say how long ago something was."""
    found = datetime.fromisoformat(at) if isinstance(at, str) else at
    seconds = (datetime.now(UTC) - found).total_seconds()
    for size, word in ((86_400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size:
            number = int(seconds // size)
            return f"{number} {word}{'s' if number > 1 else ''} ago"
    return "just now"


def pretty(value: object) -> str:
    """Write a value as JSON over several lines, cut where a page could not show more."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2, default=plain_data)
    return clipped(text, _VALUE, mark="\n… (cut here; the API has the whole of it)")


def model_name(name: str) -> str:
    """Return what a model is called; of one that is a file only that it is one."""
    kind, _, rest = name.partition(":")
    return kind if kind in ("scripted", "replay") or rest.startswith("//") else name


def for_pages(reason: str) -> str:
    """Return a reason without the options of the command line, which a page has fields for."""
    return _OPTIONS.sub("", reason)


def diff_lines(text: str) -> list[tuple[str, str]]:
    """Return the lines of a diff, each with what it is: added, removed, a place, a file, or as before."""
    lines = text.removesuffix("\n").split("\n") if text else []
    shown = [(_diff_kind(line), line) for line in islice(lines, _DIFF_LINES)]
    left = len(lines) - _DIFF_LINES
    return shown if left <= 0 else [*shown, ("place", f"… and {left:,} more lines")]


def _diff_kind(line: str) -> str:
    if line.startswith(("+++", "---", "diff ")):
        return "file"
    if line.startswith("@@"):
        return "place"
    return {"+": "added", "-": "removed"}.get(line[:1], "same")


# Characters of one line of a story; the API has the whole of it.
_LINE = 1200
_TONES = {"accept": "good", "revise": "warn", "reject": "bad", "permit": "good", "deny": "bad", "approval": "wait"}
_KINDS = {
    "run.resolved": "good",
    "run.collapsed": "warn",
    "run.cancelled": "warn",
    "promise.resolved": "good",
    "promise.collapsed": "warn",
    "promise.failed": "bad",
    "promise.began": "wait",
    "effect.done": "good",
    "effect.refused": "bad",
    "effect.unknown": "warn",
    "agent.created": "good",
    "help.needed": "wait",
    "tool.refused": "bad",
    "tool.written": "good",
    "tool.served": "good",
}
_NAMES = {
    "help.needed": "asked a person",
    "help.answered": "a person answered",
    "run.cancelled": "asked to stop",
    "run.claimed": "begun",
    "policy.decided": "the rules were asked",
    "promise.planned": "planned",
    "promise.grown": "grew",
    "promise.began": "began",
    "promise.resolved": "proven",
    "promise.collapsed": "gave its fallback",
    "promise.failed": "failed",
    "promise.proven": "kept",
}


@dataclass(frozen=True, kw_only=True)
class Moment:
    """One thing that happened: what in a line, further lines, when, and in which tone."""

    what: str
    more: tuple[str, ...]
    at: datetime
    since: str
    tone: str


def moments(events: Iterable[Event], *, start: datetime | None = None) -> Iterator[Moment]:
    """Yield what happened, each with how long after *start* it was, or after the first of them."""
    for event in events:
        start = start or event.at
        lines = _lines(event)
        since = max(0.0, (event.at - start).total_seconds())
        yield Moment(
            what=clipped(lines[0].strip(), _LINE),
            more=tuple(clipped(line.strip(), _LINE) for line in lines[1:]),
            at=event.at,
            since=f"after {took(since)}" if since else "",
            tone=_tone(event),
        )


def _lines(event: Event) -> Sequence[str]:
    """Say one event in lines: as its run tells it, or in the words it was recorded with."""
    if event.kind == "gate.judged":
        told = [line.strip() for line in tell([event])]
        return [f"gate: {told[0]}", *told[1:]]
    if event.kind.startswith(("run.began", "forge.", "agent.", "proof.", "run.resolved", "run.collapsed")):
        return list(tell([event])) or [event.kind]
    payload: Any = event.payload
    node = payload.get("node") or event.subject.partition("/")[2]
    name = _NAMES.get(event.kind, event.kind.replace(".", ": ").replace("_", " "))
    words = event_words(event) or str(payload.get("task") or payload.get("answer") or "")
    return [f"{f'{node} ' if node else ''}{name}", *([words] if words else [])]


def _tone(event: Event) -> str:
    payload: Any = event.payload
    if event.kind == "run.collapsed" and payload.get("status") == "failed":
        return "bad"
    if event.kind == "agent.executed":
        return "good" if payload.get("status") == "ok" else "bad"
    if event.kind == "proof.made":
        return {"strong": "good", "tested": "good"}.get(str(payload.get("strength")), "warn")
    return _TONES.get(str(payload.get("decision", "")), _KINDS.get(event.kind, ""))
