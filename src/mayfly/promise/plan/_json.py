"""A plan as it is shown: what would serve each promise, and why."""

from __future__ import annotations

from typing import Any

from mayfly.promise._promise import Promise

NOTHING = "nothing: needs a model (--model)"
BY_EXAMPLE = "example"


def served_by(promise: Promise[Any]) -> str:
    """Say what would fulfil a promise."""
    service = promise.service
    if service is None:
        return "children" if promise.children else NOTHING
    if service.kind == "capability":
        return service.name
    if service.kind == "agent":
        return f"known agent {service.name[:12]}" if service.name else "the agent that is written once"
    if service.kind in ("compile", "write"):
        return f"compile by {service.name}" if service.name else "compile"
    return service.name if service.kind == "ground" and service.name else service.kind


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
        "needs": list(promise.needs),
        "state": str(promise.state),
        "reason": promise.reason,
        "code": promise.code,
        "children": [plan_json(child) for child in promise.children],
    }
