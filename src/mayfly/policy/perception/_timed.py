"""Read what a sentence asks for one after the other: "after fixing X, deploy Y", "once you have read X, hash it".

What is said with "before" is only spoken of: who is told what to look at before he deletes something may yet leave it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from mayfly.policy.perception._forms import Form, inflections
from mayfly.policy.perception._lexicon import Lexicon
from mayfly.policy.perception._openings import is_imperative, opening_at, skip_openers
from mayfly.policy.perception._sentences import Sentence
from mayfly.policy.perception._tokens import Token
from mayfly.policy.perception._verbs import plain_at
from mayfly.policy.perception._words import irregular, words

_JOINTS = frozenset(("after", "once"))
_HAVING = frozenset(("have", "having", "you've"))


def in_time(found: Iterable[Sentence], lexicon: Lexicon) -> Iterator[Sentence]:
    """Yield the sentences with the two requests of such a one apart."""
    for sentence in found:
        parted = None if sentence.asked else _parted(sentence, lexicon)
        if parted is None:
            yield sentence
        else:
            yield from parted


def _parted(sentence: Sentence, lexicon: Lexicon) -> tuple[Sentence, Sentence] | None:
    tokens = sentence.tokens
    here = skip_openers(tokens, 0)[0]
    if plain_at(tokens, here) not in _JOINTS:
        return None
    verb, form = _verb_place(tokens, here + 1)
    word = _base_form(plain_at(tokens, verb), form, lexicon) if form else ""
    stop = _end(tokens, verb + 1, lexicon) if word else 0
    if not stop:
        return None
    told = (tokens[verb]._replace(plain=word), *tokens[verb + 1 : stop])
    named = Sentence(tokens=told, asked=False, recast=word)
    return named, replace(sentence, tokens=tokens[stop + 1 :], later=True)


def _verb_place(tokens: Sequence[Token], here: int) -> tuple[int, Form | None]:
    """Return where the verb stands and in which form it has to be; who does something himself asks nobody for it."""
    you = plain_at(tokens, here) in ("you", "you've")
    having = plain_at(tokens, here) in _HAVING or (you and plain_at(tokens, here + 1) in _HAVING)
    here += (you and plain_at(tokens, here) == "you") + having
    if having:
        return here, "past"
    if you:
        return here, "base"
    return here, "gerund" if plain_at(tokens, here).endswith("ing") else None


def _base_form(word: str, form: Form, lexicon: Lexicon) -> str:
    """Return the base of a verb that the rules know, by the form in which it stands."""
    stems = [word, word[:-3], word[:-3] + "e", word[:-4], word[:-2], word[:-1]]
    stems += [base for base, past in irregular().items() if word in past]
    known = (stem for stem in stems if lexicon.is_base(stem))
    return next((stem for stem in known if _is_form(stem, word, form)), "")


def _is_form(stem: str, word: str, form: Form) -> bool:
    same = form == "past" and word in irregular().get(stem, ())
    return same or inflections(stem).get(word) == form


def _end(tokens: Sequence[Token], start: int, lexicon: Lexicon) -> int:
    """Return the comma after which the other request begins; 0 where something is only told there."""
    for place in range(start, len(tokens) - 1):
        if tokens[place].plain != ",":
            continue
        opening = opening_at(tokens, place, lexicon)
        if opening.verb is not None or is_imperative(tokens, skip_openers(tokens, place + 1)[0]):
            return place
        if plain_at(tokens, place + 1) in words("determiners") | words("subjects"):
            return 0
    return 0
