"""`jit`: a signature, a docstring and doctests in; a function that was written and proven out."""

from __future__ import annotations

import dataclasses
import functools
import threading
import types
import typing
from collections.abc import Callable
from typing import Any, Generic, ParamSpec, TypeVar, overload

from mayfly.core import UNSET, Outcome, Unset
from mayfly.forge import examples_of, signature_of
from mayfly.runtime._run import Runtime

P = ParamSpec("P")
R = TypeVar("R")


class JitFunction(Generic[P, R]):
    """Stand for a function whose body is written at the first call; `outcome` says how a call ended."""

    def __init__(
        self,
        function: Callable[P, R],
        *,
        ground: R,
        model: str | None = None,
        accept_weak: bool = False,
        runtime: Runtime | None = None,
    ) -> None:
        functools.update_wrapper(self, function)
        self._runtime = runtime
        self._ground = ground
        self._model = model
        self._accept_weak = accept_weak
        self.signature = signature_of(function)
        self.examples = tuple(examples_of(self.signature))

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Return the proven value, or ground."""
        return self.outcome(*args, **kwargs).value

    def outcome(self, *args: P.args, **kwargs: P.kwargs) -> Outcome[R]:
        """Call the function and return how that ended."""
        runtime = self._runtime or shared_runtime()
        outcome = runtime.call(
            self.signature,
            self.signature.arguments(args, kwargs),
            examples=self.examples,
            ground=self._ground,
            model=self._model,
            accept_weak=self._accept_weak,
        )
        if not outcome.resolved:
            return outcome
        hints = typing.get_type_hints(self.__wrapped__)  # type: ignore[attr-defined]
        return dataclasses.replace(outcome, value=as_type(outcome.value, hints.get("return", Any)))


@overload
def jit(function: Callable[P, R], /) -> JitFunction[P, R | None]: ...
@overload
def jit(
    *, ground: Any, model: str | None = ..., accept_weak: bool = ..., runtime: Runtime | None = ...
) -> Callable[[Callable[P, R]], JitFunction[P, R]]: ...
def jit(
    function: Callable[P, R] | None = None,
    /,
    *,
    ground: Any = UNSET,
    model: str | None = None,
    accept_weak: bool = False,
    runtime: Runtime | None = None,
) -> Any:
    """Have the body of a function written from its signature, docstring and doctests, proven, and kept.

    *ground* is what a call gives where nothing could be proven; it has to be said.
    """
    if isinstance(ground, Unset):
        raise TypeError("jit needs a ground: what should a call give where nothing is proven? @mayfly.jit(ground=None)")

    def wrap(inner: Callable[P, R]) -> JitFunction[P, R]:
        return JitFunction(inner, ground=ground, model=model, accept_weak=accept_weak, runtime=runtime)

    return wrap if function is None else wrap(function)


def as_type(value: Any, kind: Any) -> Any:
    """Turn what crossed the wall as JSON back into what the annotation says: tuples and dataclasses."""
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if dataclasses.is_dataclass(kind) and isinstance(kind, type) and isinstance(value, dict):
        hints = typing.get_type_hints(kind)
        return kind(**{name: as_type(item, hints.get(name, Any)) for name, item in value.items()})
    if origin in (typing.Union, types.UnionType):
        return next((as_type(value, choice) for choice in inner if _fits(value, choice)), value)
    if (origin is tuple or kind is tuple) and isinstance(value, list):
        kinds = [inner[0]] * len(value) if len(inner) == 2 and inner[1] is Ellipsis else inner
        return tuple(as_type(item, kinds[at] if at < len(kinds) else Any) for at, item in enumerate(value))
    if origin is list and isinstance(value, list):
        return [as_type(item, inner[0]) for item in value]
    if origin is dict and isinstance(value, dict):
        return {key: as_type(item, inner[1]) for key, item in value.items()}
    return value


def _fits(value: Any, kind: Any) -> bool:
    origin = typing.get_origin(kind) or kind
    if origin is tuple:
        return isinstance(value, list)
    if dataclasses.is_dataclass(origin):
        return isinstance(value, dict)
    return isinstance(origin, type) and isinstance(value, origin)


_LOCK = threading.Lock()
_SHARED: list[Runtime] = []


def shared_runtime() -> Runtime:
    """Return the one runtime of this process, for functions that were given none."""
    with _LOCK:
        if not _SHARED:
            _SHARED.append(Runtime())
        return _SHARED[0]
