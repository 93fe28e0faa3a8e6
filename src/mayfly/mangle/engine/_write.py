"""The text of a rule's function: its lines, and the terms, functions and builtin predicates that it computes.

Nothing of a rule is ever printed into the text: constants, functions and indices are bound as default arguments. Python
allows few loops inside each other, so the text of a long rule goes on in further functions, called from the innermost
loop of the one before.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from types import CodeType
from typing import Any, Final

from mayfly.mangle._ast import Apply, Atom, Constant, Premise, Term, Variable
from mayfly.mangle._checked import CheckedRule
from mayfly.mangle._errors import MangleError
from mayfly.mangle._values import Row, Value
from mayfly.mangle._visit import terms_of
from mayfly.mangle.builtins import FUNCTIONS, PREDICATES, Predicate
from mayfly.mangle.engine._marks import FIRST_LOOK, WILDCARD, Setting
from mayfly.mangle.engine._order import named

MOST_LOOPS: Final = 1000
_LOOPS: Final = 15
_MUCH: Final = 8
_LONGEST_KEPT: Final = 20_000
_WORD: Final = re.compile(r"[a-z]+[0-9]*")


class TooLong(Exception):
    """Say that a rule has more loops inside each other than can be evaluated."""


class FunctionSource:
    """Collect the lines of a function and what it needs."""

    def __init__(self, parameters: str) -> None:
        self.depth = 0
        self.cost = 0
        """How much is done for each row of the innermost loop: if it is much, rows are counted one by one."""
        self._parameters = parameters
        self._top: list[str] = []
        self._end: list[str] = []
        self._lines: list[str] = []
        self._parts: list[tuple[str, list[str]]] = []
        """The functions before the present one, each with the name of the next one that it calls."""
        self._bound: dict[str, Any] = {}
        self._constants: dict[tuple[type, Value], str] = {}
        self._setups: dict[str, str] = {}
        self._count = 0

    def fresh(self, letter: str) -> str:
        """Return a name that was not used before."""
        self._count += 1
        return f"{letter}{self._count}"

    def line(self, text: str) -> None:
        """Add a line at the present depth."""
        self._lines.append("    " * (self.depth + 1) + text)

    def bind(self, letter: str, thing: object) -> str:
        """Return the name by which the text may refer to an object."""
        name = self.fresh(letter)
        self._bound[name] = thing
        return name

    def constant(self, value: Value) -> str:
        """Return the name of a constant."""
        key = (type(value), value)
        name = self._constants.get(key)
        if name is None:
            name = self._constants[key] = self.bind("k", value)
        return name

    def setup(self, letter: str, expression: str) -> str:
        """Return the name of something computed once at the start of the function."""
        name = self._setups.get(expression)
        if name is None:
            name = self._setups[expression] = self.fresh(letter)
            self._top.append(f"    {name} = {expression}")
        return name

    def finish(self, text: str) -> None:
        """Add a line to what is done when all loops have ended by themselves."""
        self._end.append(f"    {text}")

    @property
    def leave(self) -> str:
        """What ends the present attempt."""
        return "continue" if self.depth else "return left"

    def unless(self, condition: str) -> None:
        """Go on only if a condition holds."""
        self.line(f"if not ({condition}): {self.leave}")

    def stop(self) -> None:
        """End everything: no further row can give anything new."""
        self.line("return None")

    def loop(self, target: str, rows: str) -> None:
        """Begin a loop over a list; a nested one counts its rows, so that the clock is looked at now and then."""
        if self.depth == _LOOPS:
            self._go_on()
        if self.depth or self._parts:
            self.line(f"left -= len({rows})")
            self.line("if left < 0: left = tick()")
        self.line(f"for {target} in {rows}:")
        self.depth += 1
        if self.cost > _MUCH:
            self.line(f"left -= {self.cost}")
            self.line("if left < 0: left = tick()")

    def _go_on(self) -> None:
        """Begin the next function."""
        if len(self._parts) * _LOOPS > MOST_LOOPS:
            raise TooLong
        name = self.fresh("part")
        self._parts.append((name, self._lines))
        self._lines = []
        self.depth = 0

    def function(self) -> Any:
        """Compile the function."""
        defaults = "".join(f", {name}={name}" for name in self._bound)
        head = f"def rule({self._parameters}{defaults}):"
        text = "\n".join(
            [
                *self._later(),
                head,
                f"    left = {FIRST_LOOK}",
                *self._top,
                *self._first(),
                *self._end,
                "    return left",
            ]
        )
        space: dict[str, Any] = dict(self._bound)
        exec(_compiled(text) if len(text) < _LONGEST_KEPT else compile(text, "<rule>", "exec"), space)
        return space["rule"]

    def _first(self) -> list[str]:
        return self._parts[0][1] if self._parts else self._lines

    def _later(self) -> list[str]:
        """Return the text of the further functions; each takes what it and those after it use of the ones before."""
        if not self._parts:
            return []
        bodies = [lines for _, lines in self._parts] + [self._lines]
        parameters = [word.strip() for word in self._parameters.split(",")]
        known: dict[str, int] = dict.fromkeys(parameters, 0)
        for at, lines in enumerate([[*self._top, *bodies[0]], *bodies[1:]]):
            for word in _WORD.findall("\n".join(lines)):
                if word == "origin" or (word[-1].isdigit() and word not in self._bound):
                    known.setdefault(word, at)
        needed: dict[str, None] = {}
        text: list[str] = []
        for at in range(len(bodies) - 1, 0, -1):
            words = (word for word in _WORD.findall("\n".join(bodies[at])) if word in known)
            needed = {word: None for word in (*needed, *words) if known[word] < at}
            listed = ", ".join(["left", *needed])
            name, before = self._parts[at - 1]
            before += [
                "    " * (_LOOPS + 1) + f"left = {name}({listed})",
                "    " * (_LOOPS + 1) + "if left is None: return None",
            ]
            text += [f"def {name}({listed}):", *bodies[at], "    return left"]
        return text


@lru_cache(maxsize=4096)
def _compiled(text: str) -> CodeType:
    """Compile a text once: rules of the same shape have the same text, whatever their constants are."""
    return compile(text, "<rule>", "exec")


_LIGHT = (
    *("fn:plus", "fn:minus", "fn:mult", "fn:div", "fn:mod", "fn:sqrt", "fn:float", "fn:number"),
    *("fn:time", "fn:duration", "fn:interval", ":lt", ":le", ":gt", ":ge"),
    *(":time", ":duration", ":interval", ":within", ":match_p", ":match_nil"),
)
"""How the names of builtins begin whose cost does not grow with the size of what they are given."""
_DEEP = 40
_COMPARED = {":lt": "<", ":le": "<=", ":gt": ">", ":ge": ">="}


class Writer:
    """Write expressions over the variables that have a value so far."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._source = FunctionSource("relations, first, out, ask, tick, heavy, now")
        self._names: dict[str, str] = {}

    def _bind(self, name: str) -> str:
        local = self._source.fresh("v")
        if name != WILDCARD:
            self._names[name] = local
        return local

    def _known(self, term: Term) -> bool:
        if isinstance(term, Variable):
            return term.name in self._names
        return isinstance(term, Constant) or all(self._known(part) for part in term.arguments)

    def _term(self, term: Term, depth: int = 0) -> str:
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
        return self._call(call, [self._term(part, depth + 1) for part in term.arguments], term.function, depth)

    def _call(self, call: str, arguments: Sequence[str], name: str, depth: int = 0) -> str:
        """Return the call of a builtin; one that may build or read something large is counted."""
        written = (
            f"{call}({', '.join(arguments)})" if name.startswith(_LIGHT) else f"heavy({', '.join([call, *arguments])})"
        )
        if depth % _DEEP != _DEEP - 1:
            return written
        # Python reads only so many parentheses inside each other.
        local = self._source.fresh("v")
        self._source.line(f"{local} = {written}")
        return local

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
        solve = predicate.solve
        if solve is None:
            raise MangleError(f"{atom.predicate} gives no values", stage="analyze", place=atom.place)
        return self._call(self._source.bind("solve", all_solutions(solve)), inputs, atom.predicate)

    def _holds(self, atom: Atom) -> str:
        """Return the condition that a builtin predicate holds."""
        predicate = predicate_of(atom)
        if predicate.test is None and not all(self._known(term) for term in atom.arguments):
            return self._solved(atom, predicate)
        values = [self._term(term) for term in atom.arguments]
        name = self._source.bind("test", predicate.test or predicate.holds)
        sign = _COMPARED.get(atom.predicate)
        if sign is None or any(isinstance(term, Apply) for term in atom.arguments):
            return self._call(name, values, atom.predicate)
        numbers = [v for v, term in zip(values, atom.arguments, strict=True) if not is_number(term)]
        plain = " and ".join(f"type({value}) is int" for value in numbers) or "True"
        return f"({values[0]} {sign} {values[1]} if {plain} else {name}({', '.join(values)}))"


@cache
def all_solutions(solve: Callable[..., Iterable[Row]]) -> Callable[..., tuple[Row, ...]]:
    """Return a function that gives all solutions at once."""

    def solved(*inputs: Value) -> tuple[Row, ...]:
        return tuple(solve(*inputs))

    return solved


def tuple_of(parts: Sequence[str]) -> str:
    """Return the expression of a tuple."""
    return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"


def same_terms(left: Sequence[Term], right: Sequence[Term]) -> bool:
    """Tell whether two lists of variables and constants are the same, wherever they were written."""
    return [_essence(term) for term in left] == [_essence(term) for term in right]


def _essence(term: Term) -> object:
    if isinstance(term, Variable):
        return (Variable, term.name)
    return (type(term.value), term.value) if isinstance(term, Constant) else term


def is_number(term: Term) -> bool:
    """Tell whether a term is a number that was written out."""
    return isinstance(term, Constant) and type(term.value) is int


def predicate_of(atom: Atom) -> Predicate:
    """Return the builtin predicate of an atom."""
    found = PREDICATES.get(atom.symbol)
    if found is None:
        raise MangleError(f"{atom.predicate} is not a builtin predicate", stage="analyze", place=atom.place)
    return found


def columns_of(head: Atom) -> dict[str, int]:
    """Return the head's variables with the column that holds each."""
    found: dict[str, int] = {}
    for at, term in enumerate(head.arguments):
        if isinstance(term, Variable) and term.name != WILDCARD:
            found.setdefault(term.name, at)
    return found


def all_names(rule: CheckedRule) -> list[str]:
    """Return the variables of a rule's body and those its transform defines."""
    lets = rule.transform.lets if rule.transform is not None else ()
    return list(dict.fromkeys([*named(rule), *(let.variable.name for let in lets if let.variable.name != WILDCARD)]))


def costs_of(rule: CheckedRule, premises: Sequence[Premise]) -> list[int]:
    """Return for each premise roughly how much is done after it for each of its rows: what is called."""
    cost = _all_calls(rule.head.arguments)
    cost += _all_calls([let.function for let in rule.transform.lets]) if rule.transform is not None else 0
    found: list[int] = []
    for premise in reversed(premises):
        found.append(cost)
        cost += 1 + _all_calls(terms_of(premise))
    return found[::-1]


def _all_calls(terms: Sequence[Term]) -> int:
    return sum(map(_calls, terms)) if Apply in map(type, terms) else 0


def _calls(term: Term) -> int:
    """Return how many functions a term calls."""
    count, pending = 0, [term]
    while pending:
        part = pending.pop()
        if isinstance(part, Apply):
            count += 1 + len(part.arguments) // 8
            pending += part.arguments
    return count
