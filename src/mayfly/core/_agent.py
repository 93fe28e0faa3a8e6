"""Agents as arrows: whatever has `invoke` composes with `>>`, and the identity changes nothing."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from typing import Any, Generic, TypeVar, cast, overload

A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")


class Agent(Generic[A, B]):
    """Turn an input into an output by `invoke`; `f >> g` hands what *f* gave to *g*."""

    async def invoke(self, input: A) -> B:
        """Return the output for *input*."""
        raise NotImplementedError

    def __rshift__(self, other: Agent[B, C]) -> Agent[A, C]:
        if isinstance(other, Identity):
            return cast("Agent[A, C]", self)
        return cast("Agent[A, C]", other) if isinstance(self, Identity) else _Sequence(self, other)


class Identity(Agent[A, A]):
    """Return what was given."""

    async def invoke(self, input: A) -> A:
        """Return *input*."""
        return input


class _Sequence(Agent[A, C]):
    def __init__(self, first: Agent[A, B], second: Agent[B, C]) -> None:
        self._first: Agent[A, Any] = first
        self._second: Agent[Any, C] = second

    async def invoke(self, input: A) -> C:
        return await self._second.invoke(await self._first.invoke(input))


class _Lifted(Agent[A, B]):
    def __init__(self, function: Callable[[A], B | Awaitable[B]]) -> None:
        self._function = function

    async def invoke(self, input: A) -> B:
        made = self._function(input)
        return await made if inspect.isawaitable(made) else made


@overload
def agent(function: Callable[[A], Awaitable[B]]) -> Agent[A, B]: ...
@overload
def agent(function: Callable[[A], B]) -> Agent[A, B]: ...
def agent(function: Callable[[A], Any]) -> Agent[A, Any]:
    """Make an agent of a function, so that an architect, a gate or a test writer composes like any other."""
    return _Lifted(function)
