"""Built-in capabilities: what the project itself can do on the host, each under a name, with its effect declared."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from mayfly.core import ConflictError, InputError, MayflyError
from mayfly.store import Payload

# none: nothing outside changes, so it may run again. transactional: it changes the store only, in the transaction that
# records it. idempotent: the receiver honours the key, so it may be sent again. once: nobody can tell, never again.
Effect = Literal["none", "transactional", "idempotent", "once"]


class NotSent(MayflyError):
    """An effect certainly did not happen; a capability raises it, and it may then be tried again."""

    code = "NOT_SENT"


@dataclass(frozen=True, kw_only=True)
class Invocation:
    """One call: what it works on, what was asked, and the key by which a receiver knows it again."""

    argument: object = None
    intent: str = ""
    context: Mapping[str, object] = field(default_factory=dict)
    key: str = ""
    workspace: Path = field(default_factory=Path.cwd)


@dataclass(frozen=True, kw_only=True)
class Committed:
    """What a transactional capability returns: its value, and the events that are recorded with it or not at all."""

    value: object
    events: tuple[Payload, ...] = ()


Call = Callable[[Invocation], "object | Awaitable[object]"]


def _nothing(_: Invocation) -> str:
    return ""


def _something(_: Invocation, value: object) -> bool:
    return value is not None


@dataclass(frozen=True, kw_only=True)
class Builtin:
    """One capability of the host.

    Before every call the rules are asked for *action* on *target* (an empty action does nothing outside and is not
    asked for). *check* is the test its value has to pass, within *check_seconds*: True, and nothing else, accepts.
    *quick* calls are made on the event loop itself. *steady* ones give the same value for the same argument: unless
    they are quick anyway, a value that was proven before, in whatever run, is used again.
    """

    name: str
    description: str
    call: Call
    effect: Effect = "none"
    action: str = ""
    target: Callable[[Invocation], str] = _nothing
    payload: Callable[[Invocation], str] = _nothing
    check: Callable[[Invocation, object], object] = _something
    proves: str = "there is a value"
    version: int = 1
    quick: bool = False
    check_seconds: float = 10.0

    @property
    def has_test(self) -> bool:
        """Whether there is a test of its own, and not only that there is a value."""
        return self.check is not _something

    steady: bool = False


class Registry:
    """Know the capabilities by name."""

    def __init__(self, builtins: tuple[Builtin, ...] = ()) -> None:
        self._known: dict[str, Builtin] = {}
        for builtin in builtins:
            self.add(builtin)

    def add(self, builtin: Builtin) -> None:
        """Take one in; a name is given once."""
        if builtin.name in self._known:
            raise ConflictError(f"there is already a capability {builtin.name}")
        self._known[builtin.name] = builtin

    def get(self, name: str) -> Builtin:
        """Return the capability called *name*."""
        if name not in self._known:
            raise InputError(
                f"there is no capability {name!r}",
                fix="a run with capabilities of a program is resumed by that program",
            )
        return self._known[name]

    def __contains__(self, name: object) -> bool:
        return name in self._known

    def __iter__(self) -> Iterator[Builtin]:
        return iter(self._known.values())

    def pairs(self) -> list[tuple[str, str]]:
        """Return names and descriptions, as `classify` takes them."""
        return [(builtin.name, builtin.description) for builtin in self]
