"""A compiled program: evaluated as often as one likes, by as many threads as one likes."""

from collections.abc import Callable, Collection, Iterable, Mapping
from time import time_ns

from mayfly.mangle._checked import Checked, Rule
from mayfly.mangle._errors import MangleError
from mayfly.mangle._symbols import Symbol
from mayfly.mangle._values import Row, Time
from mayfly.mangle.engine._base import Base
from mayfly.mangle.engine._limits import Limits
from mayfly.mangle.engine._model import Model
from mayfly.mangle.engine._plan import Plan
from mayfly.mangle.engine._run import External, Run
from mayfly.mangle.engine._wake import Waking

_NO_EXTERNALS: Mapping[Symbol, External] = {}
_LIMITS = Limits()


class Program:
    """Hold the rules as functions and what follows from the program's own facts."""

    def __init__(self, checked: Checked) -> None:
        from mayfly.mangle.engine._laid_out import lay_out

        self._checked: Checked | Callable[[], Checked] = checked
        self.rules = checked.rules
        self.predicates = frozenset(checked.declared)
        """What is declared, or defined, by the program."""
        self._layout = lay_out(checked)
        self._base = Base(self._layout)
        self._plans = {plan.rule.number: plan for plan in self._layout.plans}
        self._all = frozenset(range(len(self._layout.groups)))
        self._needed: dict[frozenset[Symbol], frozenset[int]] = {}

    @property
    def checked(self) -> Checked:
        """The program as it passed the checks; one that was kept as bytes is read when it is first asked for."""
        if not isinstance(self._checked, Checked):
            self._checked = self._checked()
        return self._checked

    def evaluate(
        self,
        facts: Iterable[tuple[Symbol, Row]] = (),
        *,
        goals: Collection[Symbol] | None = None,
        externals: Mapping[Symbol, External] = _NO_EXTERNALS,
        limits: Limits = _LIMITS,
        record: bool = True,
        now: Time | None = None,
    ) -> Model:
        """Return what follows from the program and these facts; with goals, only as much as those need.

        Without `record` no derivations are kept, which is a little faster. `now` is the instant that temporal rules
        reckon from, the present one if none is given.
        """
        needed = self._all if goals is None else self._groups(frozenset(goals))
        try:
            return self._evaluated(facts, needed, externals, limits, record=record, now=now or Time(time_ns()))
        except MemoryError as error:
            raise MangleError("there is not enough memory for this evaluation", stage="eval") from error

    def _evaluated(
        self,
        facts: Iterable[tuple[Symbol, Row]],
        needed: frozenset[int],
        externals: Mapping[Symbol, External],
        limits: Limits,
        *,
        record: bool,
        now: Time,
    ) -> Model:
        self._base.ensure(needed, limits)
        numbers = {self._external(symbol): source for symbol, source in externals.items()}
        base = self._base
        with Run(
            self._layout,
            base.relations,
            limits=limits,
            record=record,
            derived=base.derived,
            kept=base.kept,
            externals=numbers,
            now=now,
        ) as run:
            waking = Waking(self._layout, base, run, needed=needed, limits=limits)
            waking.give(facts)
            waking.finish()
            run.meter.settle()
        return Model(self, run, waking.extra)

    def plan(self, rule: Rule) -> Plan:
        """Return what the engine made of a rule."""
        return self._plans[rule.number]

    def _external(self, symbol: Symbol) -> int:
        number = self._layout.numbers.get(symbol)
        if number is None or number not in self._layout.external:
            fix = f"declare it: Decl {symbol.name}(…) descr [external()]."
            raise MangleError(f"{symbol} is not declared external", stage="eval", fix=fix)
        return number

    def _groups(self, goals: frozenset[Symbol]) -> frozenset[int]:
        found = self._needed.get(goals)
        if found is None:
            if len(self._needed) >= 256:
                self._needed.clear()
            found = self._needed[goals] = self._layout.needed(goals)
        return found


def compile_program(checked: Checked) -> Program:
    """Compile a checked program."""
    return Program(checked)
