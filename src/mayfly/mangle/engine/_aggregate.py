"""Aggregating rules: group the rows of a body, reduce each group, and give the rows of the head."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from mayfly.mangle._ast import Apply, Atom, Constant, Let, Term, Variable
from mayfly.mangle._checked import Rule
from mayfly.mangle._errors import MangleError
from mayfly.mangle._values import Row, Value
from mayfly.mangle.builtins import FUNCTIONS, REDUCERS, BuiltinError, Reducer
from mayfly.mangle.engine._limits import Meter
from mayfly.mangle.engine._marks import WILDCARD, Recipe


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Grouping:
    """How one rule groups: the columns of its body, the key's places among them, and what is computed of a group."""

    rule: Rule
    names: tuple[str, ...]
    key: tuple[int, ...]
    key_names: tuple[str, ...]
    lets: tuple[Let, ...]
    recipe: Recipe

    def groups(self, rows: Sequence[Row]) -> dict[Row, list[Row]]:
        """Return the rows of the body by the values of the key."""
        found: dict[Row, list[Row]] = {}
        for row in rows:
            found.setdefault(tuple([row[at] for at in self.key]), []).append(row)
        return found

    def derive(self, rows: Sequence[Row], out: dict[Row, Any], *, record: bool, meter: Meter) -> None:
        """Add the row of each group; no rows in the body, no group."""
        left = meter.look()
        for key, members in self.groups(rows).items():
            bindings: dict[str, Value] = dict(zip(self.key_names, key, strict=True))
            for let in self.lets:
                value = self._reduced(let.function, members, bindings)
                meter.spend(value)
                left -= len(members)
                if left < 0:
                    left = meter.look()
                if let.variable.name != WILDCARD:
                    bindings[let.variable.name] = value
            row = tuple([value_of(term, bindings) for term in self.rule.head.arguments])
            origin = (self.recipe, *[bindings[name] for name in self.recipe.names]) if record else None
            out.setdefault(row, origin)

    def _reduced(self, function: Apply, members: list[Row], bindings: Mapping[str, Value]) -> Value:
        reducer = REDUCERS.get(function.function)
        if reducer is None:
            return value_of(function, bindings)
        return reducer.reduce(self._rows(reducer, function, members))

    def _rows(self, reducer: Reducer, function: Apply, members: list[Row]) -> list[Row]:
        """Return the argument tuples of a reducer, one for each row of the group."""
        terms = function.arguments
        if all(isinstance(term, Variable) and term.name in self.names for term in terms):
            columns = [self.names.index(term.name) for term in terms if isinstance(term, Variable)]
            if len(columns) == 1:
                return [(row[columns[0]],) for row in members]
            return [itemgetter(*columns)(row) for row in members] if columns else [()] * len(members)
        rows: list[Row] = []
        for row in members:
            bindings = dict(zip(self.names, row, strict=True))
            try:
                rows.append(tuple([value_of(term, bindings) for term in terms]))
            except BuiltinError:
                if not reducer.skips_failures:
                    raise
        return rows


def grouping(rule: Rule, names: tuple[str, ...]) -> Grouping:
    """Return how a rule with a group_by groups."""
    transform = rule.transform
    if transform is None or transform.do is None:
        raise ValueError("the rule does not aggregate")
    places = {name: at for at, name in enumerate(names)}
    keys = tuple(term.name for term in transform.do.arguments if isinstance(term, Variable))
    defined = tuple(let.variable.name for let in transform.lets if let.variable.name != WILDCARD)
    recipe = Recipe(rule=rule, names=tuple(dict.fromkeys((*keys, *defined))), columns=())
    return Grouping(
        rule=rule,
        names=names,
        key=tuple(places[name] for name in keys),
        key_names=keys,
        lets=transform.lets,
        recipe=recipe,
    )


def value_of(term: Term, bindings: Mapping[str, Value]) -> Value:
    """Evaluate a term."""
    if isinstance(term, Constant):
        return term.value
    if isinstance(term, Variable):
        if term.name not in bindings:
            raise MangleError(f"the variable {term.name} has no value here", stage="eval", place=term.place)
        return bindings[term.name]
    function = FUNCTIONS.get(term.function)
    if function is None:
        raise MangleError(f"{term.function} is not a function", stage="eval", place=term.place)
    return function.taking(len(term.arguments))(*[value_of(part, bindings) for part in term.arguments])


def known_part(atom: Atom, bindings: Mapping[str, Value]) -> tuple[Value | None, ...]:
    """Return the values of an atom's arguments, None where one is not known."""
    return tuple(
        None if isinstance(term, Variable) and term.name not in bindings else value_of(term, bindings)
        for term in atom.arguments
    )
