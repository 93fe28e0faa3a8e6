"""What a tree of promises writes into the ledger. Subjects: the run; for a proven value the key of its content."""

from __future__ import annotations

from mayfly.store import JSON, event


@event("promise.planned")
class Planned:
    """Record the whole tree before anything ran; *tree* is the address of its JSON, *options* what resume needs.

    *cost* is what planning took.
    """

    intent: str
    tree: str
    nodes: int
    by: str
    seq: int
    options: dict[str, JSON]
    cost: dict[str, JSON] | None = None


@event("promise.began")
class Began:
    """Record that a promise is being resolved, by what and where."""

    node: str
    by: str
    seq: int


@event("promise.grown")
class Grown:
    """Record children that were planned once it was known what there is to do; *tree* is where they are.

    *combine* is how their values become their parent's, which may have been unknown as well.
    """

    node: str
    tree: str
    nodes: int
    seq: int
    combine: str = ""


@event("promise.resolved")
class Resolved:
    """Record that a promise was kept; *key* is where its value is found, empty where it follows from its children."""

    node: str
    key: str
    seq: int
    evidence: dict[str, JSON]
    seconds: float = 0.0
    again: bool = False
    cost: dict[str, JSON] | None = None


@event("promise.collapsed")
class Collapsed:
    """Record that the ground was given, since somebody decided not to try or not to accept.

    Where work at it was *cut_off*, nobody has said what that had cost.
    """

    node: str
    intent: str
    depth: int
    reason: str
    code: str
    ground_value: JSON
    seq: int
    cost: dict[str, JSON] | None = None
    cut_off: bool = False


@event("promise.failed")
class Failed:
    """Record that the ground was given, since something nobody decided went wrong."""

    node: str
    intent: str
    depth: int
    error: str
    code: str
    ground_value: JSON
    seq: int
    cost: dict[str, JSON] | None = None


@event("promise.proven")
class Proven:
    """Record a proven value under the key of everything it follows from (the subject): inline, or as a blob."""

    run: str
    node: str
    value: JSON = None
    blob: str | None = None
    evidence: dict[str, JSON] | None = None
    account: JSON = None


@event("effect.began")
class EffectBegan:
    """Record, before it is sent, that an effect may have happened from now on. The subject is run/node."""

    capability: str
    effect: str
    action: str
    target: str
    attempt: int


@event("effect.done")
class EffectDone:
    """Record that an effect happened and what it gave."""

    capability: str
    value: JSON = None
    blob: str | None = None


@event("effect.refused")
class EffectRefused:
    """Record that an effect certainly did not happen."""

    capability: str
    reason: str


@event("effect.unknown")
class EffectUnknown:
    """Record that nobody can tell whether an effect happened; it is never sent again unless a person says so."""

    run: str
    node: str
    capability: str
    target: str
    intent: str
    reason: str


@event("effect.settled")
class EffectSettled:
    """Record what a person found out about an unknown effect: done, or not done and to be sent, or given up."""

    verdict: str
    by: str
    value: JSON = None


@event("leaf.dead")
class DeadLetter:
    """Record that a leaf was given up after every retry: its worker was lost each time."""

    node: str
    intent: str
    attempts: int
    reason: str


@event("run.cancelled")
class RunCancelled:
    """Record that somebody asked a run to stop."""

    by: str
    reason: str


@event("run.resumed")
class RunResumed:
    """Record that somebody goes on with a run, how many of its values are at hand, and how many promises stay kept."""

    by: str
    proven: int
    kept: int | None = None
