"""Turn one rule, with its premises in a chosen order, into a Python function that adds the rule's rows to a dict.

A function is called as `rule(relations, first, out, ask, tick, heavy, now)`: all relations by number, the rows that the
first premise ranges over, where to put rows, how to ask external and deferred predicates, the look at the clock, how to
call a function that may build something large, and the instant for which it is evaluated.
"""

from collections.abc import Sequence

from mayfly.mangle._ast import (
    Apply,
    Atom,
    Bound,
    Constant,
    Equality,
    Let,
    Negation,
    Premise,
    Term,
    Timed,
    Variable,
)
from mayfly.mangle._checked import CheckedRule
from mayfly.mangle._errors import MangleError
from mayfly.mangle._values import Time
from mayfly.mangle.engine._marks import FIRST, LAST, WILDCARD, Made, Recipe, Setting, is_builtin, timed
from mayfly.mangle.engine._order import may_fail
from mayfly.mangle.engine._relation import WHOLE, Lookup
from mayfly.mangle.engine._timed import bounds_of, covers, instant, until, window
from mayfly.mangle.engine._write import (
    MOST_LOOPS,
    TooLong,
    Writer,
    all_names,
    columns_of,
    costs_of,
    same_terms,
    tuple_of,
)


class Emitter(Writer):
    """Write the function of one rule for one order of its premises."""

    def __init__(self, rule: CheckedRule, setting: Setting, *, lazy: frozenset[str], bound: Sequence[str] = ()) -> None:
        super().__init__(setting)
        self._rule = rule
        self._lazy = lazy
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
        costs = costs_of(self._rule, premises)
        try:
            for number, premise in enumerate(premises):
                self._last = number == len(premises) - 1
                self._source.cost = costs[number]
                self._premise(premise, given=from_first and number == 0)
                self._settle()
                self._hoist()
        except TooLong as error:
            raise _too_long(self._rule) from error

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
        if self._row_of is not None and self._rule.clause.time is None and same_terms(self._row_of[0], head):
            row = self._row_of[1]
        else:
            row = tuple_of([*(self._term(term) for term in head), *self._head_time()])
        source.line(f"{put}({row}, {origin})")
        fixed = all(isinstance(term, Constant) for term in head)
        if source.depth and fixed and not any(map(may_fail, self._rule.premises)):
            source.stop()
        return self._function()

    def collect(self, names: Sequence[str], *, distinct: bool) -> Made:
        """Write the end of the function: put the values of these variables, once for each solution or once only."""
        row = tuple_of([self._names[name] for name in names])
        if distinct:
            self._source.line(f"{self._source.setup('put', 'out.setdefault')}({row}, None)")
        else:
            self._source.line(f"{self._source.setup('put', 'out.append')}({row})")
        return self._function()

    def _function(self) -> Made:
        try:
            return self._source.function()  # type: ignore[no-any-return]
        except (RecursionError, MemoryError, SyntaxError) as error:
            raise _too_long(self._rule) from error

    def _hoist(self) -> None:
        """Make the origin as soon as what it holds is known, so that inner loops share it."""
        if self._made or self._origin is None or not self._origin[1]:
            return
        recipe, names = self._origin
        if all(name in self._names for name in names):
            self._source.line(f"origin = {tuple_of([recipe, *(self._names[name] for name in names)])}")
            self._made = True

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
            self._timed(premise, given=given)

    def _timed(self, premise: Timed, *, given: bool) -> None:
        """Write a premise with a time: the row with its two instants, the test of them, and the variables they give."""
        source = self._source
        ends = [Variable(name=f"{source.fresh('@')}", place=premise.place) for _ in range(2)]
        symbol = timed(premise.atom.symbol)
        arguments = (*premise.atom.arguments, *ends)
        self._stored(Atom(predicate=symbol.name, arguments=arguments, place=premise.place), given=given)
        start, end = (self._names[variable.name] for variable in ends)
        if premise.operator is not None and premise.window is not None:
            test = source.bind("window", window(premise.operator, premise.window))
            source.unless(f"{test}({start}, {end}, now)")
        if premise.annotation is None:
            return
        if premise.operator is None:
            ends_asked = zip(bounds_of(premise.annotation), (FIRST, LAST), strict=True)
            asked = [self._bound(bound, open_end) for bound, open_end in ends_asked]
            if None not in asked:
                source.unless(f"{source.bind('covers', covers)}({start}, {end}, {asked[0]}, {asked[1]})")
        for bound, value in zip(bounds_of(premise.annotation), (start, end), strict=True):
            if isinstance(bound.end, Variable) and bound.end.name not in self._names and bound.end.name != WILDCARD:
                source.line(f"{self._bind(bound.end.name)} = {value}")

    def _bound(self, bound: Bound, open_end: Time) -> str | None:
        """Return the expression of one end of an interval, None if it has no value."""
        if bound.end is None:
            return self._source.constant(open_end)
        if isinstance(bound.end, str):
            return "now"
        if isinstance(bound.end, Variable):
            return self._names.get(bound.end.name)
        return self._source.constant(bound.end.value) if isinstance(bound.end.value, Time) else None

    def _head_time(self) -> list[str]:
        """Return the expressions of the instants between which the head holds."""
        time = self._rule.clause.time
        if time is None:
            return []
        ends = []
        for bound, open_end in zip(bounds_of(time), (FIRST, LAST), strict=True):
            value = self._bound(bound, open_end)
            if value is None:
                raise MangleError("this end of the interval has no value", stage="analyze", place=bound.place)
            local = self._source.fresh("t")
            self._source.line(f"{local} = {self._source.bind('instant', instant)}({value})")
            ends.append(local)
        return [ends[0], f"{self._source.bind('until', until)}({ends[0]}, {ends[1]})"]

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
        lookup = self._source.bind("lookup", Lookup(tuple(others), columns[0], distinct=True))
        index = self._source.setup("index", f"{relation}.index({lookup})")
        key = [self._term(head[at]) for at in others]
        before = self._source.setup("before", f"len({relation}.rows)")
        self._source.finish(f"{relation}.covered({lookup}, {before})")
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


def _too_long(rule: CheckedRule) -> MangleError:
    return MangleError(
        f"the rule is too long: it goes through the rows of more than about {MOST_LOOPS} premises",
        stage="eval",
        place=rule.place,
        fix="split it into several rules with predicates of their own",
    )
