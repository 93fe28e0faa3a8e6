"""Find the verb at one place of a line: alone, as a phrase, or carried by a light verb ("do a review")."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Literal, NamedTuple

from mayfly.language._inflect import VerbForm, verb_forms
from mayfly.language._lexicon import irregular_verbs
from mayfly.language._tokens import NAMES
from mayfly.language._verbs import PhraseForm
from mayfly.language._words import LexedWords, words

HeadKind = Literal["command", "unknown", "refusal"]
Stretch = tuple[int, int]
# So many words stand at most inside a phrase that was parted, and in a plain noun phrase.
_LONGEST_GAP = 6
# "check the code in" commits it, "check the code in a.py" does not.
_EITHER = frozenset(("in", "on", "over", "off", "through", "down", "by"))
_PARTING = frozenset(("without", "except", "excluding", "instead", "rather", "not"))


_OTHER_VERB = frozenset(("up", "aside", "away"))


class Verb(NamedTuple):
    """A verb of the rules, "" for one that none knows; its base as it was said; whether it is a word of its own.

    It *makes* the thing that it is about where that is what was asked for: "add a test".
    """

    verb: str
    base: str
    plain: bool = True
    makes: bool = False


@dataclass(frozen=True, kw_only=True)
class ClauseHead:
    """How a clause begins: the *place* of its verb, and its object, which goes on from *end* or stands in the *gap*.

    A noun of work that stands for the verb ("do *a review*") is in *work*, what it is done with ("use *pytest* to test
    it") in *means*. It is *framed* by words that lead to the verb, *marked* by a word like "then", and *weak* where
    somebody says what he wants to do himself.
    """

    kind: HeadKind
    place: int
    end: int
    verb: Verb | None = None
    gap: Stretch = (0, 0)
    work: Stretch = (0, 0)
    means: Stretch = (0, 0)
    framed: bool = False
    marked: bool = False
    weak: bool = False


def verb_at(line: LexedWords, place: int, form: VerbForm = "base") -> ClauseHead | None:
    """Return the verb that begins here in the wanted form: the longest phrase, one carried by a noun, a word alone."""
    single: ClauseHead | None = None
    word = line.plain(place)
    for entry in line.lexicon.entries.get(word, ()):
        unchanged = form == "past" and entry.form == "base" and word in irregular_verbs("past").get(word, ())
        if entry.form != form and not unchanged:
            continue
        found = _entry_at(line, place, entry)
        if found and entry.rest:
            return found
        single = single or found
    if single and line.plain(place + 1) in _OTHER_VERB:
        # "Add up the numbers", "set aside the tests": with such a word it is another verb, which nobody knows.
        single = None
    return _carried_at(line, place, form) or single


def _entry_at(line: LexedWords, place: int, entry: PhraseForm) -> ClauseHead | None:
    here, gap = place + 1, (0, 0)
    for number, word in enumerate(entry.rest):
        if word == "...":
            stop = _gap_end(line, here, entry.rest[number + 1])
            if stop is None:
                return None
            gap, here = (here, stop), stop
        elif line.plain(here) == word:
            here += 1
        else:
            return None
    goes_on = not line.ends(here) and not (
        line.has(here, "conjunctions", "prepositions", "adverbs") or parts(line, here)
    )
    if gap[1] and entry.rest[-1] in _EITHER and goes_on:
        return None
    return ClauseHead(kind="command", place=place, end=here, gap=gap, verb=Verb(entry.verb, entry.base, not entry.rest))


def _gap_end(line: LexedWords, start: int, word: str) -> int | None:
    """Return where *word* stands a few words on, with nothing between that ends a phrase."""
    for here in range(start, min(start + _LONGEST_GAP, len(line))):
        if line.plain(here) == word:
            return here if here > start else None
        if line.sign(here) or line.has(here, "conjunctions") or parts(line, here) or line.plain(here) == "sure":
            return None
    return None


def parts(line: LexedWords, place: int) -> bool:
    """Say whether a word leads to a clause of its own and is no determiner: "how", "because", "if"."""
    return line.has(place, "relatives") and not line.has(place, "determiners")


def _carried_at(line: LexedWords, place: int, form: VerbForm) -> ClauseHead | None:
    """Return the verb of "do a review of", "run the tests", "write unit tests": the noun says what is done."""
    carrier = line.plain(place)
    light, making = _carriers("light").get((carrier, form)), _carriers("making").get((carrier, form))
    stop = phrase_end(line, place + 1) if light or making else 0
    if stop <= place + 1:
        return None
    noun, products = line.plain(stop - 1), line.lexicon.products
    pair = f"{line.plain(stop - 2)} {noun}" if stop - 2 > place else noun
    product = products.get(pair) or products.get(noun)
    verb = (line.lexicon.noun(noun) if light else "") or product
    made = Verb(verb or "", light or making or "", plain=False, makes=bool(making and product))
    return ClauseHead(kind="command", place=place, end=stop, work=(place + 1, stop), verb=made) if verb else None


@cache
def _carriers(name: str) -> dict[tuple[str, VerbForm], str]:
    return {(text, form): word for word in sorted(words(name)) for text, form in verb_forms(word).items()}


def work_at(line: LexedWords, start: int) -> ClauseHead | None:
    """Return the verb of a noun that somebody wishes for: "some feedback", "a review of a.py", "tests"."""
    stop = phrase_end(line, start)
    noun = line.plain(stop - 1)
    verb = line.lexicon.nouns.get(noun) or line.lexicon.products.get(noun)
    alone = noun.endswith("s") or line.plain(stop) in ("of", "for")
    wished = line.has(start, "indefinite") if stop > start + 1 else alone and stop > start
    if not verb or not wished:
        return None
    made = Verb(verb, verb.replace("_", " "), plain=False)
    return ClauseHead(kind="command", place=start, end=stop, work=(start, stop), verb=made)


def phrase_end(line: LexedWords, start: int) -> int:
    """Return where a noun phrase that begins at *start* ends: at a preposition, a conjunction, a sign."""
    here = start
    while here < min(len(line), start + _LONGEST_GAP) and not ends_phrase(line, here):
        if here > start and line.plain(here) in ("that", "which", "whose"):
            break
        here += 1
    return here


def ends_phrase(line: LexedWords, place: int) -> bool:
    """Say whether what stands here cannot be inside a plain noun phrase."""
    if line.ends(place) or line.words[place].kind in ("path", "url"):
        return True
    return line.has(place, "prepositions", "conjunctions") or line.plain(place) in _PARTING or parts(line, place)


def is_object_start(line: LexedWords, place: int) -> bool:
    """Say whether what stands here can only be an object: "it", "the …", a path, a quoted text."""
    return place < len(line) and (line.words[place].kind in NAMES or line.has(place, "determiners", "pronouns"))


@cache
def _happenings() -> frozenset[str]:
    """Return the finite forms of verbs that things do, by which the words before them are seen to be a subject."""
    forms = (verb_forms(word).items() for word in words("happening"))
    return frozenset(text for listed in forms for text, form in listed if form in ("third", "past"))


def is_finite(line: LexedWords, place: int) -> bool:
    """Say whether the word here shows that those before it are the subject of a statement."""
    return line.has(place, "auxiliaries") or line.plain(place) in _happenings()
