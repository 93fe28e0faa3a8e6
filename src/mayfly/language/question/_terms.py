"""Read the small parts of a question: expressions over columns, numbers with units, moments."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple, cast

from mayfly.language._inflect import bases
from mayfly.language._tokens import Token
from mayfly.language.question._query import (
    Arithmetic,
    Column,
    Constant,
    Expression,
    Part,
    PartOf,
    Sign,
    TimePart,
)
from mayfly.language.question._vocabulary import AKIN, EXACT, NEAR, ColumnInfo, Vocabulary, roles_of
from mayfly.language.question._words import (
    ARTICLES,
    NUMBER_WORDS,
    UNIT_SIZES,
    phrase_at,
    phrases_at,
    unit_of,
    word_at,
)

# Words that may stand between the parts of an expression and say nothing.
_OF = ("of", "the", "column", "field", "a", "an", "in", "all", "each")
# A moment that was not named and is not the record's own is less likely by more than rivals are apart.
_OTHER_MOMENT = 0.6
_NUMBERS = ("number", "numbers", "code", "codes", "id", "ids")
_NAMING = ("column", "columns", "field", "fields")


class Term(NamedTuple):
    """An expression that was named, what is known of its column, where the words end and how far they are from it."""

    of: Expression
    info: ColumnInfo | None
    end: int
    cost: float

    @property
    def numeric(self) -> bool:
        """Whether its values are numbers."""
        if isinstance(self.of, Column):
            return self.info is not None and self.info.numeric and self.info.role != "id"
        return isinstance(self.of, (Arithmetic, Constant)) or self.of.part in ("length", "items")

    @property
    def moment(self) -> bool:
        """Whether its values are moments."""
        return isinstance(self.of, Column) and self.info is not None and self.info.kind == "time"


class Quantity(NamedTuple):
    """A number that was said, what it measures where that was said too, and where it ends."""

    value: int | float
    role: str
    unit: str
    end: int


class Terms:
    """Read expressions at any place of one question."""

    def __init__(self, text: str, tokens: Sequence[Token], vocabulary: Vocabulary) -> None:
        self.text, self.tokens, self.vocabulary = text, tokens, vocabulary
        self._known: dict[int, list[Term]] = {}

    def word(self, place: int) -> str:
        """Return the word at a place."""
        return word_at(self.tokens, place)

    def skip(self, place: int, words: Sequence[str] | frozenset[str]) -> int:
        """Return the first place from *place* on that holds none of *words*."""
        while place < len(self.tokens) and self.word(place) in words:
            place += 1
        return place

    def at(self, start: int) -> list[Term]:
        """Return every expression that begins at *start*."""
        if start not in self._known:
            self._known[start] = [] if start >= len(self.tokens) else list(self._read(start))
        return self._known[start]

    def _read(self, start: int) -> Iterator[Term]:
        simple = [*self._columns(start), *self._parts(start)]
        for term in simple:
            yield from self._worked(term)
        yield from simple
        yield from self._named_arithmetic(start)
        if self.word(start) == "how" and self.word(start + 1) == "long":
            for column in self.vocabulary.with_role("duration"):
                if column.numeric:
                    yield Term(Column(name=column.name), column, start + 2, AKIN)
        yield from self._between_moments(start)

    def _columns(self, start: int) -> Iterator[Term]:
        # "the column amount", "amount column" name the column and nothing else.
        place = self.skip(start, _NAMING) if self.word(start) in _NAMING else start
        for hit in self.vocabulary.columns_at(self.tokens, start) if place > start else ():
            yield Term(Column(name=hit.column.name), hit.column, hit.end, hit.cost)  # "column 2" is a name itself.
        if self.vocabulary.is_noun(self.word(start)) and start + 1 < len(self.tokens):
            # "ticket status" of tickets is their status.
            for hit in self.vocabulary.columns_at(self.tokens, start + 1):
                if hit.cost == EXACT:
                    yield Term(Column(name=hit.column.name), hit.column, hit.end, 0.1)
        for hit in self.vocabulary.columns_at(self.tokens, place):
            end = hit.end + 1 if self.word(hit.end) in _NAMING else hit.end
            # "ring numbers" of a column that has them.
            named = (
                hit.column.kind == "text"
                and self.word(end) in _NUMBERS
                and not self.vocabulary.columns_at(self.tokens, end)
            )
            end += named and self.word(end + 1) != "of"
            # "finish time" of a column that tells how long it took.
            end += hit.column.numeric and hit.column.role == "duration" and self.word(end) in ("time", "times")
            scaled = self._in_said_unit(hit.column, self.word(place)) if hit.end == place + 1 else None
            of: Expression = scaled or Column(name=hit.column.name)
            yield Term(of, hit.column, end, hit.cost if place == start else EXACT)

    def _in_said_unit(self, column: ColumnInfo, word: str) -> Expression | None:
        """Return a column in the unit by which it was named, if that is not its own: "minutes" of so many seconds."""
        said, own = unit_of(word) if len(word) > 3 else None, unit_of(column.unit) if column.unit else None
        if said is None or own is None or said[0] != own[0] or said[1] == own[1] or word in column.words:
            return None
        factor = UNIT_SIZES[said[1]] / UNIT_SIZES[own[1]] if {said[1], own[1]} <= UNIT_SIZES.keys() else 1
        value = int(factor) if factor == int(factor) else factor
        return Arithmetic(sign="/", left=Column(name=column.name), right=Constant(value=value))

    def _parts(self, start: int) -> Iterator[Term]:
        """Read a span of time ("hour", "day of the week") of the moments, and other parts of one value."""
        for phrase in phrases_at(self.tokens, start, "parts"):
            part = cast("TimePart", phrase.meaning)
            named = list(self._after_of(phrase.end))
            moments = [term for term in named if term.moment]
            if moments:
                yield from (Term(PartOf(part=part, of=one.of), one.info, one.end, one.cost) for one in moments)
                continue
            # Who says "date" names a column, and with several of them nobody knows which.
            named_so = self.word(start) in ("date", "dates")
            for column, cost in self.moments(part):
                span = PartOf(part=part, of=Column(name=column.name))
                yield Term(span, column, phrase.end, EXACT if named_so else cost)
        if self.word(start) in ("domain", "domains"):
            named = [term for term in self._after_of(start + 1) if isinstance(term.of, Column)]
            columns = [(one.of, one.info, one.end, one.cost) for one in named]
            columns = columns or [
                (Column(name=one.name), one, start + 1, EXACT) for one in self.vocabulary.with_role("email")
            ]
            for of, info, end, cost in columns:
                yield Term(PartOf(part="domain", of=of), info, end, cost)
        if length := phrase_at(self.tokens, start, "lists", "length"):
            for term in self.at(self.skip(length.end, _OF)):
                if isinstance(term.of, Column) and term.info and term.info.kind in ("text", "list"):
                    part_: Part = "items" if term.info.kind == "list" else "length"
                    yield term._replace(of=PartOf(part=part_, of=term.of))

    def moments(self, part: TimePart | None = None) -> list[tuple[ColumnInfo, float]]:
        """Return the columns of moments, each with how far it is from being meant where none is named.

        One that the question names is meant, then the moment of the record itself; where neither is known they are
        rivals, and none is taken for the others.
        """
        columns = [one for one in self.vocabulary.columns if one.kind == "time" and (not part or _has_part(one, part))]
        meant = [column for column in columns if column.name in self._named_moments]
        meant = meant or [column for column in columns if column.main]
        meant = meant or [column for column in columns if column.tells == "moment"]
        return [(column, EXACT if not meant or column in meant else _OTHER_MOMENT) for column in columns]

    @cached_property
    def _named_moments(self) -> frozenset[str]:
        """The columns of moments that some words of the question name, by more than "date" or "time"."""
        return frozenset(
            hit.column.name
            for place in range(len(self.tokens))
            for hit in self.vocabulary.columns_at(self.tokens, place)
            if hit.column.kind == "time"
            and hit.cost <= NEAR
            and roles_of((self.word(place),)) != ("timestamp",)
            and not self.vocabulary.is_noun(self.word(place))
        )

    def _after_of(self, place: int) -> list[Term]:
        if self.word(place) != "of":
            return []
        return list(self._columns(self.skip(place + 1, _OF)))

    def _worked(self, left: Term) -> Iterator[Term]:
        """Read "qty times price", "gross - net"."""
        sign = phrase_at(self.tokens, left.end, "arithmetic")
        moments = left.moment and sign is not None and sign.meaning == "-"
        if sign is None or sign.meaning not in ("*", "+", "-", "/") or not (left.numeric or moments):
            return
        place = self.skip(sign.end, ARTICLES)
        if moments:  # "delivered minus shipped" is how long it took.
            for right in self._columns(place):
                if right.moment and right.of != left.of:
                    span = Arithmetic(sign="-", left=left.of, right=right.of)
                    yield Term(span, left.info, right.end, left.cost + right.cost)
            return
        rights = [right for right in self._columns(place) if right.numeric]
        number = self.number(place)
        if number and not number.unit and self.word(left.end) != "over":  # "value over 30" compares.
            rights.append(Term(Constant(value=number.value), None, number.end, EXACT))
        for right in rights:
            of = Arithmetic(sign=cast("Sign", sign.meaning), left=left.of, right=right.of)
            yield Term(of, left.info, right.end, left.cost + right.cost)

    def _named_arithmetic(self, start: int) -> Iterator[Term]:
        """Read "product of qty and price", "difference between gross and net"."""
        phrase = phrase_at(self.tokens, start, "arithmetic")
        signs: dict[str, Sign] = {"product": "*", "difference": "-", "ratio": "/"}
        if phrase is None or phrase.meaning not in signs:
            return
        for left in self._columns(self.skip(phrase.end, ARTICLES)):
            if self.word(left.end) not in ("and", "to") or not left.numeric:
                continue
            for right in self._columns(self.skip(left.end + 1, ARTICLES)):
                if right.numeric:
                    of = Arithmetic(sign=signs[phrase.meaning], left=left.of, right=right.of)
                    yield Term(of, left.info, right.end, left.cost + right.cost)

    def _between_moments(self, start: int) -> Iterator[Term]:
        """Read the time from one moment to another: "days from shipped to delivered", "hours between start and end"."""
        if self.word(start) == "number" and self.word(start + 1) == "of":
            yield from self._between_moments(start + 2)
        unit = self.unit_at(start)
        place = self.skip(start + 1, ("it", "takes", "took", "passed", "elapsed", "that", "needed", "lie", "lies"))
        if not unit:
            # "how many days does each carrier need from booking to delivery" gives the unit apart.
            units = [size for at in range(start) if (size := self.unit_at(at)) > 1]
            unit, place = (units[0] if len(units) == 1 else 1), start
        if not unit or self.word(place) not in ("from", "between"):
            return
        for first in self._moment_columns(place + 1):
            joint = self.skip(first.end, ("date", "time"))
            if self.word(joint) not in ("to", "and", "until", "till"):
                continue
            for last in self._moment_columns(joint + 1):
                if last.of != first.of and last.moment == first.moment:
                    span: Expression = Arithmetic(sign="-", left=last.of, right=first.of)
                    if unit > 1:
                        span = Arithmetic(sign="/", left=span, right=Constant(value=unit))
                    yield Term(span, first.info, last.end, first.cost + last.cost)

    def unit_at(self, place: int) -> int:
        """Return how many seconds the unit at a place has; one for "time", none for any other word."""
        word = self.word(place)
        sizes = {"second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 604800}
        named = next((size for name, size in sizes.items() if name in bases(word)), 0)
        return named or int(word in ("time", "duration"))

    def _moment_columns(self, place: int) -> list[Term]:
        """Return the columns of moments that are named at a place, "the date of a visit" by a date."""
        found = list(self._columns(self.skip(place, ARTICLES)))
        return [term for term in found if term.moment or (term.numeric and term.info and term.info.role == "duration")]

    # Numbers.

    def number(self, place: int) -> Quantity | None:
        """Return the number at a place with the unit that is written in it or behind it."""
        if place >= len(self.tokens):
            return None
        token = self.tokens[place]
        if token.kind == "clock" and token.text.count(":") == 2:
            # How long something took is written like a time of day.
            lasting = any(one.numeric and one.role == "duration" for one in self.vocabulary.columns)
            seconds = cast("tuple[int, int]", token.value)[0]
            return Quantity(seconds, "duration", "s", place + 1) if lasting else None
        if self.word(place) == "half" and self.word(place + 1) in ARTICLES:
            return self._with_unit(0.5, "", place + 2)
        if token.kind != "number" or not isinstance(token.value, (int, float)):
            written = NUMBER_WORDS.get(self.word(place))
            return None if written is None else self._with_unit(written, "", place + 1)
        commas = any(one.comma for one in self.vocabulary.columns)
        if commas and re.fullmatch(r"\d{1,3}(\.\d{3})+", token.text):
            # Where fractions have a comma, 2.000 is two thousand.
            return self._with_unit(int(token.text.replace(".", "")), token.unit, place + 1)
        return self._with_unit(token.value, token.unit, place + 1)

    def _with_unit(self, value: int | float, written: str, end: int) -> Quantity | None:
        if written:
            known = unit_of(written)
            if known is None:
                return Quantity(value, "", written, end)
            return self._scaled(value, *known, end)
        following = self.word(end)
        if following and any(one.unit == following for one in self.vocabulary.columns) and unit_of(following) is None:
            return Quantity(value, "", "", end + 1)  # The column's own unit, whatever that is.
        known = unit_of(following) if len(following) > 1 or following in ("%", "$", "€", "£") else None
        # "3 days" behind "last" is read there; a unit that is a column's name ("5 minutes") is that all the same.
        return self._scaled(value, *known, end + 1) if known else Quantity(value, "", "", end)

    def _scaled(self, value: int | float, role: str, unit: str, end: int) -> Quantity | None:
        if role == "number":
            return Quantity(value * (1000 if unit == "k" else 1_000_000), "", "", end)
        return Quantity(value, role, unit, end)

    def in_unit_of(self, quantity: Quantity, column: ColumnInfo) -> int | float | None:
        """Return a quantity in the unit of a column's numbers; None where it measures something else."""
        if not quantity.unit:
            return quantity.value
        if quantity.role == "share" or (quantity.role == "amount" and not column.unit):
            return quantity.value
        own = unit_of(column.unit) if column.unit else None
        if own is None:
            return quantity.value if column.role in ("", quantity.role) else None
        if own[0] != quantity.role:
            return None
        if quantity.unit == own[1]:
            return quantity.value
        if quantity.unit not in UNIT_SIZES or own[1] not in UNIT_SIZES:
            return None
        value = quantity.value * UNIT_SIZES[quantity.unit] / UNIT_SIZES[own[1]]
        return int(value) if value == int(value) else value


def _has_part(column: ColumnInfo, part: TimePart) -> bool:
    """Say whether moments of a column have a part: dates have no hour, times of day no month."""
    of_clock = part in ("second", "minute", "hour", "hour of day", "clock time")
    return column.tells == "moment" or (column.tells == "clock") == of_clock
