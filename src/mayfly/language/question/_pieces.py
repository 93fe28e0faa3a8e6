"""Cut the notation of readings into pieces, and walk through them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple, TypeVar

_PIECE = re.compile(
    r"\s*(?:(?P<name>\[(?:[^\]]|\]\])*\])|(?P<text>'(?:[^']|'')*')|(?P<number>-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w:/-]))"
    r"|(?P<sign><=|>=|!=|[=<>(),*+]|-(?=\s)|/(?=\s))|(?P<word>[^\s(),='<>\[\]]+))"
)
_T = TypeVar("_T")


class Piece(NamedTuple):
    """One piece of the notation and where it stands."""

    kind: str
    text: str
    place: int


class Unreadable(ValueError):
    """A text is not in the notation; *place* is where that shows."""

    def __init__(self, reason: str, place: int) -> None:
        super().__init__(reason)
        self.place = place


class Pieces:
    """Hold the pieces of one reading; *at* is how many of them have been read."""

    def __init__(self, text: str) -> None:
        self._text, self.at = text, 0
        self._all = _cut(text)

    def peek(self, ahead: int = 0) -> Piece:
        """Return the next piece, or one further ahead."""
        place = self.at + ahead
        return self._all[place] if place < len(self._all) else Piece("end", "", len(self._text))

    def next(self) -> Piece:
        """Read a piece."""
        piece = self.peek()
        self.at += 1
        return piece

    def skip(self, words: str) -> bool:
        """Pass over *words* if they stand here."""
        wanted = words.split()
        here = [self.peek(ahead) for ahead in range(len(wanted))]
        if [piece.text.lower() for piece in here] != wanted or any(p.kind in ("name", "text") for p in here):
            return False
        self.at += len(wanted)
        return True

    def need(self, words: str) -> None:
        """Pass over *words*, which have to stand here."""
        if not self.skip(words):
            raise self.wrong(f"expected {words!r}")

    def wrong(self, reason: str) -> Unreadable:
        """Return the error that says what is wrong here."""
        piece = self.peek()
        found = f"found {piece.text!r}" if piece.text else "the reading ends there"
        return Unreadable(f"{reason} at character {piece.place + 1}: {found}", piece.place)

    def number(self) -> int | float:
        """Read a number."""
        piece = self.peek()
        if piece.kind != "number":
            raise self.wrong("expected a number")
        self.at += 1
        return float(piece.text) if re.search(r"[.e]", piece.text) else int(piece.text)

    def whole(self) -> int:
        """Read a whole number that is not negative."""
        value = self.number()
        if not isinstance(value, int) or value < 0:
            raise self.wrong("expected a whole number")
        return value

    def several(self, read: Callable[[], _T], joint: str = "and") -> tuple[_T, ...]:
        """Read one thing or more with a word between them."""
        found = [read()]
        while self.skip(joint):
            found.append(read())
        return tuple(found)


def _cut(text: str) -> list[Piece]:
    found: list[Piece] = []
    place = 0
    end = len(text.rstrip())
    while place < end:
        match = _PIECE.match(text, place)
        if match is None:
            raise Unreadable(f"character {place + 1} belongs to no word, name or value", place)
        kind = str(match.lastgroup)
        found.append(Piece(kind, match[kind], match.start(kind)))
        place = match.end()
    return found
