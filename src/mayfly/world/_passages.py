"""Texts cut into passages, and the passages that say most about a question: BM25, the same on every store."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

# About a paragraph or two: what a model reads of a hit, and small enough that a hit says where.
LONGEST = 1200
# The usual values: k1 how soon a word that comes again stops counting, b how much long passages are held back.
_K1, _B = 1.2, 0.75
_WORD = re.compile(r"\w+")
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
# Scripts that are written without blanks between words; of these, pairs of signs are looked for.
_UNSPACED = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+"
)


class Passage(NamedTuple):
    """A piece of a text, and the headings above it."""

    heading: str
    text: str


class PassageHit(NamedTuple):
    """A passage that was found: its place in what was searched, and how much it says."""

    place: int
    score: float


def passages_of(text: str, *, longest: int = LONGEST, headings: bool = True) -> Iterator[Passage]:
    """Cut *text* at headings and blank lines, joined up to *longest* characters; code between fences stays together.

    Without *headings* a line that begins with # is a line as any other, as in a program.
    """
    above: list[str] = []
    held: list[str] = []
    bare = False
    for block, level in _blocks(text, headings=headings):
        if level:
            yield from _joined(above, held)
            if bare and level <= len(above):
                yield Passage(_path(above[:-1]), above[-1])
            above = [*above[: level - 1], *[""] * (level - 1 - len(above)), block.lstrip("# ").strip()]
            held, bare = [], True
            continue
        bare = False
        for piece in _cut(block, longest):
            if held and sum(map(len, held)) + len(piece) > longest:
                yield from _joined(above, held)
                held = []
            held.append(piece)
    yield from _joined(above, held)
    if bare:
        yield Passage(_path(above[:-1]), above[-1])


def _path(headings: Sequence[str]) -> str:
    return " > ".join(filter(None, headings))[:300]


def _joined(headings: Sequence[str], held: Sequence[str]) -> Iterator[Passage]:
    text = "\n\n".join(held).strip("\n")
    if text.strip():
        yield Passage(_path(headings), text)


def _blocks(text: str, *, headings: bool) -> Iterator[tuple[str, int]]:
    """Yield paragraphs, pieces of code, and headings with their level."""
    held: list[str] = []
    fence = ""
    for line in text.splitlines():
        mark = re.match(r"\s*(```|~~~)", line)
        heading = None if fence or mark or not headings else re.match(r"(#{1,6})\s+\S", line)
        if (heading or (not line.strip() and not fence)) and held:
            yield "\n".join(held), 0
            held = []
        if heading:
            yield line, len(heading[1])
        elif line.strip() or fence:
            held.append(line)
        if mark:
            fence = "" if fence == mark[1] else fence or mark[1]
    if held:
        yield "\n".join(held), 0


def _cut(block: str, longest: int) -> Iterator[str]:
    """Yield *block* in pieces that are not too long, cut after a line, a sentence or a word where there is one."""
    while len(block) > longest:
        end = max(block.rfind(sign, longest // 2, longest) + len(sign) for sign in ("\n", ". ", "。"))
        end = end if end > longest // 2 else block.rfind(" ", longest // 2, longest) + 1 or longest
        yield block[:end].rstrip()
        block = block[end:]
    if block.strip():
        yield block


def words_of(text: str) -> Iterator[str]:
    """Yield what is looked for and found: words without case and accents, names also in their parts.

    `parse_HTTPHeader` is found by itself, by parse, http and header.
    """
    plain = "".join(sign for sign in unicodedata.normalize("NFKD", text) if not unicodedata.combining(sign))
    for word in _WORD.findall(plain):
        small = word.casefold()
        unspaced = _UNSPACED.findall(small)
        for run in unspaced:
            yield from (run[place : place + 2] for place in range(max(1, len(run) - 1)))
        if unspaced:
            small = _UNSPACED.sub("", small)
        if small:
            yield small
        parts = _PARTS.findall(word) if word.isascii() else ()
        if len(parts) > 1:
            yield from (part.casefold() for part in parts)


class PassageIndex:
    """Passages by their words; each is added once and never changes."""

    def __init__(self) -> None:
        self._lengths: list[int] = []
        self._total = 0
        self._where: dict[str, list[tuple[int, int]]] = {}

    def __len__(self) -> int:
        return len(self._lengths)

    def add(self, text: str) -> int:
        """Take a passage in and return its place."""
        place = len(self._lengths)
        counts = Counter(words_of(text))
        length = sum(counts.values())
        self._lengths.append(length)
        self._total += length
        for word, count in counts.items():
            self._where.setdefault(word, []).append((place, count))
        return place

    def search(self, query: str, *, among: Iterable[int] | None = None) -> list[PassageHit]:
        """Return all passages that hold a word of *query*, the ones that say most first; of equals the older ones."""
        allowed = None if among is None else set(among)
        scores: dict[int, float] = {}
        mean = self._total / len(self._lengths) if self._lengths else 0.0
        for word in dict.fromkeys(words_of(query)):
            found = self._where.get(word, ())
            weight = math.log(1 + (len(self._lengths) - len(found) + 0.5) / (len(found) + 0.5))
            for place, count in found:
                if allowed is None or place in allowed:
                    held_back = _K1 * (1 - _B + _B * self._lengths[place] / mean)
                    scores[place] = scores.get(place, 0.0) + weight * count * (_K1 + 1) / (count + held_back)
        # Rounded, so that the last bits of a sum do not decide the order on another machine.
        ranked = sorted((-round(score, 9), place) for place, score in scores.items())
        return [PassageHit(place, -score) for score, place in ranked]
