"""Part a request into sentences, and put aside what was only pasted or reported."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mayfly.policy.perception._lexicon import Lexicon
from mayfly.policy.perception._tokens import Token
from mayfly.policy.perception._words import words

_ABBREVIATIONS = frozenset(("e.g", "i.e", "etc", "vs", "mr", "mrs", "dr", "approx", "cf", "no"))
# A shorter line was ended by its writer, a longer one by the width of a page.
_WRAPPED = 60
_LOOK_BACK = 30
# A shorter quoted text is a word of the material rather than all of it.
_QUOTE = 12


@dataclass(frozen=True, kw_only=True)
class Sentence:
    """Hold the tokens of one sentence without its final sign; *asked* when that sign was a question mark."""

    tokens: tuple[Token, ...]
    asked: bool


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
        skipped = _skipped(tokens, position, held, lexicon, several)
        if asked or broken or skipped or token.kind in ("item", "data"):
            # "Email from Bob:" is the title of the material, and no request to write to him.
            titled = skipped and (held[0].plain in words("letters") or len(held) == 1)
            yield Sentence(tokens=() if titled else tuple(held), asked=asked and token.plain == "?")
            held, position = [], max(position, skipped)
        elif token.kind != "line":
            held.append(token)
        line = token.end if token.kind == "line" else line
    yield Sentence(tokens=tuple(held), asked=False)


def _skipped(tokens: list[Token], position: int, held: list[Token], lexicon: Lexicon, several: bool) -> int:
    """Return where to read on if material begins at *position*, else 0."""
    token = tokens[position - 1]
    if not held or not (token.kind == "line" or (token.kind == "sign" and token.plain == ":")):
        return 0
    if token.kind == "line":
        given = len(held) > 1 and held[-2].plain in words("given")
        return _after_paragraph(tokens, position) if given and held[-1].plain in words("pasted") else 0
    if _introduces_material(held, lexicon):
        return _after_quote(tokens, position) or _after_paragraph(tokens, position)
    speaker = several and len(held) == 1 and held[0].kind in ("word", "code")
    if speaker and held[0].plain not in words("labels") and not lexicon.is_base(held[0].plain):
        return _after_line(tokens, position)
    return 0


def _after_quote(tokens: list[Token], position: int) -> int:
    """Return where to read on when the material is one quoted text that ends its sentence, else 0."""
    if position >= len(tokens) or tokens[position].kind != "quoted" or len(tokens[position].text) < _QUOTE:
        return 0
    following = tokens[position + 1] if position + 1 < len(tokens) else None
    if following is None or tokens[position].text.rstrip().endswith((".", "!", "?")):
        return position + 1
    return position + 2 if following.kind == "line" or following.plain in (".", "!", "?") else 0


def _after_line(tokens: list[Token], position: int) -> int:
    while position < len(tokens) and tokens[position].kind != "line":
        position += 1
    return position


def _ends(held: list[Token], length: int) -> bool:
    return length < _WRAPPED or not held or held[-1].kind == "sign"


def _abbreviated(held: list[Token]) -> bool:
    return bool(held) and held[-1].text.lower() in _ABBREVIATIONS


def _introduces_material(held: list[Token], lexicon: Lexicon) -> bool:
    """Say whether what stands before a colon names a text, or is a verb that wants one: "summarize this:"."""
    plain = [token.plain for token in held[-_LOOK_BACK:]]
    if words("doing") & set(plain):
        return False
    last = set(plain[-3:])
    if last & words("material"):
        return len(held) > 1 or not lexicon.is_base(plain[0])
    return bool(last & words("given")) and any(lexicon.is_base(word) for word in plain)


def _after_paragraph(tokens: list[Token], position: int) -> int:
    """Return where the next paragraph begins: after an empty line."""
    while position < len(tokens):
        if tokens[position].kind == "line" and position + 1 < len(tokens) and tokens[position + 1].kind == "line":
            return position + 1
        position += 1
    return position
