"""Part a request into sentences, and put aside what was only pasted or reported."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mayfly.policy.perception._lexicon import Lexicon
from mayfly.policy.perception._material import is_title, material_from
from mayfly.policy.perception._tokens import Token

_ABBREVIATIONS = frozenset(("e.g", "i.e", "etc", "vs", "mr", "mrs", "dr", "approx", "cf", "no"))
# A shorter line was ended by its writer, a longer one by the width of a page.
_WRAPPED = 60


@dataclass(frozen=True, kw_only=True)
class Sentence:
    """Hold the tokens of one sentence without its final sign; *asked* when that sign was a question mark.

    *recast* is its first word as a command, where it stands in another form; *later* says that it is to be done after
    what stands before it.
    """

    tokens: tuple[Token, ...]
    asked: bool
    recast: str = ""
    later: bool = False


def sentences(tokens: list[Token], lexicon: Lexicon) -> list[Sentence]:
    """Return the sentences that can ask for something; material is left out of them."""
    return [sentence for sentence in _sentences(tokens, lexicon) if sentence.tokens]


def _sentences(tokens: list[Token], lexicon: Lexicon) -> Iterator[Sentence]:
    held: list[Token] = []
    line, position = 0, 0
    several = any(token.kind == "line" for token in tokens)
    while position < len(tokens):
        token = tokens[position]
        position += 1
        asked = token.kind == "sign" and token.plain in ".!?" and not _abbreviated(held)
        broken = token.kind == "line" and _ends(held, token.start - line)
        skipped = material_from(tokens, position, held, lexicon, several)
        if asked or broken or skipped or token.kind in ("item", "data"):
            titled = skipped and is_title(held, lexicon)
            yield Sentence(tokens=() if titled else tuple(held), asked=asked and token.plain == "?")
            held, position = [], max(position, skipped)
        elif token.kind != "line":
            held.append(token)
        line = token.end if token.kind == "line" else line
    yield Sentence(tokens=tuple(held), asked=False)


def _ends(held: list[Token], length: int) -> bool:
    return length < _WRAPPED or not held or held[-1].kind == "sign"


def _abbreviated(held: list[Token]) -> bool:
    return bool(held) and held[-1].text.lower() in _ABBREVIATIONS
