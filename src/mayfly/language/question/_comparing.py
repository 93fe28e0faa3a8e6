"""Read comparisons: a column with a number, a text or another column; and those that name no column."""

from __future__ import annotations

from collections.abc import Iterator

from mayfly.language.question._combine import both, equals, equals_any, turn
from mayfly.language.question._operators import (
    BY_SIZE,
    BY_TEXT,
    NAMED,
    UNSURE,
    Read,
    as_operator,
    operators_at,
    or_more,
)
from mayfly.language.question._query import Column, Compare, Condition, Missing, PartOf
from mayfly.language.question._terms import Quantity, Term, Terms
from mayfly.language.question._texts import read_text_of
from mayfly.language.question._vocabulary import NEAR, ColumnInfo, nouns_of
from mayfly.language.question._when import read_times_of
from mayfly.language.question._words import ARTICLES, bases_of, phrase_at, phrases_at, unit_of
from mayfly.language.question._worth import read_equal, read_numbers, read_weekday_of

# What may stand between a comparing word and the value.
_LINKS = frozenset(
    ["is", "are", "was", "were", "be", "the", "a", "an", "to", "by", "at", "with", "code", "value", "number"]
)


def read_compared(terms: Terms, start: int) -> Iterator[Read]:
    """Read a column and what it is compared with: "amount over 100", "email is missing", "404 status"."""
    for term in terms.at(start):
        yield from _read_compared(terms, term)
    # "404 status", "paid status" say the value first.
    for value in terms.vocabulary.values_at(terms.text, terms.tokens, start):
        for hit in terms.vocabulary.columns_at(terms.tokens, value.end):
            if hit.column.name == value.column.name:
                yield Read(equals(value.column, value.values), hit.end, value.cost + hit.cost)


def _read_compared(terms: Terms, term: Term) -> Iterator[Read]:
    for meaning, end in _operators_of(terms, term):
        if meaning in ("missing", "present"):
            condition: Condition = Missing(of=term.of)
            again = phrase_at(terms.tokens, end + 1, "compare", meaning) if terms.word(end) == "or" else None
            stop = again.end if again else end  # "missing or null"
            yield Read(condition if meaning == "missing" else turn(condition), stop, term.cost)
        elif meaning == "between":
            yield from _read_between(terms, term, end)
        elif meaning in BY_TEXT:
            if _leads_to_text(terms, term.end, end):
                yield from read_text_of(terms, term, meaning, end)
        elif meaning == "not contains":
            for read in read_text_of(terms, term, "contains", end):
                yield Read(turn(read.condition), read.end, read.cost)
        else:
            yield from _read_against(terms, term, meaning, end)
    yield from read_times_of(terms, term)


def _leads_to_text(terms: Terms, start: int, end: int) -> bool:
    """Say whether comparing words are followed by a text: "with" alone leads to anything."""
    quoted = end < len(terms.tokens) and terms.tokens[end].kind == "quoted"
    return terms.word(start) != "with" or end > start + 1 or quoted


def _operators_of(terms: Terms, term: Term) -> Iterator[tuple[str, int]]:
    """Yield the comparisons behind a column: what is said of "temperature readings" is said of their temperature."""
    yield from operators_at(terms, term.end)
    word = terms.word(term.end)
    if term.numeric and (terms.vocabulary.is_noun(word) or bases_of(word) & nouns_of("entity")):
        yield from (one for one in operators_at(terms, term.end + 1) if one[1] > term.end + 1)


def _read_against(terms: Terms, term: Term, operator: str, place: int) -> Iterator[Read]:
    """Compare with a number, a value, or another column."""
    valued = bool(term.info) and operator in ("=", "!=")
    if valued and isinstance(term.of, Column) and any(one.text == "A" for one in terms.tokens[place : place + 1]):
        yield from read_equal(terms, term, operator, place)  # "grade A": a value, and no article.
    place = terms.skip(place, _LINKS)
    quantity = terms.number(place)
    if quantity and term.numeric:
        if _counts_records(terms, term, quantity):
            return
        # "restarted more than 20 times", "over 90% full" only say it more fully.
        more = ("times",) if not quantity.unit else ("full",) if quantity.role == "share" else ()
        way, end = or_more(terms, operator, terms.skip(quantity.end, more))
        value = terms.in_unit_of(quantity, term.info) if term.info else quantity.value
        if value is not None:
            yield from read_numbers(terms, term, way, value, end)
    if valued:
        if isinstance(term.of, Column):
            yield from read_equal(terms, term, operator, place)
        if isinstance(term.of, PartOf):
            yield from read_weekday_of(terms, term, operator, place)
    if place > term.end and operator != "=":
        yield from _read_columns(terms, term, operator, place)


def _counts_records(terms: Terms, term: Term, quantity: Quantity) -> bool:
    """Say whether a number is that of records: "tested 9 times" speaks of how many tests there are."""
    apart = term.info is not None and (term.info.distinct or term.info.role == "id")
    return apart and terms.word(quantity.end) == "times"


def _read_columns(terms: Terms, term: Term, operator: str, place: int) -> Iterator[Read]:
    """Compare with another column of the same kind: "paid less than billed"."""
    for other in terms.at(place):
        alike = (other.numeric, other.moment) == (term.numeric, term.moment) != (False, False)
        if isinstance(other.of, Column) and alike and other.of != term.of:
            condition = Compare(left=term.of, operator=as_operator(operator), value=other.of)
            yield Read(condition, other.end, term.cost + other.cost)


def _read_between(terms: Terms, term: Term, place: int) -> Iterator[Read]:
    """Read "between 5 and 10 kg"."""
    low = terms.number(place)
    if not low or not term.numeric or terms.word(low.end) not in ("and", "to", "-"):
        return
    high = terms.number(low.end + 1)
    if not high or term.info is None:
        return
    # "between 5 and 10 ms" gives its unit once.
    low = low._replace(role=high.role, unit=high.unit) if not low.unit else low
    bounds = terms.in_unit_of(low, term.info), terms.in_unit_of(high, term.info)
    if bounds[0] is not None and bounds[1] is not None:
        between = Compare(left=term.of, operator="between", value=(bounds[0], bounds[1]))
        yield Read(between, high.end, term.cost)


# Without a column.


def read_bare_comparisons(terms: Terms, start: int) -> Iterator[Read]:
    """Read a comparison that names no column: "over 100 euros", "slower than 2 seconds", "between 5 and 10 kg"."""
    for phrase in phrases_at(terms.tokens, start, "compare"):
        if phrase.meaning not in (*BY_SIZE, "between"):
            continue
        place = terms.skip(phrase.end, ARTICLES)
        quantity = terms.number(place)
        high = None
        if phrase.meaning == "between" and quantity and terms.word(quantity.end) in ("and", "to"):
            high = terms.number(quantity.end + 1)
        if not quantity or (phrase.meaning == "between" and not high):
            continue
        for column, cost in _columns_measured_by(terms, start, phrase.end, high or quantity):
            term = Term(Column(name=column.name), column, start, cost)
            if high:
                yield from _read_between(terms, term, place)
                continue
            for read in _read_against(terms, term._replace(end=place), phrase.meaning, place):
                yield Read(_with_currency(terms, read.condition, quantity), read.end, read.cost)


def _columns_measured_by(terms: Terms, start: int, end: int, quantity: Quantity) -> Iterator[tuple[ColumnInfo, float]]:
    """Yield the columns that a number with this unit can be compared with, or that the comparing words mean."""
    roles = [quantity.role] if quantity.role and quantity.role != "share" else []
    roles += ["age"] if quantity.role == "duration" else []
    roles += [one.meaning for one in phrases_at(terms.tokens, start, "comparing") if one.end == end]
    numeric = [one for one in terms.vocabulary.columns if one.numeric and one.role not in ("id", "status")]
    if quantity.role == "share":
        numeric = [one for one in numeric if one.unit == "%" or {"%", "percent", "pct", "rate"} & set(one.words)]
    if roles:
        yield from ((column, NEAR) for column in numeric if column.role in roles)
    elif len(numeric) == 1:
        yield numeric[0], NEAR
    else:
        # Nothing says which of them is meant, so this is only offered.
        yield from ((column, UNSURE) for column in numeric)


def _with_currency(terms: Terms, condition: Condition, quantity: Quantity) -> Condition:
    """Ask for the currency too where the data has a column of them."""
    for column in terms.vocabulary.with_role("currency") if quantity.role == "amount" else ():
        held = [value for value in column.values if isinstance(value, str) and _is_currency(value, quantity.unit)]
        if held:
            return both(condition, equals(column, tuple(held)))
    return condition


def _is_currency(value: str, unit: str) -> bool:
    known = unit_of(value)
    return known is not None and known[1] == unit


def read_counted(terms: Terms, start: int) -> Iterator[Read]:
    """Read a number of what a column counts: "5 nights or more", "over 40 restarts", "less than 10% toner"."""
    compared = [one for one in phrases_at(terms.tokens, start, "compare") if one.meaning in BY_SIZE]
    operator, place = (compared[0].meaning, compared[0].end) if compared else ("=", start)
    number = terms.number(place)
    if number is None:
        return
    if number.unit:
        yield from _read_portions(terms, operator, number)
        return
    values, end = [number.value], number.end
    while terms.word(end) in ("or", "and") and (more := terms.number(end + 1)):
        values, end = [*values, more.value], more.end
    for term in terms.at(end):
        if not term.numeric or not isinstance(term.of, Column) or term.cost >= NAMED:
            continue
        if len(values) > 1:
            yield Read(equals_any(term.of, operator, values), term.end, term.cost)
            continue
        way, stop = or_more(terms, operator, term.end)
        yield Read(Compare(left=term.of, operator=as_operator(way), value=number.value), stop, term.cost)


def _read_portions(terms: Terms, operator: str, number: Quantity) -> Iterator[Read]:
    """Read "less than 10% toner"."""
    for term in terms.at(number.end):
        value = terms.in_unit_of(number, term.info) if term.numeric and term.info else None
        if value is not None and isinstance(term.of, Column):
            yield Read(Compare(left=term.of, operator=as_operator(operator), value=value), term.end, term.cost)
