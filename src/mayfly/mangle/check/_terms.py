"""Find the variables of terms and premises, and tell wildcards apart."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from mayfly.mangle._ast import (
    Apply,
    Bound,
    Constant,
    Premise,
    Term,
    Timed,
    Variable,
)
from mayfly.mangle._visit import map_premise, variables

WILDCARD = "_"


def nested_variables(terms: Iterable[Term]) -> Iterator[Variable]:
    """Yield the variables that stand inside functions only: matching a fact gives them no value."""
    for term in terms:
        if isinstance(term, Apply):
            yield from variables(term)


def direct_variables(terms: Iterable[Term]) -> Iterator[Variable]:
    """Yield the variables that are arguments themselves: matching a fact gives them a value."""
    for term in terms:
        if isinstance(term, Variable):
            yield term


def is_wildcard(name: str) -> bool:
    """Tell whether a variable is a wildcard, numbered or not."""
    return name.startswith(WILDCARD)


def shown(name: str) -> str:
    """Return a variable's name as the author wrote it."""
    return WILDCARD if is_wildcard(name) else name


class Wildcards:
    """Give each wildcard of a rule a name of its own, so that two of them are never taken for the same variable."""

    def __init__(self) -> None:
        self._count = 0

    def premise(self, premise: Premise) -> Premise:
        """Return the premise with its wildcards numbered."""
        numbered = map_premise(premise, self._term)
        if isinstance(numbered, Timed) and numbered.window is not None:
            window = numbered.window
            window = replace(window, start=self._bound(window.start), end=self._bound(window.end))
            return replace(numbered, window=window)
        return numbered

    def _bound(self, bound: Bound) -> Bound:
        if not isinstance(bound.end, Variable):
            return bound
        numbered = self._term(bound.end)
        assert isinstance(numbered, Variable)
        return replace(bound, end=numbered)

    def _term(self, term: Term) -> Term:
        if isinstance(term, Constant):
            return term
        if isinstance(term, Apply):
            arguments = tuple(map(self._term, term.arguments))
            return term if arguments == term.arguments else replace(term, arguments=arguments)
        if term.name != WILDCARD:
            return term
        self._count += 1
        return replace(term, name=f"{WILDCARD}{self._count}")
