"""A plan as it is shown: what would serve each promise, and why."""

from __future__ import annotations

from typing import Any

from mayfly.core import UNSET
from mayfly.promise._promise import Promise

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
