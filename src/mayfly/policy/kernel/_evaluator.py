"""The rules of one agent in one session, evaluated on facts; and sets of changes, many at once in one evaluation."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mayfly.core import InputError, canonical_json
from mayfly.mangle import MangleError, Name, Symbol
from mayfly.policy.kernel._actions import PayloadFault, payload_fault
from mayfly.policy.kernel._decide import LIMITS, Decided, goals_of, name_text
from mayfly.policy.kernel._judgement import (
    CHANGE_GOALS,
    KEPT,
    MOST_REASONS,
    MOST_RECORDED,
    ChangesJudgement,
    PathDecision,
    judged,
    reasons_by_path,
    set_reasons,
    strictest,
)
from mayfly.policy.kernel._reasons import Reason, TextSpan, reasons_of
from mayfly.policy.kernel._world import World
from mayfly.policy.kernel.facts import action_name, symbol

if TYPE_CHECKING:
    from mayfly.mangle import Atom, Limits, Model, Program, Row, Why, WhyNot
    from mayfly.policy.kernel._appeals import ApprovalStanding
    from mayfly.policy.kernel._decide import Decision
    from mayfly.policy.kernel._files import RuleFile
    from mayfly.policy.kernel._snapshot import Snapshot
    from mayfly.policy.kernel.facts import ChangeFacts, Fact
    from mayfly.store import JSON

PERSONA_FOR: Final = Symbol("persona_for", 2)
ACTION_TYPE_FOR: Final = Symbol("action_type_for", 2)
_NEVER_GIVEN: Final = frozenset(
    {"permitted", "refused", "needs_approval", "approved", "pending_action", "spent", "spend_cap"}
    | {"pending_change", "change_permitted", "changed_name", "removed_tracked", "removal_limit"}
    | {"git_holds", "history_lost", "beyond_undo"}
)


class PolicyQuestion:
    """One question as it was put; the payload also as the text that is decided on."""

    __slots__ = ("action", "id", "target", "text")

    def __init__(self, id: str, action: str, target: str, payload: JSON) -> None:
        self.id = id
        self.action = action
        self.target = target
        self.text = payload if isinstance(payload, str) else canonical_json(payload)


def told_of(
    asked: PolicyQuestion, model: Model, decided: Decided
) -> tuple[Decision, tuple[str, ...], tuple[Reason, ...]]:
    """Return the decision, its words and its reasons; a payload that does not fit the type of the action is denied."""
    decision, because = decided.decision, decided.because
    reasons: tuple[Reason, ...] = ()
    if decision != "permit":
        reasons = reasons_of(because, decided.facts, model, target=asked.target, payload=asked.text)
    fault = payload_fault(decided.action_class, asked.text)
    if fault is None:
        return decision, because, reasons
    # What lies under an unknown key was not looked at as what it is used for: nobody can agree to that.
    if decision != "deny":
        because, reasons = (), ()
    return "deny", (*because, fault.text), (*reasons, _fault_reason(fault, asked.text))


def _fault_reason(fault: PayloadFault, payload: str) -> Reason:
    named = canonical_json(fault.key)
    at = max(payload.find(named), 0)
    return Reason(fault.code, fault.text, TextSpan("payload", at, min(at + len(named), len(payload))))


def with_standing(decided: Decided, standing: ApprovalStanding) -> Decided:
    """Return a decision with what is known of approvals."""
    if standing.until is not None and decided.decision == "permit":
        return decided._replace(because=(f"approved by {standing.by}", *decided.because))
    return decided._replace(because=(*decided.because, *standing.reasons))


def given_fact(fact: Fact | str) -> Fact:
    """Return a fact that a session may give."""
    if isinstance(fact, str):
        from mayfly.mangle import parse_fact

        fact = parse_fact(fact)
    name, row = fact
    if name.name in _NEVER_GIVEN:
        raise InputError(f"{name.name} is not for a session to say")
    return name, row


def names_in(model: Model, goal: Symbol) -> tuple[str, ...]:
    """Return the names that a predicate holds of."""
    return tuple(dict.fromkeys(name_text(row[0]) for row in model.rows(goal)))


def by_intent(model: Model) -> tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...]:
    """Return for each intent its id, personas and kinds of work."""
    found: dict[str, tuple[list[str], list[str]]] = {}
    for place, goal in enumerate((PERSONA_FOR, ACTION_TYPE_FOR)):
        for row in model.rows(goal):
            id = row[0] if isinstance(row[0], str) else name_text(row[0])
            found.setdefault(id, ([], []))[place].append(name_text(row[1]))
    return tuple((id, tuple(personas), tuple(kinds)) for id, (personas, kinds) in found.items())


# Rows of one evaluation: a few dozen facts each, so that one stays far below the facts a decision may derive.
_AT_ONCE: Final = 2_000
_GRANTED_POLICY: Final = Symbol("granted_policy", 1)
_OF_NAMES: Final = ("action_path_part", "action_path_suffix")
_TEXT: Final = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
_PERSON: Final = Name("/person")
_ACTORS: Final = frozenset({"acting", "tier", "granted_tool", "asked_by"})


class Evaluator:
    """Evaluate one snapshot of the rules with what holds of every question: who acts, where, and what was granted."""

    def __init__(
        self,
        snapshot: Snapshot | None,
        *,
        workspace: Path | str,
        persona: str | None,
        policies: Sequence[str],
        session: Iterable[Fact | str],
        limits: Limits = LIMITS,
    ) -> None:
        self.snapshot = _shipped() if snapshot is None else snapshot
        self.persona = None if persona is None else action_name(persona)
        self.policies = tuple(policies)
        self._workspace = str(Path(workspace).absolute())
        self._limits = limits
        self._compiled: Program | None = None
        self._goals: list[Symbol] = []
        self._texts: frozenset[str] | None = None
        self._fixed: tuple[Fact, ...] = ()
        self._root = os.path.realpath(self._workspace)
        self._externals = World(self._workspace).externals
        self._session = tuple(given_fact(fact) for fact in session)

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

    def _program(self) -> Program:
        if self._compiled is None:
            self._compiled = self.snapshot.program(self.policies)
            self._goals = goals_of(self._compiled)
            self._fixed = tuple(self._unchanging(self._compiled))
        return self._compiled

    def evaluate(self, given: Sequence[Fact], goals: Sequence[Symbol] | None, *, record: bool = True) -> Model:
        """Evaluate the rules on some facts; with goals, as much as those need."""
        program = self._program()
        for name in {name for name, _ in given}:
            if name not in program.predicates:
                raise InputError(f"the rules know no predicate {name}")
        return program.evaluate(given, goals=goals, externals=self._externals, limits=self._limits, record=record)

    def spoken_of(self) -> frozenset[str]:
        """Return every text that stands in the rules or in a fact of the session."""
        if self._texts is None:
            self._program()
            given = {value for _, row in self._fixed for value in row if isinstance(value, str)}
            self._texts = frozenset(given.union(*(_texts_in(file.text) for file in self._files())))
        return self._texts

    def looks_at_names(self) -> bool:
        """Tell whether rules other than the shipped ones look at single names of paths, in whatever way."""
        return any(name in file.text for file in self._files() if not file.base for name in _OF_NAMES)

    def _files(self) -> list[RuleFile]:
        policies = self.snapshot.policies
        return [*self.snapshot.rules, *(policies[name] for name in self.policies if name in policies)]

    def _standing_facts(self) -> list[Fact]:
        """Return what holds of every question."""
        self._program()
        return list(self._fixed)

    def _unchanging(self, program: Program) -> Iterator[Fact]:
        yield symbol("workspace"), (self._workspace,)
        if self.persona is not None:
            yield symbol("acting"), (Name(self.persona),)
        elif not any(name.name in _ACTORS for name, _ in self._session):
            yield symbol("asked_by"), (_PERSON,)
        if _GRANTED_POLICY in program.predicates:
            yield from ((_GRANTED_POLICY, (policy,)) for policy in self.policies)
        yield from self._session

    def _model_for(self, goal: str, facts: Iterable[Fact | str]) -> tuple[Model, Atom]:
        from mayfly.mangle import parse_atom

        atom = parse_atom(goal)
        if atom.symbol not in self._program().predicates:
            raise MangleError(f"the rules know no predicate {atom.symbol}", stage="analyze", place=atom.place)
        return self.evaluate([*self._standing_facts(), *map(given_fact, facts)], [atom.symbol]), atom


def judge_set(
    evaluator: Evaluator, found: ChangeFacts, standing: Sequence[Fact], *, id: str, digest: str
) -> tuple[ChangesJudgement, list[Fact]]:
    """Return one decision about all of the changes by the rules of *evaluator*, and the facts to decide it again from.

    These are the facts of the set, and of the first few paths of each decision.
    """
    given = [*standing, *found.whole]
    together = set_reasons(evaluator.evaluate(given, CHANGE_GOALS), id)
    said: dict[str, tuple[Decision, tuple[str, ...]]] = {}
    for first in range(0, len(found.rows), _AT_ONCE):
        model = evaluator.evaluate([*given, *found.of(first, first + _AT_ONCE)], CHANGE_GOALS, record=False)
        ids = [name for name, _ in found.rows[first : first + _AT_ONCE]]
        for name, one in judged(model, ids).items():
            # The stricter word counts where one path comes twice, as what is deleted and made again.
            if name not in said or strictest([said[name][0], one[0]]) == one[0]:
                said[name] = one
    by_path = {change.path: PathDecision(said[name][0], said[name][1][0]) for name, change in found.rows}
    decision = strictest((one.decision for one in by_path.values()), asked=bool(together))
    texts = {name: words for name, (word, words) in said.items() if word == decision}
    if decision == "approval" and together:
        texts |= {"": together}
    judgement = ChangesJudgement(
        decision=decision,
        because=(KEPT,) if decision == "permit" else _because(texts),
        id=id,
        digest=digest,
        rules=evaluator.snapshot.hash,
        by_path=by_path,
        reasons=() if decision == "permit" else reasons_by_path(texts),
    )
    counts: Counter[str] = Counter()
    for at, (name, _) in enumerate(found.rows):
        counts[said[name][0]] += 1
        if counts[said[name][0]] <= MOST_RECORDED:
            given += found.of(at, at + 1)
    return judgement, given


def _because(texts: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Return the reasons of all paths, each once, in the order of the paths."""
    return tuple(dict.fromkeys(text for path in sorted(texts) for text in texts[path]))[:MOST_REASONS]


@lru_cache(maxsize=256)
def _texts_in(source: str) -> frozenset[str]:
    return frozenset(_TEXT.findall(source))


def _shipped() -> Snapshot:
    from mayfly.policy.kernel._rulebook import Rulebook

    return Rulebook().snapshot
