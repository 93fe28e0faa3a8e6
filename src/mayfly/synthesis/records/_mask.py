"""Hide what belongs together while a line is cut: quoted text, brackets, moments, addresses, links."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from mayfly.synthesis.records import _times

_FIRST = 0xF0000
_LAST = 0xFFFFD
_OTHERS = (
    r'"[^"\\]*(?:\\.[^"\\]*)*"',
    r"(?<![^\s\[({<,;|=:])'[^']*'(?![^\s\])}>,;|:.])",
    r"\[[^\[\]]*\]",
    r"\([^()]*\)",
    r"\{[^{}]*\}",
    r"(?<![^\s|;,~:])<[^<>]*>",
    r"[a-z][a-z0-9+.-]*://[^\s\"'<>|;,\])}]+",
    r"(?<![\w.:])(?:[0-9]{1,3}\.){3}[0-9]{1,3}(?![\w.])",
    r"(?<![\w:.])(?:[0-9A-Fa-f]{0,4}:){2,7}[0-9A-Fa-f]{1,4}(?![\w:.])",
    r"(?<![^\s\[({<,;|=:~^])/[^\s\"'<>|;,\])}~^]*",
)


@cache
def _atoms() -> re.Pattern[str]:
    """Return the pattern of everything that is kept whole; moments are tried before anything they contain."""
    bare = [layout for layout in _times.layouts() if ":" in layout or ("%b" not in layout and "%B" not in layout)]
    moments = [rf"(?<![\w.:/-]){_times.regex(layout)}(?![\w:/-]|\.\d)" for layout in bare]
    return re.compile("|".join([*_OTHERS[:6], *moments, *_OTHERS[6:]]))


@dataclass(frozen=True, kw_only=True)
class Masked:
    """Hold a line with its atoms hidden, one character each, and what was hidden."""

    text: str
    hidden: tuple[str, ...]

    def show(self, text: str) -> str:
        """Put the hidden atoms of a piece back."""
        if not self.hidden:
            return text
        return "".join(self.hidden[ord(c) - _FIRST] if _FIRST <= ord(c) <= _LAST else c for c in text)

    def split(self, separator: str) -> list[str]:
        """Cut at a separator outside of every atom."""
        return [self.show(piece) for piece in self.text.split(separator)]

    def split_spaces(self) -> list[str]:
        """Cut at runs of spaces outside of every atom."""
        return [self.show(piece) for piece in self.text.split()]


@lru_cache(maxsize=8192)
def mask(line: str) -> Masked:
    """Hide the atoms of *line*; a line that has the signs used for it is left as it is."""
    if any(_FIRST <= ord(character) <= _LAST for character in line):
        return Masked(text=line, hidden=())
    hidden: list[str] = []

    def hide(found: re.Match[str]) -> str:
        hidden.append(found[0])
        return chr(_FIRST + len(hidden) - 1)

    return Masked(text=_atoms().sub(hide, line), hidden=tuple(hidden))


def outline(line: str) -> str:
    """Return the look of a line: its signs, with words and values reduced to their kind."""
    masked = mask(line)
    shown = "".join(_kind_of_atom(masked, character) for character in masked.text)
    shown = re.sub(r"[A-Za-z_][\w'.-]*", "w", shown)
    shown = re.sub(r"-?[0-9][\w.]*", "n", shown)
    return re.sub(r"w[,.:;!?]?(?: +[wn][,.:;!?]?)*", "w+", shown)


def _kind_of_atom(masked: Masked, character: str) -> str:
    if not masked.hidden or not _FIRST <= ord(character) <= _LAST:
        return character
    atom = masked.hidden[ord(character) - _FIRST]
    return {'"': "„", "[": "⟦", "(": "⦅", "{": "⦃", "<": "⟨", "/": "w"}.get(atom[0], "◆")


def clusters(lines: Sequence[str]) -> list[list[str]]:
    """Group lines that look alike, the largest group first."""
    found: dict[str, list[str]] = {}
    for line in lines:
        found.setdefault(outline(line), []).append(line)
    return sorted(found.values(), key=len, reverse=True)
