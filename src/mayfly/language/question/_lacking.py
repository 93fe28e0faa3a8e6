"""Read conditions about what is missing, what did not happen, what holds of yes and no, and what comes twice."""

from __future__ import annotations

from collections.abc import Iterator

from mayfly.language._inflect import is_made_of
from mayfly.language.question._combine import both, equals, turn
from mayfly.language.question._operators import Read
from mayfly.language.question._query import Column, Compare, Condition, Expression, Missing, Not, Repeated, Scalar
from mayfly.language.question._terms import Term, Terms
from mayfly.language.question._vocabulary import AKIN, EXACT, ColumnInfo
from mayfly.language.question._words import ARTICLES, phrase_at, phrases_at

# How a word is turned into its opposite, and how the word itself begins.
_OPPOSITES = (("un", ""), ("in", ""), ("non", ""), ("dis", ""), ("dis", "en"), ("off", "on"))


def read_lacking(terms: Terms, start: int) -> Iterator[Read]:
    """Read "without an email", "have a note", "neither email nor phone", "nobody owns", "empty notes"."""
    for phrase in phrases_at(terms.tokens, start, "compare"):
        if phrase.meaning in ("lack", "own"):
            for term in terms.at(terms.skip(phrase.end, ARTICLES)):
                yield from _lack(terms, term, lacks=phrase.meaning == "lack")
    yield from _read_neither(terms, start)
    yield from _read_nobody(terms, start)
    lone = phrase_at(terms.tokens, start, "compare", "missing") or phrase_at(terms.tokens, start, "compare", "present")
    for term in terms.at(lone.end) if lone else ():
        if isinstance(term.of, Column) and lone:
            condition = Missing(of=term.of)
            yield Read(condition if lone.meaning == "missing" else turn(condition), term.end, term.cost)


def _lack(terms: Terms, term: Term, *, lacks: bool) -> Iterator[Read]:
    """Ask that a column has no value, or one; of a column of yes and no that it says so."""
    if not isinstance(term.of, Column):
        return
    named = ("value", "values", "date", "time") if term.moment else ("value", "values")
    condition: Condition = Missing(of=term.of)
    if term.info is not None and not term.info.optional:
        yes = _yes_of(term.info)
        if not yes:
            return  # Nothing is ever missing there, so that is not what is meant.
        condition = turn(equals(term.info, yes))
    yield Read(condition if lacks else turn(condition), term.end + (terms.word(term.end) in named), term.cost)


def _read_neither(terms: Terms, start: int) -> Iterator[Read]:
    """Read "who has neither email nor phone"."""
    if terms.word(start) != "neither":
        return
    for one in terms.at(terms.skip(start + 1, ARTICLES)):
        for two in terms.at(terms.skip(one.end + 1, ARTICLES)) if terms.word(one.end) == "nor" else ():
            yield Read(both(Missing(of=one.of), Missing(of=two.of)), two.end, one.cost + two.cost)


def _read_nobody(terms: Terms, start: int) -> Iterator[Read]:
    """Read "tickets nobody owns", "where nobody filled in the insurance"."""
    nobody = phrase_at(terms.tokens, start, "compare", "nobody")
    if nobody is None:
        return
    for place in range(nobody.end, min(nobody.end + 4, len(terms.tokens))):
        if optional := _optional_at(terms, place):
            yield from (Read(Missing(of=of), end, cost) for of, end, cost in optional)
            return


def _optional_at(terms: Terms, place: int) -> list[tuple[Expression, int, float]]:
    """Return the columns with missing values that a word names, or whose name is made of it: an owner owns."""
    named: list[tuple[Expression, int, float]] = [
        (term.of, term.end, term.cost) for term in terms.at(place) if term.info is not None and term.info.optional
    ]
    return named or [
        (Column(name=one.name), place + 1, AKIN)
        for one in terms.vocabulary.columns
        if one.optional and is_made_of(one.words[-1], terms.word(place))
    ]


def read_participles(terms: Terms, start: int) -> Iterator[Read]:
    """Read what happened to a record where a column has the moment of it: "delivered", "not shipped yet"."""
    if not terms.word(start).endswith("ed"):
        return
    for term in terms.at(start):
        optional = isinstance(term.of, Column) and term.info is not None and term.info.optional
        if terms.vocabulary.joined and not optional:
            continue  # What has no partner is not there, so that nothing can be said of it.
        if (term.moment or (optional and not term.numeric)) and (term.end == start + 1 or term.cost == EXACT):
            yield Read(Not(of=Missing(of=term.of)), term.end, term.cost + 0.2)


def read_opposites(terms: Terms, start: int) -> Iterator[Read]:
    """Read what did not happen, and the other of two: "undelivered", "unpaid", "offline", "inactive"."""
    word, vocabulary = terms.word(start), terms.vocabulary
    for prefix, instead in _OPPOSITES:
        if not word.startswith(prefix) or len(word) < len(prefix) + 4:
            continue
        plain = instead + word[len(prefix) :]
        done = terms.tokens[start]._replace(text=plain, plain=plain, start=0, end=len(plain))
        for hit in vocabulary.columns_at([done], 0):
            if hit.column.kind == "time":
                yield Read(Missing(of=Column(name=hit.column.name)), start + 1, hit.cost + 0.2)
            elif yes := _yes_of(hit.column):
                yield Read(turn(equals(hit.column, yes)), start + 1, hit.cost + 0.2)
        for value in vocabulary.values_at(plain, [done], 0):
            if value.column.kind in ("text", "bool"):
                yield Read(turn(equals(value.column, value.values)), start + 1, value.cost + 0.5)


def read_truths(terms: Terms, start: int) -> Iterator[Read]:
    """Read a column of yes and no that stands for itself: "active users", "not active", "queen not seen"."""
    vocabulary = terms.vocabulary
    if terms.word(start + 1) == "not":
        parts = [terms.tokens[start], *terms.tokens[start + 2 : start + 4]]
        for hit in vocabulary.columns_at(parts, 0):
            if hit.end > 1 and hit.cost == EXACT and (yes := _yes_of(hit.column)):
                yield Read(turn(equals(hit.column, yes)), start + 1 + hit.end, EXACT)
    for hit in vocabulary.columns_at(terms.tokens, start):
        if hit.column.kind == "bool":
            yield Read(Compare(left=Column(name=hit.column.name), operator="=", value=True), hit.end, hit.cost)
        elif yes := _yes_of(hit.column):
            yield Read(equals(hit.column, yes), hit.end, hit.cost + 0.5)


def read_repeats(terms: Terms, start: int) -> Iterator[Read]:
    """Read "duplicate emails", "emails that appear more than once"."""
    if phrase := phrase_at(terms.tokens, start, "lists", "repeated"):
        for term in terms.at(phrase.end):
            if isinstance(term.of, Column):
                yield Read(Repeated(of=(term.of,)), term.end, term.cost)
    for term in terms.at(start):
        place = terms.skip(term.end, ("that", "which", "who", "are", "is"))
        phrase = phrase_at(terms.tokens, place, "lists", "repeated")
        if phrase and isinstance(term.of, Column):
            yield Read(Repeated(of=(term.of,)), phrase.end, term.cost)


def _yes_of(column: ColumnInfo) -> tuple[Scalar, ...]:
    """Return the values of a column of yes and no that stand for yes; none of any other column."""
    if column.kind == "bool":
        return (True,)
    held = {str(value).lower(): value for value in column.values}
    if not held or not set(held) <= {"yes", "no", "y", "n", "true", "false", "t", "f"}:
        return ()
    return tuple(value for text, value in held.items() if text[0] in "yt")
