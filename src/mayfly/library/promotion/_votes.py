"""Votes for promotion: ballots, signed choices, which count, and the events that record them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from mayfly.core import MachineError, canonical_json, content_hash
from mayfly.library.promotion._identity import Identities, VoterIdentity, is_signed
from mayfly.store import event

Choice = Literal["for", "against"]
Kind = Literal["tool", "agent"]


@dataclass(frozen=True, kw_only=True)
class Ballot:
    """What a vote is about: a program, the tests it is held to, and what it is called for.

    *asked* is the name of a tool, or the key of the question that an agent answers; *powers* is the hash of what it may
    reach and how it is called. All of it is signed: nobody can put other tests, another question or wider grants under
    a program that was voted for.
    """

    kind: Kind
    asked: str
    source_hash: str
    tests_hash: str
    powers: str

    @property
    def told(self) -> dict[str, str]:
        """What an event says of it; the source is in the event's subject."""
        return {"about": self.kind, "asked": self.asked, "tests_hash": self.tests_hash, "powers": self.powers}

    def statement(self, choice: Choice) -> str:
        """Return what a voter signs."""
        about = [self.kind, self.asked, self.source_hash, self.tests_hash, self.powers]
        return canonical_json(["mayfly vote", 1, *about, choice])


# Of the card of a tool, and of what is kept of an agent: whatever widens what it may do, or changes how it is called.
_OF_A_TOOL = ("name", "grants", "opened", "effect", "seconds", "spread", "is_class", "input_schema", "output_schema")
_OF_AN_AGENT = ("entry", "spread", "grants")


def powers_of(about: Mapping[str, Any]) -> str:
    """Return the hash of what a program may reach and how it is called, as its card or its record says."""
    card = about.get("card")
    told, names = (card, _OF_A_TOOL) if isinstance(card, Mapping) else (about, _OF_AN_AGENT)
    return content_hash(canonical_json({name: told.get(name) for name in names}))


@dataclass(frozen=True, kw_only=True)
class Vote:
    """One vote as it is kept: the voter's public key, the choice and the signature over both with the ballot."""

    voter: str
    choice: Choice
    signature: str
    at: str

    def to_json(self) -> dict[str, str]:
        """Return it as plain data."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Vote:
        """Read what `to_json` gave; a `ValueError` says that it is none."""
        found = {name: str(data.get(name, "")) for name in ("voter", "choice", "signature", "at")}
        if found["choice"] not in ("for", "against"):
            raise ValueError("a vote is for or against")
        return cls(**found)  # type: ignore[arg-type]


def votes_that_count(ballot: Ballot, votes: Iterable[Vote], identities: Identities) -> dict[VoterIdentity, Vote]:
    """Return the votes of those who are known here, signed for exactly this ballot; the first of each voter.

    Where signatures cannot be checked, none counts.
    """
    found: dict[VoterIdentity, Vote] = {}
    try:
        known = {one.key: one for one in identities.all()}
        for vote in votes:
            voter = known.get(vote.voter)
            if voter is None or voter in found:
                continue
            if is_signed(vote.voter, ballot.statement(vote.choice), vote.signature):
                found[voter] = vote
    except MachineError:
        return {}
    return found


SUBJECT = "capability:"


@dataclass(frozen=True, kw_only=True)
class OfBallot:
    """What an event says of its `Ballot`."""

    about: str
    asked: str
    tests_hash: str
    powers: str


@event("capability.voted")
class VoteCast(OfBallot):
    """Record a signed vote; *voter* is a public key, *name* what it was called where the vote was cast."""

    choice: str
    voter: str
    name: str
    signature: str


@event("capability.settled")
class FailuresSettled:
    """Record that somebody looked at the failures up to an event and found them to be none of the program's fault."""

    up_to: int
    failures: int
    why: str
    by: str


@event("capability.promoted")
class CapabilityPromoted(OfBallot):
    """Record that a program is kept in git from now on: the commit, on which *shelf*, and what spoke for it."""

    commit: str
    shelf: str
    runs: int
    votes: int


@event("capability.demoted")
class CapabilityDemoted(OfBallot):
    """Record that a program is no longer kept in git, and why; what it is otherwise it stays."""

    commit: str
    shelf: str
    reason: str
    by: str
