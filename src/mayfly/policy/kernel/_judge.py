"""Judge a set of changes: many at once in one evaluation, and the facts that explain the outcome afterwards."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from mayfly.policy.kernel._judgement import (
    CHANGE_GOALS,
    KEPT,
    MOST_REASONS,
    MOST_RECORDED,
    Judgement,
    PathDecision,
    judged,
    reasons_by_path,
    set_reasons,
    strictest,
)
from mayfly.policy.kernel.facts import changes_of, symbol

if TYPE_CHECKING:
    from mayfly.policy.kernel._evaluator import Evaluator
    from mayfly.policy.kernel._permit import Decision
    from mayfly.policy.kernel.facts import ChangeFacts, Fact, FileChange, SetFacts

# Rows of one evaluation: a few dozen facts each, so that one stays far below the facts a decision may derive.
_AT_ONCE: Final = 2_000


class SetJudge:
    """Judge one set by the rules of *evaluator*."""

    def __init__(self, evaluator: Evaluator, standing: list[Fact], *, id: str, removals: int) -> None:
        self._evaluator = evaluator
        self._id = id
        self._standing: list[Fact] = [*standing, (symbol("removal_limit"), (removals,))]
        self._set: ChangeFacts | None = None
        self._found: dict[str, tuple[Decision, tuple[str, ...]]] = {}

    def judge(self, changes: Iterable[FileChange], *, digest: str, whole: SetFacts) -> Judgement:
        """Return one decision about all of the changes."""
        evaluator = self._evaluator
        found = self._set = changes_of(
            changes, id=self._id, spoken_of=evaluator.spoken_of(), every_name=evaluator.looks_at_names(), whole=whole
        )
        given = [*self._standing, *found.whole]
        together = set_reasons(evaluator.evaluate(given, CHANGE_GOALS), self._id)
        by_path: dict[str, PathDecision] = {}
        for first in range(0, len(found.rows), _AT_ONCE):
            last = first + _AT_ONCE
            model = evaluator.evaluate([*given, *found.of(first, last)], CHANGE_GOALS, record=False)
            ids = [name for name, _ in found.rows[first:last]]
            for name, said in judged(model, ids).by_id.items():
                self._note(name, said)
        for name, change in found.rows:
            decision, words = self._found[name]
            by_path[change.path] = PathDecision(decision, words[0])
        decision = strictest((one.decision for one in by_path.values()), asked=bool(together))
        texts = {name: words for name, (said, words) in self._found.items() if said == decision}
        if decision == "approval" and together:
            texts |= {"": together}
        return Judgement(
            decision=decision,
            because=(KEPT,) if decision == "permit" else _because(texts),
            id=self._id,
            digest=digest,
            rules=evaluator.snapshot.hash,
            by_path=by_path,
            reasons=() if decision == "permit" else reasons_by_path(texts),
        )

    def _note(self, name: str, said: tuple[Decision, tuple[str, ...]]) -> None:
        """Keep the stricter word where one path comes twice, as what is deleted and made again."""
        before = self._found.get(name)
        if before is None or strictest([before[0], said[0]]) == said[0]:
            self._found[name] = said

    def recorded_facts(self) -> list[Fact]:
        """Return the facts to decide it again from: those of the set, and of the first few paths of each decision."""
        assert self._set is not None, "nothing was judged yet"
        counts: dict[str, int] = {}
        facts = [*self._standing, *self._set.whole]
        for at, (name, _) in enumerate(self._set.rows):
            decision = self._found[name][0]
            counts[decision] = counts.get(decision, 0) + 1
            if counts[decision] <= MOST_RECORDED:
                facts += self._set.of(at, at + 1)
        return facts


def _because(texts: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Return the reasons of all paths, each once, in the order of the paths."""
    return tuple(dict.fromkeys(text for path in sorted(texts) for text in texts[path]))[:MOST_REASONS]
