"""A compiled program, evaluated as often as wanted and by several threads at once, and the models that this gives."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from time import time_ns
from typing import TYPE_CHECKING

from mayfly.mangle._checked import CheckedProgram, GivenFact
from mayfly.mangle._errors import MangleError
from mayfly.mangle._symbols import Place, Symbol
from mayfly.mangle._values import Row, Time, Value
from mayfly.mangle.builtins import BuiltinError
from mayfly.mangle.engine._limits import Limits
from mayfly.mangle.engine._marks import MARK, WILDCARD, Recipe, is_builtin, is_timed
from mayfly.mangle.engine._relation import WHOLE, Lookup, Relation
from mayfly.mangle.engine._run import EvaluationRun, External
from mayfly.mangle.engine._wake import Base, Waking

if TYPE_CHECKING:
    from mayfly.mangle._ast import Atom
    from mayfly.mangle._checked import CheckedRule

_NO_EXTERNALS: Mapping[Symbol, External] = {}
_LIMITS = Limits()


class Program:
    """Hold the rules as functions and what follows from the program's own facts."""

    def __init__(self, checked: CheckedProgram) -> None:
        from mayfly.mangle.engine._compile import lay_out

        self._checked: CheckedProgram | Callable[[], CheckedProgram] = checked
        self.rules = checked.rules
        self.predicates = frozenset(checked.declared)
        """What is declared, or defined, by the program."""
        self._layout = lay_out(checked)
        self._base = Base(self._layout)
        self._all = frozenset(range(len(self._layout.groups)))
        self._needed: dict[frozenset[Symbol], frozenset[int]] = {}

    @property
    def checked(self) -> CheckedProgram:
        """The program as it passed the checks; one that was kept as bytes is read when it is first asked for."""
        if not isinstance(self._checked, CheckedProgram):
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
        with EvaluationRun(
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


def compile_program(checked: CheckedProgram) -> Program:
    """Compile a checked program."""
    return Program(checked)


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where a fact comes from: a rule with its variables' values, or no rule: given at a place, or in the call."""

    rule: CheckedRule | None
    bindings: Mapping[str, Value]
    place: Place | None


class Model:
    """Everything that holds. Rows of a predicate come in the order in which they were derived."""

    def __init__(self, program: Program, run: EvaluationRun, extra: Mapping[Symbol, Relation]) -> None:
        self.program = program
        self._run = run
        self._extra = extra

    def _relation(self, symbol: Symbol) -> Relation:
        number = self._run.layout.numbers.get(symbol)
        if number is None:
            return self._extra.get(symbol) or Relation({})
        return self._run.relations[number]

    def rows(self, symbol: Symbol) -> Collection[Row]:
        """Return the rows of a predicate, oldest first."""
        rows: Collection[Row] = self._relation(symbol).rows.keys()
        return rows

    def holds(self, symbol: Symbol, row: Row) -> bool:
        """Tell whether a fact holds."""
        return row in self._relation(symbol).rows

    def match(self, atom: Atom) -> list[Row]:
        """Return the rows that an atom with constants, variables and wildcards matches, oldest first."""
        try:
            return self._matching(atom, {})
        except BuiltinError as error:
            raise MangleError(str(error), stage="eval", place=atom.place) from error

    def _matching(self, atom: Atom, bindings: Mapping[str, Value]) -> list[Row]:
        from mayfly.mangle._evaluate import value_of

        known = [value_of(term, bindings) for term in atom.arguments]
        key = tuple(at for at, value in enumerate(known) if value is not None)
        relation = self._relation(atom.symbol)
        if not key:
            rows = list(relation.rows)
        else:
            index = relation.index(Lookup(key, WHOLE))
            value = tuple([known[at] for at in key])
            rows = list(index.get(value[0] if len(key) == 1 else value, ()))
        same = _repeated(atom)
        return [row for row in rows if all(row[a] == row[b] for a, b in same)] if same else rows

    def facts(self) -> Iterator[tuple[Symbol, Row]]:
        """Yield everything that holds, predicate by predicate in the order of the program."""
        for symbol, relation in zip(self._run.layout.symbols, self._run.relations, strict=True):
            if not is_timed(symbol):
                for row in relation.rows:
                    yield symbol, row
        for symbol, relation in self._extra.items():
            for row in relation.rows:
                yield symbol, row

    def timed(self) -> Iterator[tuple[Symbol, Row, Time, Time]]:
        """Yield everything that holds for a time, with its first and last instant; the extreme ones are open ends."""
        for symbol, relation in zip(self._run.layout.symbols, self._run.relations, strict=True):
            if is_timed(symbol):
                plain = Symbol(symbol.name.removeprefix(MARK), symbol.arity - 2)
                for row in relation.rows:
                    yield plain, row[:-2], row[-2], row[-1]

    def place(self, symbol: Symbol, row: Row) -> Place | None:
        """Return where the rule or the source stands that gave a fact first, None if neither did."""
        found = self._relation(symbol).rows.get(row)
        if isinstance(found, tuple):
            recipe: Recipe = found[0]
            return recipe.rule.place
        return found.place if isinstance(found, GivenFact) else None

    def origin(self, symbol: Symbol, row: Row) -> Origin | None:
        """Return the first derivation of a fact, or None if the fact does not hold."""
        rows = self._relation(symbol).rows
        if row not in rows:
            return None
        found = rows[row]
        if isinstance(found, GivenFact):
            return Origin(rule=None, bindings={}, place=found.place)
        if not isinstance(found, tuple):
            return Origin(rule=None, bindings={}, place=None)
        recipe: Recipe = found[0]
        bindings: dict[str, Value] = dict(zip(recipe.names, found[1:], strict=True))
        for name, column in recipe.columns:
            bindings[name] = row[column]
        if recipe.rule.transform is None or recipe.rule.transform.do is None:
            self._complete(recipe.rule, bindings)
        return Origin(rule=recipe.rule, bindings=bindings, place=recipe.rule.place)

    def _complete(self, rule: CheckedRule, bindings: dict[str, Value]) -> None:
        """Add the variables that occur only once: the oldest row that fits was there when the rule fired."""
        from mayfly.mangle._ast import Atom, Variable

        for premise in rule.premises:
            if not isinstance(premise, Atom) or is_builtin(premise.symbol):
                continue
            missing = [
                (at, term.name)
                for at, term in enumerate(premise.arguments)
                if isinstance(term, Variable) and term.name != WILDCARD and term.name not in bindings
            ]
            if missing:
                rows = self._matching(premise, bindings)
                for at, name in missing:
                    if rows:
                        bindings[name] = rows[0][at]


def _repeated(atom: Atom) -> list[tuple[int, int]]:
    """Return the pairs of columns that have to be equal because a variable occurs in both."""
    from mayfly.mangle._ast import Variable

    first: dict[str, int] = {}
    found: list[tuple[int, int]] = []
    for at, term in enumerate(atom.arguments):
        if isinstance(term, Variable) and term.name != WILDCARD:
            if term.name in first:
                found.append((first[term.name], at))
            first.setdefault(term.name, at)
    return found
