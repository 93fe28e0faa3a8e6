"""What happens on the way up and down, as the ledger keeps it; the subject of each is ``capability:SOURCE_HASH``."""

from __future__ import annotations

from dataclasses import dataclass

from mayfly.store import event

SUBJECT = "capability:"


@event("capability.voted")
@dataclass(frozen=True, kw_only=True)
class VoteCast:
    """Record a signed vote; *voter* is a public key, *name* what it was called where the vote was cast."""

    about: str
    asked: str
    tests_hash: str
    powers: str
    choice: str
    voter: str
    name: str
    signature: str


@event("capability.settled")
@dataclass(frozen=True, kw_only=True)
class FailuresSettled:
    """Record that somebody looked at the failures up to an event and found them to be none of the program's fault."""

    up_to: int
    failures: int
    why: str
    by: str


@event("capability.promoted")
@dataclass(frozen=True, kw_only=True)
class CapabilityPromoted:
    """Record that a program is kept in git from now on: the commit, on which *shelf*, and what spoke for it."""

    about: str
    asked: str
    tests_hash: str
    powers: str
    commit: str
    shelf: str
    runs: int
    votes: int


@event("capability.demoted")
@dataclass(frozen=True, kw_only=True)
class CapabilityDemoted:
    """Record that a program is no longer kept in git, and why; what it is otherwise it stays."""

    about: str
    asked: str
    tests_hash: str
    powers: str
    commit: str
    shelf: str
    reason: str
    by: str
