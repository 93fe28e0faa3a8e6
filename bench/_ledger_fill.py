"""Make a ledger as years of use leave it: many runs, a few of them trees, with everything that is recorded of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice

from mayfly.forge._events import AgentCreated, AgentExecuted, RunBegan, RunCollapsed, RunResolved
from mayfly.promise import Promise
from mayfly.promise._events import Began, EffectBegan, EffectDone, Planned, Proven, Resolved
from mayfly.promise._promise_json import to_json
from mayfly.store import Event, Ledger

# One run in so many is a tree, of so many leaves.
TREES, LEAVES = 20, 60
# Events in one append while the ledger is filled; real appends are smaller, see the table of appends.
GROUP = 200
EVIDENCE = {"description": "a test accepts it", "confidence": 1.0, "check": "capability:give", "strength": "strong"}
SPENT = {"model_calls": 1, "input_tokens": 900, "output_tokens": 200, "money": 0.002}


def fill(ledger: Ledger, events: int) -> str:
    """Append so many events; return the run of a tree in the middle."""
    tree = ledger.put_blob(json.dumps(to_json(_tree())).encode())
    source = _runs(tree)
    left = events - ledger.count()
    while left > 0:
        group = list(islice(source, min(GROUP, left)))
        ledger.append_many(group)
        left -= len(group)
    trees = [row.id for row in ledger.runs(status=["resolved"]) if row.nodes]
    return trees[len(trees) // 2]


def _tree() -> Promise[object]:
    root: Promise[object] = Promise("give all of them", ground=None)
    for number in range(LEAVES):
        root.add(Promise(f"give {number}", ground=None, capability="give", argument={"value": number}))
    return root


def _runs(tree: str) -> Iterator[Event]:
    number = 0
    while True:
        number += 1
        run = f"r-{number:08x}"
        story = _tree_events(run, tree) if number % TREES == 0 else _single_events(run, number)
        yield from story


def _single_events(run: str, number: int) -> Iterator[Event]:
    """Yield what one agent leaves; one in four collapses."""
    yield _event(_began(run), run)
    made = AgentCreated(source_hash="0" * 64, author="m", lines=30, attempts=1, repairs=(), milliseconds=900.0)
    yield _event(made, run)
    for _ in range(2):
        ran = AgentExecuted(source_hash="0" * 64, status="ok", level="namespaces", lane="one-shot", milliseconds=2.0)
        yield _event(ran, run)
    if number % 4:
        yield _event(RunResolved(reason="proven", seconds=1.0, cached=False, source_hash=None, **SPENT), run)  # type: ignore[arg-type]
        return
    end = RunCollapsed(
        intent="x",
        depth=0,
        reason="weak",
        code="WEAK",
        ground_value=None,
        status="collapsed",
        seconds=1.0,
        **SPENT,  # type: ignore[arg-type]
    )
    yield _event(end, run)


def _tree_events(run: str, tree: str) -> Iterator[Event]:
    yield _event(_began(run), run)
    yield _event(Planned(intent="give all", tree=tree, nodes=LEAVES + 1, by="hand", seq=0, options={}), run)
    yield _event(Began(node="0", by="children", seq=1), run)
    for leaf in range(1, LEAVES + 1):
        node, key = f"0.{leaf}", f"{run}-{leaf}"
        yield _event(Began(node=node, by="capability give", seq=2 * leaf), run)
        if leaf % 10 == 0:
            sent = EffectBegan(capability="give", effect="idempotent", action="send", target="x", attempt=1)
            yield _event(sent, f"{run}/{node}")
            yield _event(EffectDone(capability="give", value=leaf), f"{run}/{node}")
        yield _event(Proven(run=run, node=node, value=leaf, evidence=EVIDENCE), key)  # type: ignore[arg-type]
        yield _event(Resolved(node=node, key=key, seq=2 * leaf + 1, evidence=EVIDENCE), run)  # type: ignore[arg-type]
    yield _event(Resolved(node="0", key="", seq=999, evidence=EVIDENCE), run)  # type: ignore[arg-type]
    yield _event(RunResolved(reason="all", seconds=1.0, cached=False, source_hash=None, **SPENT), run)  # type: ignore[arg-type]


def _began(run: str) -> RunBegan:
    return RunBegan(intent=f"count the lines of {run}", tier="memo", depth=0, model=None, examples=0, input="nothing")


def _event(payload: object, subject: str) -> Event:
    return Event.of(payload, subject=subject)  # type: ignore[arg-type]
