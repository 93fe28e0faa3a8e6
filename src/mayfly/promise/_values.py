"""What a leaf came to and what it works on; how a promise ends where it is not kept, and what proves its parts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mayfly.core import UNSET, Capability, Cost, InputError, LimitError, MayflyError, Proof, StoreError, Unset, one_line
from mayfly.promise._data import bind
from mayfly.promise._job import Done
from mayfly.promise._promise import Cycle, Evidence, Promise, State
from mayfly.store import Killed, Payload

if TYPE_CHECKING:
    from mayfly.core import Strength
    from mayfly.store import Ledger


@dataclass(kw_only=True)
class Value:
    """A value on its way to being accepted: what proves it, where it is kept, what it cost."""

    value: object = None
    evidence: Evidence | None = None
    key: str = ""
    derived: bool = False
    again: bool = False
    events: tuple[Payload, ...] = ()
    cost: Cost = field(default_factory=Cost)
    sandbox_seconds: float = 0.0
    seconds: float = 0.0
    account: Mapping[str, object] | None = None

    @property
    def tested(self) -> bool:
        """Whether its proof says more than that nothing went wrong."""
        return self.evidence is not None and self.evidence.strength in ("strong", "tested")


class Untrue(MayflyError):
    """A value did not pass its test."""

    code = "TEST"


class LeafEnded(MayflyError):
    """A leaf ended without a value; carries the code its worker gave."""

    code = "LEAF"

    def __init__(self, done: Done) -> None:
        super().__init__(done.reason or "it ended without a reason")
        self.done = done


def about_store(error: Exception) -> bool:
    """Whether the store is to blame; a switch that says nothing about how to turn it off could not be read."""
    if isinstance(error, LeafEnded):
        return error.done.code == StoreError.code
    return isinstance(error, StoreError) or (isinstance(error, Killed) and error.fix is None)


def stored(payload: Mapping[str, Any], ledger: Ledger, key: str) -> Value:
    """Read a proven value back."""
    blob = payload.get("blob")
    value = json.loads(ledger.get_blob(blob)) if blob else payload.get("value")
    said = payload.get("evidence")
    evidence = Evidence.from_json(said) if said else None
    return Value(value=value, evidence=evidence, key=key, again=True, account=payload.get("account"))


def input_of(promise: Promise[Any], needed: Mapping[str, object]) -> object | Unset:
    """Return what a promise works on: its own argument, the value of the one it needs, or a record of several."""
    if promise.argument is not UNSET:
        return bind(promise.argument, needed)
    if len(needed) == 1:
        return next(iter(needed.values()))
    return dict(needed) if needed else UNSET


def arguments_of(promise: Promise[Any], needed: Mapping[str, object], capability: Capability) -> Mapping[str, object]:
    """Return the arguments of a call; where none are said, what flows in fills the required ones in their order."""
    if promise.argument is UNSET:
        # Whatever is missing or too much then is said by the schema.
        return dict(zip(capability.input_schema.get("required", ()), needed.values(), strict=False))
    return arguments_by_name(capability.name, promise, needed)


def arguments_by_name(name: str, promise: Promise[Any], needed: Mapping[str, object]) -> Mapping[str, object]:
    """Return the arguments that a promise says for a call of *name*, with what they refer to in its place."""
    found = bind(promise.argument, needed)
    if not isinstance(found, Mapping):
        raise InputError(f"{name} is called with arguments by name, not with {type(found).__name__}")
    return found


def evidence_of(proof: Proof | None, id: str) -> Evidence:
    """Return what the proof of a program says for the values it gives."""
    if proof is None:
        return Evidence(description="no proof was made", confidence=0.0, strength="none", id=id)
    caught = f", {proof.mutants_killed}/{proof.mutants} mutants caught" if proof.mutants else ""
    sure = proof.mutants_killed / proof.mutants if proof.mutants else 0.5
    return Evidence(
        description=f"{proof.tests} tests of the agent{caught}",
        confidence=round(sure, 3),
        check="agent",
        strength=proof.strength,
        id=proof.id or id,
    )


def agent_in(needed: Mapping[str, object]) -> str:
    """Return the hash of the agent that one of the needed promises has had written."""
    for value in needed.values():
        if isinstance(value, dict) and isinstance(value.get("agent"), str):
            return str(value["agent"])
    raise InputError("there is no agent to run: nothing it needs is one")


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
    if isinstance(error, LeafEnded) and error.done.status == "failed":
        promise.fail(str(error), error.done.code or "UNEXPECTED")
    elif isinstance(error, LeafEnded):
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
