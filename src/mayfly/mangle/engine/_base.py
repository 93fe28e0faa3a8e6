"""What follows from a program's own facts: computed once, when it is first needed, and shared by all evaluations."""

from collections.abc import Iterable
from threading import TIMEOUT_MAX, Lock

from mayfly.mangle._checked import Given
from mayfly.mangle._values import Row
from mayfly.mangle.engine._layout import Group, Layout
from mayfly.mangle.engine._limits import Limits, Meter
from mayfly.mangle.engine._marks import NATURAL
from mayfly.mangle.engine._plan import Plan
from mayfly.mangle.engine._relation import Relation
from mayfly.mangle.engine._run import Run


class Base:
    """Hold the shared relations; a group that was computed is never changed again."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._lock = Lock()
        self._ready: set[int] = set()
        self._productive: dict[Plan, bool] = {}
        self._woken: dict[frozenset[int], list[Plan]] = {}
        self.derived = 0
        self.kept = 0
        self.relations = [Relation(_rows(layout.given.get(number, ()))) for number in range(len(layout.symbols))]
        layout.given = {number: layout.given.get(number, []) for number in layout.merges}

    def given(self, number: int) -> dict[Row, object]:
        """Return the rows of a predicate that the source gives, each with its fact."""
        if number in self._layout.merges:
            # Merged rows have taken the place of some of them.
            return _rows(self._layout.given[number])
        return {row: origin for row, origin in self.relations[number].rows.items() if isinstance(origin, Given)}

    def ensure(self, needed: frozenset[int], limits: Limits) -> None:
        """Compute the groups that are needed and not there yet; one that fails is tried again the next time."""
        if needed <= self._ready:
            return
        # Another thread computes them within the same seconds of processor, of which a busy machine gives it a tenth.
        if not self._lock.acquire(timeout=min(10 * limits.seconds, TIMEOUT_MAX)):
            raise Meter(limits).late()
        try:
            with Run(
                self._layout, self.relations, limits=limits, record=True, derived=self.derived, kept=self.kept
            ) as run:
                for group in self._layout.groups:
                    if group.number in needed and group.number not in self._ready:
                        self._compute(group, run)
        finally:
            self._lock.release()

    def _compute(self, group: Group, run: Run) -> None:
        for plan in group.plans:
            run.whole(plan)
        run.fixpoint(group)
        run.aggregates(group.aggregates, group)
        run.meter.settle()
        for number, relation in run.own.items():
            self.relations[number] = relation
        run.own.clear()
        self.derived, self.kept = run.meter.derived, run.meter.kept
        self._ready.add(group.number)

    def productive(self, plan: Plan, limits: Limits) -> bool:
        """Tell whether a rule fires on the program's own facts, so that what it gave may have to be taken back."""
        found = self._productive.get(plan)
        if found is None:
            found = self._productive[plan] = self._fires(plan, limits)
        return found

    def _fires(self, plan: Plan, limits: Limits) -> bool:
        if plan.asks or any(not self.relations[number].rows for number in plan.reads.values()):
            return False
        with Run(self._layout, self.relations, limits=limits, record=False) as run:
            if plan.aggregates:
                return bool(run.body(plan))
            out: dict[object, object] = {}
            plan.function(NATURAL, record=False)(self.relations, None, out, run.ask, run.tick, run.meter.heavy, run.now)
            return bool(out)

    def woken(self, needed: frozenset[int]) -> list[Plan]:
        """Return the rules that have to be tried in every evaluation, because they ask external predicates."""
        found = self._woken.get(needed)
        if found is None:
            found = [
                plan
                for plan in self._layout.plans
                if plan.asks
                and plan.group in needed
                and all(self.relations[number].rows or at >= plan.fails_at for at, number in plan.reads.items())
            ]
            self._woken[needed] = found
        return found


def _rows(facts: Iterable[Given]) -> dict[Row, object]:
    from mayfly.mangle.engine._timed import given_row

    rows: dict[Row, object] = {}
    for fact in facts:
        rows.setdefault(given_row(fact), fact)
    return rows
