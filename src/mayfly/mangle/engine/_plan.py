"""What the engine knows of one rule before any fact is there: where it may start, what it reads, its functions."""

from collections.abc import Mapping
from typing import Final

from mayfly.mangle._ast import Apply, Atom, Constant, Negation, Premise, Symbol, Timed, Variable
from mayfly.mangle._checked import Declared, Rule
from mayfly.mangle._values import Value
from mayfly.mangle.builtins import PREDICATES
from mayfly.mangle.engine._emit import Emitter, Made
from mayfly.mangle.engine._order import (
    WILDCARD,
    is_builtin,
    may_fail,
    named,
    ordered,
    terms_of,
    used_once,
    variables_of,
)
from mayfly.mangle.engine._timed import depends_on_now, timed
from mayfly.mangle.engine._write import Setting

NATURAL: Final = -1
"""Stands for the place of no premise: the rule is evaluated as it was checked."""


class Plan:
    """One rule, ready to be evaluated from any premise that has new rows; functions are made when first needed."""

    def __init__(self, rule: Rule, setting: Setting, declared: Mapping[Symbol, Declared]) -> None:
        self.rule = rule
        self.setting = setting
        symbol = rule.head.symbol if rule.clause.time is None else timed(rule.head.symbol)
        self.head = setting.numbers[symbol]
        self.aggregates = rule.transform is not None and rule.transform.do is not None
        about = declared.get(rule.head.symbol)
        self.merges = about is not None and about.merge is not None
        self.fails_at = next((at for at, premise in enumerate(rule.premises) if may_fail(premise)), len(rule.premises))
        """The first premise that can end in an error; the ones before it have to be evaluated in any case."""
        self.reads: dict[int, int] = {}
        """Place of each positive premise with rows, and the number of its predicate."""
        self.negates: list[int] = []
        self.calls: list[int] = []
        self.group = -1
        self.asks: bool
        """Whether what it gives depends on more than facts: an external predicate, asked by itself or through a
        deferred one, or the time of the evaluation."""
        for at, premise in enumerate(rule.premises):
            self._note(at, premise)
        self.required = tuple(dict.fromkeys(number for at, number in self.reads.items() if at < self.fails_at))
        """The predicates without whose rows the rule neither gives anything nor fails."""
        self.asks = _asks_the_time(rule)
        self.starts = self._starts()
        self.lazy = frozenset[str]() if self.aggregates else used_once(rule, setting.called)
        self.made: dict[int, Made] = {}

    def _note(self, at: int, premise: Premise) -> None:
        if isinstance(premise, Timed):
            self.reads[at] = self.setting.numbers[timed(premise.atom.symbol)]
        if not isinstance(premise, Atom | Negation):
            return
        atom = premise if isinstance(premise, Atom) else premise.atom
        if is_builtin(atom.symbol):
            return
        number = self.setting.numbers[atom.symbol]
        if atom.symbol in self.setting.called:
            self.calls.append(number)
        elif isinstance(premise, Atom):
            self.reads[at] = number
        else:
            self.negates.append(number)

    def _starts(self) -> frozenset[int]:
        """Return the premises that may be evaluated first: not if they have functions or give what others compute."""
        found: set[int] = set()
        computed: set[str] = set()
        timed_rule = any(isinstance(premise, Timed) for premise in self.rule.premises)
        for at, premise in enumerate(self.rule.premises):
            if at and timed_rule:
                break
            if isinstance(premise, Atom) and is_builtin(premise.symbol):
                modes = PREDICATES[premise.symbol].modes
                outputs = (term for mode, term in zip(modes, premise.arguments, strict=True) if mode == "-")
                computed.update(term.name for term in outputs if isinstance(term, Variable))
            elif at in self.reads and computed.isdisjoint(variables_of(premise)):
                found.update(() if any(isinstance(term, Apply) for term in terms_of(premise)) else (at,))
        return frozenset(found)

    def constants(self, at: int) -> tuple[tuple[int, Value], ...]:
        """Return the columns of a premise that are constants."""
        return tuple(
            (column, term.value)
            for column, term in enumerate(terms_of(self.rule.premises[at]))
            if isinstance(term, Constant)
        )

    def function(self, start: int, *, record: bool) -> Made:
        """Return the function that derives this rule's rows from those of one premise, or as it is written."""
        kind = start * 4 + (2 if record else 0)
        return self.made.get(kind) or self.make(kind)

    def make(self, kind: int) -> Made:
        """Make a function of the kind `premise * 4 + record * 2 + again`: which premise it starts from, whether it
        records origins, whether it is for the rounds of a recursion, when most of what a rule gives is there already.
        """
        made = self.made[kind] = self._derive(kind >> 2, record=bool(kind & 2), again=bool(kind & 1))
        return made

    def _derive(self, start: int, *, record: bool, again: bool) -> Made:
        emitter = Emitter(self.rule, self.setting, lazy=self.lazy)
        if record:
            emitter.record(keep_all=self.merges)
        if again and self.rule.transform is None and not self.merges:
            emitter.skip_known()
        self._write(emitter, start)
        if self.rule.transform is not None:
            emitter.lets(self.rule.transform.lets)
        return emitter.derive()

    def _write(self, emitter: Emitter, start: int) -> None:
        first = None if start == NATURAL else start
        premises = ordered(self.rule.premises, first, set(), self.setting.called)
        emitter.premises(premises, from_first=first is not None)

    def body(self) -> tuple[Made, tuple[str, ...], bool]:
        """Return the function that collects the rows of an aggregating rule's body, their columns, and whether only
        distinct ones count: with a single atom each fact is a row of its own."""
        premises = self.rule.premises
        distinct = not (len(premises) == 1 and isinstance(premises[0], Atom))
        names = named(self.rule)
        emitter = Emitter(self.rule, self.setting, lazy=frozenset())
        if not distinct and isinstance(premises[0], Atom) and not names:
            # Nothing is named, so nothing would loop: a variable of its own makes each fact count.
            premises = (_counted(premises[0]),)
        emitter.premises(ordered(premises, None, set(), self.setting.called), from_first=False)
        return emitter.collect(names, distinct=distinct), names, distinct

    def asked(self, inputs: tuple[str, ...]) -> Made:
        """Return the function that evaluates a deferred rule for given values of the head's input variables."""
        emitter = Emitter(self.rule, self.setting, lazy=self.lazy, bound=inputs)
        emitter.premises(self.rule.premises, from_first=False)
        if self.rule.transform is not None:
            emitter.lets(self.rule.transform.lets)
        return emitter.derive()


def _asks_the_time(rule: Rule) -> bool:
    return depends_on_now(rule.clause.time) or any(
        isinstance(premise, Timed) and (premise.operator is not None or depends_on_now(premise.annotation))
        for premise in rule.premises
    )


def _counted(atom: Atom) -> Atom:
    arguments = tuple(
        Variable(name=f"{WILDCARD}{at}", place=term.place) if isinstance(term, Variable) else term
        for at, term in enumerate(atom.arguments)
    )
    return Atom(predicate=atom.predicate, arguments=arguments, place=atom.place)
