"""Say how a clause begins: with a verb to obey, perhaps behind polite words, with a refusal, or with neither."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mayfly.policy.perception._lexicon import Lexicon
from mayfly.policy.perception._roundabout import caused_at, hoped_at, wished_at
from mayfly.policy.perception._tokens import Token
from mayfly.policy.perception._verbs import Verb, frame_at, phrase_at, plain_at, verb_at
from mayfly.policy.perception._words import words

# No polite request goes through more frames than this: "could you please help me to …".
_MOST_FRAMES = 4
_LONGEST_ASIDE = 16
_STATES = frozenset(("is", "are", "was", "were", "has", "had", "isn't", "wasn't", "hasn't", "will", "won't"))
_WANTING = frozenset(("need", "want", "require"))
_AFTER_VERBS = words("articles") | {"my", "our", "your", "this", "these", "all", "every", "it", "them"}
_NO_VERBS = frozenset().union(
    *(words(name) for name in ("prepositions", "auxiliaries", "determiners", "pronouns", "relatives", "conjunctions")),
    *(words(name) for name in ("subjects", "questions", "subordinate", "finite", "openers")),
) - {"do"}


@dataclass(frozen=True, kw_only=True)
class Opening:
    """The verb or the end of the words that refuse; *framed* by a request, *marked* by a word like "then"."""

    start: int
    verb: Verb | None = None
    refusal: int | None = None
    framed: bool = False
    marked: bool = False


@dataclass(frozen=True, kw_only=True)
class _Place:
    """A place where the verb may stand, after so many frames."""

    position: int
    gerund: bool = False
    framed: bool = False


def opening_at(tokens: Sequence[Token], position: int, lexicon: Lexicon) -> Opening:
    """Say how the clause at *position* begins."""
    places: list[_Place] = []
    place, start, marked = _Place(position=position), position, False
    for _ in range(_MOST_FRAMES):
        position, marker = skip_openers(tokens, place.position)
        marked = marked or marker
        start = start if place.framed else position
        request = frame_at(tokens, position, "requests")
        refusal = frame_at(tokens, position, "refusals")
        if refusal and (request is None or refusal[0] > request[0]) and refuses(tokens, position):
            return Opening(refusal=refusal[0], start=start, framed=place.framed, marked=marked)
        places.append(_Place(position=position, gerund=place.gerund, framed=place.framed))
        if request is None:
            break
        place = _Place(position=_after_aside(tokens, request[0]), gerund=request[1], framed=True)
    return _verb_among(tokens, places, lexicon, start, marked)


def _after_aside(tokens: Sequence[Token], position: int) -> int:
    """Return where adverbs, and a clause put between commas, end: "could you please, before you go on, read …"."""
    start = position
    while plain_at(tokens, start) in words("adverbs"):
        start += 1
    parted = start < len(tokens) and tokens[start].plain == ","
    if not parted or plain_at(tokens, start + 1) not in words("subordinate"):
        return start
    inside = range(start + 2, min(start + _LONGEST_ASIDE, len(tokens)))
    return next((place + 1 for place in inside if tokens[place].plain == ","), start)


def _verb_among(
    tokens: Sequence[Token], places: Sequence[_Place], lexicon: Lexicon, start: int, marked: bool
) -> Opening:
    """Return the verb at the last place that has one; "change nothing" is a refusal for all its verb."""
    last = places[-1].position
    if plain_at(tokens, last) in ("i", "we") and plain_at(tokens, last + 1) in _WANTING:
        carried = verb_at(tokens, last + 1, lexicon)
        if carried and not carried.plain:
            return Opening(verb=carried, framed=True, marked=marked, start=start)
    for place in reversed(places):
        around = caused_at(tokens, place.position, place.framed, lexicon) or wished_at(tokens, place.position, lexicon)
        around = around or hoped_at(tokens, place.position, lexicon)
        if around:
            return Opening(verb=around, framed=True, marked=marked, start=start)
        verb = verb_at(tokens, place.position, lexicon, "gerund" if place.gerund else "base")
        if verb and verb.plain and _is_subject(tokens, verb.end):
            continue
        if verb and plain_at(tokens, verb.end) in ("nothing", "no"):
            return Opening(refusal=verb.end, framed=place.framed, marked=marked, start=start)
        if verb:
            return Opening(verb=verb, framed=place.framed, marked=marked, start=start)
    return Opening(start=start)


def _is_subject(tokens: Sequence[Token], end: int) -> bool:
    """Say whether what looks like a verb is the subject of a statement: "delete is blocked"."""
    return plain_at(tokens, end) in _STATES and plain_at(tokens, end + 1) not in words("subjects")


def skip_openers(tokens: Sequence[Token], position: int) -> tuple[int, bool]:
    """Return where the words that only lead up to a clause end, and whether one of them marks a new one."""
    marked = False
    while position < len(tokens):
        token, following = tokens[position], plain_at(tokens, position + 1)
        skipped = _leading(tokens, position)
        if skipped:
            position += skipped
            continue
        opens = token.kind == "sign" or token.plain in words("openers") or _addresses(tokens, position)
        if not opens or (token.plain == "instead" and following == "of"):
            break
        marked = marked or token.plain in words("markers")
        position += 1
    return position, marked


def _addresses(tokens: Sequence[Token], position: int) -> bool:
    """Say whether a token names who is spoken to, "@bot", or is the "to" of "please to explain"."""
    token = tokens[position]
    if token.plain == "to":
        return plain_at(tokens, position - 1) in ("please", "kindly", "pls", "plz")
    return token.kind == "code" and token.text.startswith("@") and token.text[1:].replace("-", "_").isidentifier()


def _leading(tokens: Sequence[Token], position: int) -> int:
    """Return how many words a greeting, or "not only", takes here."""
    if plain_at(tokens, position) == "not" and plain_at(tokens, position + 1) == "only":
        return 2
    return phrase_at(tokens, position, "greetings")


def refuses(tokens: Sequence[Token], position: int) -> bool:
    """Say whether "leave" and "keep" mean not to touch; every other word of refusal does refuse."""
    if plain_at(tokens, position) not in ("leave", "keep"):
        return True
    return any(token.plain in words("leave_ends") for token in tokens[position + 1 : position + 10])


def is_imperative(tokens: Sequence[Token], first: int) -> bool:
    """Say whether a sentence begins like a command, with a verb that no rule knows: "frobnicate the config"."""
    word, following = plain_at(tokens, first), plain_at(tokens, first + 1)
    named = first + 1 < len(tokens) and tokens[first + 1].kind in ("path", "url", "quoted")
    if not word or word in _NO_VERBS or word.endswith(("ed", "ing", "s", "ly")):
        return False
    return named or following in _AFTER_VERBS
