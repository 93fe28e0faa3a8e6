"""One shell word while it is being read: what was quoted, expanded or unknown is told by marks between the characters.

A shell decides by quoting whether `{`, `*` or a blank means something. Keeping that in the text itself, as private
characters that no input can hold, lets every later step be a plain string operation.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final, NamedTuple

OPEN: Final = "\ue000"
CLOSE: Final = "\ue001"
COMMA: Final = "\ue002"
STAR: Final = "\ue003"
ASK: Final = "\ue004"
BRACKET: Final = "\ue005"
SPLIT: Final = "\ue006"
FROM: Final = "\ue007"
TO: Final = "\ue008"
QUOTED: Final = "\ue009"

MEANING: Final = {"{": OPEN, "}": CLOSE, ",": COMMA, "*": STAR, "?": ASK, "[": BRACKET}
_LITERAL: Final = str.maketrans({mark: char for char, mark in MEANING.items()} | {SPLIT: " ", QUOTED: None})
_FORBIDDEN: Final = str.maketrans({chr(code): "\ufffd" for code in range(0xE000, 0xE010)})
_UNKNOWN: Final = re.compile(f"{FROM}[^{TO}]*{TO}")
_SEQUENCE: Final = re.compile(r"(-?\d{1,9}|[A-Za-z])\.\.(-?\d{1,9}|[A-Za-z])(?:\.\.-?\d{1,9})?")

MOST_WORDS: Final = 64
MOST_BRACES: Final = 32


class Word(NamedTuple):
    """One word as a program would get it; what cannot be known is in `text` as it was written, not in `plain`."""

    text: str
    plain: str
    computed: bool = False
    pattern: bool = False
    quoted: bool = False


def clean(text: str) -> str:
    """Take our marks out of an input, so that nothing given can pass for one."""
    return text.translate(_FORBIDDEN)


def literal(text: str) -> Word:
    """Make the word that an argument list holds: nothing in it means anything to a shell."""
    return Word(text, text, quoted=True)


def unknown(written: str) -> str:
    """Stand for a value that only running would tell."""
    return FROM + written.replace(FROM, "").replace(TO, "").translate(_LITERAL) + TO


def finish(marked: str) -> list[Word]:
    """Turn one marked word into the words a program would get: braces expanded, fields split."""
    return [_word(field) for spread in _braces(marked) for field in _fields(spread)]


def whole_word(marked: str) -> Word:
    """Turn a marked text that is not split, such as a here-document, into one word."""
    return _word(marked)


def plain_text(marked: str) -> str:
    """Return the text of a marked word as it was written, marks taken out."""
    return marked.replace(FROM, "").replace(TO, "").translate(_LITERAL)


def _fields(marked: str) -> Iterator[str]:
    if SPLIT not in marked:
        yield marked
        return
    for field in marked.split(SPLIT):
        if field:
            yield field


def _word(marked: str) -> Word:
    known = _UNKNOWN.sub("", marked)
    pattern = STAR in known or ASK in known or BRACKET in known
    text = plain_text(marked)
    return Word(text, known.translate(_LITERAL), known != marked, pattern, QUOTED in marked)


def _braces(marked: str) -> list[str]:
    """Expand `{a,b}` and `{1..3}`; too many of them are left as something unknown."""
    if OPEN not in marked:
        return [marked]
    if marked.count(OPEN) > MOST_BRACES:
        return [unknown(marked)]
    done: list[str] = []
    waiting = [marked]
    while waiting:
        if len(done) + len(waiting) > MOST_WORDS:
            return [unknown(marked)]
        text = waiting.pop()
        spread = _first_brace(text)
        if spread is None:
            done.append(text)
        else:
            waiting.extend(reversed(spread))
    return done


def _first_brace(text: str) -> list[str] | None:
    """Expand the first brace that means something, once; None where there is none."""
    for start, char in enumerate(text):
        if char != OPEN:
            continue
        end, commas = _matching(text, start)
        if end is None:
            continue
        choices = _choices(text[start + 1 : end], [comma - start - 1 for comma in commas])
        if choices:
            return [text[:start] + choice + text[end + 1 :] for choice in choices]
    return None


def _matching(text: str, start: int) -> tuple[int | None, list[int]]:
    depth, commas = 0, []
    for index in range(start, len(text)):
        char = text[index]
        if char == OPEN:
            depth += 1
        elif char == COMMA and depth == 1:
            commas.append(index)
        elif char == CLOSE:
            depth -= 1
            if depth == 0:
                return index, commas
    return None, []


def _choices(inner: str, commas: list[int]) -> list[str]:
    if commas:
        ends = [-1, *commas, len(inner)]
        return [inner[first + 1 : last] for first, last in pairwise(ends)]
    found = _SEQUENCE.fullmatch(inner)
    if found is None or found[1].isalpha() != found[2].isalpha():
        return []
    if found[1].isalpha():
        return [chr(code) for code in _between(ord(found[1]), ord(found[2]))]
    return [str(number) for number in _between(int(found[1]), int(found[2]))]


def _between(first: int, last: int) -> list[int]:
    step = 1 if last >= first else -1
    return list(range(first, last + step, step))[: MOST_WORDS + 1]
