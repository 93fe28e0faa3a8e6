"""Read requests that name no verb in its base form: "have the columns deleted", "I'd be grateful for a review"."""

from __future__ import annotations

from collections.abc import Sequence

from mayfly.policy.perception._lexicon import Lexicon
from mayfly.policy.perception._tokens import Token
from mayfly.policy.perception._verbs import Verb, frame_at, phrase_at, phrase_end, plain_at, verb_at
from mayfly.policy.perception._words import words

_INDEFINITE = frozenset(("a", "an", "another", "some", "more", "one"))
_ONLY = frozenset(("only", "just", "please", "pls", "plz", "kindly", "simply"))
_LONGEST_THING = 8
_WANTING = frozenset(("want", "need", "like"))
_WANTERS = frozenset(("i", "we", "i'd", "we'd", "id", "would"))


def caused_at(tokens: Sequence[Token], position: int, framed: bool, lexicon: Lexicon) -> Verb | None:
    """Return the verb of what somebody is to have done to a thing: "get it tested", "I want the config validated".

    "Get the files changed yesterday" and "I need the rows deleted by Bob" only say which ones: a participle that goes
    on counts after "have", or where the thing is a pronoun, and nowhere else.
    """
    if plain_at(tokens, position) in _WANTERS:
        position += 2 if plain_at(tokens, position + 1) in ("would", "do") else 1
    elif plain_at(tokens, position) in _WANTING and not framed:
        return None
    word = plain_at(tokens, position)
    if word not in words("causing") or (word in ("have", "get", "see") and plain_at(tokens, position - 1) in _WANTERS):
        return None
    thing = position + 1
    for place in range(thing + 1, min(thing + _LONGEST_THING, len(tokens))):
        if tokens[place].kind == "sign" or plain_at(tokens, place) in words("conjunctions"):
            return None
        pronoun = place == thing + 1 and plain_at(tokens, thing) in words("pronouns")
        verb = _participle(tokens, place, lexicon)
        bare = plain_at(tokens, place - 1) in words("determiners") and not pronoun
        if verb and not bare and _ends(tokens, place + 1, word == "have" or pronoun):
            return Verb(verb=verb, start=position, end=place + 1, gap=(thing, place), plain=False)
    return None


def _participle(tokens: Sequence[Token], place: int, lexicon: Lexicon) -> str | None:
    entries = lexicon.entries.get(plain_at(tokens, place), ())
    return next((entry.verb for entry in entries if entry.form == "past" and not entry.rest), None)


def _ends(tokens: Sequence[Token], place: int, loosely: bool) -> bool:
    """Say whether a participle is the last word of its phrase, or *loosely* whether no noun follows it."""
    if place >= len(tokens) or tokens[place].kind == "sign":
        return True
    word = plain_at(tokens, place)
    if word in words("causing_ends"):
        return True
    return loosely and (word in words("prepositions") or word in words("subordinate") or word in words("adverbs"))


def wished_at(tokens: Sequence[Token], position: int, lexicon: Lexicon) -> Verb | None:
    """Return the verb of a noun that somebody wishes for: "I'd appreciate some feedback", "only a review of a.py"."""
    frame = frame_at(tokens, position, "wishes")
    only = plain_at(tokens, position - 1) in _ONLY
    if frame is None and not only:
        return None
    start = frame[0] if frame else position
    if plain_at(tokens, start) not in _INDEFINITE and not (frame and plain_at(tokens, start) == "your"):
        return None
    stop = phrase_end(tokens, start)
    noun = plain_at(tokens, stop - 1)
    verb = lexicon.nouns.get(noun) or lexicon.products.get(noun)
    return Verb(verb=verb, start=start, end=stop, plain=False) if verb and stop - start > 1 else None


def hoped_at(tokens: Sequence[Token], position: int, lexicon: Lexicon) -> Verb | None:
    """Return the verb of what somebody would like to see done: "we'd love it if you removed the banner"."""
    frame = frame_at(tokens, position, "hoping")
    if frame is None or plain_at(tokens, frame[0]) not in ("you", "u"):
        return None
    return verb_at(tokens, frame[0] + 1, lexicon, "past")


def title_of(tokens: Sequence[Token]) -> int | None:
    """Return where the head of a sentence stands that is only a thing: "Tests for a.py", "a fix would be nice"."""
    stop = phrase_end(tokens, 0)
    wished = next((here for here in range(len(tokens)) if phrase_at(tokens, here, "wished")), len(tokens))
    stop = min(stop, wished)
    pointing = (words("determiners") | words("pointing")) - _INDEFINITE
    bare = not any(token.plain in pointing for token in tokens[:stop])
    return stop - 1 if bare and not any(_tells(token) for token in tokens[:wished]) else None


def _tells(token: Token) -> bool:
    return token.plain in words("auxiliaries") or token.plain in words("finite") or token.plain in words("subjects")
