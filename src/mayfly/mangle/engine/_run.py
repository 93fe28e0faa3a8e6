"""One evaluation: from the facts that are new to everything that follows, group by group.

What follows from the program alone (the base) is shared. New facts wake the premises that read them; a group of rules
that nothing woke costs nothing. Facts of the base can also cease to hold, when something they negate or aggregate
changed: then their group is evaluated from the start.
"""

import gc
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from mayfly.mangle._checked import Merge
from mayfly.mangle._errors import MangleError
from mayfly.mangle._symbols import Symbol
from mayfly.mangle._values import Row, Time, Value
from mayfly.mangle.builtins import BuiltinError
from mayfly.mangle.engine._layout import EngineLayout, Plan, PredicateGroup
from mayfly.mangle.engine._limits import Limits, Meter
from mayfly.mangle.engine._marks import FIRST, NATURAL, Made
from mayfly.mangle.engine._relation import Relation

if TYPE_CHECKING:
    from mayfly.mangle.engine._aggregate import Grouping

External: TypeAlias = Callable[[tuple[Value | None, ...]], Iterable[Row]]
_MANY = 20_000
_FEW = 64


class EvaluationRun:
    """Hold the relations of one evaluation while it goes on."""

    def __init__(
        self,
        layout: EngineLayout,
        base: list[Relation],
        *,
        limits: Limits,
        record: bool,
        derived: int = 0,
        kept: int = 0,
        externals: Mapping[int, External] | None = None,
        now: Time = FIRST,
    ) -> None:
        self.layout = layout
        self.base = base
        self.relations = base.copy()
        self.externals = externals
        """How to ask the external predicates; None while only the base is computed, which they are no part of."""
        self.own: dict[int, Relation] = {}
        self.meter = Meter(limits, derived=derived, kept=kept)
        self.meter.watched = self.own.values()
        self.now = now
        self._record = record
        self._paused = False
        self._mergers: dict[int, Merger] = {}
        self._answers: dict[tuple[int, tuple[Value | None, ...]], list[Row]] = {}

    def __enter__(self) -> "EvaluationRun":
        """Begin to evaluate: the clock of the limit starts."""
        self.meter.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._paused:
            self._paused = False
            gc.enable()

    def take(self, number: int) -> Relation:
        """Return a relation that may be written to: a copy, if it is the shared one."""
        found = self.own.get(number)
        if found is None:
            found = self.own[number] = Relation(self.base[number].rows.copy())
            self.relations[number] = found
        return found

    def call(self, plan: Plan, start: int, first: Relation | None, *, again: bool = False) -> None:
        """Evaluate one rule from the rows of one premise; `again` in the rounds of a recursion."""
        if self.externals is None and plan.asks:
            return
        meter = self.meter
        meter.rule = plan.rule
        mine = self.own.get(plan.head)
        kind = start * 4 + (2 if self._record else 0) + (1 if again and mine is not None else 0)
        made = made_function(plan, kind)
        out: dict[Row, Any]
        if mine is None or plan.merges:
            out = meter.growing = {}
        else:
            out, meter.growing = mine.rows, ()
        try:
            made(self.relations, first, out, self.ask, self.tick, meter.heavy, self.now)
            if plan.merges:
                self._merged(plan.head, out)
        except (BuiltinError, RecursionError, MemoryError) as error:
            raise _failed(error, plan) from error
        meter.growing = ()
        if not plan.merges and mine is None and out:
            self._added(plan.head, out)
        meter.check_time()

    def _added(self, number: int, out: dict[Row, Any]) -> None:
        """Keep what a rule gave for a relation that is still the shared one."""
        known = self.base[number].rows
        if not known:
            mine = Relation({})
            mine.rows = out
            self.own[number] = self.relations[number] = mine
            return
        new = {row: origin for row, origin in out.items() if row not in known}
        if new:
            self.take(number).rows.update(new)

    def whole(self, plan: Plan) -> None:
        """Evaluate one rule from everything that is there, if it can come to anything."""
        least: tuple[int, int] | None = None
        for at, number in plan.reads.items():
            if at < plan.fails_at:
                size = len(self.relations[number].rows)
                if not size:
                    return
                if at in plan.starts and (least is None or size < least[0]):
                    least = (size, at)
        if least is None:
            self.call(plan, NATURAL, None)
        else:
            self.call(plan, least[1], self._rows_for(plan, plan.reads[least[1]]))

    def _rows_for(self, plan: Plan, number: int) -> Relation:
        """Return all rows of a predicate to start from: a copy where the rule adds to the same rows."""
        relation = self.relations[number]
        return Relation(list(relation.rows)) if number == plan.head else relation

    def fixpoint(self, group: PredicateGroup) -> None:
        """Evaluate the rules of a group on what they give each other, until nothing is new."""
        if not group.inner and not group.merges:
            self._close(group)
            return
        while new := self._settle(group):
            for number, rows in new.items():
                first = Relation(rows)
                for plan, at in group.inner.get(number, ()):
                    if at in plan.starts:
                        self.call(plan, at, first, again=True)
                    else:
                        self.call(plan, NATURAL, None)

    def _close(self, group: PredicateGroup) -> None:
        for number in group.predicates:
            mine = self.own.get(number)
            if mine is not None:
                self.meter.derived += mine.close()
        self._check_count()

    def aggregates(self, plans: Iterable[Plan], group: PredicateGroup) -> None:
        """Evaluate aggregating rules of a group once its other rules are done; what they give wakes nothing in it."""
        for plan in plans:
            self._aggregate(plan)
        self._settle(group)

    def _settle(self, group: PredicateGroup) -> dict[int, list[Row]]:
        new: dict[int, list[Row]] = {}
        for number in group.predicates:
            mine = self._mergers.get(number) or self.own.get(number)
            if mine is not None:
                rows = mine.settle()
                if rows:
                    new[number] = rows
                    self.meter.derived += len(rows)
        self._check_count()
        return new

    def _check_count(self) -> None:
        self.meter.check_facts()
        if self.meter.derived > _MANY:
            self._pause()

    def _aggregate(self, plan: Plan) -> None:
        if self.externals is None and plan.asks:
            return
        _, grouping, _ = self._grouping(plan)
        mine = self.own.get(plan.head)
        out: dict[Row, Any] = {} if mine is None else mine.rows
        try:
            rows = self.body(plan)
            if mine is None:
                self.meter.growing = out
            grouping.derive(rows, out, record=self._record, meter=self.meter)
        except (BuiltinError, RecursionError, MemoryError) as error:
            raise _failed(error, plan) from error
        self.meter.growing = ()
        if mine is None and out:
            self._added(plan.head, out)

    def _grouping(self, plan: Plan) -> tuple[Made, "Grouping", bool]:
        found = self.layout.groupings.get(plan)
        if found is None:
            from mayfly.mangle.engine._compile import make_grouping

            found = self.layout.groupings[plan] = make_grouping(plan)
        return found

    def body(self, plan: Plan) -> list[Row]:
        """Return the rows of an aggregating rule's body."""
        self.meter.rule = plan.rule
        made, _, distinct = self._grouping(plan)
        rows: Any = {} if distinct else []
        # With a single atom there are no more rows than facts that were counted already.
        self.meter.growing = rows if distinct else ()
        made(self.relations, None, rows, self.ask, self.tick, self.meter.heavy, self.now)
        self.meter.growing = ()
        return list(rows)

    def ask(self, number: int, known: tuple[Value | None, ...]) -> list[Row]:
        """Return the rows of an external or deferred predicate that agree with what is known."""
        if number in self.layout.deferred:
            return self._deferred(number, known)
        found = self._answers.get((number, known))
        if found is None:
            found = self._answers[number, known] = self._external(number, known)
        return found

    def _external(self, number: int, known: tuple[Value | None, ...]) -> list[Row]:
        """Return the facts there are, or else what the source of the predicate answers, which is kept as facts."""
        given = [row for row in self.relations[number].rows if _agrees(row, known)]
        source = (self.externals or {}).get(number)
        if given or source is None:
            return given
        symbol = self.layout.symbols[number]
        answer: dict[Row, None] = {}
        rule = self.meter.rule
        place = None if rule is None else rule.place
        try:
            for row in source(known):
                answer[row] = None
                self.meter.spend((row,))
                if len(answer) % _FEW == 0:
                    self.meter.check_time()
                    self.meter.check_facts(len(answer))
        except MangleError:
            raise
        except Exception as error:
            raise MangleError(f"the external predicate {symbol} failed: {error}", stage="eval", place=place) from error
        for row in answer:
            if len(row) != symbol.arity:
                told = f"the external predicate {symbol} answered a row of {len(row)}"
                raise MangleError(told, stage="eval", place=place)
        found = [row for row in answer if _agrees(row, known)]
        mine = self.take(number)
        for row in found:
            mine.rows.setdefault(row, None)
        mine.settle()
        return found

    def _deferred(self, number: int, known: tuple[Value | None, ...]) -> list[Row]:
        out: dict[Row, Any] = {}
        self.meter.check_time()
        for made, columns in self._asked(number):
            inputs = tuple([known[column] for column in columns])
            if None in inputs:
                raise MangleError(f"{self.layout.symbols[number]} was asked without its inputs", stage="eval")
            made(self.relations, inputs, out, self.ask, self.tick, self.meter.heavy, self.now)
        return [row for row in out if _agrees(row, known)]

    def _asked(self, number: int) -> list[tuple[Made, tuple[int, ...]]]:
        found = self.layout.asked.get(number)
        if found is None:
            from mayfly.mangle.engine._compile import make_asked

            mode = next(iter(self.layout.modes[number]), ())
            rules = [plan for plan in self.layout.deferred_rules if plan.head == number]
            found = self.layout.asked[number] = [make_asked(plan, mode) for plan in rules]
        return found

    def _merged(self, number: int, out: dict[Row, Any]) -> None:
        merger = self._mergers.get(number)
        if merger is None:
            merger = self._mergers[number] = Merger(self.layout.merges[number], self.layout.numbers, self.take(number))
        merger.add(out, self.ask)

    def tick(self) -> int:
        """Look at the clock and at the number of facts; return how many rows may pass until the next look."""
        if self.meter.busy:
            self._pause()
        return self.meter.look()

    def _pause(self) -> None:
        """Keep the garbage collector from walking over rows again and again: they hold no cycles."""
        if not self._paused and gc.isenabled():
            self._paused = True
            gc.disable()


def made_function(plan: Plan, kind: int) -> Made:
    """Return the function of a rule of one kind, made when it is first needed."""
    made = plan.made.get(kind)
    if made is None:
        from mayfly.mangle.engine._compile import make_function

        made = plan.made[kind] = make_function(plan, kind)
    return made


def _failed(error: Exception, plan: Plan) -> MangleError:
    """Say which rule it was that something went wrong in."""
    message = {
        RecursionError: "deferred rules call each other too deep",
        MemoryError: "there is not enough memory for what this rule derives",
    }.get(type(error), str(error))
    return MangleError(message, stage="eval", place=plan.rule.place)


def _agrees(row: Row, known: tuple[Value | None, ...]) -> bool:
    return all(value is None or value == own for value, own in zip(known, row, strict=True))


class Merger:
    """Merge new rows into a relation that keeps one row for each key, and remember what changed in a round."""

    def __init__(self, merge: Merge, numbers: Mapping[Symbol, int], relation: Relation) -> None:
        self._merge = merge
        self._asked = numbers[merge.predicate]
        self._relation = relation
        self._seen: set[Row] = set()
        self._changed: dict[Row, None] = {}
        self._by_key: dict[Row, list[Row]] = {}
        for row in relation.rows:
            self._by_key.setdefault(self._key(row), []).append(row)

    @property
    def rows(self) -> Any:
        """The rows there are."""
        return self._relation.rows

    def _key(self, row: Row) -> Row:
        return tuple([row[column] for column in self._merge.source])

    def add(self, rows: Mapping[Row, Any], ask: Callable[[int, tuple[Value | None, ...]], list[Row]]) -> None:
        """Merge rows; one that was merged before has nothing more to give."""
        for row, origin in rows.items():
            if row not in self._seen:
                self._seen.add(row)
                self._add(row, origin, ask)

    def _add(self, row: Row, origin: Any, ask: Callable[[int, tuple[Value | None, ...]], list[Row]]) -> None:
        there = self._by_key.setdefault(self._key(row), [])
        if not there:
            self._put(row, origin, there)
        for old in list(there):
            if row in self._relation.rows:
                return
            answers = ask(self._asked, (old[self._merge.target], row[self._merge.target], None))
            if not answers:
                self._put(row, origin, there)
            for answer in answers:
                merged = (*row[: self._merge.target], answer[2], *row[self._merge.target + 1 :])
                if merged != old:
                    self._drop(old, there)
                    self._put(merged, origin, there)
                    row = merged
                    break

    def _put(self, row: Row, origin: Any, there: list[Row]) -> None:
        if row not in self._relation.rows:
            self._relation.rows[row] = origin
            self._changed[row] = None
            there.append(row)

    def _drop(self, row: Row, there: list[Row]) -> None:
        del self._relation.rows[row]
        self._changed.pop(row, None)
        there.remove(row)

    def settle(self) -> list[Row]:
        """Return the rows that came since the last time, for the next round."""
        changed = list(self._changed)
        self._changed.clear()
        if changed or self._relation.settled != len(self._relation.rows):
            self._relation.forget()
        return changed
