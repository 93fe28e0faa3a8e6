"""The pieces of `trace.html`, filled with text that is escaped; and the tree of a run as lists that open, with bars."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator
from datetime import datetime
from functools import cache
from html import escape
from importlib.resources import files
from itertools import islice
from re import DOTALL, finditer
from string import Template
from typing import TYPE_CHECKING, Any, NamedTuple

from mayfly.core import harmless, without_secrets, without_secrets_in
from mayfly.operations import how_long, reason_of

if TYPE_CHECKING:
    from mayfly.operations import Trace
    from mayfly.promise import Promise

# A page of more rows than this is slow on a phone, and nobody reads it; what is left out is counted at its place.
MOST = 2_000
# As many of those that were not kept are always among them: they are what a trace is read for.
MOST_GROUND = 300
# Rows of a small tree are all open; of a larger one only what is directly below the root shows.
WHOLE = 60
OPEN_LEVELS = 1
STATES = {"resolved": "good", "done": "good", "collapsed": "fall", "stopped": "fall", "failed": "bad", "killed": "bad"}
WORDS = {"collapsed": "fallback"}
ENDED = ("promise.resolved", "promise.collapsed", "promise.failed")


class TimeSpan(NamedTuple):
    """When something began and ended, in seconds since the run was planned."""

    begin: float
    end: float


def spans_of(trace: Trace) -> dict[str, TimeSpan]:
    """Return when each promise was worked on, as the ledger has it; a later attempt overrides an earlier one."""
    start, began, found = trace.saved.at, {}, {}
    now = 0.0
    for event in trace.events:
        # A clock that was set back makes no later event an earlier one.
        now = max(now, since(start, event.at))
        node = event.payload.get("node")
        if not isinstance(node, str):
            continue
        if event.kind == "promise.began":
            began[node] = now
        if node in began and (event.kind in ENDED or event.kind == "promise.began"):
            found[node] = TimeSpan(began[node], now)
    return found


def since(start: datetime, at: datetime) -> float:
    """Return the seconds between two moments."""
    return (at - start).total_seconds()


def tree_markup(trace: Trace) -> Markup:
    """Return the tree, cut with counts where it is too large to be looked at."""
    spans = spans_of(trace)
    whole = max((span.end for span in spans.values()), default=0.0)
    axis = fill("axis", half=how_long(whole / 2), whole=how_long(whole)) if whole else ""
    shown = _choose(trace.tree)
    return Markup(axis + Markup('<ul class="tree">') + "".join(_rows(trace, shown, spans, whole)) + "</ul>")


def _choose(root: Promise[Any]) -> set[str]:
    """Choose which promises are shown: those not kept with all above them, then the rest from the top down."""
    parents = {child.id: promise.id for promise in root.walk() for child in promise.children}
    chosen = {root.id}
    ground = (promise.id for promise in root.walk() if promise.state in ("collapsed", "failed"))
    for id in islice(ground, MOST_GROUND):
        link: str | None = id
        while link is not None and link not in chosen:
            chosen.add(link)
            link = parents.get(link)
    waiting = deque([root])
    while waiting and len(chosen) < MOST:
        promise = waiting.popleft()
        chosen.update(child.id for child in promise.children[: MOST - len(chosen)])
        waiting += promise.children
    return chosen


def _rows(trace: Trace, shown: set[str], spans: dict[str, TimeSpan], whole: float) -> Iterator[str]:
    costs, all_open = trace.costs(), len(shown) <= WHOLE
    # Not by recursion: a tree is as deep as it is. A text among them is what closes or follows a promise.
    waiting: list[Promise[Any] | str] = [trace.tree]
    while waiting:
        promise = waiting.pop()
        if isinstance(promise, str):
            yield promise
            continue
        head = _head(promise, trace, spans.get(promise.id), whole)
        body = _body(promise, trace, costs.get(promise.id))
        children = [child for child in promise.children if child.id in shown]
        if not promise.children:
            yield fill("leaf", head=head, body=body)
            continue
        is_open = all_open or promise.depth - trace.tree.depth < OPEN_LEVELS
        yield fill("branch-open", head=head, body=body, open=Markup("open" if is_open else ""))
        left = len(promise.children) - len(children)
        waiting.append(fill("branch-close"))
        if left:
            waiting.append(f'<li class="more">and {left:,} more below it</li>\n')
        waiting += reversed(children)


def _head(promise: Promise[Any], trace: Trace, span: TimeSpan | None, whole: float) -> Markup:
    state = promise.state.value
    seconds = trace.saved.timings.get(promise.id)
    if seconds is None and span is not None:
        seconds = span.end - span.begin
    return fill(
        "head",
        state=STATES.get(state, ""),
        word=WORDS.get(state, state),
        intent=promise.intent[:500],
        # Why something was not kept is read without opening anything.
        because=promise.reason[:200] if state in ("collapsed", "failed") else "",
        took="" if seconds is None else how_long(seconds),
        bar=_bar(span, whole, STATES.get(state, "")) if span else "",
    )


def _bar(span: TimeSpan, whole: float, state: str) -> Markup:
    scale = 100 / whole if whole else 0.0
    # Half a unit is the least that can be seen.
    width = max((span.end - span.begin) * scale, 0.5)
    place = min(span.begin * scale, 100 - width)
    label = f"from {how_long(span.begin)} to {how_long(span.end)}"
    return fill("bar", state=state, x=f"{place:.2f}", width=f"{width:.2f}", label=label)


def _body(promise: Promise[Any], trace: Trace, cost: dict[str, Any] | None) -> Markup:
    """Return what is known of one promise beyond its row."""
    from mayfly.promise.plan import served_by

    rows: list[tuple[str, object]] = [("promise", promise.id), ("served by", served_by(promise))]
    rows += [("waits for", ", ".join(promise.needs))] if promise.needs else []
    budget = fill("budget", width=f"{promise.budget * 100:.1f}", budget=f"{promise.budget:.2f}")
    rows.append(("budget", budget))
    spent = {name: amount for name, amount in (cost or {}).items() if isinstance(amount, (int, float)) and amount}
    rows += [(name.replace("_", " "), f"{amount:g}") for name, amount in spent.items()]
    if promise.proof is not None:
        rows.append(("proof", f"{promise.proof.strength}, confidence {promise.proof.confidence:g}"))
        again = promise.id in trace.saved.again
        rows += [("proven", "before, and used again")] if again else []
    parts = [fill("table", rows=[fill("fact", name=name, value=value) for name, value in rows])]
    if reason_of(promise):
        code = f" [{promise.code}]" if promise.code else ""
        parts.append(fill("paragraph", kind="reason", text=f"{reason_of(promise)[:2000]}{code}"))
    if promise.proof is not None and promise.proof.source:
        parts.append(fill("data", title="its test", text=promise.proof.source))
    if promise.state.value == "resolved" and trace.saved.has_value(promise):
        # Of each of many values only as much as tells what it is; the whole is in `mayfly trace ID/NODE`.
        parts.append(fill("data", title="value", text=data_of(promise.value, limit=2000)))
    return Markup("".join(parts))


# As much of one text as anybody reads in a mail; a value of many megabytes is not carried around.
LONGEST = 20_000
# Texts are cut after secrets are taken out, since half a secret looks like none; no form of one is longer than this.
_LONGEST_SECRET = 10_000


class Markup(str):
    """Text that is markup already: it was filled by `fill`, or comes from our own files."""

    __slots__ = ()


def fill(piece: str, /, **values: object) -> Markup:
    """Return the *piece* of that name with *values* in it."""
    return Markup(_pieces()[piece].substitute({key: markup(value) for key, value in values.items()}))


def markup(value: object, *, limit: int = LONGEST) -> Markup:
    """Return *value* as markup that shows its text and does nothing else."""
    if isinstance(value, Markup):
        return value
    if isinstance(value, (list, tuple)):
        return Markup("".join(markup(item) for item in value))
    return Markup(escape(text_of(str(value), limit=limit)))


def text_of(text: str, *, limit: int = LONGEST) -> str:
    """Return *text* without secrets, with its control characters shown, and cut with a count."""
    known = without_secrets(text[: limit + _LONGEST_SECRET])
    left = len(text) - limit
    shown = harmless(known[:limit]).encode("utf-8", "replace").decode()
    return shown if left <= 0 else f"{shown} … and {left:,} more characters"


def data_of(value: object, *, limit: int = LONGEST) -> Markup:
    """Return plain data as JSON, readable and safe."""
    try:
        text = json.dumps(without_secrets_in(value), ensure_ascii=False, indent=1, default=str)
    except (TypeError, ValueError, RecursionError):
        text = f"a {type(value).__name__}"
    return markup(text, limit=limit)


@cache
def _pieces() -> dict[str, Template]:
    text = files("mayfly.serve.trace").joinpath("trace.html").read_text(encoding="utf-8")
    found = finditer(r'<template id="([\w-]+)">\n?(.*?)</template>', text, DOTALL)
    return {piece[1]: Template(piece[2]) for piece in found}


@cache
def style() -> Markup:
    """Return the one stylesheet."""
    return Markup(files("mayfly.serve.trace").joinpath("trace.css").read_text(encoding="utf-8"))
