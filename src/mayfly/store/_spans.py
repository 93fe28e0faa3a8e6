"""What happened as spans: each thing with when it began and ended, what it belongs to, and what is known of it.

They are made from what the ledger records and from nothing else. Names and attributes `gen_ai.*` follow the semantic
conventions of OpenTelemetry for generative AI; what they have no word for is called `mayfly.*`.
"""

from __future__ import annotations

import json
import re
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import groupby
from typing import TYPE_CHECKING, Any

from mayfly.core import clipped, without_secrets

if TYPE_CHECKING:
    from mayfly.store._events import Event

# What began and has not ended is remembered so far back; the rest began when it ended, as far as anybody knows.
MOST_OPEN = 10_000
# Characters of one prompt or answer, where they are wanted at all.
LONGEST = 20_000
PROVIDERS = {"openai": "openai", "anthropic": "anthropic", "ollama": "ollama"}
_RUN = re.compile(r"[a-z]{1,2}-[0-9a-f]{4,}")
# After these a session asks its model.
_HEARD = ("session.turn_configured", "session.tool_returned", "session.noted")
_ENDED = {"promise.resolved": "", "promise.collapsed": "collapsed", "promise.failed": "failed"}


@dataclass(frozen=True, kw_only=True)
class SpanData:
    """One span. *trace* and *key* name it for good: the same in whatever process; *parent* is the key of another."""

    trace: str
    key: str
    parent: str
    name: str
    begin: datetime
    end: datetime
    calls_out: bool = False
    error: str = ""
    attributes: Mapping[str, str | int | float | bool] = field(default_factory=dict)


class SpanMaker:
    """Turn events, in the order in which they were recorded, into the spans that end with them."""

    def __init__(self, *, content: bool = False) -> None:
        """Make spans; with *content* they hold what was asked and answered, and arguments and results of tools."""
        self._content = content
        self._open: OrderedDict[str, Event] = OrderedDict()
        self._turns: OrderedDict[str, int] = OrderedDict()
        # Of sessions that are going on: their model, when it was last told something, and whether its call was noted.
        self._models: dict[str, str] = {}
        self._heard: dict[str, datetime] = {}
        self._noted: set[str] = set()

    def take(self, events: Iterable[Event]) -> list[SpanData]:
        """Return the spans that ended with these events."""
        made: list[SpanData] = []
        for subject, some in groupby(events, key=lambda event: event.subject):
            made += self._of_subject(subject, list(some))
        return made

    def _of_subject(self, subject: str, events: Sequence[Event]) -> Iterator[SpanData]:
        yield from self._timed(subject, events)
        for event in events:
            if event.kind in _HEARD:
                self._heard[subject] = event.at
            make = self._MAKERS.get(event.kind)
            if make is not None:
                found = make(self, subject, event, event.payload)
                if found is not None:
                    yield found

    def _timed(self, subject: str, events: Sequence[Event]) -> Iterator[SpanData]:
        """Yield what is recorded with how long it took, once it is over: gates and the sandbox.

        A run is recorded in one piece when it ends, so they are laid out backwards from there, in their order.
        """
        run, cursor = _run_of(subject), events[-1].at
        for event in reversed(events):
            row: Any = event.payload
            if event.kind not in ("gate.judged", "agent.executed", "sandbox.ran") or row.get("milliseconds") is None:
                continue
            end, cursor = cursor, cursor - timedelta(milliseconds=row["milliseconds"])
            key, parent = f"{event.id}:{event.kind}", "" if event.kind == "sandbox.ran" else f"agent:{subject}"
            about: dict[str, Any] = {"mayfly.source.hash": row["source_hash"]}
            if event.kind == "gate.judged":
                name = f"gate {row['gate']}"
                about |= {"mayfly.gate.name": row["gate"], "mayfly.gate.decision": row["decision"]}
                about |= {"mayfly.gate.code": row["code"], "mayfly.attempt": row["attempt"]}
                error = row["code"] if row["decision"] == "reject" else ""
            else:
                name, error = "sandbox", "" if row["status"] == "ok" else row["status"]
                about |= {"mayfly.sandbox.level": row["level"], "mayfly.sandbox.lane": row["lane"]}
                about |= {"mayfly.sandbox.status": row["status"]}
            yield _span(run, key, parent, name, cursor, end, error=error, attributes=about)

    def _begin(self, key: str, event: Event) -> None:
        self._open[key] = event
        if len(self._open) > MOST_OPEN:
            self._open.popitem(last=False)

    def _began(self, key: str, event: Event, seconds: float = 0.0) -> datetime:
        """Return when something began that ends with *event*; a clock that was set back makes nothing negative."""
        opened = self._open.pop(key, None)
        begin = opened.at if opened is not None else event.at
        return min(begin, event.at - timedelta(seconds=max(0.0, seconds)))

    def _said(self, name: str, role: str, text: object) -> dict[str, str]:
        """Return an attribute with a message, where messages are wanted."""
        if not self._content or not text:
            return {}
        return {name: json.dumps([{"role": role, "parts": [{"type": "text", "content": _clean(text)}]}])}

    def _given(self, name: str, data: object) -> dict[str, str]:
        return {name: _clean(json.dumps(data, ensure_ascii=False, default=str))} if self._content else {}

    # Runs and promises.

    def _run_began(self, subject: str, event: Event, row: Mapping[str, Any]) -> None:
        self._begin(f"agent:{subject}", event)

    def _run_ended(self, subject: str, event: Event, row: Mapping[str, Any]) -> SpanData:
        key = f"agent:{subject}"
        opened = self._open.get(key)
        asked: Mapping[str, Any] = opened.payload if opened is not None else row
        status = "resolved" if event.kind == "run.resolved" else row["status"]
        begin = self._began(key, event, row["seconds"])
        run, _, node = subject.partition("/")
        about: dict[str, Any] = {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": "mayfly",
            "gen_ai.agent.id": subject,
            "gen_ai.usage.input_tokens": row["input_tokens"],
            "gen_ai.usage.output_tokens": row["output_tokens"],
            "mayfly.run.id": run,
            "mayfly.status": status,
            "mayfly.cached": bool(row.get("cached", False)),
            "mayfly.model_calls": row["model_calls"],
            "mayfly.cost.dollars": row["money"],
            **_model_of(asked.get("model")),
            **self._said("gen_ai.input.messages", "user", asked.get("intent")),
            **self._said("gen_ai.output.messages", "assistant", row["reason"]),
        }
        error = "" if status == "resolved" else row["code"] or status
        parent = f"promise:{subject}" if node else ""
        return _span(run, key, parent, "invoke_agent mayfly", begin, event.at, error=error, attributes=about)

    def _promise_began(self, subject: str, event: Event, row: Mapping[str, Any]) -> None:
        self._begin(f"promise:{subject}/{row['node']}", event)

    def _promise_ended(self, subject: str, event: Event, row: Mapping[str, Any]) -> SpanData:
        node = str(row["node"])
        key, above = f"promise:{subject}/{node}", node.rpartition(".")[0]
        opened = self._open.get(key)
        begin = self._began(key, event, row.get("seconds") or 0.0)
        state = _ENDED[event.kind]
        cost: Mapping[str, Any] = row.get("cost") or {}
        about: dict[str, Any] = {
            "mayfly.run.id": subject,
            "mayfly.promise.node": node,
            "mayfly.promise.depth": node.count("."),
            "mayfly.status": state or "resolved",
            "mayfly.promise.served_by": opened.payload.get("by") if opened is not None else "",
            "mayfly.proof.strength": (row.get("evidence") or {}).get("strength", ""),
            "mayfly.cached": bool(row.get("again", False)),
            **{f"mayfly.{name}": amount for name, amount in cost.items() if isinstance(amount, (int, float))},
            **self._said("gen_ai.input.messages", "user", row.get("intent")),
        }
        parent = f"promise:{subject}/{above}" if above else f"agent:{subject}"
        error = (row.get("code") or state) if state else ""
        return _span(subject, key, parent, f"promise {node}", begin, event.at, error=error, attributes=about)

    # Models and tools.

    def _model_asked(self, subject: str, event: Event, row: Mapping[str, Any]) -> None:
        self._begin(f"model:{event.id}", event)

    def _model_answered(self, subject: str, event: Event, row: Mapping[str, Any]) -> SpanData:
        key = f"model:{row['asked']}"
        opened = self._open.get(key)
        asked: Mapping[str, Any] = opened.payload if opened is not None else {}
        named = _model_of(asked.get("model"))
        about: dict[str, Any] = {
            "gen_ai.operation.name": "chat",
            **named,
            "gen_ai.usage.input_tokens": row["input_tokens"],
            "gen_ai.usage.output_tokens": row["output_tokens"],
            "mayfly.model.purpose": asked.get("purpose", ""),
            "mayfly.cost.dollars": row["money"],
        }
        turn = self._turns.get(subject)
        if turn is not None:
            about["gen_ai.conversation.id"] = subject
            self._noted.add(subject)
        parent = f"agent:{subject}" if turn is None else f"turn:{subject}/{turn}"
        name = f"chat {named.get('gen_ai.request.model', '')}".strip()
        begin = self._began(key, event)
        return _span(_run_of(subject), key, parent, name, begin, event.at, calls_out=True, attributes=about)

    def _model_said(self, subject: str, event: Event, row: Mapping[str, Any]) -> SpanData | None:
        """Return the span of an answer in a session whose call was not noted by itself; it began with what it heard."""
        if subject in self._noted:
            self._noted.discard(subject)
            return None
        named = _model_of(self._models.get(subject))
        about: dict[str, Any] = {
            "gen_ai.operation.name": "chat",
            **named,
            "gen_ai.conversation.id": subject,
            "mayfly.model.purpose": "chat",
            # The session counts what was asked and answered together.
            "mayfly.tokens": row["tokens"],
            "mayfly.cost.dollars": row["dollars"],
            **self._said("gen_ai.output.messages", "assistant", row["text"]),
        }
        name = f"chat {named.get('gen_ai.request.model', '')}".strip()
        key, parent = f"said:{subject}/{row['turn']}.{row['step']}", f"turn:{subject}/{row['turn']}"
        begin = min(self._heard.get(subject, event.at), event.at)
        return _span(subject, key, parent, name, begin, event.at, calls_out=True, attributes=about)

    def _tool_called(self, subject: str, event: Event, row: Mapping[str, Any]) -> None:
        self._begin(f"tool:{subject}/{row['key']}", event)

    def _tool_returned(self, subject: str, event: Event, row: Mapping[str, Any]) -> SpanData:
        """Return the span of a call: of a tool of the library, or of any tool that a session calls."""
        key = f"tool:{subject}/{row['key']}"
        opened = self._open.get(key)
        asked: Mapping[str, Any] = opened.payload if opened is not None else {}
        begin = self._began(key, event, float(row.get("milliseconds") or 0.0) / 1000)
        in_session = event.kind.startswith("session.")
        tool = str(row["tool"]) if in_session else subject.removeprefix("tool:")
        status = str(row["status"])
        caller = str(row["key"])
        known = _RUN.fullmatch(caller.partition("/")[0]) is not None
        run = subject if in_session else _run_of(caller) if known else key
        about: dict[str, Any] = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": tool,
            "gen_ai.tool.type": "function",
            "gen_ai.tool.call.id": row["call"] if in_session else row["key"],
            "mayfly.tool.version": row.get("version", 0),
            "mayfly.status": status,
            **({"gen_ai.conversation.id": subject} if in_session else {}),
            **self._given("gen_ai.tool.call.arguments", asked.get("arguments")),
            **self._given("gen_ai.tool.call.result", row.get("text", row.get("value"))),
        }
        if in_session:
            parent = f"turn:{subject}/{row['turn']}"
        else:
            parent = f"promise:{caller}" if known and "/" in caller else ""
        error = "" if status in ("ok", "done", "held") else status
        return _span(run, key, parent, f"execute_tool {tool}", begin, event.at, error=error, attributes=about)

    # Sessions.

    def _session_began(self, subject: str, event: Event, row: Mapping[str, Any]) -> None:
        self._models[subject] = str(row["model"])
        self._begin(f"session:{subject}", event)

    def _session_ended(self, subject: str, event: Event, row: Mapping[str, Any]) -> SpanData:
        key = f"session:{subject}"
        self._models.pop(subject, None)
        self._heard.pop(subject, None)
        self._noted.discard(subject)
        opened = self._open.get(key)
        asked: Mapping[str, Any] = opened.payload if opened is not None else {}
        about = {"gen_ai.conversation.id": subject, "mayfly.status": row["status"], **_model_of(asked.get("model"))}
        return _span(subject, key, "", "session", self._began(key, event), event.at, attributes=about)

    def _turn_asked(self, subject: str, event: Event, row: Mapping[str, Any]) -> None:
        self._turns[subject] = int(row["turn"])
        if len(self._turns) > MOST_OPEN:
            self._turns.popitem(last=False)
        self._begin(f"turn:{subject}/{row['turn']}", event)

    def _turn_ended(self, subject: str, event: Event, row: Mapping[str, Any]) -> SpanData:
        key = f"turn:{subject}/{row['turn']}"
        opened = self._open.get(key)
        asked: Mapping[str, Any] = opened.payload if opened is not None else {}
        about = {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": "mayfly",
            "gen_ai.conversation.id": subject,
            "mayfly.status": row["status"],
            **self._said("gen_ai.input.messages", "user", asked.get("text")),
            **self._said("gen_ai.output.messages", "assistant", row["text"]),
        }
        error = "" if row["status"] == "done" else str(row["status"])
        begin = self._began(key, event)
        name = "invoke_agent mayfly"
        return _span(subject, key, f"session:{subject}", name, begin, event.at, error=error, attributes=about)

    _MAKERS: Mapping[str, Callable[[SpanMaker, str, Event, Any], SpanData | None]] = {
        "run.began": _run_began,
        "run.resolved": _run_ended,
        "run.collapsed": _run_ended,
        "promise.began": _promise_began,
        **dict.fromkeys(_ENDED, _promise_ended),
        "model.asked": _model_asked,
        "model.answered": _model_answered,
        "session.model_said": _model_said,
        "tool.called": _tool_called,
        "tool.returned": _tool_returned,
        "session.tool_called": _tool_called,
        "session.tool_returned": _tool_returned,
        "session.began": _session_began,
        "session.ended": _session_ended,
        "session.turn_asked": _turn_asked,
        "session.turn_ended": _turn_ended,
    }


def _span(
    trace: str,
    key: str,
    parent: str,
    name: str,
    begin: datetime,
    end: datetime,
    *,
    attributes: Mapping[str, Any],
    error: str = "",
    calls_out: bool = False,
) -> SpanData:
    known = {key: value for key, value in attributes.items() if value not in (None, "")}
    return SpanData(
        trace=trace,
        key=key,
        parent=parent,
        name=name,
        begin=begin,
        end=end,
        calls_out=calls_out,
        error=error,
        attributes=known,
    )


def _run_of(subject: str) -> str:
    """Return the run or session that a subject or key belongs to; itself where it names none."""
    found = subject.partition("/")[0]
    return found if _RUN.fullmatch(found) else subject


def _model_of(spec: object) -> dict[str, str]:
    """Return who provides a model and its name; an address, which may hold a key, is left out."""
    if not isinstance(spec, str) or not spec:
        return {}
    kind, _, name = spec.partition(":")
    named = spec.rpartition("#")[2] if "://" in spec else name or spec
    provider = PROVIDERS.get(kind, "openai" if "://" in spec else "mayfly")
    return {"gen_ai.provider.name": provider, "gen_ai.request.model": without_secrets(named)}


def _clean(text: object) -> str:
    return clipped(without_secrets(str(text)), LONGEST)
