"""What may be promoted: every tool that serves and every remembered agent, with its runs, failures and votes."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from mayfly.core import StoreError, Tier, content_hash, was_hidden
from mayfly.library._tool_tests import tool_name_of
from mayfly.library._versions import Versions
from mayfly.library.promotion._identity import Identities, VoterIdentity
from mayfly.library.promotion._votes import Ballot, Choice, Vote, powers_of, votes_that_count
from mayfly.mangle import Name, Symbol

if TYPE_CHECKING:
    from mayfly.library._memo import Memo, Remembered
    from mayfly.policy import Fact
    from mayfly.store import Event, Ledger

SUBJECT = "capability:"
# How a call ends that speaks against a program; what was refused or cancelled never ran to its end.
_FAILED = frozenset({"error", "timeout", "memory", "died"})
# The fewest digits of a hash that name a program: fewer are mistyped too easily.
_FEWEST = 6

State = Literal["promoted", "promotable", "proposed", "blocked"]


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A program as the rules see it: what would be voted on, how often it ran, and how well it is proven."""

    ballot: Ballot
    name: str
    summary: str
    strength: str
    tier: Tier
    runs: int = 0
    failures: tuple[int, ...] = ()
    votes: Mapping[VoterIdentity, Vote] = field(default_factory=dict)
    uncounted: int = 0
    about: Mapping[str, Any] = field(default_factory=dict, repr=False)
    remembered: Remembered | None = field(default=None, repr=False)

    @property
    def hash(self) -> str:
        """The hash of its source, by which people name it."""
        return self.ballot.source_hash

    def count(self, choice: Choice) -> int:
        """Return how many chose so."""
        return sum(vote.choice == choice for vote in self.votes.values())


@dataclass(frozen=True, kw_only=True)
class Standing:
    """How a program stands: promoted, or what the rules say stands in the way of it."""

    candidate: Candidate
    state: State
    reasons: tuple[str, ...] = ()
    failing: bool = False
    commit: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        one = self.candidate
        return {
            "hash": one.hash,
            "kind": one.ballot.kind,
            "name": one.name,
            "summary": one.summary,
            "state": self.state,
            "tier": one.tier.value,
            "proof": one.strength,
            "runs": one.runs,
            "failures": len(one.failures),
            "for": one.count("for"),
            "against": one.count("against"),
            "votes_not_counted": one.uncounted,
            "voters": {voter.name: vote.choice for voter, vote in one.votes.items()},
            "reasons": list(self.reasons),
            "commit": self.commit,
        }


class Candidates:
    """Gather what can be voted on from the library, the cache and the ledger."""

    def __init__(
        self,
        ledger: Ledger,
        memo: Memo,
        *,
        versions: Versions,
        identities: Identities,
        is_promoted: Callable[[str], bool],
    ) -> None:
        self.versions = versions
        self._ledger = ledger
        self._memo = memo
        self._identities = identities
        self._is_promoted = is_promoted

    def all(self) -> list[Candidate]:
        """Return every one there is."""
        return [*self._tools(), *self._agents()]

    def _tools(self) -> Iterator[Candidate]:
        for one in self.versions.rows.all(state="serving"):
            try:
                card = self.versions.open(one.version).card
            except StoreError:
                continue  # what is not whole is nothing to vote on; `doctor` names it
            row = one.version
            ran, failed = 0, []
            for event in self._ledger.read(kind="tool.returned", subject=f"tool:{row.name}"):
                if event.payload.get("version") == row.version:
                    status = event.payload.get("status")
                    ran += status == "ok"
                    failed += [event.id] if status in _FAILED else []
            yield self._candidate(
                {"card": card.to_json()},
                Ballot(kind="tool", asked=row.name, source_hash=row.source, tests_hash=row.tests, powers=""),
                name=row.name,
                summary=card.summary,
                strength=card.strength,
                runs=ran,
                failed=failed,
                tier=Tier.AUTHORED,
            )

    def _agents(self) -> Iterator[Candidate]:
        remembered: dict[str, Remembered] = {}
        for _, one in self._memo.entries():
            remembered.setdefault(one.artifact.hash, one)
        if not remembered:
            return
        ran: Counter[str] = Counter()
        failed: dict[str, list[int]] = defaultdict(list)
        for event in self._ledger.read(kind="agent.executed"):
            hash, status = str(event.payload.get("source_hash")), event.payload.get("status")
            ran[hash] += status == "ok"
            if status in _FAILED:
                failed[hash].append(event.id)
        for hash, one in remembered.items():
            tests = self.tests_of(one)
            if one.asked and tests:
                yield self._candidate(
                    about_agent(one),
                    Ballot(kind="agent", asked=one.asked, source_hash=hash, tests_hash=content_hash(tests), powers=""),
                    name=tool_name_of(one.intent),
                    summary=one.intent,
                    strength=one.proof.strength,
                    runs=ran[hash],
                    failed=failed[hash],
                    tier=Tier.MEMO,
                    remembered=one,
                )

    def tests_of(self, agent: Remembered) -> str:
        """Return the tests an agent was proven with, as the run that proved it has kept them."""
        for event in self._ledger.read(kind="proof.made", subject=agent.proof.id or ""):
            hash = event.payload.get("suite_hash")
            if isinstance(hash, str) and event.payload.get("source_hash") == agent.artifact.hash:
                tests = self._ledger.get_blob(hash).decode("utf-8", "surrogatepass")
                # A test with a placeholder in it is another test than the one that was passed.
                return "" if was_hidden(json.loads(tests)) else tests
        return ""

    def _candidate(
        self, about: Mapping[str, Any], ballot: Ballot, *, failed: list[int], tier: Tier, **known: Any
    ) -> Candidate:
        ballot = replace(ballot, powers=powers_of(about))
        events = list(self._ledger.read(subject=SUBJECT + ballot.source_hash))
        settled = max((_number(one, "up_to") for one in events if one.kind == "capability.settled"), default=0)
        # Who voted before it came down knew nothing of why it did: that is decided anew.
        down = max((one.id for one in events if one.kind == "capability.demoted"), default=0)
        cast = [_vote(one) for one in events if one.id > down and _is_about(one, ballot)]
        counted = votes_that_count(ballot, cast, self._identities)
        return Candidate(
            ballot=ballot,
            about=about,
            failures=tuple(id for id in failed if id > settled),
            votes=counted,
            uncounted=len(cast) - len(counted),
            tier=Tier.PROMOTED if self._is_promoted(ballot.source_hash) else tier,
            **known,
        )


def about_agent(agent: Remembered) -> dict[str, Any]:
    """Return what is kept of an agent beside its source: how it is called, and where it comes from."""
    whole = asdict(agent.artifact)
    kept = {name: whole[name] for name in ("entry", "author", "grants", "provenance")}
    about = {**kept, "spread": agent.spread, "intent": agent.intent, "proof": asdict(agent.proof)}
    # What stands in a record is data: whatever else somebody put into a provenance is told as text.
    return json.loads(json.dumps(about, default=str))  # type: ignore[no-any-return]


def facts_about(one: Candidate) -> Iterator[Fact]:
    """Yield what the rules decide on."""
    hash = one.hash
    yield Symbol("capability_tier", 2), (hash, Name(f"/{one.tier.value}"))
    yield Symbol("invocation_count", 2), (hash, one.runs)
    yield Symbol("capability_proof", 2), (hash, Name(f"/{one.strength}"))
    for id in one.failures:
        yield Symbol("failure_outstanding", 2), (hash, id)
    for voter, vote in one.votes.items():
        yield Symbol("vote", 3), (hash, voter.key, Name(f"/{vote.choice}"))


def names(ballot: Ballot, name: str, wanted: str) -> bool:
    """Whether *wanted* is the beginning of the hash, or the name of the tool."""
    by_hash = len(wanted) >= _FEWEST and ballot.source_hash.startswith(wanted.lower())
    return by_hash or (ballot.kind == "tool" and name == wanted)


def ballot_of(event: Event) -> Ballot:
    """Return what an event is about."""
    told = event.payload
    return Ballot(
        kind="agent" if told.get("about") == "agent" else "tool",
        asked=str(told.get("asked", "")),
        source_hash=event.subject.removeprefix(SUBJECT),
        tests_hash=str(told.get("tests_hash", "")),
        powers=str(told.get("powers", "")),
    )


def _is_about(event: Event, ballot: Ballot) -> bool:
    return event.kind == "capability.voted" and ballot_of(event) == ballot


def _vote(event: Event) -> Vote:
    return Vote.from_json({**event.payload, "at": event.at})


def _number(event: Event, name: str) -> int:
    found = event.payload.get(name)
    return found if isinstance(found, int) else 0
