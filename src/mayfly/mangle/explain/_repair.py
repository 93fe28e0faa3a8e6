"""Find small sets of changes after which a goal holds, each tried by evaluating the program with it."""

import heapq
from collections import Counter
from collections.abc import Callable
from itertools import count, islice
from time import thread_time

from mayfly.mangle._ast import Atom, Symbol
from mayfly.mangle._errors import MangleError
from mayfly.mangle._text import show_row
from mayfly.mangle.engine import Model
from mayfly.mangle.explain._change import Changes, ChangeTrial, FactChange, Repair
from mayfly.mangle.explain._plan import ChangePlanner
from mayfly.mangle.explain._solve import rows_for

_LARGEST = 4
_PLANS = 40
_ALIKE = 2
# An evaluation is bounded by time on the wall, which a busy machine uses up sooner.
_PATIENCE = 5


def repairs(
    model: Model,
    atom: Atom,
    *,
    depth: int = 4,
    most: int = 5,
    evaluations: int = 200,
    seconds: float = 1.0,
    changeable: Callable[[Symbol], bool] | None = None,
) -> tuple[Repair, ...]:
    """Return at most `most` sets of changes that make a goal hold, smallest first; no set contains another.

    Of sets that change the same predicates only two are returned.
    Only predicates without rules are changed, and of those only the `changeable` ones. The search ends after so many
    evaluations or seconds with what it has found; computing counts, so a busy machine finds the same.
    """
    return _Search(model, atom, depth, evaluations, seconds, changeable).run(most)


class _Search:
    """Try plans smallest first; where one is not enough, plan on from what it leads to."""

    def __init__(
        self,
        model: Model,
        goal: Atom,
        depth: int,
        evaluations: int,
        seconds: float,
        changeable: Callable[[Symbol], bool] | None,
    ) -> None:
        self._goal = goal
        self._depth = depth
        self._left = evaluations
        self._end = thread_time() + seconds
        self._trial = ChangeTrial(model, goal, seconds=_PATIENCE * seconds)
        self._model = model
        self._derived = {rule.head.symbol for rule in model.program.checked.rules}
        self._allowed = changeable
        self._queue: list[tuple[int, int, int, Changes]] = []
        self._order = count()
        self._queued: set[Changes] = {frozenset()}
        self._found: list[Changes] = []

    def run(self, most: int) -> tuple[Repair, ...]:
        """Search, and return what was found: the smallest sets, and those with one change more."""
        for size in range(1, _LARGEST + 1):
            if self._spent() or (self._found and size > min(map(len, self._found)) + 1):
                break
            self._expand(self._model, frozenset(), size)
            while self._queue and self._queue[0][0] <= size and len(self._found) < most and not self._spent():
                changes = heapq.heappop(self._queue)[-1]
                if not self._known(changes):
                    self._try(changes)
        return tuple(Repair(changes=_sorted(found)) for found in sorted(self._found, key=_rank))

    def _try(self, changes: Changes) -> None:
        after = self._evaluate(changes)
        if after is None:
            return
        if self._holds(after):
            self._keep(self._smallest(changes))
        elif len(changes) < _LARGEST:
            self._expand(after, changes, 1)

    def _keep(self, changes: Changes) -> None:
        if not self._known(changes):
            self._found = [found for found in self._found if not _shape(changes) <= _shape(found)]
            self._found.append(changes)

    def _known(self, changes: Changes) -> bool:
        """Say whether changes are no news: they contain what was found, or only say it of yet another value."""
        if any(found <= changes or _shape(found) <= _shape(changes) for found in self._found):
            return True
        alike = sum(_predicates(found) == _predicates(changes) for found in self._found)
        return alike >= _ALIKE

    def _smallest(self, changes: Changes) -> Changes:
        """Return the changes without those that are not needed."""
        for change in sorted(changes, key=_change_key) if len(changes) > 1 else ():
            fewer = changes - {change}
            after = self._evaluate(fewer) if fewer else None
            if after is not None and self._holds(after):
                changes = fewer
        return changes

    def _expand(self, model: Model, done: Changes, size: int) -> None:
        """Queue every plan of at most so many changes that goes on from what some changes led to."""
        plans = ChangePlanner(model, self._changeable, end=self._end).plans(self._goal, size=size, depth=self._depth)
        for plan in islice(plans, _PLANS):
            self._push(done | plan)

    def _push(self, changes: Changes) -> None:
        facts = {change.fact for change in changes}
        if changes not in self._queued and len(facts) == len(changes) <= _LARGEST:
            self._queued.add(changes)
            removed = sum(change.kind == "remove" for change in changes)
            heapq.heappush(self._queue, (len(changes), removed, next(self._order), changes))

    def _evaluate(self, changes: Changes) -> Model | None:
        """Return the model after the changes, or None when there is none or the work is spent."""
        if self._spent():
            return None
        self._left -= 1
        try:
            return self._trial.evaluate(changes)
        except MangleError:
            return None

    def _holds(self, model: Model) -> bool:
        return next(rows_for(model, self._goal, {}), None) is not None

    def _spent(self) -> bool:
        return self._left <= 0 or thread_time() > self._end

    def _changeable(self, symbol: Symbol) -> bool:
        return symbol not in self._derived and (self._allowed is None or self._allowed(symbol))


def _shape(changes: Changes) -> Counter[object]:
    return Counter(change.shape for change in changes)


def _predicates(changes: Changes) -> Counter[object]:
    return Counter((change.kind, change.fact.symbol) for change in changes)


def _change_key(change: FactChange) -> tuple[str, str]:
    return change.kind, show_row(*change.fact)


def _sorted(changes: Changes) -> tuple[FactChange, ...]:
    return tuple(sorted(changes, key=_change_key))


def _rank(changes: Changes) -> tuple[int, int, list[tuple[str, str]]]:
    """Rank small before large, then changes that say every value before those with examples."""
    chosen = sum(len(change.free) + len(change.examples) for change in changes)
    return len(changes), chosen, [_change_key(change) for change in _sorted(changes)]
