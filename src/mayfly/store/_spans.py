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
from typing import TYPE_CHECKING, Any, NamedTuple

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


class _Ended(NamedTuple):
    """An event that ends a span, with what began it as far as that is remembered."""

    key: str
    subject: str
    event: Event
    row: Mapping[str, Any]
    asked: Mapping[str, Any]
    begin: datetime

    def span(
        self,
        trace: str,
        parent: str,
        name: str,
        about: Mapping[str, Any],
        *,
        error: str = "",
        seconds: float = 0.0,
        calls_out: bool = False,
    ) -> SpanData:
        """Return the span, which took some *seconds* at least; a clock that was set back makes nothing negative."""
        return SpanData(
            trace=trace,
            key=self.key,
            parent=parent,
            name=name,
            begin=min(self.begin, self.event.at - timedelta(seconds=max(0.0, seconds))),
            end=self.event.at,
            calls_out=calls_out,
            error=error,
            attributes=_known(about),
        )


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
        yield from _timed(subject, events)
        for event in events:
            if event.kind in _HEARD:
                self._heard[subject] = event.at
            if event.kind in _BEGINS:
                self._begin(subject, event)
            elif event.kind in _ENDS:
                key, end = _ENDS[event.kind]
                found = end(self, self._ended(_name(key, event), event))
                if found is not None:
                    yield found

    def _begin(self, subject: str, event: Event) -> None:
        row: Any = event.payload
        if event.kind == "session.began":
            self._models[subject] = str(row["model"])
        elif event.kind == "session.turn_asked":
            self._turns[subject] = int(row["turn"])
            if len(self._turns) > MOST_OPEN:
                self._turns.popitem(last=False)
        self._open[_name(_BEGINS[event.kind], event)] = event
        if len(self._open) > MOST_OPEN:
            self._open.popitem(last=False)

    def _ended(self, key: str, event: Event) -> _Ended:
        opened = self._open.pop(key, None)
        asked: Any = opened.payload if opened is not None else {}
        begin = min(opened.at, event.at) if opened is not None else event.at
        return _Ended(key, event.subject, event, event.payload, asked, begin)

    def _said(self, name: str, role: str, text: object) -> dict[str, str]:
        """Return an attribute with a message, where messages are wanted."""
        if not self._content or not text:
            return {}
        return {name: json.dumps([{"role": role, "parts": [{"type": "text", "content": _clean(text)}]}])}

    def _given(self, name: str, data: object) -> dict[str, str]:
        return {name: _clean(json.dumps(data, ensure_ascii=False, default=str))} if self._content else {}

    def _run(self, it: _Ended) -> SpanData:
        row, asked = it.row, it.asked or it.row
        status = "resolved" if it.event.kind == "run.resolved" else row["status"]
        run, _, node = it.subject.partition("/")
        about: dict[str, Any] = {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": "mayfly",
            "gen_ai.agent.id": it.subject,
            **_tokens(row),
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
        parent = f"promise:{it.subject}" if node else ""
        return it.span(run, parent, "invoke_agent mayfly", about, error=error, seconds=row["seconds"])

    def _promise(self, it: _Ended) -> SpanData:
        row, run, node = it.row, it.subject, str(it.row["node"])
        above, state = node.rpartition(".")[0], _ENDED[it.event.kind]
        cost: Mapping[str, Any] = row.get("cost") or {}
        about: dict[str, Any] = {
            "mayfly.run.id": run,
            "mayfly.promise.node": node,
            "mayfly.promise.depth": node.count("."),
            "mayfly.status": state or "resolved",
            "mayfly.promise.served_by": it.asked.get("by", ""),
            "mayfly.proof.strength": (row.get("evidence") or {}).get("strength", ""),
            "mayfly.cached": bool(row.get("again", False)),
            **{f"mayfly.{name}": amount for name, amount in cost.items() if isinstance(amount, (int, float))},
            **self._said("gen_ai.input.messages", "user", row.get("intent")),
        }
        parent = f"promise:{run}/{above}" if above else f"agent:{run}"
        error = (row.get("code") or state) if state else ""
        return it.span(run, parent, f"promise {node}", about, error=error, seconds=row.get("seconds") or 0.0)

    def _model(self, it: _Ended) -> SpanData:
        named, turn = _model_of(it.asked.get("model")), self._turns.get(it.subject)
        about: dict[str, Any] = {
            "gen_ai.operation.name": "chat",
            **named,
            **_tokens(it.row),
            "mayfly.model.purpose": it.asked.get("purpose", ""),
            "mayfly.cost.dollars": it.row["money"],
        }
        if turn is not None:
            about["gen_ai.conversation.id"] = it.subject
            self._noted.add(it.subject)
        parent = f"agent:{it.subject}" if turn is None else f"turn:{it.subject}/{turn}"
        return it.span(_run_of(it.subject), parent, _chat(named), about, calls_out=True)

    def _model_said(self, it: _Ended) -> SpanData | None:
        """Return the span of an answer in a session whose call was not noted by itself; it began with what it heard."""
        if it.subject in self._noted:
            self._noted.discard(it.subject)
            return None
        named = _model_of(self._models.get(it.subject))
        about: dict[str, Any] = {
            "gen_ai.operation.name": "chat",
            **named,
            "gen_ai.conversation.id": it.subject,
            "mayfly.model.purpose": "chat",
            # The session counts what was asked and answered together.
            "mayfly.tokens": it.row["tokens"],
            "mayfly.cost.dollars": it.row["dollars"],
            **self._said("gen_ai.output.messages", "assistant", it.row["text"]),
        }
        heard = it._replace(begin=min(self._heard.get(it.subject, it.begin), it.begin))
        return heard.span(it.subject, f"turn:{it.subject}/{it.row['turn']}", _chat(named), about, calls_out=True)

    def _tool(self, it: _Ended) -> SpanData:
        """Return the span of a call of a tool of the library."""
        caller = str(it.row["key"])
        known = _RUN.fullmatch(caller.partition("/")[0]) is not None
        parent = f"promise:{caller}" if known and "/" in caller else ""
        tool, trace = it.subject.removeprefix("tool:"), _run_of(caller) if known else it.key
        return self._call(it, trace, parent, tool, {"gen_ai.tool.call.id": caller})

    def _session_tool(self, it: _Ended) -> SpanData:
        """Return the span of any call that a session makes."""
        about = {"gen_ai.tool.call.id": it.row["call"], "gen_ai.conversation.id": it.subject}
        return self._call(it, it.subject, f"turn:{it.subject}/{it.row['turn']}", str(it.row["tool"]), about)

    def _call(self, it: _Ended, trace: str, parent: str, tool: str, more: Mapping[str, Any]) -> SpanData:
        row, status = it.row, str(it.row["status"])
        about: dict[str, Any] = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": tool,
            "gen_ai.tool.type": "function",
            **more,
            "mayfly.tool.version": row.get("version", 0),
            "mayfly.status": status,
            **self._given("gen_ai.tool.call.arguments", it.asked.get("arguments")),
            **self._given("gen_ai.tool.call.result", row.get("text", row.get("value"))),
        }
        error = "" if status in ("ok", "done", "held") else status
        took = float(row.get("milliseconds") or 0.0) / 1000
        return it.span(trace, parent, f"execute_tool {tool}", about, error=error, seconds=took)

    def _session(self, it: _Ended) -> SpanData:
        self._models.pop(it.subject, None)
        self._heard.pop(it.subject, None)
        self._noted.discard(it.subject)
        model = _model_of(it.asked.get("model"))
        about = {"gen_ai.conversation.id": it.subject, "mayfly.status": it.row["status"], **model}
        return it.span(it.subject, "", "session", about)

    def _turn(self, it: _Ended) -> SpanData:
        status = str(it.row["status"])
        about = {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": "mayfly",
            "gen_ai.conversation.id": it.subject,
            "mayfly.status": status,
            **self._said("gen_ai.input.messages", "user", it.asked.get("text")),
            **self._said("gen_ai.output.messages", "assistant", it.row["text"]),
        }
        error = "" if status == "done" else status
        return it.span(it.subject, f"session:{it.subject}", "invoke_agent mayfly", about, error=error)


# What opens a span, and what closes one, each with the name of the span; names are filled in from the event.
_BEGINS = {
    "run.began": "agent:{subject}",
    "promise.began": "promise:{subject}/{node}",
    "model.asked": "model:{id}",
    "tool.called": "tool:{subject}/{key}",
    "session.tool_called": "tool:{subject}/{key}",
    "session.began": "session:{subject}",
    "session.turn_asked": "turn:{subject}/{turn}",
}
_ENDS: Mapping[str, tuple[str, Callable[[SpanMaker, _Ended], SpanData | None]]] = {
    "run.resolved": ("agent:{subject}", SpanMaker._run),
    "run.collapsed": ("agent:{subject}", SpanMaker._run),
    **dict.fromkeys(_ENDED, ("promise:{subject}/{node}", SpanMaker._promise)),
    "model.answered": ("model:{asked}", SpanMaker._model),
    "session.model_said": ("said:{subject}/{turn}.{step}", SpanMaker._model_said),
    "tool.returned": ("tool:{subject}/{key}", SpanMaker._tool),
    "session.tool_returned": ("tool:{subject}/{key}", SpanMaker._session_tool),
    "session.ended": ("session:{subject}", SpanMaker._session),
    "session.turn_ended": ("turn:{subject}/{turn}", SpanMaker._turn),
}


def _name(template: str, event: Event) -> str:
    return template.format(**{**event.payload, "subject": event.subject, "id": event.id})


def _timed(subject: str, events: Sequence[Event]) -> Iterator[SpanData]:
    """Yield what is recorded with how long it took, once it is over: gates and the sandbox.

    A run is recorded in one piece when it ends, so they are laid out backwards from there, in their order.
    """
    cursor = events[-1].at
    for event in reversed(events):
        row: Any = event.payload
        if event.kind not in ("gate.judged", "agent.executed", "sandbox.ran") or row.get("milliseconds") is None:
            continue
        end, cursor = cursor, cursor - timedelta(milliseconds=row["milliseconds"])
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
        yield SpanData(
            trace=_run_of(subject),
            key=f"{event.id}:{event.kind}",
            parent="" if event.kind == "sandbox.ran" else f"agent:{subject}",
            name=name,
            begin=cursor,
            end=end,
            error=error,
            attributes=_known(about),
        )


def _known(attributes: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in attributes.items() if value not in (None, "")}


def _tokens(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "gen_ai.usage.input_tokens": row["input_tokens"],
        "gen_ai.usage.output_tokens": row["output_tokens"],
    }


def _chat(named: Mapping[str, str]) -> str:
    return f"chat {named.get('gen_ai.request.model', '')}".strip()


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
