"""Find the verb at one place of a sentence: alone, as a phrase, or carried by a light verb ("do a review")."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from mayfly.policy.perception._forms import Form, inflections
from mayfly.policy.perception._lexicon import PARTICLES, Entry, Lexicon
from mayfly.policy.perception._tokens import NAMES, Token
from mayfly.policy.perception._words import Frame, frames, phrases_from, words

_LONGEST_GAP = 6


@dataclass(frozen=True, kw_only=True)
class Verb:
    """A verb found at *start*; its object begins at *end*, with *gap* before it where the phrase was parted."""

    verb: str
    start: int
    end: int
    gap: tuple[int, int] = (0, 0)
    plain: bool = True


def plain_at(tokens: Sequence[Token], position: int) -> str:
    """Return the word at a position, or nothing where there is no word."""
    return tokens[position].plain if 0 <= position < len(tokens) and tokens[position].kind == "word" else ""


def phrase_at(tokens: Sequence[Token], position: int, name: str) -> int:
    """Return how many words of a listed phrase stand here, 0 for none."""
    for phrase in phrases_from(name).get(plain_at(tokens, position), ()):
        if all(plain_at(tokens, position + number) == word for number, word in enumerate(phrase)):
            return len(phrase)
    return 0


def verb_at(tokens: Sequence[Token], position: int, lexicon: Lexicon, form: Form = "base") -> Verb | None:
    """Return the verb that begins at *position* in the wanted form, the longest phrase first."""
    word = plain_at(tokens, position)
    single: Verb | None = None
    for entry in lexicon.entries.get(word, ()):
        if entry.form != form:
            continue
        found = _phrase(tokens, position, entry)
        if found and entry.rest:
            return found
        single = single or found
    return _carried(tokens, position, lexicon, form) or single


def _phrase(tokens: Sequence[Token], position: int, entry: Entry) -> Verb | None:
    here, gap = position + 1, (0, 0)
    rest = list(entry.rest)
    while rest:
        word = rest.pop(0)
        if word == "...":
            stop = _gap(tokens, here, rest[0]) if rest else None
            if stop is None:
                return None
            gap, here = (here, stop), stop
        elif plain_at(tokens, here) == word:
            here += 1
        else:
            return None
    if gap[1] and entry.rest[-1] in _EITHER and _has_object(tokens, here):
        return None
    return Verb(verb=entry.verb, start=position, end=here, gap=gap, plain=not entry.rest)


# "check the code in" commits it, "check the code in a.py" does not.
_EITHER = frozenset(("in", "on", "over", "off", "through", "down", "by"))


def _has_object(tokens: Sequence[Token], position: int) -> bool:
    if position >= len(tokens) or tokens[position].kind == "sign":
        return False
    word = plain_at(tokens, position)
    small = (words("conjunctions"), words("prepositions"), words("adverbs"), words("relatives") - words("determiners"))
    return not word or not any(word in those for those in small)


_ENDS_GAP = words("conjunctions") | (words("relatives") - words("determiners")) | {"sure"}


def _gap(tokens: Sequence[Token], start: int, word: str) -> int | None:
    """Return where *word* stands a few words on, with nothing between that ends a phrase."""
    for here in range(start, min(start + _LONGEST_GAP, len(tokens))):
        if tokens[here].plain == word:
            return here if here > start else None
        if tokens[here].kind == "sign" or tokens[here].plain in _ENDS_GAP:
            return None
    return None


def _carried(tokens: Sequence[Token], position: int, lexicon: Lexicon, form: Form) -> Verb | None:
    """Return the verb of "do a review of", "run the tests", "write unit tests": the noun says what is done."""
    carrier = plain_at(tokens, position)
    light, making = _carriers("light").get(carrier) == form, _carriers("making").get(carrier) == form
    if not light and not making:
        return None
    stop = phrase_end(tokens, position + 1)
    if stop == position + 1:
        return None
    head = plain_at(tokens, stop - 1)
    pair = f"{plain_at(tokens, stop - 2)} {head}" if stop - 2 > position else head
    verb = (lexicon.noun(head) if light else None) or lexicon.products.get(pair) or lexicon.products.get(head)
    return Verb(verb=verb, start=position, end=stop, plain=False) if verb else None


@cache
def _carriers(name: str) -> dict[str, Form]:
    return {text: form for word in words(name) for text, form in inflections(word).items()}


def phrase_end(tokens: Sequence[Token], start: int) -> int:
    """Return where a noun phrase that begins at *start* ends: at a preposition, a conjunction, a sign."""
    here = start
    while here < len(tokens) and here < start + _LONGEST_GAP and not ends_phrase(tokens[here]):
        if here > start and tokens[here].plain in ("that", "which", "whose"):
            break
        here += 1
    return here


_PARTING = frozenset(("without", "except", "excluding", "instead", "rather", "not", "w/o"))


def ends_phrase(token: Token) -> bool:
    """Say whether a token cannot be inside a plain noun phrase."""
    if token.kind in ("sign", "path", "url"):
        return True
    return token.kind == "word" and (
        token.plain in words("prepositions")
        or token.plain in words("conjunctions")
        or token.plain in _PARTING
        or (token.plain in words("relatives") and token.plain not in words("determiners"))
    )


def frame_at(tokens: Sequence[Token], position: int, name: str) -> tuple[int, bool] | None:
    """Return where the longest frame of a kind that begins here ends, and whether it wants a gerund."""
    best: tuple[int, bool] | None = None
    for frame in frames(name).get(plain_at(tokens, position), ()):
        end = _walk(tokens, position, frame)
        if end is None or (frame.gerund and not plain_at(tokens, end).endswith("ing")):
            continue
        if best is None or (end, frame.gerund) > best:
            best = (end, frame.gerund)
    return best


def _walk(tokens: Sequence[Token], position: int, frame: Frame) -> int | None:
    here = position
    for number, (choices, optional) in enumerate(frame.steps):
        if "*" in choices:
            here = phrase_end(tokens, here)
            continue
        there = _skip(tokens, here, words("adverbs")) if number else here
        if plain_at(tokens, there) in choices:
            here = there + 1
        elif here < len(tokens) and number and plain_at(tokens, here) in choices:
            here += 1
        elif not optional:
            return None
    return here


def _skip(tokens: Sequence[Token], position: int, skipped: frozenset[str]) -> int:
    for here in range(position, position + _LONGEST_GAP):
        if plain_at(tokens, here) not in skipped:
            return here
    return position


def is_noun_here(tokens: Sequence[Token], verb: Verb, lexicon: Lexicon) -> bool:
    """Say whether a word that may be a verb is the subject of what follows: "Test coverage is too low"."""
    word = plain_at(tokens, verb.start)
    if not verb.plain or word not in words("noun_or_verb"):
        return False
    here = verb.end
    if here < len(tokens) and tokens[here].plain == ":" and plain_at(tokens, here + 1) in words("subjects"):
        return True
    following = plain_at(tokens, here)
    if following in words("auxiliaries") or following in words("finite") or following == "not":
        return True
    if following in words("states") and (verb.end + 1 >= len(tokens) or ends_phrase(tokens[verb.end + 1])):
        return True
    while here < len(tokens) and here < verb.end + 4 and _bare(tokens[here]):
        here += 1
        finite = plain_at(tokens, here)
        present = finite in words("finite") and finite.endswith("s") and here + 1 < len(tokens)
        if finite in words("auxiliaries") or present:
            return word not in ("check", "test") or not plain_at(tokens, here - 1).endswith("s")
    return False


def _bare(token: Token) -> bool:
    inside = token.kind == "word" and not ends_phrase(token)
    return inside and token.plain not in words("determiners") and token.plain not in words("pronouns")


def is_object_start(tokens: Sequence[Token], position: int) -> bool:
    """Say whether what stands here can only be an object: "it", "the …", a path, a quoted text."""
    if position >= len(tokens):
        return False
    token = tokens[position]
    return token.kind in NAMES or token.plain in words("determiners") or token.plain in words("pronouns")


def names_verbs(tokens: Sequence[Token], position: int, lexicon: Lexicon) -> bool:
    """Say whether the object that begins here is made of verbs: "create and delete endpoints", "the update button"."""
    here = position
    while plain_at(tokens, here) in words("determiners"):
        here += 1
    word = plain_at(tokens, here)
    if not lexicon.is_base(word):
        return False
    if word not in words("noun_or_verb"):
        return True
    if here == position:
        return plain_at(tokens, here + 1) not in words("prepositions")
    seen = here
    while lexicon.is_base(plain_at(tokens, here)):
        seen = here
        here += 2 if plain_at(tokens, here + 1) in PARTICLES else 1
        while here < len(tokens) and (tokens[here].plain in (",", "/") or plain_at(tokens, here) in ("and", "or")):
            here += 1
    return seen > position + 1 and plain_at(tokens, here) in words("operation_heads")
