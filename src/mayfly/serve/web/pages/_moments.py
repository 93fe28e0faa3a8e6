"""What happened, as moments of a timeline; and explanations as trees of lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from mayfly.core import clipped
from mayfly.operations import event_words, tell
from mayfly.serve.web.pages._frame import took

if TYPE_CHECKING:
    from mayfly.store import Event

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
