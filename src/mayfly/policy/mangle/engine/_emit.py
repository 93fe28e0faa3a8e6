"""Turn one rule, with its premises in a chosen order, into a Python function that adds the rule's rows to a dict.

A function is called as `rule(relations, first, out, ask, tick)`: all relations by number, the rows that the first
premise ranges over, where to put rows, how to ask external and deferred predicates, and the look at the clock.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from mayfly.policy.mangle._ast import Apply, Atom, Constant, Equality, Let, Negation, Premise, Symbol, Term, Variable
from mayfly.policy.mangle._checked import Rule
from mayfly.policy.mangle._errors import MangleError
from mayfly.policy.mangle.builtins import FUNCTIONS, Predicate
from mayfly.policy.mangle.engine._order import WILDCARD, is_builtin, may_fail
from mayfly.policy.mangle.engine._parts import all_names, columns_of, is_number, predicate_of, same_terms, tuple_of
from mayfly.policy.mangle.engine._relation import WHOLE, Lookup
from mayfly.policy.mangle.engine._source import Source

Made: TypeAlias = Callable[..., None]
_COMPARED = {":lt": "<", ":le": "<=", ":gt": ">", ":ge": ">="}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Recipe:
    """How to read an origin: the rule, the names of the values it holds, and the row's columns that hold others."""

    rule: Rule
    names: tuple[str, ...]
    columns: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What the rules of a program are compiled against."""

    numbers: Mapping[Symbol, int]
    called: frozenset[Symbol]
    """External and deferred predicates: asked with what is bound, not looked up."""


class Emitter:
    """Write the function of one rule for one order of its premises."""

    def __init__(self, rule: Rule, setting: Setting, *, lazy: frozenset[str], bound: Sequence[str] = ()) -> None:
        self._rule = rule
        self._setting = setting
        self._lazy = lazy
        self._source = Source("relations, first, out, ask, tick")
        self._names: dict[str, str] = {}
        self._row_of: tuple[tuple[Term, ...], str] | None = None
        self._origin: tuple[str, tuple[str, ...]] | None = None
        self._made = False
        self._last = False
        self._skips = False
        self._waiting: list[Equality] = []
        if bound:
            targets = ", ".join([*(self._bind(name) for name in bound), ""])
            self._source.line(f"{targets} = first")

    def premises(self, premises: Sequence[Premise], *, from_first: bool) -> None:
        """Write the premises in this order; with `from_first` the first one ranges over the rows given in the call."""
        for number, premise in enumerate(premises):
            self._last = number == len(premises) - 1
            self._premise(premise, given=from_first and number == 0)
            self._settle()
            self._hoist()

    def lets(self, lets: Sequence[Let]) -> None:
        """Write the statements of a let-transform."""
        for let in lets:
            value = self._term(let.function)
            self._source.line(f"{self._bind(let.variable.name)} = {value}")
        self._hoist()

    def skip_known(self) -> None:
        """Have the last loop skip values that the head's rows already have; call it before the premises are written.

        Looking up one value in a small set is far cheaper than making a row to find that it is there. The relation of
        the head must be the one that the function adds to.
        """
        self._skips = True

    def record(self, *, keep_all: bool) -> None:
        """Have the origin recorded; call it before the premises are written."""
        columns = {} if keep_all else columns_of(self._rule.head)
        names = tuple(name for name in all_names(self._rule) if name not in columns and name not in self._lazy)
        recipe = Recipe(rule=self._rule, names=names, columns=tuple(columns.items()))
        if names:
            self._origin = (self._source.bind("recipe", recipe), names)
        else:
            self._origin = (self._source.bind("origin", (recipe,)), ())

    def derive(self) -> Made:
        """Write the end of the function: put the head's row where it belongs.

        One that is always the same is put once, unless what comes after it may fail and has to be tried.
        """
        source = self._source
        put = source.setup("put", "out.setdefault")
        origin = "None"
        if self._origin is not None:
            origin = "origin" if self._origin[1] else self._origin[0]
        head = self._rule.head.arguments
        if self._row_of is not None and same_terms(self._row_of[0], head):
            row = self._row_of[1]
        else:
            row = tuple_of([self._term(term) for term in head])
        source.line(f"{put}({row}, {origin})")
        fixed = all(isinstance(term, Constant) for term in head)
        if source.depth and fixed and not any(map(may_fail, self._rule.premises)):
            source.line("return")
        return source.function()  # type: ignore[no-any-return]

    def collect(self, names: Sequence[str], *, distinct: bool) -> Made:
        """Write the end of the function: put the values of these variables, once for each solution or once only."""
        row = tuple_of([self._names[name] for name in names])
        if distinct:
            self._source.line(f"{self._source.setup('put', 'out.setdefault')}({row}, None)")
        else:
            self._source.line(f"{self._source.setup('put', 'out.append')}({row})")
        return self._source.function()  # type: ignore[no-any-return]

    def _bind(self, name: str) -> str:
        local = self._source.fresh("v")
        if name != WILDCARD:
            self._names[name] = local
        return local

    def _hoist(self) -> None:
        """Make the origin as soon as what it holds is known, so that inner loops share it."""
        if self._made or self._origin is None or not self._origin[1]:
            return
        recipe, names = self._origin
        if all(name in self._names for name in names):
            self._source.line(f"origin = {tuple_of([recipe, *(self._names[name] for name in names)])}")
            self._made = True

    def _known(self, term: Term) -> bool:
        if isinstance(term, Variable):
            return term.name in self._names
        return isinstance(term, Constant) or all(self._known(part) for part in term.arguments)

    def _term(self, term: Term) -> str:
        """Return the expression of a term whose variables are known."""
        if isinstance(term, Constant):
            return self._source.constant(term.value)
        if isinstance(term, Variable):
            if term.name not in self._names:
                raise MangleError(f"the variable {term.name} has no value here", stage="analyze", place=term.place)
            return self._names[term.name]
        function = FUNCTIONS.get(term.function)
        if function is None:
            raise MangleError(f"{term.function} is not a function", stage="analyze", place=term.place)
        call = self._source.bind("f", function.taking(len(term.arguments)))
        return f"{call}({', '.join(self._term(part) for part in term.arguments)})"

    def _premise(self, premise: Premise, *, given: bool) -> None:
        if isinstance(premise, Equality):
            self._equality(premise)
        elif isinstance(premise, Negation):
            self._negation(premise.atom)
        elif isinstance(premise, Atom):
            if is_builtin(premise.symbol):
                self._builtin(premise)
            elif premise.symbol in self._setting.called and not given:
                self._called(premise)
            else:
                self._stored(premise, given=given)
        else:
            raise MangleError("temporal premises are not supported", stage="analyze", place=premise.place)

    def _equality(self, equality: Equality) -> None:
        left, right = equality.left, equality.right
        if self._known(left) and self._known(right):
            sign = "!=" if equality.negated else "=="
            self._source.unless(f"{self._term(left)} {sign} {self._term(right)}")
        elif equality.negated:
            # Something that has no value yet can be equal to anything: never different.
            self._source.unless("False")
        elif self._known(right) and isinstance(left, Variable):
            value = self._term(right)
            self._source.line(f"{self._bind(left.name)} = {value}")
        elif self._known(left) and isinstance(right, Variable):
            value = self._term(left)
            self._source.line(f"{self._bind(right.name)} = {value}")
        else:
            self._waiting.append(equality)

    def _settle(self) -> None:
        """Write the equalities between two unknown variables as soon as one of them is known."""
        waiting, self._waiting = self._waiting, []
        for equality in waiting:
            self._equality(equality)
        if len(self._waiting) < len(waiting):
            self._settle()

    def _negation(self, atom: Atom) -> None:
        source = self._source
        if is_builtin(atom.symbol):
            source.line(f"if {self._holds(atom)}: {source.leave}")
        elif atom.symbol in self._setting.called:
            source.line(f"if {self._ask(atom)}: {source.leave}")
        else:
            keyed = [(at, term) for at, term in enumerate(atom.arguments) if self._known(term)]
            source.line(f"if {self._exists(atom, keyed, given=False)}: {source.leave}")

    def _exists(self, atom: Atom, keyed: Sequence[tuple[int, Term]], *, given: bool) -> str:
        """Return the condition that there is a row with these columns."""
        relation = "first" if given else f"relations[{self._setting.numbers[atom.symbol]}]"
        if not keyed:
            return self._source.setup("rows", f"{relation}.rows")
        key = [self._term(term) for _, term in keyed]
        if len(keyed) == len(atom.arguments) and not given:
            rows = self._source.setup("rows", f"{relation}.rows")
            return f"{tuple_of(key)} in {rows}"
        index = self._index(relation, Lookup(tuple(at for at, _ in keyed), None))
        return f"{key[0] if len(key) == 1 else tuple_of(key)} in {index}"

    def _index(self, relation: str, lookup: Lookup) -> str:
        name = self._source.bind("lookup", lookup)
        return self._source.setup("index", f"{relation}.index({name})")

    def _stored(self, atom: Atom, *, given: bool) -> None:
        source = self._source
        keyed = [(at, term) for at, term in enumerate(atom.arguments) if self._known(term)]
        free = self._free(atom)
        if not free:
            source.unless(self._exists(atom, keyed, given=given))
            return
        relation = "first" if given else f"relations[{self._setting.numbers[atom.symbol]}]"
        single = len(free) == 1 and isinstance(free[0][1], Variable)
        want = free[0][0] if single and (keyed or not given) else WHOLE
        if keyed:
            key = [self._term(term) for _, term in keyed]
            index = self._index(relation, Lookup(tuple(at for at, _ in keyed), want))
            found = source.setup("get", f"{index}.get")
            rows = source.fresh("l")
            source.line(f"{rows} = {found}({key[0] if len(key) == 1 else tuple_of(key)})")
            source.line(f"if {rows} is None: {source.leave}")
        elif given:
            rows = source.setup("rows", "first.rows")
        else:
            rows = self._index(relation, Lookup((), want))
        if want == WHOLE:
            self._each(atom, free, rows)
        else:
            self._values(free[0][1], rows)

    def _values(self, term: Term, rows: str) -> None:
        """Write the loop over the values of one column."""
        source = self._source
        name = term.name if isinstance(term, Variable) else WILDCARD
        known = self._known_of(name) if self._skips and self._last and source.depth else None
        target = self._bind(name)
        source.loop(target, rows)
        if known is not None:
            source.line(f"if {target} in {known}: continue")
            source.line(f"{known}.add({target})")

    def _known_of(self, name: str) -> str | None:
        """Write the look-up of the values that the head's rows already have beside what is known of the head."""
        head = self._rule.head.arguments
        columns = [at for at, term in enumerate(head) if isinstance(term, Variable) and term.name == name]
        others = [at for at in range(len(head)) if at not in columns]
        if len(columns) != 1 or not others or not all(self._known(head[at]) for at in others):
            return None
        relation = f"relations[{self._setting.numbers[self._rule.head.symbol]}]"
        index = self._index(relation, Lookup(tuple(others), columns[0], distinct=True))
        key = [self._term(head[at]) for at in others]
        known = self._source.fresh("known")
        self._source.line(f"{known} = {index}[{key[0] if len(key) == 1 else tuple_of(key)}]")
        return known

    def _free(self, atom: Atom) -> list[tuple[int, Term]]:
        """Return the arguments that get a value from the rows."""
        return [
            (at, term) for at, term in enumerate(atom.arguments) if not self._known(term) and not self._ignored(term)
        ]

    def _ignored(self, term: Term) -> bool:
        return isinstance(term, Variable) and (term.name == WILDCARD or term.name in self._lazy)

    def _each(self, atom: Atom, free: Sequence[tuple[int, Term]], rows: str) -> None:
        """Write the loop over whole rows: bind what is new, compare what occurs twice."""
        source = self._source
        row = source.fresh("r")
        source.loop(row, rows)
        checks: list[tuple[str, Term]] = []
        targets: dict[int, str] = {}
        for at, term in free:
            if isinstance(term, Variable) and term.name not in self._names:
                targets[at] = self._bind(term.name)
            else:
                checks.append((f"{row}[{at}]", term))
        arity = len(atom.arguments)
        if targets and len(targets) * 2 >= arity:
            pattern = [targets.get(at, "_") for at in range(arity)]
            source.line(f"{', '.join(pattern)}{',' if arity == 1 else ''} = {row}")
        else:
            for at, target in targets.items():
                source.line(f"{target} = {row}[{at}]")
        for column, term in checks:
            source.unless(f"{column} == {self._term(term)}")
        if all(not isinstance(term, Apply) and not self._ignored(term) for term in atom.arguments):
            self._row_of = (atom.arguments, row)

    def _called(self, atom: Atom) -> None:
        """Write a premise that asks an external or deferred predicate."""
        source = self._source
        free = self._free(atom)
        if not free:
            source.unless(self._ask(atom))
            return
        rows = source.fresh("l")
        source.line(f"{rows} = {self._ask(atom)}")
        self._each(atom, free, rows)

    def _ask(self, atom: Atom) -> str:
        known = [self._term(term) if self._known(term) else "None" for term in atom.arguments]
        return f"ask({self._setting.numbers[atom.symbol]}, {tuple_of(known)})"

    def _builtin(self, atom: Atom) -> None:
        source = self._source
        predicate = predicate_of(atom)
        if predicate.solve is None or all(self._known(term) for term in atom.arguments):
            source.unless(self._holds(atom))
            return
        outputs = [term for mode, term in zip(predicate.modes, atom.arguments, strict=True) if mode == "-"]
        rows = source.fresh("l")
        source.line(f"{rows} = {self._solved(atom, predicate)}")
        row = source.fresh("r")
        source.loop(row, rows)
        for at, term in enumerate(outputs):
            if self._known(term):
                source.unless(f"{row}[{at}] == {self._term(term)}")
            elif isinstance(term, Variable) and term.name != WILDCARD:
                source.line(f"{self._bind(term.name)} = {row}[{at}]")

    def _solved(self, atom: Atom, predicate: Predicate) -> str:
        inputs = [self._term(term) for mode, term in zip(predicate.modes, atom.arguments, strict=True) if mode != "-"]
        return f"tuple({self._source.bind('solve', predicate.solve)}({', '.join(inputs)}))"

    def _holds(self, atom: Atom) -> str:
        """Return the condition that a builtin predicate holds."""
        predicate = predicate_of(atom)
        if predicate.test is None and not all(self._known(term) for term in atom.arguments):
            return self._solved(atom, predicate)
        values = [self._term(term) for term in atom.arguments]
        name = self._source.bind("test", predicate.test or predicate.holds)
        sign = _COMPARED.get(atom.predicate)
        if sign is None or any(isinstance(term, Apply) for term in atom.arguments):
            return f"{name}({', '.join(values)})"
        numbers = [v for v, term in zip(values, atom.arguments, strict=True) if not is_number(term)]
        plain = " and ".join(f"type({value}) is int" for value in numbers) or "True"
        return f"({values[0]} {sign} {values[1]} if {plain} else {name}({', '.join(values)}))"
