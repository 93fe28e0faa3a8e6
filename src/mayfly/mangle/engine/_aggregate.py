"""Aggregating rules: group the rows of a body, reduce each group, and give the rows of the head."""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from mayfly.mangle._ast import Apply, Let, Variable
from mayfly.mangle._checked import CheckedRule
from mayfly.mangle._evaluate import known_value
from mayfly.mangle._values import Row, Value
from mayfly.mangle.builtins import REDUCERS, BuiltinError, Reducer
from mayfly.mangle.engine._limits import Meter
from mayfly.mangle.engine._marks import WILDCARD, Recipe


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Grouping:
    """How one rule groups: the columns of its body, the key's places among them, and what is computed of a group."""

    rule: CheckedRule
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
            bindings = self.reduced(key, members)
            meter.spend(*bindings.values())
            left -= len(members) * len(self.lets)
            if left < 0:
                left = meter.look()
            row = tuple([known_value(term, bindings) for term in self.rule.head.arguments])
            origin = (self.recipe, *[bindings[name] for name in self.recipe.names]) if record else None
            out.setdefault(row, origin)

    def reduced(self, key: Row, members: list[Row]) -> dict[str, Value]:
        """Return the variables of one group: those of its key, and what the transform computes."""
        bindings: dict[str, Value] = dict(zip(self.key_names, key, strict=True))
        for let in self.lets:
            reducer = REDUCERS.get(let.function.function)
            if reducer is None:
                value = known_value(let.function, bindings)
            else:
                value = reducer.reduce(self._rows(reducer, let.function, members))
            if let.variable.name != WILDCARD:
                bindings[let.variable.name] = value
        return bindings

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
                rows.append(tuple([known_value(term, bindings) for term in terms]))
            except BuiltinError:
                if not reducer.skips_failures:
                    raise
        return rows


def grouping(rule: CheckedRule, names: tuple[str, ...]) -> Grouping:
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
