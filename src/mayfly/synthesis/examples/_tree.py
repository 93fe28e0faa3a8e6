"""The expression tree of a written program: it is interpreted here, and written out as Python elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

Value = object


class TreeScope(NamedTuple):
    """What an expression can see: the input, and the element at hand inside a loop."""

    given: Value
    item: Value = None


@dataclass(frozen=True, kw_only=True)
class Op:
    """One operation: a function that is run here, and a template where Python has an expression of its own for it.

    Without a template the function comes from `parts` and is copied into the source under its own name. A *loose*
    template has an operator at its top, so that it needs brackets inside another one.
    """

    name: str
    run: Callable[..., Value]
    template: str = ""
    returns: str = "str"
    words: str = ""
    loose: bool = False


class Expr:
    """Anything that can be computed from the input."""

    __slots__ = ()

    def value(self, scope: TreeScope) -> Value:
        """Compute it; inputs outside what was learned raise ValueError."""
        raise NotImplementedError

    def children(self) -> Iterator[Expr]:
        """Yield what it is made of, in the order of its fields."""
        return _parts(tuple(vars(self).values()))

    def rebuilt(self, change: Callable[[Expr], Expr]) -> Expr:
        """Return it made of what *change* makes of each of its parts."""
        kind: Any = type(self)
        made: Expr = kind(**{name: _changed(held, change) for name, held in vars(self).items()})
        return made


def _parts(held: tuple[object, ...]) -> Iterator[Expr]:
    for one in held:
        if isinstance(one, Expr):
            yield one
        elif isinstance(one, tuple):
            yield from _parts(one)


def _changed(held: object, change: Callable[[Expr], Expr]) -> object:
    if isinstance(held, Expr):
        return change(held)
    return tuple(_changed(one, change) for one in held) if isinstance(held, tuple) else held


@dataclass(frozen=True)
class InputPart(Expr):
    """The input, or the part of it that a path of keys and indices leads to."""

    path: tuple[str | int, ...] = ()

    def value(self, scope: TreeScope) -> Value:
        """Follow the path."""
        found = scope.given
        for step in self.path:
            found = _step(found, step)
        return found


def _step(found: Value, step: str | int) -> Value:
    if isinstance(step, str) and isinstance(found, Mapping) and step in found:
        return found[step]
    if isinstance(step, int) and isinstance(found, (list, tuple)) and -len(found) <= step < len(found):
        return found[step]
    raise ValueError(f"the input has no {step!r}")


@dataclass(frozen=True)
class LoopItem(Expr):
    """The element at hand inside a loop."""

    def value(self, scope: TreeScope) -> Value:
        """Return the element."""
        return scope.item


@dataclass(frozen=True)
class Literal(Expr):
    """A constant."""

    constant: Value

    def value(self, scope: TreeScope) -> Value:
        """Return the constant."""
        return self.constant

    def __hash__(self) -> int:
        return hash(repr(self.constant))


@dataclass(frozen=True, kw_only=True)
class ApplyOperation(Expr):
    """An operation on other expressions."""

    op: Op = field(repr=False)
    args: tuple[Expr, ...]

    def value(self, scope: TreeScope) -> Value:
        """Run the operation; its own complaints become ValueError."""
        try:
            return self.op.run(*[arg.value(scope) for arg in self.args])
        except (TypeError, IndexError, KeyError, AttributeError, ArithmeticError) as error:
            raise ValueError(f"{self.op.name}: {error}") from None

    def __hash__(self) -> int:
        return hash((self.op.name, self.args))


@dataclass(frozen=True)
class Concat(Expr):
    """Texts one after the other."""

    parts: tuple[Expr, ...]

    def value(self, scope: TreeScope) -> Value:
        """Join the texts."""
        return "".join([str(part.value(scope)) for part in self.parts])


@dataclass(frozen=True, kw_only=True)
class Choose(Expr):
    """The first arm whose test holds, otherwise the last expression."""

    arms: tuple[tuple[Expr, Expr], ...]
    otherwise: Expr

    def value(self, scope: TreeScope) -> Value:
        """Try the arms in order."""
        for test, result in self.arms:
            if test.value(scope):
                return result.value(scope)
        return self.otherwise.value(scope)


@dataclass(frozen=True, kw_only=True)
class Each(Expr):
    """A list made from another: the elements for which the test holds, each changed."""

    source: Expr
    body: Expr
    test: Expr | None = None

    def value(self, scope: TreeScope) -> Value:
        """Loop over the source."""
        items = self.source.value(scope)
        if not isinstance(items, (list, tuple)):
            raise ValueError("a list is needed")
        inner = [TreeScope(scope.given, item) for item in items]
        return [self.body.value(here) for here in inner if self.test is None or self.test.value(here)]


@dataclass(frozen=True)
class RecordTree(Expr):
    """A record whose fields are computed one by one."""

    fields: tuple[tuple[str, Expr], ...]

    def value(self, scope: TreeScope) -> Value:
        """Compute every field."""
        return {name: expr.value(scope) for name, expr in self.fields}


@dataclass(frozen=True)
class FixedList(Expr):
    """A list of fixed length whose elements are computed one by one."""

    elements: tuple[Expr, ...]

    def value(self, scope: TreeScope) -> Value:
        """Compute every element."""
        return [expr.value(scope) for expr in self.elements]


def walk(expr: Expr) -> Iterator[Expr]:
    """Yield the expression and everything inside it."""
    yield expr
    for child in expr.children():
        yield from walk(child)
