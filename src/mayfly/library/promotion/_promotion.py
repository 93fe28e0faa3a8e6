"""`Promotion`: what ran often, proved itself and was voted for is kept in git, and comes down again where it fails.

Rules decide (`promotion.mg`); this gathers what they decide on. Runs, failures and votes are read off the ledger; what
is promoted lies on the shelf (`promoted/`), and counts where the votes beside it are signed by identities known here.
"""

from __future__ import annotations

import ast
import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mayfly.core import ConflictError, InputError, StoreError, Tier, one_line
from mayfly.library._tool_tests import text_of_tests
from mayfly.library._versions import Versions
from mayfly.library.promotion._candidates import (
    SUBJECT,
    Candidate,
    Candidates,
    Standing,
    State,
    ballot_of,
    facts_about,
    names,
)
from mayfly.library.promotion._identity import Identities
from mayfly.library.promotion._shelf import Promoted, PromotedShelf
from mayfly.library.promotion._votes import (
    Ballot,
    CapabilityDemoted,
    CapabilityPromoted,
    Choice,
    FailuresSettled,
    VoteCast,
    votes_that_count,
)
from mayfly.mangle import Symbol
from mayfly.store import Seal

if TYPE_CHECKING:
    from mayfly.core import Settings
    from mayfly.library._memo import Memo
    from mayfly.policy import Fact
    from mayfly.store import KillSwitch, Ledger

# What the rules in force derive for each of the goals from the facts.
Follow = Callable[[Iterable["Fact"], Sequence[Symbol]], dict[Symbol, list[tuple[Any, ...]]]]


class Promotion:
    """Say how programs stand, take votes, promote and demote; safe to share between threads."""

    def __init__(
        self, settings: Settings, ledger: Ledger, *, memo: Memo, switch: KillSwitch, follow_from: Follow
    ) -> None:
        """Take what programs are remembered in, and the rules that decide about them."""
        self._ledger = ledger
        self._switch = switch
        self._follow_from = follow_from
        self._state = settings.state
        self.settings = settings.promotion
        self.identities = Identities(settings.state.absolute())
        chosen = self.settings.directory
        folder = Path(chosen).expanduser() if chosen else settings.state / "promoted"
        self.shelf = PromotedShelf(folder, own=not chosen)
        self._candidates = Candidates(
            ledger,
            memo,
            versions=Versions.of(settings, ledger),
            identities=self.identities,
            is_promoted=self.is_promoted,
        )

    # What is promoted: asked while programs are written and called, so that nothing is read where nothing lies.

    def agent_for(self, asked: str) -> Promoted | None:
        """Return the promoted agent for a question; whoever asked has it pass the gates."""
        found = (one for one in self.shelf.entries() if one.ballot.kind == "agent" and one.ballot.asked == asked)
        return next((one for one in found if self._holds(one)), None)

    def tools(self) -> Iterator[Promoted]:
        """Yield the promoted tools."""
        return (one for one in self.shelf.entries() if one.ballot.kind == "tool" and self._holds(one))

    def is_promoted(self, source_hash: str) -> bool:
        """Whether a program is promoted, here and by people who are known here."""
        found = self.shelf.with_source(source_hash)
        return found is not None and self._holds(found)

    def _holds(self, one: Promoted) -> bool:
        """Whether enough of those who are known here voted for exactly this; where that cannot be said, it is not."""
        try:
            counted = votes_that_count(one.ballot, one.votes, self.identities)
        except StoreError:
            return False  # a damaged key: `problems` names it
        candidate = Candidate(
            ballot=one.ballot, name=one.name, summary="", strength="strong", tier=Tier.PROMOTED, votes=counted
        )
        voted_in = Symbol("voted_in", 1)
        return (one.ballot.source_hash,) in self._evaluated([candidate], [voted_in])[voted_in]

    # How programs stand.

    def standings(self) -> tuple[Standing, ...]:
        """Return how every tool and every remembered agent stands, those nearest to promotion first."""
        return self._standings(self._candidates.all())

    def standing(self, wanted: str) -> Standing:
        """Return how one program stands, named by a hash of its source, or the beginning of it, or as a tool."""
        found = [one for one in self.standings() if names(one.candidate.ballot, one.candidate.name, wanted)]
        if len(found) == 1:
            return found[0]
        if found:
            hashes = ", ".join(sorted({one.candidate.hash[:12] for one in found}))
            raise InputError(f"{wanted} may be any of {hashes}", fix="give more of the hash")
        raise InputError(
            f"no tool and no remembered agent is {wanted[:80]!r}",
            fix="see: mayfly market list (agents: mayfly cache show)",
        )

    def _standings(self, every: list[Candidate]) -> tuple[Standing, ...]:
        words = ("promotable", "proposed", "demotable")
        symbols = [Symbol(word, 1) for word in words]
        blocked = Symbol("promotion_blocked", 2)
        rows = self._evaluated(every, [*symbols, blocked])
        holds = {name: {str(row[0]) for row in rows[symbol]} for name, symbol in zip(words, symbols, strict=True)}
        reasons: dict[str, list[str]] = defaultdict(list)
        for row in rows[blocked]:
            reasons[str(row[0])].append(str(row[1]))
        found = []
        for one in every:
            promoted = one.tier is Tier.PROMOTED
            state: State = "promoted" if promoted else "proposed" if one.hash in holds["proposed"] else "blocked"
            if one.hash in holds["promotable"]:
                state = "promotable"
            why = () if promoted else tuple(sorted(reasons[one.hash]))
            found.append(Standing(candidate=one, state=state, reasons=why, failing=one.hash in holds["demotable"]))
        order = {"promoted": 0, "promotable": 1, "proposed": 2, "blocked": 3}
        return tuple(sorted(found, key=lambda one: (order[one.state], -one.candidate.runs, one.candidate.name)))

    def _evaluated(self, candidates: list[Candidate], goals: list[Symbol]) -> dict[Symbol, list[tuple[Any, ...]]]:
        bars = {
            "runs_needed": self.settings.runs,
            "quorum": self.settings.quorum,
            "failures_borne": self.settings.failures,
        }
        facts: list[Fact] = [(Symbol(name, 1), (value,)) for name, value in bars.items()]
        facts += [fact for one in candidates for fact in facts_about(one)]
        return self._follow_from(facts, goals)

    # Changing.

    def vote(self, wanted: str, choice: Choice, *, identity: str = "") -> Standing:
        """Cast a vote, signed; one that completes the quorum promotes."""
        self._switch.check()
        voter = self.identities.named(identity)
        candidate = self.standing(wanted).candidate
        if voter in candidate.votes:
            said = candidate.votes[voter].choice
            raise ConflictError(
                f"{voter.name} has voted on {candidate.hash[:12]} already: {said}", fix="everyone has one vote"
            )
        ballot = candidate.ballot
        cast = VoteCast(
            **ballot.told,
            choice=choice,
            voter=voter.key,
            name=voter.name,
            signature=self.identities.sign(voter, ballot.statement(choice)),
        )
        self._ledger.append(cast, subject=SUBJECT + candidate.hash)
        now = self.standing(candidate.hash)
        return self.promote(candidate.hash) if now.state == "promotable" else now

    def promote(self, wanted: str) -> Standing:
        """Commit a program to the shelf, where the rules allow that; `ConflictError` says what stands in the way."""
        self._switch.check()
        now = self.standing(wanted)
        one = now.candidate
        if now.state == "promoted":
            raise ConflictError(f"{one.name} ({one.hash[:12]}) is promoted already")
        if now.state != "promotable":
            raise ConflictError(
                f"{one.name} ({one.hash[:12]}) cannot be promoted: {'; '.join(now.reasons)}",
                fix="see: mayfly market list",
            )
        entry = self._entry(one)
        votes = f"{one.count('for')} for it, {one.count('against')} against it"
        message = f"promote {one.name}\n\n{one.runs} proven runs; {votes}.\nSource {one.hash}.\n"
        commit = self.shelf.put(entry, message)
        self._note_promoted(entry, commit, runs=one.runs)
        return Standing(candidate=self.standing(one.hash).candidate, state="promoted", commit=commit)

    def demote(self, wanted: str, *, reason: str, by: str) -> str:
        """Take a program off the shelf and return the commit; it stays what it is otherwise."""
        found = [one for one in self.shelf.entries() if names(one.ballot, one.name, wanted)]
        if len(found) != 1:
            raise InputError(f"nothing that is promoted is called {wanted[:80]!r}", fix="see: mayfly market list")
        return self._take_down(found[0], reason=reason, by=by)

    def _take_down(self, entry: Promoted, *, reason: str, by: str) -> str:
        commit = self.shelf.remove(entry, f"demote {entry.name}\n\n{one_line(reason, limit=500)}\n")
        self._note_demoted(entry.ballot, commit, reason=reason, by=by)
        return commit

    def settle(self, wanted: str, *, why: str, by: str) -> int:
        """Say that the failures so far are not the program's fault; return how many that were."""
        one = self.standing(wanted).candidate
        if not one.failures:
            raise ConflictError(f"{one.name} ({one.hash[:12]}) has no failure that is not settled")
        told = FailuresSettled(up_to=one.failures[-1], failures=len(one.failures), why=one_line(why, limit=500), by=by)
        self._ledger.append(told, subject=SUBJECT + one.hash)
        return len(one.failures)

    def look_after(self, source_hash: str) -> str:
        """Take a promoted program down that has failed too often, and return why; to be called when one fails."""
        entry = self.shelf.with_source(source_hash)
        if entry is None:
            return ""
        found = next((one for one in self.standings() if one.candidate.hash == source_hash), None)
        if found is None or not found.failing:
            return ""
        reason = f"{len(found.candidate.failures)} failures that nobody settled"
        self._take_down(entry, reason=reason, by="rules")
        return reason

    def mend(self) -> None:
        """Finish what a killed process left: files and index of the shelf, and the record of what lies there."""
        self.shelf.mend()
        said: dict[Ballot, str] = {}
        for kind in ("capability.promoted", "capability.demoted"):
            for event in self._ledger.read(kind=kind):
                # Other machines of the store have shelves of their own.
                if event.payload.get("shelf") == self._shelf_name:
                    said.setdefault(ballot_of(event), kind)
        there = {one.ballot: one for one in self.shelf.entries()}
        for ballot in said.keys() | there.keys():
            last = self._last_word(ballot)
            if ballot in there and last != "capability.promoted" and self._holds(there[ballot]):
                self._note_promoted(there[ballot], "", runs=int(there[ballot].provenance.get("runs", 0)))
            elif ballot not in there and last == "capability.promoted":
                self._note_demoted(ballot, "", reason="it is no longer in promoted/", by="")

    def problems(self) -> tuple[str, ...]:
        """Return what lies on the shelf and does not count, and why."""
        try:
            self.identities.all()
        except StoreError as error:
            return (*self.shelf.problems(), error.message)
        unknown = [
            f"{one.place}: too few of its votes are by identities known here (mayfly identity add NAME KEY)"
            for one in self.shelf.entries()
            if not self._holds(one)
        ]
        return (*self.shelf.problems(), *unknown)

    @property
    def _shelf_name(self) -> str:
        """Which shelf this is among those of all machines that share the store; it moves with the state directory."""
        # As many digits as make two machines of one store differ for certain, and no more.
        return Seal.open(self._state).of(f"shelf {self.settings.directory}")[:16]

    def _last_word(self, ballot: Ballot) -> str:
        said = ""
        for one in self._ledger.read(subject=SUBJECT + ballot.source_hash):
            moved = one.kind in ("capability.promoted", "capability.demoted")
            if moved and one.payload.get("shelf") == self._shelf_name and ballot_of(one) == ballot:
                said = one.kind
        return said

    def _note_demoted(self, ballot: Ballot, commit: str, *, reason: str, by: str) -> None:
        told = CapabilityDemoted(
            **ballot.told,
            commit=commit,
            shelf=self._shelf_name,
            reason=one_line(reason, limit=500),
            by=by,
        )
        self._ledger.append(told, subject=SUBJECT + ballot.source_hash)

    def _note_promoted(self, entry: Promoted, commit: str, *, runs: int) -> None:
        ballot = entry.ballot
        told = CapabilityPromoted(
            **ballot.told,
            commit=commit,
            shelf=self._shelf_name,
            runs=runs,
            votes=len(entry.votes),
        )
        self._ledger.append(told, subject=SUBJECT + ballot.source_hash)

    def _entry(self, one: Candidate) -> Promoted:
        """Put together what is committed: whatever another machine needs to prove it again."""
        from mayfly.gates import Suite, find_entry

        source, tests, name = self._tool_parts(one) if one.remembered is None else self._agent_parts(one)
        entry = find_entry(ast.parse(source), name)
        suite = Suite.from_json(json.loads(tests))
        spread = bool(one.about.get("card", one.about)["spread"])
        readable = text_of_tests(suite, entry.name, spread=spread, method=entry.method)
        votes = sorted(one.votes.items(), key=lambda pair: pair[0].name)
        last = self._ledger.last()
        return Promoted(
            ballot=one.ballot,
            name=one.name,
            source=source,
            tests=tests,
            readable=readable,
            about=one.about,
            votes=tuple(vote for _, vote in votes),
            provenance={
                "promoted": datetime.now(UTC).isoformat(timespec="seconds"),
                "runs": one.runs,
                "summary": one.summary,
                "proof": one.strength,
                "voters": {voter.name: voter.key for voter, _ in votes},
                "event": last.id if last is not None else 0,
            },
        )

    def _tool_parts(self, one: Candidate) -> tuple[str, str, str]:
        served = self._candidates.versions.serving(one.name)
        if served.version.source != one.hash:
            raise ConflictError(f"{one.name} was changed meanwhile", fix="see: mayfly market list")
        found = self._candidates.versions.open(served.version)
        tests = self._ledger.get_blob(served.version.tests).decode("utf-8", "surrogatepass")
        return found.source, tests, found.card.name

    def _agent_parts(self, one: Candidate) -> tuple[str, str, str]:
        agent = one.remembered
        assert agent is not None, "only agents are remembered"
        return agent.artifact.source, self._candidates.tests_of(agent), agent.artifact.entry
