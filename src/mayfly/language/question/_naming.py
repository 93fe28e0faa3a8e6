"""Read what words name: conditions, columns, and what the records are called."""

from __future__ import annotations

from collections.abc import Iterator

from mayfly.language._inflect import is_form_of, is_made_of, singulars
from mayfly.language.question._query import Arithmetic, Compare
from mayfly.language.question._segment import Segment
from mayfly.language.question._vocabulary import EXACT, nouns_of
from mayfly.language.question._wording import Wording
from mayfly.language.question._words import ARTICLES, bases_of, is_turning, phrase_at

# Words that are further from a column than a part of its name do not name it.
_NAMED = 1.2


def read_conditions(wording: Wording, start: int) -> Iterator[Segment]:
    """Read which records are meant, and whether values that are listed may be told apart."""
    for read in wording.conditions.at(start):
        joints = {wording.word(place) for place in range(start, read.end)}
        several = isinstance(read.condition, Compare) and read.condition.operator == "in"
        # "passed, failed and skipped" may be told apart, "passed or failed" is one thing.
        listed = several and joints & {"and", ","} and "or" not in joints
        apart = "each" if listed and not _is_called(wording, read.end) else ""
        apart = "vs" if several and joints & {"vs", "versus"} else apart
        # "have no running job" says something of all records of somebody.
        denied = joints & {"no", "never", "without", "none"}
        yield Segment(
            kind="condition",
            start=start,
            end=read.end,
            condition=read.condition,
            cost=read.cost,
            name=apart,
            word="none" if denied else "",
        )


def _is_called(wording: Wording, place: int) -> bool:
    """Say whether a word is what records are called, of which values that stand before it are said."""
    word = wording.word(place)
    return wording.vocabulary.is_noun(word) or bool(bases_of(word) & nouns_of("entity"))


def read_names(wording: Wording, start: int) -> Iterator[Segment]:
    """Read columns and nouns: "amount", "orders", "value of the stock (qty times price)"."""
    for term in wording.terms.at(start) if not wording.is_of_names(start) else ():
        # A column of yes and no stands for itself where it can: "in-stock books".
        dearer = 0.5 if term.info is not None and term.info.kind == "bool" else 0.0
        # What records are called after is the record rather than its date.
        dearer += 0.6 if term.moment and _is_of_moment(wording, start) else 0.0
        yield Segment(
            kind="term",
            start=start,
            end=term.end,
            term=term,
            cost=term.cost + dearer,
            plural=wording.is_plural(term.end - 1),
            word=wording.word(start),
        )
    yield from _read_defined(wording, start)
    if wording.tokens[start].kind == "word":
        yield from _read_nouns(wording, start)


def _read_nouns(wording: Wording, start: int) -> Iterator[Segment]:
    if _is_of_moment(wording, start):
        yield _noun(wording, start, cost=0.3)
    word = wording.word(start)
    if wording.vocabulary.is_noun(word):
        # A word that also names a column is said of it where it is to be shown.
        named = any(
            term.end == start + 1
            and term.info is not None
            and ((term.cost == EXACT and term.info.distinct) or term.info.role == "message")
            for term in wording.terms.at(start)
        )
        yield _noun(wording, start, name="*" * named)
    elif (
        wording.vocabulary.about_things
        and {word, *singulars(word)} & nouns_of("entity")  # "running" is no run.
        and not wording.conditions.at(start)
        and _is_head(wording, start)
    ):
        # A part of a column's name is as likely, unless that is a moment: "readings" with a "reading time".
        # Another word for a column names that column: "users" are the customers.
        terms = [term for term in wording.terms.at(start) if not term.moment]
        cost = min((term.cost for term in terms), default=0.1)
        if 0 < cost < _NAMED:
            yield _noun(wording, start, cost=cost)


def _noun(wording: Wording, start: int, *, cost: float = EXACT, name: str = "") -> Segment:
    plural = wording.is_plural(start)
    return Segment(
        kind="noun", start=start, end=start + 1, word=wording.word(start), plural=plural, cost=cost, name=name
    )


def _is_of_moment(wording: Wording, start: int) -> bool:
    """Say whether a noun is made of the verb that tells when: inspections are records with an "inspected"."""
    moments = [one for one in wording.vocabulary.columns if one.kind == "time"]
    own = [one for one in moments if one.first or one.main or len(moments) == 1]
    plain = [one for one in own if len(one.words) == 1 or one.words[1] in ("on", "at", "date", "time")]
    word = wording.word(start)
    plural = wording.is_plural(start)  # "finds" of what was found
    return any(is_made_of(word, one.words[0]) or (plural and is_form_of(word, one.words[0])) for one in plain)


def _read_defined(wording: Wording, start: int) -> Iterator[Segment]:
    """Read words that are defined behind them: "value of the stock (qty times price)"."""
    last = min(start + 6, len(wording.tokens))
    opening = next((at for at in range(start + 1, last) if wording.word(at) == "("), None)
    if opening is None or wording.is_measure(start):
        return
    if any(is_turning(wording.word(at)) or wording.tokens[at].kind != "word" for at in range(start, opening)):
        return
    for at in range(start, opening):
        named = any(term.cost < _NAMED for term in wording.terms.at(at)) or wording.conditions.at(at)
        if named or phrase_at(wording.tokens, at, "group"):
            return  # These words say something themselves.
    for term in wording.terms.at(opening + 1):
        if isinstance(term.of, Arithmetic) and wording.word(term.end) == ")":
            yield Segment(kind="term", start=start, end=term.end + 1, term=term, cost=term.cost + 0.5)


def _is_head(wording: Wording, start: int) -> bool:
    """Say whether a noun can be what is asked about: "in every department" only says where."""
    place = start - 1
    while place >= 0 and wording.word(place) in ARTICLES | {"our", "my", "all", "every", "each"}:
        if wording.word(place) in ("every", "each"):
            return False
        place -= 1
    where = ("in", "at", "on", "per", "from", "to", "by", "for", "within")
    return place < 0 or wording.word(place) not in where
