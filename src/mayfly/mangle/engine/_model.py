"""What an evaluation found, to be looked up and asked where it came from."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mayfly.mangle._checked import Given
from mayfly.mangle._errors import MangleError
from mayfly.mangle._symbols import Place, Symbol
from mayfly.mangle._values import Row, Time, Value
from mayfly.mangle.builtins import BuiltinError
from mayfly.mangle.engine._marks import MARK, WILDCARD, is_builtin, is_timed
from mayfly.mangle.engine._relation import WHOLE, Lookup, Relation
from mayfly.mangle.engine._run import Run

if TYPE_CHECKING:
    from mayfly.mangle._ast import Atom
    from mayfly.mangle._checked import Rule
    from mayfly.mangle.engine._plan import Recipe
    from mayfly.mangle.engine._program import Program


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where a fact comes from: a rule with its variables' values, or no rule: given at a place, or in the call."""

    rule: Rule | None
    bindings: Mapping[str, Value]
    place: Place | None


class Model:
    """Everything that holds. Rows of a predicate come in the order in which they were derived."""

    def __init__(self, program: Program, run: Run, extra: Mapping[Symbol, Relation]) -> None:
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
        from mayfly.mangle.engine._aggregate import known_part

        known = known_part(atom, bindings)
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
        return found.place if isinstance(found, Given) else None

    def origin(self, symbol: Symbol, row: Row) -> Origin | None:
        """Return the first derivation of a fact, or None if the fact does not hold."""
        rows = self._relation(symbol).rows
        if row not in rows:
            return None
        found = rows[row]
        if isinstance(found, Given):
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

    def _complete(self, rule: Rule, bindings: dict[str, Value]) -> None:
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

    def group(self, rule: Rule, bindings: Mapping[str, Value]) -> tuple[Mapping[str, Value], ...]:
        """Return the rows of an aggregating rule's body that one of its facts was made of."""
        plan = self.program.plan(rule)
        grouping = self._run.layout.grouping(plan)[1]
        key = tuple([bindings[name] for name in grouping.key_names])
        with self._run as run:
            members = grouping.groups(run.body(plan)).get(key, [])
        return tuple(dict(zip(grouping.names, row, strict=True)) for row in members)


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
