"""Read conditions about texts: what they contain, how they begin or end, how long they are."""

from __future__ import annotations

from collections.abc import Iterator

from mayfly.language._tokens import Token
from mayfly.language.question._combine import both, turn
from mayfly.language.question._operators import BY_SIZE, BY_TEXT, NAMED, Read, as_operator, operators_at
from mayfly.language.question._query import Column, Compare, Condition, Expression, Or, PartOf
from mayfly.language.question._terms import Term, Terms
from mayfly.language.question._vocabulary import EXACT
from mayfly.language.question._words import ARTICLES, Phrase, bases_of, in_class, is_glue, phrase_at, phrases_at

NEGATIONS = frozenset(
    ("not", "without", "except", "excluding", "exclude", "no", "non", "never", "ignoring", "ignore", "skip", "skipping",
     "omit", "omitting", "isn't", "aren't", "wasn't", "weren't", "don't", "doesn't", "didn't", "neither", "nor",
     "leaving", "out", "but")
)  # fmt: skip
_BEFORE_TEXT = ("the", "a", "an", "word", "words", "text", "string", "phrase", "letter", "letters", "either", "both")


def read_text_of(terms: Terms, term: Term, operator: str, place: int) -> Iterator[Read]:
    """Read a text that a column contains, begins or ends with."""
    if not isinstance(term.of, Column) or (term.info and term.info.kind not in ("text", "list")):
        return
    for text, end in _said_texts(terms, place):
        first: Condition = Compare(left=term.of, operator=as_operator(operator), value=text)
        yield Read(first, end, term.cost)
        if operator == "contains":
            yield from (Read(two, stop, term.cost) for two, stop in _more_texts(terms, term, first, end))


def _more_texts(terms: Terms, term: Term, first: Condition, place: int) -> Iterator[tuple[Condition, int]]:
    """Read what else a text contains or must not contain: "timeout but not retry", "red or blue"."""
    after = terms.skip(place, ("but", "and", "or", ","))
    if after == place:
        return
    behind = terms.skip(after, ("not", "without", "no", "never", "don't", "doesn't"))
    denied = behind > after
    again = phrase_at(terms.tokens, behind, "compare", "contains") if denied else None
    for text, end in _said_texts(terms, again.end if again else behind):
        second: Condition = Compare(left=term.of, operator="contains", value=text)
        if denied:
            yield both(first, turn(second)), end
        elif not terms.at(behind) and not terms.vocabulary.values_at(terms.text, terms.tokens, behind):
            yield (Or(of=(first, second)) if terms.word(place) == "or" else both(first, second)), end


def _said_texts(terms: Terms, place: int) -> Iterator[tuple[str, int]]:
    """Yield a quoted text, or a word that begins here."""
    place = terms.skip(place, _BEFORE_TEXT)
    if place >= len(terms.tokens):
        return
    token = terms.tokens[place]
    if token.unit == "xx":
        return
    if token.kind != "sign" and not (token.kind == "word" and (is_glue(token.plain) or token.plain in NEGATIONS)):
        end = place + 1
        while end < len(terms.tokens) and _is_capital(terms.tokens[end - 1]) and _is_capital(terms.tokens[end]):
            end += 1
        # "Harrow Lane" is one name.
        yield terms.text[token.start : terms.tokens[end - 1].end] if end > place + 1 else token.text, end


def _is_capital(token: Token) -> bool:
    return token.kind == "word" and token.text[:1].isupper() and token.text[1:].islower()


def read_texts(terms: Terms, start: int) -> Iterator[Read]:
    """Read a text that the line has, or the one column of running text: "containing error", "about refunds"."""
    for phrase in phrases_at(terms.tokens, start, "compare"):
        if phrase.meaning not in BY_TEXT or not _speaks_of_text(terms, start, phrase):
            continue
        columns = [Column(name=column.name) for column in terms.vocabulary.with_role("message")]
        whole = len(columns) != 1 or phrase.meaning != "contains" or _asks_for_lines(terms)
        where = Column(name="") if whole else columns[0]
        for read in read_text_of(terms, Term(where, None, start, EXACT), phrase.meaning, phrase.end):
            insensitive = phrase_at(terms.tokens, terms.skip(read.end, (",", "(")), "lists", "insensitive")
            yield read if insensitive is None else read._replace(end=terms.skip(insensitive.end, (")",)))


def _speaks_of_text(terms: Terms, start: int, phrase: Phrase) -> bool:
    """Say whether comparing words are about the text of a record, and not about a column or a code."""
    before = terms.at(start - 1) if start else []
    if any(term.info is not None and term.info.kind == "text" and term.cost < NAMED for term in before):
        return False  # "comments mention the boiler" speaks of the comments.
    quoted = phrase.end < len(terms.tokens) and terms.tokens[phrase.end].kind == "quoted"
    if phrase.meaning != "contains" and not quoted and not _asks_for_lines(terms):
        return False  # "ended in a 4xx" speaks of no text.
    # "with" alone leads to anything.
    return not (terms.word(start) == "with" and phrase.end == start + 1 and not quoted)


def _asks_for_lines(terms: Terms) -> bool:
    """Say whether the records are lines: they are called so, or there is nothing but their text."""
    return any(token.plain in ("line", "lines") for token in terms.tokens) or len(terms.vocabulary.columns) == 1


def read_long_texts(terms: Terms, start: int) -> Iterator[Read]:
    """Read how long a text is: "names longer than 10 characters", "lines with more than 80 characters"."""
    begin: list[tuple[Expression, int, float]] = [
        (term.of, terms.skip(term.end, ("that", "are", "is", "with", "of", "which")), term.cost)
        for term in terms.at(start)
        if isinstance(term.of, Column) and term.info and term.info.kind == "text"
    ]
    begin += [(Column(name=""), start, EXACT)] if _asks_for_lines(terms) else []
    for of, place, cost in begin:
        for phrase in phrases_at(terms.tokens, place, "compare"):
            if phrase.meaning not in BY_SIZE and terms.word(place) != "exactly":
                continue
            number = terms.number(phrase.end)
            if number and bases_of(terms.word(number.end)) & {"character", "letter", "char"}:
                left = PartOf(part="length", of=of)
                condition = Compare(left=left, operator=as_operator(phrase.meaning), value=number.value)
                yield Read(condition, number.end + 1, cost)


def read_inside(terms: Terms, start: int) -> Iterator[Read]:
    """Read a text that stands in a column: "with python3 in the command", "E33 among their errors"."""
    token = terms.tokens[start]
    if token.kind not in ("word", "code", "quoted") or is_glue(token.plain):
        return
    if terms.word(start + 1) not in ("in", "among"):
        return
    if terms.at(start) or terms.vocabulary.is_noun(token.plain) or in_class(token.plain, "happened"):
        return
    for term in terms.at(terms.skip(start + 2, ("the", "its", "their", "a"))):
        if not isinstance(term.of, Column) or term.cost >= NAMED:
            continue
        texts = term.info.values if term.info and term.info.kind in ("text", "list") else ()
        if any(token.text.lower() in str(value).lower() for value in texts):
            yield Read(Compare(left=term.of, operator="contains", value=token.text), term.end, term.cost + 0.3)


def read_called(terms: Terms, start: int) -> Iterator[Read]:
    """Read what is said of the name of what was named before: "customers whose name begins with B"."""
    place = terms.skip(start + 1, ARTICLES)
    if terms.word(start) not in ("whose", "with") or bases_of(terms.word(place)).isdisjoint(("name", "title")):
        return
    before = [term.info for at in range(start) for term in terms.at(at) if term.end <= start]
    named = [info for info in before if info and info.kind == "text"] or terms.vocabulary.with_role("name")
    for column in dict.fromkeys(named):
        term = Term(Column(name=column.name), column, place + 1, EXACT)
        for meaning, end in operators_at(terms, place + 1):
            if meaning in BY_TEXT:
                yield from (read._replace(cost=read.cost + 0.2) for read in read_text_of(terms, term, meaning, end))


def read_endings(terms: Terms, start: int) -> Iterator[Read]:
    """Read a kind of file by its ending: "the .log files"."""
    text = terms.tokens[start].text
    if not text.startswith(".") or not text[1:].isalnum():
        return
    for column in terms.vocabulary.columns:
        if column.kind == "text" and any(str(value).endswith(text) for value in column.values):
            yield Read(Compare(left=Column(name=column.name), operator="ends with", value=text), start + 1, EXACT)
