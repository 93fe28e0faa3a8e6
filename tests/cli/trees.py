"""Trees of promises to look at, and a run in a real ledger as it is left behind when its process dies."""

from __future__ import annotations

import json
from typing import Any

from mayfly.core import Settings
from mayfly.forge._events import RunBegan
from mayfly.promise import Evidence, IntentKind, Planned, Promise, Reality, Work, to_json
from mayfly.promise._events import Began, Collapsed, EffectBegan, EffectUnknown, Proven, Resolved
from mayfly.store import Event, Ledger, Payload

PROOF = Evidence(description="every item occurs in the input", confidence=0.9, check="find", strength="strong")
RUN = "r-7f3a0b12"


def promise(intent: str, kind: str = "children", by: str = "", **fields: Any) -> Promise[Any]:
    """Return one promise, to be served by a capability called *by*, by an agent to be written or by its children."""
    work = Work(kind="compile") if kind == "compile" else None
    reality = Reality(kind=IntentKind.PROBABILISTIC, confidence=0.7, reasoning=fields.pop("reasoning", "bounded"))
    return Promise(
        intent, ground=None, reality=reality, capability=by if kind == "capability" else "", work=work, **fields
    )


def sample() -> Promise[Any]:
    """Return a tree of six: two steps, the second after the first, and a leaf that nothing serves."""
    root = promise("Fix the bug in auth module", "children")
    first = root.add(promise("Diagnose the bug", "children", name="diagnose"))
    first.add(promise("Read auth.py", "capability", "read_file"))
    first.add(promise("Find failing test", "capability", "find_failing_tests"))
    second = root.add(promise("Apply the fix", "children", name="fix", needs=("diagnose",)))
    second.add(promise("Modify code + run tests", "ground", unserved="nothing: needs a model (--model)"))
    return root


def leaves(number: int, *, each: int = 50) -> Promise[Any]:
    """Return a tree with *number* leaves, some at each inner promise."""
    root = promise("Count everything", "children")
    for start in range(0, number, each):
        inner = root.add(promise(f"Part {start // each}", "children"))
        for place in range(start, min(number, start + each)):
            inner.add(promise(f"Count file {place}", "capability", "count_lines"))
    return root


def resolve(found: Promise[Any], value: object = 1) -> Promise[Any]:
    """Bring a promise to its good end."""
    found.begin()
    found.resolve(value, PROOF)
    return found


def interrupted() -> str:
    """Leave a run behind: one leaf proven, one in ground, one effect of which nobody knows; return its id."""
    tree = sample()
    with Ledger.open(Settings.load()) as ledger:
        address = ledger.put_blob(json.dumps(to_json(tree)).encode())
        cost: Any = {"model_calls": 2, "money": 0.01}
        story: list[Payload | tuple[Payload, str]] = [
            RunBegan(intent=tree.intent, tier="memo", depth=0, model=None, examples=0, input="nothing"),
            Planned(intent=tree.intent, tree=address, nodes=6, by="somebody", seq=1, options={}),
            Began(node="0", by="children", seq=2),
            Began(node="0.1", by="children", seq=3),
            Began(node="0.1.1", by="capability read_file", seq=4),
            (Proven(run=RUN, node="0.1.1", value="def login(): ...", evidence=PROOF.to_json()), "key-1"),
            Resolved(node="0.1.1", key="key-1", seq=5, evidence=PROOF.to_json(), seconds=0.012, cost=cost),
            Began(node="0.1.2", by="capability find_failing_tests", seq=6),
            (_sent(), f"{RUN}/0.1.2"),
            (_unknown(), f"{RUN}/0.1.2"),
            Collapsed(
                node="0.2.1",
                intent="Modify code + run tests",
                depth=2,
                reason="needs a \x1b[31mmodel",
                code="CHAOTIC",
                ground_value=None,
                seq=7,
            ),
        ]
        pairs = [entry if isinstance(entry, tuple) else (entry, RUN) for entry in story]
        ledger.append_many([Event.of(payload, subject=subject) for payload, subject in pairs])
    return RUN


def _sent() -> EffectBegan:
    return EffectBegan(capability="find_failing_tests", effect="once", action="exec", target="tests/", attempt=1)


def _unknown() -> EffectUnknown:
    return EffectUnknown(
        run=RUN,
        node="0.1.2",
        capability="find_failing_tests",
        target="tests/",
        intent="Find failing test",
        reason="the process died while it was sent",
    )
