"""How a promise ends where it is not kept, and what proves one that was made of its children."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mayfly.core import InputError, LimitError, MayflyError, one_line
from mayfly.promise._promise import Cycle, Evidence, Promise, State
from mayfly.promise._values import Ended

if TYPE_CHECKING:
    from mayfly.core import Strength


class Unkept(MayflyError):
    """A promise that this one depends on ended in ground."""

    code = "CHILD"

    def __init__(self, child: Promise[Any]) -> None:
        super().__init__(f"{child.intent[:200]}: {child.reason}")
        self.child = child


def why_not(promise: Promise[Any]) -> str:
    """Return why a promise that was never tried, or one below it, cannot be kept."""
    for one in promise.walk():
        if one.unserved or one.reason:
            return one.unserved or one.reason
    return promise.reality.reasoning if promise.reality else "nothing keeps it"


class Unserved(MayflyError):
    """Nobody can do it here, and that was known when the tree was planned."""

    code = "UNSERVED"


def how_to_serve(intent: str) -> str:
    """Return what a person can type so that there is a tool for *intent*."""
    asked = one_line(intent, limit=100).replace('"', "'")
    return f'or a tool: mayfly tools write "{asked}" --examples FILE.json'


class Chaotic(MayflyError):
    """Nothing is tried: there is no end in sight."""

    code = "CHAOTIC"


def end(promise: Promise[Any], error: Exception) -> None:
    """Give the ground: what somebody decided collapses a promise, what nobody decided fails it."""
    if isinstance(error, Ended) and error.done.status == "failed":
        promise.fail(str(error), error.done.code or "UNEXPECTED")
    elif isinstance(error, Ended):
        code = error.done.code or error.code
        promise.collapse(str(error), "BUDGET" if code == LimitError.code else code)
    elif isinstance(error, Unkept):
        promise.collapse(str(error), error.child.code or error.code)
    elif isinstance(error, LimitError):
        promise.collapse(str(error), "DEPTH" if error.kind == "depth" else "BUDGET")
    elif isinstance(error, Cycle):
        promise.collapse(str(error), error.code)
    elif isinstance(error, InputError):
        # What a leaf was given is not what the caller gave: the code says so.
        promise.collapse(str(error), "LEAF_INPUT")
    elif isinstance(error, MayflyError):
        promise.collapse(str(error), error.code)
    elif promise.state is State.PENDING:
        promise.collapse(f"unexpected {type(error).__name__}: {error}", "UNEXPECTED")
    else:
        promise.fail(f"{type(error).__name__}: {error}")


def evidence_of_parts(promise: Promise[Any]) -> Evidence:
    """Return what proves a value that was made of the values of children: as strong as the weakest of them."""
    proofs = [child.proof for child in promise.children if child.proof]
    grounds = sum(child.state is not State.RESOLVED for child in promise.children)
    found: set[Strength] = {proof.strength for proof in proofs} | ({"weak"} if grounds else set())
    strength: Strength = "weak" if found - {"strong", "tested"} else "tested" if "tested" in found else "strong"
    why = next((f" ({child.name}: {child.reason[:200]})" for child in promise.children if child.reason), "")
    noted = f", {grounds} of them ground{why}" if grounds else ""
    return Evidence(
        description=f"{len(promise.children)} proven parts{noted}, combined as {promise.combined}",
        confidence=min((proof.confidence for proof in proofs), default=1.0) * (0.5 if grounds else 1.0),
        check=f"combined:{promise.combined}",
        strength=strength,
    )
