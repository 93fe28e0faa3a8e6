"""The kernel: asks the rules before every effect, and lets nothing happen that they do not permit."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mayfly.core import (
    ConflictError,
    InputError,
    MayflyError,
    PolicySettings,
    canonical_json,
    content_hash,
    without_secrets,
)
from mayfly.mangle import Name, Symbol, Time
from mayfly.policy.kernel._decide import LIMITS, PENDING, Decided, Permit, Route, decide, reason_of
from mayfly.policy.kernel._evaluator import (
    ACTION_TYPE_FOR,
    PERSONA_FOR,
    Evaluator,
    PolicyQuestion,
    by_intent,
    given_fact,
    judge_set,
    names_in,
    told_of,
    with_standing,
)
from mayfly.policy.kernel._events import PolicyDecided, PolicyRouted
from mayfly.policy.kernel._judgement import ChangesJudgement, approved_set, recorded_paths, set_digest, summary
from mayfly.policy.kernel._reasons import Reason, reasons_of
from mayfly.policy.kernel._record import CHANGES, CLASS, Caps, Spending, digest_of, kept, recording, shortened
from mayfly.policy.kernel.facts import SetFacts, action_name, changes_of, facts_of_action, symbol

if TYPE_CHECKING:
    from mayfly.mangle import Limits, Model, Row, Why, WhyNot
    from mayfly.policy.kernel._appeals import Appeals, Review
    from mayfly.policy.kernel._replay import Explanation
    from mayfly.policy.kernel._snapshot import Snapshot
    from mayfly.policy.kernel.facts import Fact, FileChange
    from mayfly.store import JSON, Ledger

_PERSONA: Final = Symbol("persona", 1)
_ACTION_TYPE: Final = Symbol("action_type", 1)
_ROUTING: Final = (_PERSONA, PERSONA_FOR, _ACTION_TYPE, ACTION_TYPE_FOR)
_RECORDED: Final = ("policy.decided", "policy.routed")
_AMOUNT: Final = Symbol("action_amount", 2)
# How often a spending is decided again because somebody else spent in between; each time somebody got on.
_TRIES: Final = 100


class Kernel(Evaluator):
    """Answer for one agent in one session, by one snapshot of the rules; by the shipped ones where none is given.

    The agent's policies are joined with the rules for its questions only. A question that cannot be answered, whatever
    the reason, is answered with a denial.
    """

    def __init__(
        self,
        snapshot: Snapshot | None = None,
        *,
        workspace: Path | str = ".",
        ledger: Ledger | None = None,
        persona: str | None = None,
        policies: Sequence[str] = (),
        session: Iterable[Fact | str] = (),
        session_id: str | None = None,
        appeals: Appeals | None = None,
        review: Review | None = None,
        clock: Callable[[], int] = time.time_ns,
        limits: Limits = LIMITS,
        caps: Caps | None = None,
        removals: int | None = None,
    ) -> None:
        super().__init__(
            snapshot,
            workspace=workspace,
            persona=persona,
            policies=policies,
            session=session,
            limits=limits,
        )
        self._ledger = ledger
        self._session_id = session_id
        self._appeals = appeals
        self._review = review
        self._clock = clock
        # What may be spent in all, where there is a ledger to add it up from.
        self._caps = caps
        # How many files that git tracks may be removed at once without asking.
        self._removals = PolicySettings().removals if removals is None else removals

    def permitted(self, action: str, target: str, payload: JSON = "", *, id: str | None = None) -> Permit:
        """Decide one action before it happens; default deny, and whatever goes wrong denies with the reason."""
        id = id or f"d-{os.urandom(6).hex()}"
        try:
            return self._permitted(PolicyQuestion(id, action_name(action), target, payload))
        except Exception as error:
            # Nothing may happen because deciding failed, in whatever way: that is what this guard is for.
            return self._failed(id, action, target, error)

    def judge(
        self,
        changes: Iterable[FileChange],
        *,
        id: str | None = None,
        digest: str = "",
        whole: SetFacts = SetFacts(),  # noqa: B008 -- it cannot be changed
    ) -> ChangesJudgement:
        """Decide about a set of changes before it is kept: the strictest of what the rules say of each of them.

        *digest* is the hash over the set with what its files hold: an approval is for exactly that, so without it none
        counts; *whole* is what is known of the set by who has seen the repository. Whatever goes wrong denies with the
        reason.
        """
        id = id or f"d-{os.urandom(6).hex()}"
        try:
            return self._judged(list(changes), id, digest, whole)
        except Exception as error:
            # As with an action: nothing is kept because judging failed.
            failed = self._failed(id, CHANGES, "a set of changes", error)
            return ChangesJudgement(decision="deny", because=failed.because, id=id, digest="", rules=self.snapshot.hash)

    def _judged(self, changes: list[FileChange], id: str, content: str, whole: SetFacts) -> ChangesJudgement:
        who = {"persona": self.persona, "session": self._session_id}
        digest = set_digest(changes, content, workspace=self._workspace, **who)
        facts = changes_of(changes, id=id, spoken_of=self.spoken_of(), every_name=self.looks_at_names(), whole=whole)
        standing = [*self._standing_facts(), (symbol("removal_limit"), (self._removals,))]
        found, recorded = judge_set(self, facts, standing, id=id, digest=digest)
        if found.decision == "approval" and self._appeals is not None and content:
            found = approved_set(found, self._appeals.standing(digest))
        if self._ledger is not None:
            event = self._set_event(found, changes, recorded)
            self._ledger.append(event, subject=id)
            self._reviewed(Decided(found.decision, (), (), CHANGES), CHANGES)
        return found

    def _set_event(
        self, found: ChangesJudgement, changes: Sequence[FileChange], facts: Sequence[Fact]
    ) -> PolicyDecided:
        assert self._ledger is not None, "who calls this has looked"
        hider = self._ledger.secrets.now()
        about = Decided(found.decision, found.because, (), CHANGES)
        paths = canonical_json(hider.data(recorded_paths(found.by_path)))
        asked = {"action": CHANGES, "target": summary(changes), "payload": paths, "payload_hash": found.digest}
        return self._decision_event(about, facts, found.reasons, hider.text, digest=found.digest, **asked)

    def _decision_event(
        self,
        decided: Decided,
        facts: Sequence[Fact],
        reasons: Sequence[Reason],
        hide: Callable[[str], str],
        **asked: str,
    ) -> PolicyDecided:
        """Return the event of a decision; *asked* says of what, its secrets hidden."""
        assert self._ledger is not None, "who calls this has looked"
        texts, blob = kept(facts, self._ledger, hide)
        return PolicyDecided(
            **asked,
            decision=decided.decision,
            because=tuple(map(hide, decided.because)),
            rules=self.snapshot.hash,
            persona=self.persona,
            policies=self.policies,
            action_class=decided.action_class,
            session=self._session_id,
            workspace=self._workspace,
            facts=texts,
            blob=blob,
            reasons=tuple({"code": reason.code, **reason.span._asdict()} for reason in reasons),
        )

    def _permitted(self, asked: PolicyQuestion) -> Permit:
        facts = facts_of_action(
            *(asked.action, asked.target, asked.text),
            id=asked.id,
            time=self._clock(),
            workspace=self._workspace,
            root=self._root,
        )
        given = [*self._standing_facts(), *facts]
        found = self._decided(given)
        if found[1].action_class == CLASS and self._ledger is not None and self._caps is not None:
            return self._spent(asked, given, Spending(self._ledger, self._caps, self._session_id, now=self._clock()))
        return self._answer(asked, *self._approved(asked, given, found), given)

    def _spent(self, asked: PolicyQuestion, given: list[Fact], spending: Spending) -> Permit:
        """Decide about money: with what was spent before, and recorded in one piece, or decided again."""
        named = (row[1] for name, row in given if name == _AMOUNT and row[0] == asked.id)
        cents = max((cents for cents in named if isinstance(cents, int)), default=0)
        for _ in range(_TRIES):
            totals = spending.totals()
            told = [*given, *spending.facts(totals)]
            model, decided = self._approved(asked, told, self._decided(told))
            permit = self._permit(asked, model, decided)
            if permit.decision != "permit":
                return self._answer(asked, model, decided, told)
            event = self._event(asked, decided, told)
            if spending.reserve(totals, cents, event, id=asked.id):
                return permit
        raise ConflictError(f"others spent at the same moment, {_TRIES} times over")

    def _approved(
        self, asked: PolicyQuestion, given: list[Fact], found: tuple[Model, Decided]
    ) -> tuple[Model, Decided]:
        """Return the decision with what a person has agreed to, where it needs that."""
        model, decided = found
        if decided.decision == "approval" and self._appeals is not None:
            standing = self._appeals.standing(self._digest(asked))
            if standing.until is not None:
                approved: Row = (Name(asked.action), asked.target, asked.text, Time(standing.until))
                given.append((symbol("approved"), approved))
                model, decided = self._decided(given)
            decided = with_standing(decided, standing)
        return model, decided

    def _answer(self, asked: PolicyQuestion, model: Model, decided: Decided, given: Sequence[Fact]) -> Permit:
        permit = self._permit(asked, model, decided)
        final = decided._replace(decision=permit.decision, because=permit.because)
        self._record(asked, final, given, permit.reasons)
        return permit

    def _digest(self, asked: PolicyQuestion) -> str:
        who = {"persona": self.persona, "session": self._session_id}
        return digest_of(asked.action, asked.target, asked.text, workspace=self._workspace, **who)

    def _decided(self, given: Sequence[Fact]) -> tuple[Model, Decided]:
        self._program()
        model = self.evaluate(given, self._goals)
        return model, decide(model, next(row for name, row in given if name == PENDING))

    def _record(
        self, asked: PolicyQuestion, decided: Decided, facts: Sequence[Fact], reasons: Sequence[Reason] = ()
    ) -> None:
        if self._ledger is not None:
            self._ledger.append(self._event(asked, decided, facts, reasons), subject=asked.id)
            self._reviewed(decided, asked.action)

    def _event(
        self, asked: PolicyQuestion, decided: Decided, facts: Sequence[Fact], reasons: Sequence[Reason] = ()
    ) -> PolicyDecided:
        assert self._ledger is not None, "who calls this has looked"
        # What could not be decided has no facts, and no approval may name it.
        digest = self._digest(asked) if facts else ""
        hide = self._ledger.secrets.now().with_pieces_of(f"{asked.target}\n{asked.text}").text
        told = {"target": shortened(asked.target, hide), "payload": shortened(asked.text, hide)}
        told |= {"action": asked.action, "payload_hash": content_hash(asked.text)}
        return self._decision_event(decided, facts, reasons, hide, digest=digest, **told)

    def _reviewed(self, decided: Decided, name: str) -> None:
        if self._review is None or decided.decision != "deny":
            return
        try:
            self._review.count(decided.action_class or name)
        except MayflyError:
            # The denial stands whether or not somebody could be asked to look at the rules.
            pass

    def _permit(self, asked: PolicyQuestion, model: Model, decided: Decided) -> Permit:
        def explain_why(most: int) -> tuple[Why, ...]:
            from mayfly.policy.kernel._replay import reasons

            return reasons(model, decided.facts[:most])

        def explain_why_not() -> WhyNot | None:
            from mayfly.policy.kernel._replay import not_permitted

            row = (Name(asked.action), asked.target, asked.text)
            return None if decided.decision == "permit" else not_permitted(model, row)

        decision, because, reasons = told_of(asked, model, decided)
        return Permit(
            decision=decision,
            because=because,
            id=asked.id,
            action=asked.action,
            target=asked.target,
            rules=self.snapshot.hash,
            reasons=reasons,
            explain_why=explain_why,
            explain_why_not=explain_why_not,
        )

    def _failed(self, id: str, action: object, target: object, error: Exception) -> Permit:
        reason = str(error) if isinstance(error, MayflyError) else f"{type(error).__name__}: {error}"
        hide = without_secrets if self._ledger is None else self._ledger.secrets.text
        because = (hide(f"it could not be decided, so it is denied: {reason}")[:500],)
        asked = PolicyQuestion(id, ascii(action)[:200], ascii(target)[:1000], "")
        try:
            self._record(asked, Decided("deny", because, (), None), ())
        except Exception:
            # Where even this cannot be written there is nothing left to do but to deny.
            pass
        return Permit(
            decision="deny",
            because=because,
            id=id,
            action=asked.action,
            target=asked.target,
            rules=self.snapshot.hash,
            reasons=reasons_of(because, (), None, target=str(target), payload=""),
        )

    def route(self, perceived: Iterable[Fact | str], *, id: str | None = None, said: str = "") -> Route:
        """Say which personas and kinds of work a request needs, each with the rule that says so.

        *said* is what was perceived: secrets in it are recorded nowhere, nor pieces of them.
        """
        facts = [given_fact(fact) for fact in perceived]
        declared = self._program().predicates
        given = [*self._standing_facts(), *facts]
        model = self.evaluate(given, [goal for goal in _ROUTING if goal in declared])
        rows = [(goal, row) for goal in (_PERSONA, _ACTION_TYPE) for row in model.rows(goal)]
        personas, kinds = names_in(model, _PERSONA), names_in(model, _ACTION_TYPE)
        because = tuple(reason_of(model, goal, row) for goal, row in rows)[:32]
        route = Route(
            personas=personas,
            action_types=kinds,
            because=because,
            id=id or f"t-{os.urandom(6).hex()}",
            by_intent=by_intent(model),
        )
        self._record_route(route, given, said)
        return route

    def _record_route(self, route: Route, facts: Sequence[Fact], said: str) -> None:
        if self._ledger is None:
            return
        hide = self._ledger.secrets.now().with_pieces_of(said).text
        texts, blob = kept(facts, self._ledger, hide)
        event = PolicyRouted(
            personas=route.personas,
            action_types=route.action_types,
            because=tuple(shortened(line, hide) for line in route.because),
            rules=self.snapshot.hash,
            policies=self.policies,
            session=self._session_id,
            facts=texts,
            blob=blob,
        )
        self._ledger.append(event, subject=route.id)

    def explain(self, id: str) -> Explanation:
        """Explain a recorded decision or routing again from its facts, by the rules of this kernel."""
        from mayfly.policy.kernel._replay import explanation

        if self._ledger is None:
            raise InputError("without a ledger no decision is known", fix="open the ledger")
        found = next((event for kind in _RECORDED for event in self._ledger.read(kind=kind, subject=id)), None)
        told = None if found is None else recording(found, self._ledger)
        if found is None or told is None:
            raise InputError(f"there is no decision {id}" if found is None else f"the facts of {id} were not kept")
        return explanation(self.snapshot, told, found, self._externals)
