"""What staging writes to the ledger: every step before the next is begun, so that it is known where one was cut off."""

from __future__ import annotations

from mayfly.store import event


@event("staging.proposed")
class StagingProposed:
    """Record that a change of a built-in tool is to be tried: which file, on which commit, on which branch."""

    tool: str
    path: str
    base: str
    branch: str
    source_hash: str


@event("staging.tested")
class StageResult:
    """How one stage went, as it is recorded too."""

    stage: str
    ok: bool
    told: str
    seconds: float


@event("staging.merging")
class StagingMerging:
    """Record that all stages are passed and the branch is about to go on to the commit."""

    commit: str


@event("staging.promoted")
class StagingPromoted:
    """Record that a change was taken in, and until when a crash of its tool takes it back."""

    tool: str
    path: str
    commit: str
    base: str
    until: float
    tools: tuple[str, ...] = ()


@event("staging.failed")
class StagingFailed:
    """Record that a change was not taken in, and why."""

    stage: str
    reason: str


@event("staging.rollback_started")
class RollbackStarted:
    """Record that a change that was taken in is about to be taken back."""

    tool: str
    commit: str
    reason: str


@event("staging.rolled_back")
class RolledBack:
    """Record that a change was taken back by a commit of its own."""

    tool: str
    path: str
    commit: str
    reason: str
    tools: tuple[str, ...] = ()


@event("staging.rollback_failed")
class RollbackFailed:
    """Record that a change could not be taken back, and why: somebody has to look."""

    tool: str
    reason: str


@event("staging.cleaned")
class StagingCleaned:
    """Record what of a killed process was found and removed."""

    found: str
