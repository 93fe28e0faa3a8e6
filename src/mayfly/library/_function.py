"""Functions of the host program and tools of the library as capabilities."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field, is_dataclass
from importlib import import_module
from typing import Any, Generic, ParamSpec, TypeVar, get_type_hints

from mayfly.core import Asked, Capability, Effect, InputError, Invocation, Retry, Tier

P = ParamSpec("P")
R = TypeVar("R")
_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


@dataclass(frozen=True, kw_only=True)
class FunctionCapability(Capability, Generic[P, R]):
    """A capability that is a function, and can still be called as one."""

    function: Callable[P, R] = field(repr=False)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call the function itself."""
        return self.function(*args, **kwargs)

    @property
    def address(self) -> str:
        """How another process finds it, as "module:name"; empty where it cannot: in a script, a class, a function."""
        module, name = self.function.__module__, self.function.__qualname__
        found = getattr(sys.modules.get(module), name, None)
        return f"{module}:{name}" if module != "__main__" and found is self else ""

    @classmethod
    def at(cls, address: str) -> FunctionCapability[..., Any]:
        """Import the one at *address*; `InputError` where there is none here. Nothing but a capability is returned."""
        module, _, name = address.partition(":")
        try:
            found = getattr(import_module(module), name)
        except (ImportError, AttributeError, TypeError, ValueError) as error:
            raise InputError(f"{address} cannot be imported: {error}") from None
        if not isinstance(found, cls):
            raise InputError(f"{address} is no capability")
        return found


def capability(
    *,
    effect: Effect = "none",
    does: Iterable[tuple[str, str]] = (),
    name: str = "",
    version: int = 1,
    summary: str = "",
    grants: Iterable[str] = (),
    asks: Callable[[Invocation], tuple[Asked, ...]] | None = None,
    check: Callable[[Invocation, object], object] | None = None,
    proves: str = "",
    quick: bool = False,
    steady: bool = False,
    seconds: float = 300.0,
    retry: Retry | None = None,
) -> Callable[[Callable[P, R]], FunctionCapability[P, R]]:
    """Make a capability of a function: name and summary are its own, the schemas those of its annotations.

    A parameter that is annotated with `Invocation` is given the call: its key, its workspace, its signal to stop.
    """

    def decorate(function: Callable[P, R]) -> FunctionCapability[P, R]:
        whole, given, gives = _schemas(function)
        more: dict[str, Any] = {} if asks is None else {"asks": asks}
        more |= {} if check is None else {"check": check, "proves": proves or "its own test accepts it"}
        return FunctionCapability(
            name=name or function.__name__,
            version=version,
            summary=summary or (inspect.getdoc(function) or "").partition("\n")[0],
            input_schema=given,
            output_schema=gives,
            effect=effect,
            grants=tuple(grants),
            does=tuple(does),
            tier=Tier.AUTHORED,
            call=_caller(function, whole),
            quick=quick,
            steady=steady,
            seconds=seconds,
            retry=retry,
            function=function,
            **more,
        )

    return decorate


def _caller(function: Callable[..., Any], whole: str) -> Callable[[Invocation], object | Awaitable[object]]:
    def call(invocation: Invocation) -> object:
        more: Mapping[str, object] = {whole: invocation} if whole else {}
        return function(**invocation.arguments, **more)

    return call


def _schemas(function: Callable[..., Any]) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """Return the parameter that takes the whole call, and the schemas of the arguments and of the result."""
    hints = get_type_hints(function)
    whole, properties, required = "", dict[str, Any](), list[str]()
    definitions: dict[str, Any] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if hints.get(name) is Invocation:
            whole = name
            continue
        if parameter.kind not in _NAMED or name not in hints:
            raise InputError(
                f"{function.__name__}: the parameter {name} has no schema",
                fix="give every parameter a name and an annotation",
            )
        properties[name] = _schema(function, name, hints[name])
        definitions |= properties[name].pop("$defs", {})
        if parameter.default is inspect.Parameter.empty:
            required.append(name)
        else:
            properties[name]["default"] = parameter.default
    given = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    gives = _schema(function, "return", hints["return"]) if "return" in hints else {}
    return whole, {**given, "$defs": definitions} if definitions else given, gives


def _schema(function: Callable[..., Any], name: str, kind: Any) -> dict[str, Any]:
    # Imported where it is used: a program without functions of its own needs no schemas of types.
    from mayfly.models import json_schema

    try:
        if is_dataclass(kind):
            raise InputError("a record arrives as a dict")
        return dict(json_schema(kind))
    except InputError:
        if name == "return":
            return {}
        raise InputError(
            f"{function.__name__}: {name} is {kind!r}, which is not plain JSON",
            fix="use str, int, list, dict, TypedDict",
        ) from None


@dataclass(frozen=True, kw_only=True)
class ToolCapability(Capability):
    """One version of a tool: every process of the store can call it, by its address."""

    @property
    def address(self) -> str:
        """How another process finds it, as "name@version"."""
        return f"{self.name}@{self.version}"

    @staticmethod
    def at(address: str) -> tuple[str, int]:
        """Return the name and the version that an address says."""
        name, _, version = address.partition("@")
        if not name or not version.isdecimal():
            raise InputError(f"{address[:80]} is no version of a tool")
        return name, int(version)
