"""A plan before it becomes promises, what may be tried at which depth, and a plan as it is shown."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, replace
from typing import Any, Literal

from mayfly.core import UNSET, Budget, PromiseSettings
from mayfly.promise._data import references
from mayfly.promise._promise import Combine, Promise
from mayfly.promise.fit import Fit


@dataclass(frozen=True, kw_only=True)
class Draft:
    """One step as somebody proposes it.

    It is served by the *capability* with the *argument*, by its *steps*, by one copy of *template* for every item of
    *each*, or else has to be written: *by_example* where data is enough for that; one that is *fed* gets some from
    what comes before its plan. *open* asks for a plan of its own; *note* is kept as a reason.
    """

    name: str
    intent: str
    needs: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    combine: Combine = "last"
    capability: str = ""
    argument: object = UNSET
    steps: tuple[Draft, ...] = ()
    each: object = UNSET
    template: Draft | None = None
    by_example: bool = False
    fed: bool = False
    open: bool = False
    # What a model wants to call that there is not, which may be made.
    missing: str = ""
    note: str = ""


def call_step(fit: Fit, name: str, intent: str) -> Draft:
    """Return the step that calls a capability as it fits; it needs the steps whose results are among its arguments."""
    argument = dict(fit.arguments)
    needs = tuple(dict.fromkeys(references(argument)))
    return Draft(name=name, intent=intent, needs=needs, capability=fit.capability.name, argument=argument)


def served_here(draft: Draft, there: Container[str]) -> Draft:
    """Return a step that names only capabilities that are *there*: some come with a model, or with a program."""
    draft = replace(draft, steps=tuple(served_here(step, there) for step in draft.steps))
    if not draft.capability or draft.capability in there:
        return draft
    told = f"the plan names a capability {draft.capability!r}, which there is not"
    return replace(draft, capability="", argument=UNSET, note=f"{draft.note}; {told}".strip("; "))


Rung = Literal["full", "simple", "heuristic", "ground"]
_FULL, _SIMPLE = 1, 2


def rung(depth: int, settings: PromiseSettings) -> Rung:
    """Return what may be tried at *depth*: all, a model with short prompts, no model, or nothing any more.

    What is remembered is looked up first on every rung but the last.
    """
    if depth > settings.max_depth or Budget(depth).entropy < settings.chaos_threshold:
        return "ground"
    if depth <= _FULL:
        return "full"
    return "simple" if depth == _SIMPLE else "heuristic"


NOTHING = "nothing: needs a model (--model)"
BY_EXAMPLE = "example"


def served_by(promise: Promise[Any]) -> str:
    """Say what would fulfil a promise."""
    work = promise.work
    if promise.children or promise.template is not None:
        return "children"
    if promise.unserved or promise.capability:
        return promise.unserved or promise.capability
    if work is None:
        return "ground"
    if work.kind == "make":
        return f"the tool {work.name}, which is made for it"
    if work.kind == "run":
        return f"known agent {work.name[:12]}" if work.name else "the agent that is written once"
    return f"compile by {work.name}" if work.name else "compile"


def plan_json(promise: Promise[Any]) -> dict[str, Any]:
    """Return the tree as data for people and programs that only look at it."""
    reality = promise.reality
    return {
        "id": promise.id,
        "name": promise.name,
        "intent": promise.intent,
        "reality": str(reality.kind) if reality else "",
        "confidence": reality.confidence if reality else 0.0,
        "reasoning": reality.reasoning if reality else "",
        "depth": promise.depth,
        "budget": round(promise.budget, 4),
        "served_by": served_by(promise),
        "capability": promise.capability or None,
        "version": promise.version or None,
        "arguments": promise.argument if promise.capability and promise.argument is not UNSET else {},
        "needs": list(promise.needs),
        "after": list(promise.after),
        "state": str(promise.state),
        "reason": promise.reason,
        "code": promise.code,
        "children": [plan_json(child) for child in promise.children],
    }
