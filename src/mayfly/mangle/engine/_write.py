"""The part of a rule's function that computes: terms, functions and builtin predicates."""

from collections.abc import Callable, Iterable, Sequence
from functools import cache

from mayfly.mangle._ast import Apply, Atom, Constant, Term, Variable
from mayfly.mangle._errors import MangleError
from mayfly.mangle._values import Row, Value
from mayfly.mangle.builtins import FUNCTIONS, Predicate
from mayfly.mangle.engine._marks import WILDCARD
from mayfly.mangle.engine._parts import is_number, predicate_of
from mayfly.mangle.engine._plan import Setting
from mayfly.mangle.engine._source import Source

_LIGHT = (
    *(
        "fn:plus",
        "fn:minus",
        "fn:mult",
        "fn:div",
        "fn:mod",
        "fn:sqrt",
        "fn:float",
        "fn:number",
        "fn:time",
        "fn:duration",
    ),
    *(
        "fn:interval",
        ":lt",
        ":le",
        ":gt",
        ":ge",
        ":time",
        ":duration",
        ":interval",
        ":within",
        ":match_p",
        ":match_nil",
    ),
)
"""How the names of builtins begin whose cost does not grow with the size of what they are given."""
_DEEP = 40
_COMPARED = {":lt": "<", ":le": "<=", ":gt": ">", ":ge": ">="}


class Writer:
    """Write expressions over the variables that have a value so far."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._source = Source("relations, first, out, ask, tick, heavy, now")
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
