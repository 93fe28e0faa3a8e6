"""The tools an agent may call, where the library is among them: no list, since another process may add to it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mayfly.session._parts import Offers

# Who has this tool may use what the library has.
LIBRARY = "tool_use"


class AllowedTools(Collection[str]):
    """The tools of a configuration, and those of the library: a few are shown, each may be called."""

    def __init__(self, own: Sequence[str], library: Offers, task: str) -> None:
        self._own = list(own)
        self._library = library
        self._task = task

    def __contains__(self, name: object) -> bool:
        return name in self._own or (isinstance(name, str) and self._library.serves(name))

    def __iter__(self) -> Iterator[str]:
        return iter(self._names())

    def __len__(self) -> int:
        return len(self._names())

    def _names(self) -> list[str]:
        return list(dict.fromkeys((*self._own, *self._library.shown(self._task))))
