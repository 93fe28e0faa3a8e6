"""What a leaf came to, why it came to nothing, and what it works on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mayfly.core import UNSET, Capability, Cost, InputError, MayflyError, Proof, StoreError, Unset
from mayfly.promise._bind import bind
from mayfly.promise._job import Done
from mayfly.promise._promise import Evidence, Promise
from mayfly.store import Killed, Payload

if TYPE_CHECKING:
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


class Ended(MayflyError):
    """A leaf ended without a value; carries the code its worker gave."""

    code = "LEAF"

    def __init__(self, done: Done) -> None:
        super().__init__(done.reason or "it ended without a reason")
        self.done = done


def about_store(error: Exception) -> bool:
    """Whether the store is to blame; a switch that says nothing about how to turn it off could not be read."""
    if isinstance(error, Ended):
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
