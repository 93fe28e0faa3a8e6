"""The kernel: asks the rules before every effect, and lets nothing happen that they do not permit."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mayfly.core import InputError, MayflyError, canonical_json, content_hash, without_secrets
from mayfly.mangle import MangleError, Name, Symbol, Time
from mayfly.policy.kernel._branch import Branch
from mayfly.policy.kernel._decide import LIMITS, Decided, decide, goals_of, name_text, reason_of
from mayfly.policy.kernel._events import PolicyDecided, PolicyRouted
from mayfly.policy.kernel._permit import Permit, Route
from mayfly.policy.kernel._record import digest_of, kept, recording
from mayfly.policy.kernel._shortened import shortened
from mayfly.policy.kernel._world import World
from mayfly.policy.kernel.facts import action_name, facts_of_action, symbol

if TYPE_CHECKING:
    from mayfly.mangle import (
        Atom,
        Limits,
        Model,
        Program,
        Row,
        Why,
        WhyNot,
    )
    from mayfly.policy.kernel._appeals import Appeals, Standing
    from mayfly.policy.kernel._explain import Explanation
    from mayfly.policy.kernel._review import Review
    from mayfly.policy.kernel._snapshot import Snapshot
    from mayfly.policy.kernel.facts import Fact
    from mayfly.store import JSON, Ledger

_PERSONA: Final = Symbol("persona", 1)
_PERSONA_FOR: Final = Symbol("persona_for", 2)
_ACTION_TYPE: Final = Symbol("action_type", 1)
_ACTION_TYPE_FOR: Final = Symbol("action_type_for", 2)
_ROUTING: Final = (_PERSONA, _PERSONA_FOR, _ACTION_TYPE, _ACTION_TYPE_FOR)
_GRANTED_POLICY: Final = Symbol("granted_policy", 1)
_GIT_BRANCH: Final = Symbol("git_branch", 1)
_PERSON: Final = Name("/person")
_ACTORS: Final = frozenset({"acting", "tier", "granted_tool", "asked_by"})
_RECORDED: Final = ("policy.decided", "policy.routed")
_NEVER_GIVEN: Final = frozenset({"permitted", "refused", "needs_approval", "approved", "pending_action"})


class Kernel:
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
    ) -> None:
        self.snapshot = _shipped() if snapshot is None else snapshot
        self.persona = None if persona is None else action_name(persona)
        self.policies = tuple(policies)
        self._workspace = str(Path(workspace).absolute())
        self._ledger = ledger
        self._session_id = session_id
        self._appeals = appeals
        self._review = review
        self._clock = clock
        self._limits = limits
        self._compiled: Program | None = None
        self._goals: list[Symbol] = []
        self._fixed: tuple[Fact, ...] = ()
        self._root = os.path.realpath(self._workspace)
        self._externals = World(self._workspace).externals
        self._session = tuple(_given(fact) for fact in session)
        told = any(name == _GIT_BRANCH for name, _ in self._session)
        self._branch = None if told else Branch(self._root)

    def permitted(self, action: str, target: str, payload: JSON = "", *, id: str | None = None) -> Permit:
        """Decide one action before it happens; default deny, and whatever goes wrong denies with the reason."""
        id = id or f"d-{secrets.token_hex(6)}"
        try:
            return self._permitted(_Asked(id, action, target, payload))
        except Exception as error:
            # Nothing may happen because deciding failed, in whatever way: that is what this guard is for.
            return self._failed(id, action, target, error)

    def _permitted(self, asked: _Asked) -> Permit:
        name = action_name(asked.action)
        facts = self._facts_of(asked, name)
        given = [*self._standing_facts(), *facts]
        model, decided = self._decided(given, facts[0][1])
        if decided.decision == "approval" and self._appeals is not None:
            standing = self._appeals.standing(self._digest(asked, name))
            if standing.until is not None:
                until = Time(standing.until)
                approved: Row = (Name(name), asked.target, asked.text, until)
                given.append((symbol("approved"), approved))
                model, decided = self._decided(given, facts[0][1])
            decided = _with_standing(decided, standing)
        if self._ledger is not None:
            self._record(asked, name, self._digest(asked, name), decided, given)
        return self._permit(asked, name, model, decided)

    def _digest(self, asked: _Asked, name: str) -> str:
        return digest_of(name, asked.target, asked.text, persona=self.persona, workspace=self._workspace)

    def _program(self) -> Program:
        if self._compiled is None:
            self._compiled = self.snapshot.program(self.policies)
            self._goals = goals_of(self._compiled)
            self._fixed = tuple(self._unchanging(self._compiled))
        return self._compiled

    def _facts_of(self, asked: _Asked, name: str) -> list[Fact]:
        now = self._clock()
        return facts_of_action(
            name, asked.target, asked.text, id=asked.id, time=now, workspace=self._workspace, root=self._root
        )

    def _decided(self, given: Sequence[Fact], asked: Row) -> tuple[Model, Decided]:
        self._program()
        model = self._evaluate(given, self._goals)
        return model, decide(model, asked)

    def _evaluate(self, given: Sequence[Fact], goals: Sequence[Symbol] | None) -> Model:
        program = self._program()
        for name, _ in given:
            if name not in program.predicates:
                raise InputError(f"the rules know no predicate {name}")
        return program.evaluate(given, goals=goals, externals=self._externals, limits=self._limits)

    def _standing_facts(self) -> list[Fact]:
        """Return what holds of every question: what never changes, and the branch that is checked out now."""
        self._program()
        branch = None if self._branch is None else self._branch.name()
        return [*self._fixed, *(() if branch is None else ((_GIT_BRANCH, (branch,)),))]

    def _unchanging(self, program: Program) -> Iterator[Fact]:
        yield symbol("workspace"), (self._workspace,)
        if self.persona is not None:
            yield symbol("acting"), (Name(self.persona),)
        elif not any(name.name in _ACTORS for name, _ in self._session):
            yield symbol("asked_by"), (_PERSON,)
        if _GRANTED_POLICY in program.predicates:
            yield from ((_GRANTED_POLICY, (policy,)) for policy in self.policies)
        yield from self._session

    def _record(self, asked: _Asked, name: str, digest: str, decided: Decided, facts: Sequence[Fact]) -> None:
        if self._ledger is None:
            return
        texts, blob = kept(facts, self._ledger)
        event = PolicyDecided(
            action=name,
            target=shortened(asked.target),
            payload=shortened(asked.text),
            digest=digest,
            payload_hash=content_hash(asked.text),
            decision=decided.decision,
            because=tuple(map(without_secrets, decided.because)),
            rules=self.snapshot.hash,
            persona=self.persona,
            policies=self.policies,
            action_class=decided.action_class,
            session=self._session_id,
            workspace=self._workspace,
            facts=texts,
            blob=blob,
        )
        self._ledger.append(event, subject=asked.id)
        self._reviewed(decided, name)

    def _reviewed(self, decided: Decided, name: str) -> None:
        if self._review is None or decided.decision != "deny":
            return
        try:
            self._review.denied(decided.action_class or name)
        except MayflyError:
            # The denial stands whether or not somebody could be asked to look at the rules.
            pass

    def _permit(self, asked: _Asked, name: str, model: Model, decided: Decided) -> Permit:
        def explain_why(most: int) -> tuple[Why, ...]:
            from mayfly.policy.kernel._explain import reasons

            return reasons(model, decided.facts[:most])

        def explain_why_not() -> WhyNot | None:
            from mayfly.policy.kernel._explain import not_permitted

            row = (Name(name), asked.target, asked.text)
            return None if decided.decision == "permit" else not_permitted(model, row)

        return Permit(
            decision=decided.decision,
            because=decided.because,
            id=asked.id,
            action=name,
            target=asked.target,
            rules=self.snapshot.hash,
            explain_why=explain_why,
            explain_why_not=explain_why_not,
        )

    def _failed(self, id: str, action: object, target: object, error: Exception) -> Permit:
        reason = str(error) if isinstance(error, MayflyError) else f"{type(error).__name__}: {error}"
        because = (without_secrets(f"it could not be decided, so it is denied: {reason}")[:500],)
        asked = _Asked(id, ascii(action)[:200], ascii(target)[:1000], "")
        try:
            self._record(asked, asked.action, "", Decided("deny", because, (), None), ())
        except Exception:
            # Where even this cannot be written there is nothing left to do but to deny.
            pass
        rules = self.snapshot.hash
        return Permit(decision="deny", because=because, id=id, action=asked.action, target=asked.target, rules=rules)

    def route(self, perceived: Iterable[Fact | str], *, id: str | None = None) -> Route:
        """Say which personas and kinds of work a request needs, each with the rule that says so."""
        facts = [_given(fact) for fact in perceived]
        declared = self._program().predicates
        given = [*self._standing_facts(), *facts]
        model = self._evaluate(given, [goal for goal in _ROUTING if goal in declared])
        rows = [(goal, row) for goal in (_PERSONA, _ACTION_TYPE) for row in model.rows(goal)]
        personas, kinds = _names(model, _PERSONA), _names(model, _ACTION_TYPE)
        because = tuple(reason_of(model, goal, row) for goal, row in rows)[:32]
        route = Route(
            personas=personas,
            action_types=kinds,
            because=because,
            id=id or f"t-{secrets.token_hex(6)}",
            by_intent=_by_intent(model),
        )
        self._record_route(route, given)
        return route

    def _record_route(self, route: Route, facts: Sequence[Fact]) -> None:
        if self._ledger is None:
            return
        texts, blob = kept(facts, self._ledger)
        event = PolicyRouted(
            personas=route.personas,
            action_types=route.action_types,
            because=tuple(shortened(line) for line in route.because),
            rules=self.snapshot.hash,
            policies=self.policies,
            session=self._session_id,
            facts=texts,
            blob=blob,
        )
        self._ledger.append(event, subject=route.id)

    def query(self, goal: str, facts: Iterable[Fact | str] = ()) -> list[Row]:
        """Return the rows of a goal such as `permitted(/file_read, X, _)`."""
        model, atom = self._model_for(goal, facts)
        return model.match(atom)

    def why(self, fact: str, facts: Iterable[Fact | str] = ()) -> Why:
        """Return the derivation of a fact, or of the first fact that a goal matches."""
        from mayfly.mangle import why

        model, atom = self._model_for(fact, facts)
        found = model.match(atom)
        if not found:
            raise InputError(f"{fact.strip()} does not hold", fix="ask why not")
        return why(model, atom.symbol, found[0])

    def why_not(self, goal: str, facts: Iterable[Fact | str] = ()) -> WhyNot:
        """Return why a goal does not hold: for each rule, the first premise that fails."""
        from mayfly.mangle import why_not
        from mayfly.policy.kernel._goals import changeable

        model, atom = self._model_for(goal, facts)
        return why_not(model, atom, changeable=changeable)

    def explain(self, id: str) -> Explanation:
        """Explain a recorded decision or routing again from its facts, by the rules of this kernel."""
        from mayfly.policy.kernel._explain import explanation

        if self._ledger is None:
            raise InputError("without a ledger no decision is known", fix="open the ledger")
        found = next((event for kind in _RECORDED for event in self._ledger.read(kind=kind, subject=id)), None)
        told = None if found is None else recording(found, self._ledger)
        if found is None or told is None:
            raise InputError(f"there is no decision {id}" if found is None else f"the facts of {id} were not kept")
        return explanation(self.snapshot, told, found, self._externals)

    def _model_for(self, goal: str, facts: Iterable[Fact | str]) -> tuple[Model, Atom]:
        from mayfly.mangle import parse_atom

        atom = parse_atom(goal)
        if atom.symbol not in self._program().predicates:
            raise MangleError(f"the rules know no predicate {atom.symbol}", stage="analyze", place=atom.place)
        return self._evaluate([*self._standing_facts(), *map(_given, facts)], [atom.symbol]), atom


class _Asked:
    """One question as it was put; the payload also as the text that is decided on."""

    __slots__ = ("action", "id", "target", "text")

    def __init__(self, id: str, action: str, target: str, payload: JSON) -> None:
        self.id = id
        self.action = action
        self.target = target
        self.text = payload if isinstance(payload, str) else canonical_json(payload)


def _with_standing(decided: Decided, standing: Standing) -> Decided:
    if standing.until is not None and decided.decision == "permit":
        return decided._replace(because=(f"approved by {standing.by}", *decided.because))
    return decided._replace(because=(*decided.because, *standing.reasons))


def _shipped() -> Snapshot:
    from mayfly.policy.kernel._rulebook import Rulebook

    return Rulebook().snapshot


def _given(fact: Fact | str) -> Fact:
    if isinstance(fact, str):
        from mayfly.mangle import parse_fact

        fact = parse_fact(fact)
    name, row = fact
    if name.name in _NEVER_GIVEN:
        raise InputError(f"{name.name} is not for a session to say")
    return name, row


def _names(model: Model, goal: Symbol) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name_text(row[0]) for row in model.rows(goal)))


def _by_intent(model: Model) -> tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...]:
    found: dict[str, tuple[list[str], list[str]]] = {}
    for place, goal in enumerate((_PERSONA_FOR, _ACTION_TYPE_FOR)):
        for row in model.rows(goal):
            id = row[0] if isinstance(row[0], str) else name_text(row[0])
            found.setdefault(id, ([], []))[place].append(name_text(row[1]))
    return tuple((id, tuple(personas), tuple(kinds)) for id, (personas, kinds) in found.items())
