"""What follows from a program alone, and what has to be evaluated because of new facts, in which order.

What follows from the program's own facts (the base) is computed once, when it is first needed, and shared by all
evaluations.
"""

from collections.abc import Iterable
from heapq import heappop, heappush
from operator import attrgetter
from threading import TIMEOUT_MAX, Lock

from mayfly.mangle._checked import GivenFact
from mayfly.mangle._errors import MangleError
from mayfly.mangle._symbols import Symbol
from mayfly.mangle._values import Row
from mayfly.mangle.engine._layout import EngineLayout, Plan, PredicateGroup, Readers
from mayfly.mangle.engine._limits import Limits, Meter
from mayfly.mangle.engine._marks import NATURAL
from mayfly.mangle.engine._relation import Relation
from mayfly.mangle.engine._run import EvaluationRun, made_function

_NUMBER = attrgetter("rule.number")


class Base:
    """Hold the shared relations; a group that was computed is never changed again."""

    def __init__(self, layout: EngineLayout) -> None:
        self._layout = layout
        self._lock = Lock()
        self._ready: set[int] = set()
        self._productive: dict[Plan, bool] = {}
        self._woken: dict[frozenset[int], list[Plan]] = {}
        self.derived = 0
        self.kept = 0
        self.relations = [Relation(_rows(layout.given.get(number, ()))) for number in range(len(layout.symbols))]
        layout.given = {number: layout.given.get(number, []) for number in layout.merges}

    def __getstate__(self) -> dict[str, object]:
        return {**vars(self), "_lock": None}

    def __setstate__(self, state: dict[str, object]) -> None:
        vars(self).update(state, _lock=Lock())

    def given(self, number: int) -> dict[Row, object]:
        """Return the rows of a predicate that the source gives, each with its fact."""
        if number in self._layout.merges:
            # Merged rows have taken the place of some of them.
            return _rows(self._layout.given[number])
        return {row: origin for row, origin in self.relations[number].rows.items() if isinstance(origin, GivenFact)}

    def ensure(self, needed: frozenset[int], limits: Limits) -> None:
        """Compute the groups that are needed and not there yet; one that fails is tried again the next time."""
        if needed <= self._ready:
            return
        # Another thread computes them within the same seconds of processor, of which a busy machine gives it a tenth.
        if not self._lock.acquire(timeout=min(10 * limits.seconds, TIMEOUT_MAX)):
            raise Meter(limits).late()
        try:
            with EvaluationRun(
                self._layout, self.relations, limits=limits, record=True, derived=self.derived, kept=self.kept
            ) as run:
                for group in self._layout.groups:
                    if group.number in needed and group.number not in self._ready:
                        self._compute(group, run)
        finally:
            self._lock.release()

    def _compute(self, group: PredicateGroup, run: EvaluationRun) -> None:
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
        with EvaluationRun(self._layout, self.relations, limits=limits, record=False) as run:
            if plan.aggregates:
                return bool(run.body(plan))
            out: dict[object, object] = {}
            made_function(plan, NATURAL * 4)(self.relations, None, out, run.ask, run.tick, run.meter.heavy, run.now)
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


def _rows(facts: Iterable[GivenFact]) -> dict[Row, object]:
    from mayfly.mangle.engine._timed import given_row

    rows: dict[Row, object] = {}
    for fact in facts:
        rows.setdefault(given_row(fact), fact)
    return rows


class Waking:
    """Follow what changed against the base through the groups of rules, lowest first."""

    def __init__(
        self, layout: EngineLayout, base: Base, run: EvaluationRun, *, needed: frozenset[int], limits: Limits
    ) -> None:
        self._layout = layout
        self._base = base
        self._run = run
        self._needed = needed
        self._limits = limits
        self._queue: list[int] = []
        self._woken: dict[int, dict[Plan, list[int] | None]] = {}
        """By group: the rules to evaluate and from which premises, None for all of them."""
        self._restart: set[int] = set()
        self._new: dict[int, Relation] = {}
        self._given: dict[int, list[Row]] = {}
        self.extra: dict[Symbol, Relation] = {}
        """Facts of predicates that the program does not know."""
        for plan in base.woken(needed):
            self._wake(plan, None)

    def give(self, facts: Iterable[tuple[Symbol, Row]]) -> None:
        """Add the facts of the call."""
        sorted_out: dict[Symbol, list[Row]] = {}
        for symbol, row in facts:
            try:
                sorted_out[symbol].append(row)
            except KeyError:
                sorted_out[symbol] = [row]
        for symbol, rows in sorted_out.items():
            if set(map(len, rows)) != {symbol[1]}:
                raise MangleError(f"a fact of {symbol[0]} does not have {symbol[1]} columns", stage="eval")
            number = self._layout.numbers.get(symbol)
            if number is None:
                self.extra[symbol] = Relation(dict.fromkeys(rows))
            else:
                self._give(number, rows)

    def _give(self, number: int, rows: list[Row]) -> None:
        known = self._base.relations[number].rows
        group = self._layout.group_of.get(number)
        if group is not None:
            self._given[number] = rows
            self._queue_up(group)
        if known:
            rows = [row for row in rows if row not in known]
            if not rows:
                return
            mine = self._run.take(number)
            mine.rows.update(dict.fromkeys(rows))
            new = Relation(mine.settle())
        else:
            new = self._run.own[number] = self._run.relations[number] = Relation(dict.fromkeys(rows))
        if group is None:
            self._publish(number, new, shrunk=False)
            return
        self._new[number] = new
        for plan, at in self._layout.groups[group].inner.get(number, ()):
            self._wake(plan, at)

    def _queue_up(self, group: int) -> None:
        if group not in self._woken and group in self._needed:
            self._woken[group] = {}
            heappush(self._queue, group)

    def _wake(self, plan: Plan, at: int | None) -> None:
        if plan.group not in self._needed:
            return
        woken = self._woken.get(plan.group)
        if woken is None:
            woken = self._woken[plan.group] = {}
            heappush(self._queue, plan.group)
        if at is None:
            woken[plan] = None
            return
        places = woken.setdefault(plan, [])
        if places is not None:
            places.append(at)

    def _begin_again(self, plan: Plan) -> None:
        if plan.group in self._needed:
            self._queue_up(plan.group)
            self._restart.add(plan.group)

    def finish(self) -> None:
        """Evaluate everything that was woken."""
        while self._queue:
            group = self._layout.groups[heappop(self._queue)]
            self._evaluate(group, self._woken[group.number])

    def _evaluate(self, group: PredicateGroup, woken: dict[Plan, list[int] | None]) -> None:
        run = self._run
        again = group.number in self._restart or group.restarts
        if again:
            for number in group.predicates:
                self._reset(number)
            for plan in group.plans:
                run.whole(plan)
        else:
            # In the order of the program, so that the same facts always have the same first derivations.
            for plan in sorted(woken, key=_NUMBER) if len(woken) > 1 else woken:
                places = woken[plan]
                if plan.aggregates:
                    continue
                if places is None:
                    run.whole(plan)
                else:
                    self._from(plan, places)
        run.fixpoint(group)
        if group.aggregates:
            run.aggregates([plan for plan in group.aggregates if again or plan in woken], group)
        for number in group.predicates:
            if number in run.own:
                self._compare(number, again=again)

    def _reset(self, number: int) -> None:
        """Go back to the facts that were given."""
        mine = self._base.given(number)
        for row in self._given.get(number, ()):
            mine.setdefault(row, None)
        self._run.own[number] = self._run.relations[number] = Relation(mine)

    def _from(self, plan: Plan, places: list[int]) -> None:
        """Evaluate a rule from the premises that have new rows."""
        run = self._run
        relations = run.relations
        for number in plan.required:
            if not relations[number].rows:
                return
        if len(places) == 1 and places[0] in plan.starts and plan.reads[places[0]] != plan.head:
            run.call(plan, places[0], self._new[plan.reads[places[0]]])
            return
        least: tuple[int, int] | None = None
        for at in places:
            if at not in plan.starts:
                run.call(plan, NATURAL, None)
                return
            number = plan.reads[at]
            # All its rows are new, so every new solution has one of them, and one pass finds all.
            if not self._base.relations[number].rows and at < plan.fails_at:
                size = len(self._new[number].rows)
                if least is None or size < least[0]:
                    least = (size, at)
        for at in places if least is None else (least[1],):
            first = self._new[plan.reads[at]]
            if plan.reads[at] == plan.head and isinstance(first.rows, dict):
                first = Relation(list(first.rows))
            run.call(plan, at, first)

    def _compare(self, number: int, *, again: bool) -> None:
        """Tell the readers of a predicate what is new in it and whether something was lost."""
        mine = self._run.own[number]
        known = self._base.relations[number].rows
        if not known:
            if mine.rows:
                self._publish(number, mine, shrunk=False)
            return
        if again:
            rows = [row for row in mine.rows if row not in known]
            shrunk = len(mine.rows) - len(rows) < len(known)
        else:
            rows, shrunk = mine.newest(len(mine.rows) - len(known)), False
        if rows or shrunk:
            self._publish(number, Relation(rows), shrunk=shrunk)

    def _publish(self, number: int, new: Relation, *, shrunk: bool) -> None:
        self._new[number] = new
        readers = self._layout.readers[number]
        rows = new.rows
        if rows:
            for plan, at in readers.every:
                self._wake(plan, at)
            for column, table in readers.by_constant.items():
                for value in {row[column] for row in rows} if len(rows) > 1 else [row[column] for row in rows]:
                    if value in table:
                        for plan, at in table[value]:
                            self._wake(plan, at)
            for plan in readers.negations:
                if self._base.productive(plan, self._limits):
                    self._begin_again(plan)
        for plan in readers.aggregates:
            if self._base.productive(plan, self._limits):
                self._begin_again(plan)
            else:
                self._wake(plan, None)
        if shrunk:
            self._shrunk(readers)

    def _shrunk(self, readers: Readers) -> None:
        """Wake what could follow because something no longer holds, and begin anew what followed from it."""
        for plan in readers.negations:
            self._wake(plan, None)
        some = [one for table in readers.by_constant.values() for many in table.values() for one in many]
        for plan, _ in [*readers.every, *some]:
            if self._base.productive(plan, self._limits):
                self._begin_again(plan)
