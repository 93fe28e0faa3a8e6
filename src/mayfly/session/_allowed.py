"""The tools an agent may call, where the library is among them: no list, since another process may add to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, overload

if TYPE_CHECKING:
    from mayfly.session.tools import SessionLibrary

# Who has this tool may use what the library has.
LIBRARY = "tool_use"


class AllowedTools(Sequence[str]):
    """The tools of a configuration, and those of the library: a few are shown, each may be called."""

    def __init__(self, own: Sequence[str], library: SessionLibrary, task: str) -> None:
        self._own = list(own)
        self._library = library
        self._task = task

    def __contains__(self, name: object) -> bool:
        return name in self._own or (isinstance(name, str) and self._library.serves(name))

    def __iter__(self) -> Iterator[str]:
        return iter(self._names())

    def __len__(self) -> int:
        return len(self._names())

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        return self._names()[place]

    def _names(self) -> list[str]:
        return list(dict.fromkeys((*self._own, *self._library.shown(self._task))))
