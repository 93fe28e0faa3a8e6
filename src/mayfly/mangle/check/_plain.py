"""Pass a plain rule by looking at it once.

Nearly every rule is a list of atoms, negations and comparisons whose variables have values where they stand. For such a
rule all other checks find nothing and keep the order it was written in, which is seen here in one pass. Whatever is
not quite so plain, or wrong, is left to them: they know what to say about it.
"""

from mayfly.mangle._ast import Apply, Atom, Clause, Constant, Equality, Negation, Symbol, Term, Variable
from mayfly.mangle._checked import Declared
from mayfly.mangle.builtins import PREDICATES
from mayfly.mangle.check._known import Known
from mayfly.mangle.check._terms import WILDCARD

_TESTS = frozenset(symbol for symbol, predicate in PREDICATES.items() if all(mode == "+" for mode in predicate.modes))
"""The builtin predicates that only look at values."""


class Plain:
    """Tell which rules are plain; what is known of a predicate is looked at once."""

    def __init__(self, known: Known) -> None:
        self._known = known
        self._stored: dict[Symbol, bool] = {}

    def passes(self, clause: Clause) -> bool:
        """Tell whether a rule is plain and nothing is wrong with it; its premises can stay in their order."""
        head = clause.head
        if clause.time is not None or clause.transforms or not self._is_stored(head.symbol):
            return False
        bound: set[str] = set()
        for premise in clause.premises or ():
            kind = type(premise)
            if kind is Atom:
                assert isinstance(premise, Atom)
                passed = self._atom(premise, bound)
            elif kind is Negation:
                assert isinstance(premise, Negation)
                atom = premise.atom
                passed = self._is_stored(atom.symbol) and _all_known(atom.arguments, bound, wildcards=True)
            else:
                passed = isinstance(premise, Equality) and _equality(premise, bound)
            if not passed:
                return False
        return _all_known(head.arguments, bound, wildcards=False)

    def _atom(self, atom: Atom, bound: set[str]) -> bool:
        if self._is_stored(atom.symbol):
            for term in atom.arguments:
                if type(term) is Variable:
                    bound.add(term.name)
                elif type(term) is Apply:
                    return False
            # A wildcard has a value of its own, which nothing else can use.
            bound.discard(WILDCARD)
            return True
        return atom.symbol in _TESTS and _all_known(atom.arguments, bound, wildcards=False)

    def _is_stored(self, symbol: Symbol) -> bool:
        """Tell whether a predicate has rows that every rule may ask for in every way."""
        found = self._stored.get(symbol)
        if found is None:
            declared = self._known.get(symbol)
            found = self._stored[symbol] = (
                declared is not None and symbol not in self._known.reflects and _is_ordinary(declared)
            )
        return found


def _is_ordinary(declared: Declared) -> bool:
    special = declared.external or declared.deferred or declared.temporal or declared.private
    return not (special or declared.modes)


def _all_known(terms: tuple[Term, ...], bound: set[str], *, wildcards: bool) -> bool:
    """Tell whether all terms are constants and variables that have a value, or wildcards where they may be."""
    for term in terms:
        kind = type(term)
        if kind is Variable:
            assert isinstance(term, Variable)
            if term.name not in bound and not (wildcards and term.name == WILDCARD):
                return False
        elif kind is not Constant:
            return False
    return True


def _equality(premise: Equality, bound: set[str]) -> bool:
    left, right = premise.left, premise.right
    if _all_known((left, right), bound, wildcards=False):
        # Two constants are nothing that anybody means.
        return type(left) is Variable or type(right) is Variable
    if premise.negated:
        return False
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Variable) and isinstance(other, Constant) and one.name != WILDCARD:
            bound.add(one.name)
            return True
    return False
