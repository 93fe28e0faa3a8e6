"""Read conditions: what a column is compared with, values that stand for themselves, moments, what is missing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple, cast

from mayfly.language._inflect import is_made_of
from mayfly.language._moments import Span, month_number
from mayfly.language._tokens import Token
from mayfly.language.question._query import (
    And,
    Column,
    Compare,
    Condition,
    Expression,
    Missing,
    Not,
    Operator,
    Or,
    PartOf,
    Recent,
    Repeated,
    Scalar,
)
from mayfly.language.question._terms import Quantity, Term, Terms
from mayfly.language.question._vocabulary import AKIN, EXACT, NEAR, ColumnInfo, nouns_of
from mayfly.language.question._words import (
    ARTICLES,
    bases_of,
    in_class,
    is_glue,
    phrase_at,
    phrases_at,
    table_bases,
    unit_of,
)

# A word that stands in the data, but is no value by itself: only ever offered, never taken.
UNSURE = 5.0
_JOINING = ("or", ",", "and", "nor", "vs", "versus")
_LINKS = frozenset(
    ("is", "are", "was", "were", "be", "the", "a", "an", "of", "to", "by", "at", "with", "code", "value", "number")
)
_NEGATIONS = frozenset(
    ("not", "without", "except", "excluding", "exclude", "no", "non", "never", "ignoring", "ignore", "skip", "skipping", "omit", "omitting",
     "isn't", "aren't", "wasn't", "weren't", "don't", "doesn't", "didn't", "neither", "nor", "leaving",
        "out", "but")
)  # fmt: skip
_TWO_WORDS = {
    "leave": "out",
    "other": "than",
    "apart": "from",
    "aside": "from",
    "rather": "than",
    "instead": "of",
    "all": "but",
}
# How a word is turned into its opposite, and how the word itself begins.
_OPPOSITES = (("un", ""), ("in", ""), ("non", ""), ("dis", ""), ("dis", "en"), ("off", "on"))
_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 604800}
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


class Read(NamedTuple):
    """A condition, where its words end, and how far they are from it."""

    condition: Condition
    end: int
    cost: float


class Conditions:
    """Read conditions at any place of one question."""

    def __init__(self, terms: Terms) -> None:
        self.terms, self.tokens, self.vocabulary = terms, terms.tokens, terms.vocabulary
        self._known: dict[int, list[Read]] = {}

    def at(self, start: int) -> list[Read]:
        """Return every condition that begins at *start*."""
        if start not in self._known:
            self._known[start] = []  # What begins here cannot hold itself.
            if start < len(self.tokens):
                self._known[start] = list(self._read(start))
        return self._known[start]

    def _word(self, place: int) -> str:
        return self.terms.word(place)

    def _read(self, start: int) -> Iterator[Read]:
        yield from self._negated(start)
        yield from self._of_columns(start)
        yield from self._lacking(start)
        yield from self._values(start)
        yield from self._bare_comparison(start)
        yield from self._numbered_columns(start)
        yield from self._participles(start)
        yield from self._long_texts(start)
        yield from self._undone(start)
        yield from self._inside(start)
        yield from self._named_so(start)
        yield from self._endings(start)
        for phrase in phrases_at(self.tokens, start, "outcome_phrases"):
            for column in self.vocabulary.with_role("status"):
                if column.numeric and _are_codes(column):
                    low = int(phrase.meaning) * 100
                    yield Read(
                        Compare(left=Column(name=column.name), operator="between", value=(low, low + 99)),
                        phrase.end,
                        EXACT,
                    )
        yield from self._outcomes(start)
        yield from self._truths(start)
        yield from self._texts(start)
        yield from self._times(start)
        yield from self._repeats(start)

    # Denials.

    def _negated(self, start: int) -> Iterator[Read]:
        word = self._word(start)
        two = _TWO_WORDS.get(word)
        if word not in _NEGATIONS and two is None and not word.endswith("n't"):
            return
        place = start + 1
        if two is not None:
            if self._word(place) != two:
                return
            place += 1
        if word == "out" and self._word(place) != "of":
            return
        if word == "out":  # "out of stock" has none of it.
            for term in self.terms.at(place + 1):
                if term.numeric:
                    yield Read(Compare(left=term.of, operator="=", value=0), term.end, term.cost)
        if word == "but":
            place = self.terms.skip(place, ("were", "was", "are", "is", "that", "have", "has", "had"))
            if self._word(place) not in _NEGATIONS:
                return
            place += 1
        while (is_glue(self._word(place)) and self._word(place) not in ("one", ",")) or self._word(place) == "for":
            place += 1
        while in_class(self._word(place), "happened") or (self._is_noun_verb(place) and not self.at(place)):
            place += 1
        place = self.terms.skip(place, ("by", "the", "a", "an", "in", "from", "for", "to", "with", "of", "any"))
        for read in self.at(place):
            yield Read(_turn(read.condition), read.end, read.cost)

    def _is_noun_verb(self, place: int) -> bool:
        """Say whether a word is a verb made of what a record is called: "booked" of bookings."""
        word = self._word(place)
        return word.endswith("ed") and not bases_of(word).isdisjoint(self.vocabulary.nouns)

    # A column and what it is compared with.

    def _of_columns(self, start: int) -> Iterator[Read]:
        for term in self.terms.at(start):
            yield from self._compared(term)
        # "404 status", "paid status" say the value first.
        for value in self.vocabulary.values_at(self.terms.text, self.tokens, start):
            for hit in self.vocabulary.columns_at(self.tokens, value.end):
                if hit.column.name == value.column.name:
                    yield Read(_equals(value.column, value.values), hit.end, value.cost + hit.cost)

    def _compared(self, term: Term) -> Iterator[Read]:
        # "temperature readings below zero": what is said of the readings is said of their temperature.
        noun = self.vocabulary.is_noun(self._word(term.end)) or bool(
            bases_of(self._word(term.end)) & nouns_of("entity")
        )
        behind = self._operators(term.end + 1) if noun and term.numeric else ()
        for meaning, end in (*self._operators(term.end), *(one for one in behind if one[1] > term.end + 1)):
            if meaning in ("missing", "present"):
                condition: Condition = Missing(of=term.of)
                again = phrase_at(self.tokens, end + 1, "compare", meaning) if self._word(end) == "or" else None
                end = again.end if again else end  # "missing or null"
                yield Read(condition if meaning == "missing" else _turn(condition), end, term.cost)
            elif meaning == "between":
                yield from self._between(term, end)
            elif meaning in ("contains", "starts with", "ends with"):
                quoted = end < len(self.tokens) and self.tokens[end].kind == "quoted"
                if self._word(term.end) != "with" or end > term.end + 1 or quoted:  # "with" alone leads to anything.
                    yield from self._text_of(term, meaning, end)
            else:
                yield from self._against(term, meaning, end)
        yield from self._timed(term, term.end)

    def _operators(self, place: int) -> Iterator[tuple[str, int]]:
        """Yield the comparisons that begin here; "is" before another one adds nothing, none at all is equality."""
        here = self.terms.skip(place, ("is", "are", "was", "were", "be", "has", "have"))
        # An auxiliary of a denial: "does not contain", "is not between".
        denied = here
        if self._word(here) in ("does", "do", "did"):
            denied = here + 1
        for start in dict.fromkeys((place, here, denied)):
            for phrase in phrases_at(self.tokens, start, "compare"):
                if phrase.meaning not in ("lack", "own"):
                    yield phrase.meaning, phrase.end
        if self._word(denied) == "not":
            for phrase in phrases_at(self.tokens, denied + 1, "compare"):
                turned = {">": "<=", ">=": "<", "<": ">=", "<=": ">", "=": "!="}.get(phrase.meaning)
                if turned:
                    yield turned, phrase.end
                elif phrase.meaning == "contains":
                    yield "not contains", phrase.end
        yield "=", self.terms.skip(place, ("code", "number", "value"))

    def _against(self, term: Term, operator: str, place: int) -> Iterator[Read]:
        """Compare with a number, a value, or another column."""
        if operator == "not contains":
            yield from (
                Read(_turn(read.condition), read.end, read.cost) for read in self._text_of(term, "contains", place)
            )
            return
        plain = operator in ("=", "!=")
        if term.info and plain and isinstance(term.of, Column) and self.tokens[place : place + 1]:
            if self.tokens[place].text == "A":  # "grade A": a value, and no article.
                yield from self._equal(term, operator, place)
        place = self.terms.skip(place, _LINKS - {"of"} | ARTICLES)
        quantity = self.terms.number(place)
        if quantity and term.numeric:
            # "restarted more than 20 times", "over 90% full" only say it more fully.
            if self._word(quantity.end) == "times" and term.info and (term.info.distinct or term.info.role == "id"):
                return  # "tested 9 times" speaks of how many tests there are.
            more = ("times",) if not quantity.unit else ("full",) if quantity.role == "share" else ()
            operator_, end = _or_more(self.terms, operator, self.terms.skip(quantity.end, more), place != term.end)
            value = self.terms.in_unit_of(quantity, term.info) if term.info else quantity.value
            if value is not None:
                yield from self._or_others(term, operator_, value, end)
        if term.info and plain and isinstance(term.of, Column):
            yield from self._equal(term, operator, place)
        if term.info and isinstance(term.of, PartOf) and plain:
            yield from self._equal_part(term, operator, place)
        if place > term.end and operator != "=":
            for other in self.terms.at(place):
                if (
                    isinstance(other.of, Column)
                    and (other.numeric, other.moment) == (term.numeric, term.moment) != (False, False)
                    and other.of != term.of
                ):
                    yield Read(
                        Compare(left=term.of, operator=_operator(operator), value=other.of),
                        other.end,
                        term.cost + other.cost,
                    )

    def _or_others(self, term: Term, operator: str, value: int | float, end: int) -> Iterator[Read]:
        """Read a number and those that follow it: "status 404 or 500"; one that is alone comes last."""
        values, last = [value], end
        while operator in ("=", "!=") and self._word(last) in ("or", ",", "and", "nor"):
            following = self.terms.number(self.terms.skip(last, ("or", ",", "and", "nor")))
            if following is None:
                break
            values, last = [*values, following.value], following.end
            yield Read(_equals_any(term, operator, values), last, term.cost)
        yield Read(Compare(left=term.of, operator=_operator(operator), value=value), end, term.cost)

    def _equal(self, term: Term, operator: str, place: int) -> Iterator[Read]:
        """Read one value of a column, or several: "paid", "paid or pending", "'New York'"."""
        info = term.info
        if info is None or info.kind == "time":
            return
        values, end = self._one_value(info, place, said=place > term.end)
        if not values:
            return
        found = [(values, end)]
        while self._word(end) in _JOINING:
            more, after = self._one_value(info, self.terms.skip(end, (*_JOINING, "either", "got", "were")), said=False)
            if not more:
                break
            values, end = (*values, *more), after
            found.append((values, end))
        for held, stop in reversed(found):
            condition = _equals(info, held)
            joints = {self._word(at) for at in range(place, stop)}
            if info.kind == "list" and isinstance(condition, Or) and "and" in joints and "or" not in joints:
                # A list can have both; only one column that has a single value cannot.
                yield Read(And(of=condition.of), stop, term.cost)
                yield Read(condition, stop, term.cost + 0.6)
                continue
            yield Read(_turn(condition) if operator == "!=" else condition, stop, term.cost)

    def _one_value(self, info: ColumnInfo, place: int, *, said: bool) -> tuple[tuple[Scalar, ...], int]:
        """Return the values of one column that are named here; a quoted text is one whether the data has it or not."""
        if place >= len(self.tokens):
            return (), place
        known = [hit for hit in self.vocabulary.values_at(self.terms.text, self.tokens, place) if hit.column is info]
        if known:
            return known[0].values, known[0].end
        token = self.tokens[place]
        if info.kind == "bool" and self._word(place) in ("true", "false", "yes", "no"):
            return (self._word(place) in ("true", "yes"),), place + 1
        if info.numeric and isinstance(token.value, (int, float)) and token.kind == "number" and token.unit != "xx":
            return (token.value,), place + 1
        if info.kind == "text" and (
            token.kind in ("quoted", "path", "url", "address") or (said and token.kind in ("code", "number"))
        ):
            return (token.text,), place + 1
        by_role = table_bases("known").get(info.role)
        if by_role and bases_of(self._word(place)) & by_role:
            upper = any(isinstance(value, str) and value.isupper() for value in info.values)
            return (token.text.upper() if upper else token.text.lower(),), place + 1
        return (), place

    def _equal_part(self, term: Term, operator: str, place: int) -> Iterator[Read]:
        if not isinstance(term.of, PartOf) or term.of.part != "weekday":
            return
        day = next((day for day in _WEEKDAYS if bases_of(self._word(place)) & {day.lower(), day.lower()[:3]}), None)
        if day:
            condition: Condition = Compare(left=term.of, operator="=", value=day)
            yield Read(_turn(condition) if operator == "!=" else condition, place + 1, term.cost)

    def _between(self, term: Term, place: int) -> Iterator[Read]:
        low = self.terms.number(place)
        if not low or not term.numeric or self._word(low.end) not in ("and", "to", "-"):
            return
        high = self.terms.number(low.end + 1)
        if not high or term.info is None:
            return
        # "between 5 and 10 ms" gives its unit once.
        low = low._replace(role=high.role, unit=high.unit) if not low.unit else low
        bounds = self.terms.in_unit_of(low, term.info), self.terms.in_unit_of(high, term.info)
        if bounds[0] is not None and bounds[1] is not None:
            between = Compare(left=term.of, operator="between", value=(bounds[0], bounds[1]))
            yield Read(between, high.end, term.cost)

    def _text_of(self, term: Term, operator: str, place: int) -> Iterator[Read]:
        """Read a text that a column contains, begins or ends with."""
        if not isinstance(term.of, Column) or (term.info and term.info.kind not in ("text", "list")):
            return
        for text, end in self._said_texts(place):
            first: Condition = Compare(left=term.of, operator=_operator(operator), value=text)
            yield Read(first, end, term.cost)
            if operator == "contains":
                yield from (Read(two, stop, term.cost) for two, stop in self._more_texts(term, first, end))

    def _more_texts(self, term: Term, first: Condition, place: int) -> Iterator[tuple[Condition, int]]:
        """Read what else a text contains or must not contain: "timeout but not retry", "red or blue"."""
        after = self.terms.skip(place, ("but", "and", "or", ","))
        if after == place:
            return
        denied = self.terms.skip(after, ("not", "without", "no", "never", "don't", "doesn't"))
        again = phrase_at(self.tokens, denied, "compare", "contains") if denied > after else None
        for text, end in self._said_texts(again.end if again else denied):
            if (
                not self.terms.at(denied) and not self.vocabulary.values_at(self.terms.text, self.tokens, denied)
            ) or denied > after:
                second: Condition = Compare(left=term.of, operator="contains", value=text)
                if denied > after:
                    yield _both(first, _turn(second)), end
                else:
                    yield (Or(of=(first, second)) if self._word(place) == "or" else _both(first, second)), end

    def _said_texts(self, place: int) -> Iterator[tuple[str, int]]:
        """Yield a quoted text, or a word that begins here."""
        place = self.terms.skip(
            place,
            ("the", "a", "an", "word", "words", "text", "string", "phrase", "letter", "letters", "either", "both"),
        )
        if place >= len(self.tokens):
            return
        token = self.tokens[place]
        if token.unit == "xx":
            return
        if token.kind != "sign" and not (token.kind == "word" and (is_glue(token.plain) or token.plain in _NEGATIONS)):
            end = place + 1
            while end < len(self.tokens) and _is_capital(self.tokens[end - 1]) and _is_capital(self.tokens[end]):
                end += 1
            if end > place + 1:  # "Harrow Lane" is one name.
                yield self.terms.text[token.start : self.tokens[end - 1].end], end
                return
            yield token.text, place + 1

    # Without a column.

    def _lacking(self, start: int) -> Iterator[Read]:
        for phrase in phrases_at(self.tokens, start, "compare"):
            if phrase.meaning not in ("lack", "own"):
                continue
            for term in self.terms.at(self.terms.skip(phrase.end, ARTICLES)):
                if isinstance(term.of, Column):
                    end = term.end + (
                        self._word(term.end) in ("value", "values", *(("date", "time") if term.moment else ()))
                    )
                    condition: Condition = Missing(of=term.of)
                    if term.info is not None and not term.info.optional:
                        yes = _yes_of(term.info)
                        if not yes:
                            continue  # Nothing is ever missing there, so that is not what is meant.
                        condition = _turn(_equals(term.info, yes))
                    yield Read(condition if phrase.meaning == "lack" else _turn(condition), end, term.cost)
        # "who has neither email nor phone"
        if self._word(start) == "neither":
            for one in self.terms.at(self.terms.skip(start + 1, ARTICLES)):
                if self._word(one.end) == "nor":
                    for two in self.terms.at(self.terms.skip(one.end + 1, ARTICLES)):
                        yield Read(_both(Missing(of=one.of), Missing(of=two.of)), two.end, one.cost + two.cost)
        # "tickets nobody owns", "where nobody filled in the insurance"
        if nobody := phrase_at(self.tokens, start, "compare", "nobody"):
            for place in range(nobody.end, min(nobody.end + 4, len(self.tokens))):
                optional = [
                    (term.of, term.end, term.cost)
                    for term in self.terms.at(place)
                    if term.info is not None and term.info.optional
                ] or [
                    (Column(name=one.name), place + 1, AKIN)
                    for one in self.vocabulary.columns
                    if one.optional and is_made_of(one.words[-1], self._word(place))
                ]
                yield from (Read(Missing(of=of), end, cost) for of, end, cost in optional)
                if optional:
                    break
        # "missing email", "empty notes"
        lone = phrase_at(self.tokens, start, "compare", "missing") or phrase_at(
            self.tokens, start, "compare", "present"
        )
        for term in self.terms.at(lone.end) if lone else ():
            if isinstance(term.of, Column) and lone:
                condition = Missing(of=term.of)
                yield Read(condition if lone.meaning == "missing" else _turn(condition), term.end, term.cost)

    def _values(self, start: int) -> Iterator[Read]:
        """Read values that stand for themselves: "POST", "paid or pending", "Ann Lee", "5xx", an address."""
        token = self.tokens[start]
        if token.kind == "number":
            yield from self._bare_numbers(start)
            return
        for column in self.vocabulary.columns:
            if len(column.absent) == 1 and column.absent[0].lower() == self._word(start):
                yield Read(Missing(of=Column(name=column.name)), start + 1, 0.2)  # "absent" has no points
        hits = self.vocabulary.values_at(self.terms.text, self.tokens, start)
        for hit in hits:
            if hit.column.numeric or hit.column.kind == "time":
                continue
            if (
                hit.column.role == "method"
                and not token.text.isupper()
                and not self.vocabulary.is_noun(self._word(hit.end))
            ):
                continue  # "get the lines" asks for no GET requests.
            term = Term(Column(name=hit.column.name), hit.column, start, hit.cost)
            yield from self._equal(term, "=", start)
        if not hits:
            yield from self._known_values(start)

    def _bare_numbers(self, start: int) -> Iterator[Read]:
        """Read a code that stands alone: 404, 5xx; only a column of codes has those."""
        token = self.tokens[start]
        for column in self.vocabulary.with_role("status"):
            left = Column(name=column.name)
            if not column.numeric:
                continue
            if token.unit == "xx" and isinstance(token.value, int):
                low, high = token.value * 100, token.value * 100 + 99
                again = [hit.end for hit in self.vocabulary.columns_at(self.tokens, start + 1) if hit.column is column]
                end = again[0] if again else start + 1  # "a 5xx status"
                yield Read(Compare(left=left, operator="between", value=(low, high)), end, EXACT)
            elif token.value in column.values and token.unit in ("", "s"):
                yield from self._or_others(Term(left, column, start, EXACT), "=", token.value, start + 1)  # type: ignore[arg-type]

    def _known_values(self, start: int) -> Iterator[Read]:
        """Read what everybody knows to be a value, whether the data has it or not: a method, an address, a path."""
        token = self.tokens[start]
        for role, known in table_bases("known").items():
            for column in self.vocabulary.with_role(role):
                # A method is written in capitals, "get the lines" asks for no GET requests.
                if token.text.isupper() and bases_of(token.plain) & known:
                    yield Read(Compare(left=Column(name=column.name), operator="=", value=token.text), start + 1, EXACT)
        kinds = {"address": ("ip",), "path": ("path",), "url": ("path", "email")}
        columns = self.vocabulary.with_role(*kinds.get(token.kind, ()))
        for column in columns:
            yield Read(Compare(left=Column(name=column.name), operator="=", value=token.text), start + 1, EXACT)

    def _bare_comparison(self, start: int) -> Iterator[Read]:
        """Read a comparison that names no column: "over 100 euros", "slower than 2 seconds", "between 5 and 10 kg"."""
        for phrase in phrases_at(self.tokens, start, "compare"):
            if phrase.meaning not in (">", ">=", "<", "<=", "between"):
                continue
            place = self.terms.skip(phrase.end, ARTICLES)
            quantity = self.terms.number(place)
            high = None
            if phrase.meaning == "between" and quantity and self._word(quantity.end) in ("and", "to"):
                high = self.terms.number(quantity.end + 1)
            quantity = quantity if phrase.meaning != "between" else high and quantity
            if not quantity:
                continue
            for column, cost in self._measured_by(start, phrase.end, high or quantity):
                term = Term(Column(name=column.name), column, start, cost)
                if high:
                    yield from self._between(term, place)
                else:
                    for read in self._against(term._replace(end=place), phrase.meaning, place):
                        yield Read(self._with_currency(read.condition, quantity), read.end, read.cost)

    def _numbered_columns(self, start: int) -> Iterator[Read]:
        """Read a number of what a column counts: "5 nights or more", "over 40 restarts"."""
        phrase = next(
            (one for one in phrases_at(self.tokens, start, "compare") if one.meaning in (">", ">=", "<", "<=")), None
        )
        operator, place = (phrase.meaning, phrase.end) if phrase else ("=", start)
        number = self.terms.number(place)
        if number is None:
            return
        if number.unit:  # "less than 10% toner"
            for term in self.terms.at(number.end):
                value = self.terms.in_unit_of(number, term.info) if term.numeric and term.info else None
                if value is not None and isinstance(term.of, Column):
                    yield Read(Compare(left=term.of, operator=_operator(operator), value=value), term.end, term.cost)
            return
        values, end = [number.value], number.end
        while self._word(end) in ("or", "and") and (more := self.terms.number(end + 1)):
            values, end = [*values, more.value], more.end
        for term in self.terms.at(end):
            if term.numeric and isinstance(term.of, Column) and term.cost < 1.2:
                if len(values) > 1:
                    yield Read(_equals_any(term, operator, values), term.end, term.cost)
                    continue
                way, end = _or_more(self.terms, operator, term.end, True)
                yield Read(Compare(left=term.of, operator=_operator(way), value=number.value), end, term.cost)

    def _long_texts(self, start: int) -> Iterator[Read]:
        """Read how long a text is: "names longer than 10 characters", "lines with more than 80 characters"."""
        terms = [
            term
            for term in self.terms.at(start)
            if isinstance(term.of, Column) and term.info and term.info.kind == "text"
        ]
        whole = Column(name="")
        begin = [
            (term.of, self.terms.skip(term.end, ("that", "are", "is", "with", "of", "which")), term.cost)
            for term in terms
        ]
        lines = any(token.plain in ("line", "lines") for token in self.tokens) or len(self.vocabulary.columns) == 1
        for of, place, cost in (*begin, *([(whole, start, EXACT)] if lines else [])):
            for phrase in phrases_at(self.tokens, place, "compare"):
                if phrase.meaning not in (">", ">=", "<", "<=") and self._word(place) != "exactly":
                    continue
                number = self.terms.number(phrase.end)
                if number and bases_of(self._word(number.end)) & {"character", "letter", "char"}:
                    left = PartOf(part="length", of=of)
                    yield Read(
                        Compare(left=left, operator=_operator(phrase.meaning), value=number.value), number.end + 1, cost
                    )

    def _undone(self, start: int) -> Iterator[Read]:
        """Read what did not happen, and the other of two: "undelivered", "unpaid", "offline", "inactive"."""
        word = self._word(start)
        for prefix, instead in _OPPOSITES:
            if not word.startswith(prefix) or len(word) < len(prefix) + 4:
                continue
            plain = instead + word[len(prefix) :]
            done = self.tokens[start]._replace(text=plain, plain=plain, start=0, end=len(plain))
            for hit in self.vocabulary.columns_at([done], 0):
                if hit.column.kind == "time":
                    yield Read(Missing(of=Column(name=hit.column.name)), start + 1, hit.cost + 0.2)
                elif yes := _yes_of(hit.column):
                    yield Read(_turn(_equals(hit.column, yes)), start + 1, hit.cost + 0.2)
            for value in self.vocabulary.values_at(plain, [done], 0):
                if value.column.kind in ("text", "bool"):
                    yield Read(_turn(_equals(value.column, value.values)), start + 1, value.cost + 0.5)

    def _inside(self, start: int) -> Iterator[Read]:
        """Read a text that stands in a column: "with python3 in the command", "E33 among their errors"."""
        token = self.tokens[start]
        if (
            token.kind not in ("word", "code", "quoted")
            or is_glue(token.plain)
            or self._word(start + 1) not in ("in", "among")
        ):
            return
        if self.terms.at(start) or self.vocabulary.is_noun(token.plain) or in_class(token.plain, "happened"):
            return
        for term in self.terms.at(self.terms.skip(start + 2, ("the", "its", "their", "a"))):
            held = term.info.values if term.info else ()
            known = any(token.text.lower() in str(value).lower() for value in held)
            if (
                isinstance(term.of, Column)
                and term.info
                and term.info.kind in ("text", "list")
                and term.cost < 1.2
                and known
            ):
                yield Read(Compare(left=term.of, operator="contains", value=token.text), term.end, term.cost + 0.3)

    def _named_so(self, start: int) -> Iterator[Read]:
        """Read what is said of the name of what was named before: "customers whose name begins with B"."""
        place = self.terms.skip(start + 1, ARTICLES)
        if self._word(start) not in ("whose", "with") or bases_of(self._word(place)).isdisjoint(("name", "title")):
            return
        before = [term for at in range(start) for term in self.terms.at(at) if term.end <= start and term.info]
        named = [term.info for term in before if term.info and term.info.kind == "text"] or self.vocabulary.with_role(
            "name"
        )
        for column in dict.fromkeys(named):
            term = Term(Column(name=column.name), column, place + 1, EXACT)
            for meaning, end in self._operators(place + 1):
                if meaning in ("contains", "starts with", "ends with"):
                    yield from (read._replace(cost=read.cost + 0.2) for read in self._text_of(term, meaning, end))

    def _endings(self, start: int) -> Iterator[Read]:
        """Read a kind of file by its ending: "the .log files"."""
        token = self.tokens[start]
        if token.text.startswith(".") and token.text[1:].isalnum():
            for column in self.vocabulary.columns:
                if column.kind == "text" and any(str(value).endswith(token.text) for value in column.values):
                    yield Read(
                        Compare(left=Column(name=column.name), operator="ends with", value=token.text), start + 1, EXACT
                    )

    def _participles(self, start: int) -> Iterator[Read]:
        """Read what happened to a record where a column has the moment of it: "delivered", "not shipped yet"."""
        if not self._word(start).endswith("ed"):
            return
        for term in self.terms.at(start):
            optional = isinstance(term.of, Column) and term.info is not None and term.info.optional
            if self.vocabulary.joined and not optional:
                continue  # What has no partner is not there, so that nothing can be said of it.
            if (term.moment or (optional and not term.numeric)) and (term.end == start + 1 or term.cost == EXACT):
                yield Read(Not(of=Missing(of=term.of)), term.end, term.cost + 0.2)

    def _measured_by(self, start: int, end: int, quantity: Quantity) -> Iterator[tuple[ColumnInfo, float]]:
        """Yield the columns that a number with this unit can be compared with, or that the comparing words mean."""
        roles = [quantity.role] if quantity.role and quantity.role != "share" else []
        roles += ["age"] if quantity.role == "duration" else []
        roles += [one.meaning for one in phrases_at(self.tokens, start, "comparing") if one.end == end]
        numeric = [
            column for column in self.vocabulary.columns if column.numeric and column.role not in ("id", "status")
        ]
        if quantity.role == "share":
            numeric = [one for one in numeric if one.unit == "%" or {"%", "percent", "pct", "rate"} & set(one.words)]
        fitting = [column for column in numeric if column.role in roles]
        if roles:
            yield from ((column, NEAR) for column in fitting)
        elif len(numeric) == 1:
            yield numeric[0], NEAR
        else:
            # Nothing says which of them is meant, so this is only offered.
            yield from ((column, UNSURE) for column in numeric)

    def _with_currency(self, condition: Condition, quantity: Quantity) -> Condition:
        """Ask for the currency too where the data has a column of them."""
        for column in self.vocabulary.with_role("currency") if quantity.role == "amount" else ():
            held = [value for value in column.values if isinstance(value, str) and _is_currency(value, quantity.unit)]
            if held:
                return _both(condition, _equals(column, tuple(held)))
        return condition

    def _outcomes(self, start: int) -> Iterator[Read]:
        """Read words for how it ended: errors by level, failed requests by status."""
        word = bases_of(self._word(start))
        if not word or self.tokens[start].kind != "word":
            return
        for column in self.vocabulary.with_role("level"):
            for name, known in table_bases("levels").items():
                held = tuple(
                    v for v in column.values if isinstance(v, str) and v.lower() in table_bases("level_values")[name]
                )
                if word & known and held:
                    # "errors" are those of that name; where fatal ones are told apart, they are not meant.
                    own = tuple(v for v in held if isinstance(v, str) and v.lower() in known) or held
                    yield Read(_equals(column, own), start + 1, EXACT)
        for column in self.vocabulary.with_role("status"):
            for digits, known in table_bases("outcomes").items():
                if word & known and column.numeric and _are_codes(column):
                    first, last = digits.split()[0], digits.split()[-1]
                    left = Column(name=column.name)
                    span = (int(first) * 100, int(last) * 100 + 99)
                    yield Read(Compare(left=left, operator="between", value=span), start + 1, EXACT)

    def _truths(self, start: int) -> Iterator[Read]:
        """Read a column of yes and no that stands for itself: "active users", "not active", "queen not seen"."""
        if self._word(start + 1) == "not":
            parts = [self.tokens[start], *self.tokens[start + 2 : start + 4]]
            for hit in self.vocabulary.columns_at(parts, 0):
                if hit.end > 1 and hit.cost == EXACT and (yes := _yes_of(hit.column)):
                    yield Read(_turn(_equals(hit.column, yes)), start + 1 + hit.end, EXACT)
        for hit in self.vocabulary.columns_at(self.tokens, start):
            if hit.column.kind == "bool":
                yield Read(Compare(left=Column(name=hit.column.name), operator="=", value=True), hit.end, hit.cost)
            elif yes := _yes_of(hit.column):
                yield Read(_equals(hit.column, yes), hit.end, hit.cost + 0.5)

    def _texts(self, start: int) -> Iterator[Read]:
        """Read a text that the line has, or the one column of running text: "containing error", "about refunds"."""
        for phrase in phrases_at(self.tokens, start, "compare"):
            if phrase.meaning not in ("contains", "starts with", "ends with"):
                continue
            before = self.terms.at(start - 1) if start else []
            if any(term.info is not None and term.info.kind == "text" and term.cost < 1.2 for term in before):
                continue  # "comments mention the boiler" speaks of the comments.
            columns = [Column(name=column.name) for column in self.vocabulary.with_role("message")]
            quoted = phrase.end < len(self.tokens) and self.tokens[phrase.end].kind == "quoted"
            lines = any(token.plain in ("line", "lines") for token in self.tokens) or len(self.vocabulary.columns) == 1
            if phrase.meaning != "contains" and not quoted and not lines:
                continue  # "ended in a 4xx" speaks of no text.
            if self._word(start) == "with" and phrase.end == start + 1 and not quoted:
                continue  # "with" alone leads to anything.
            where = Column(name="") if len(columns) != 1 or phrase.meaning != "contains" or lines else columns[0]
            for read in self._text_of(Term(where, None, start, EXACT), phrase.meaning, phrase.end):
                insensitive = phrase_at(self.tokens, self.terms.skip(read.end, (",", "(")), "lists", "insensitive")
                yield read if insensitive is None else read._replace(end=self.terms.skip(insensitive.end, (")",)))

    # Moments.

    def _timed(self, term: Term, place: int) -> Iterator[Read]:
        """Read what a column of moments is compared with: "created before 2024", "signed up in March 2026"."""
        if term.moment:
            place = self.terms.skip(place, ("is", "are", "was", "were", "up"))
            yield from self._moments_at(term, place)

    def _times(self, start: int) -> Iterator[Read]:
        for column, cost in self.terms.moments():
            term = Term(Column(name=column.name), column, start, cost)
            yield from (read for read in self._moments_at(term, start) if not _compares_columns(read.condition))
            if self._is_only_year(start):
                for span, end in self.terms.spans(start):
                    yield from self._since(term, "during", span, end + (self._word(end) == "only"))
            # "December bookings": a month right before what it is said of.
            if month_number(self._word(start)):
                for span, end in self.terms.spans(start):
                    yield from self._since(term, "during", span, end)

    def _is_only_year(self, start: int) -> bool:
        """Say whether a year stands alone and can be nothing else: "2025 only", ", only 2025"."""
        token = self.tokens[start]
        alone = self._word(start + 1) == "only" or (start > 0 and self._word(start - 1) == "only")
        return alone and token.kind == "number" and len(token.text) == 4 and bool(self.terms.spans(start))

    def _moments_at(self, term: Term, place: int) -> Iterator[Read]:
        for phrase in phrases_at(self.tokens, place, "time"):
            after = self.terms.skip(phrase.end, ARTICLES)
            if phrase.meaning == "last":
                yield from self._recent(term, phrase.end)
            for span, end in self.terms.spans(after):
                yield from self._since(term, phrase.meaning, span, end)
            yield from self._clocks(term, phrase.meaning, after)
            if phrase.meaning in ("after", "before"):
                for other in self.terms.at(after):
                    if other.moment and other.of != term.of and isinstance(other.of, Column):
                        operator: Operator = ">" if phrase.meaning == "after" else "<"
                        end = other.end + (self._word(other.end) in ("date", "time", "day"))
                        yield Read(
                            Compare(left=term.of, operator=operator, value=other.of), end, term.cost + other.cost
                        )
            if phrase.meaning == "during":
                for again in phrases_at(self.tokens, after, "time"):
                    if again.meaning == "last":
                        yield from self._recent(term, again.end)
                yield from self._weekdays(term, after)
        for phrase in phrases_at(self.tokens, place, "compare"):
            if phrase.meaning == "between":
                yield from self._between_moments(term, phrase.end)
                yield from self._clocks(term, "since", phrase.end)
            elif phrase.meaning in ("=", ">", ">=", "<", "<="):
                for span, end in self.terms.spans(phrase.end):
                    way = {"=": "during", ">": "after", ">=": "since", "<": "before", "<=": "until"}[phrase.meaning]
                    yield from self._since(term, way, span, end)
        if self.tokens[place : place + 1] and self.tokens[place].kind == "moment":
            for span, end in self.terms.spans(place):
                yield from self._since(term, "during", span, end)

    def _since(self, term: Term, way: str, span: Span, end: int) -> Iterator[Read]:
        if term.info is not None and term.info.tells == "clock":
            return  # A time of day lies in no month.
        if way in ("since", "during") and self._word(end) in ("to", "until", "till", "through", "-"):
            ends = self.terms.spans(self.terms.skip(end + 1, ARTICLES))
            for last, stop in ends:
                yield Read(Compare(left=term.of, operator="during", value=Span(span.start, last.end)), stop, term.cost)
            if ends:
                return
        conditions: dict[str, Condition] = {
            "after": _at(term, ">=", span.end),
            "since": _at(term, ">=", span.start),
            "before": _at(term, "<", span.start),
            "until": _at(term, "<", span.end),
            "during": Compare(left=term.of, operator="during", value=span),
        }
        if way in conditions:
            yield Read(conditions[way], end, term.cost)

    def _between_moments(self, term: Term, place: int) -> Iterator[Read]:
        for first, end in self.terms.spans(self.terms.skip(place, ARTICLES)):
            if self._word(end) in ("and", "to"):
                for last, stop in self.terms.spans(self.terms.skip(end + 1, ARTICLES)):
                    yield Read(
                        Compare(left=term.of, operator="during", value=Span(first.start, last.end)), stop, term.cost
                    )

    def _clocks(self, term: Term, way: str, place: int) -> Iterator[Read]:
        """Read times of the day: "after 18:00", "between 8am and 10am", "from 22:15 to 23:00"."""
        first = self._clock(place)
        if first is None or (term.info is not None and term.info.tells == "day"):
            return
        if way == "since" and self._word(place + 1) in ("and", "to", "until", "till", "-"):
            last = self._clock(self.terms.skip(place + 2, ("before",)))
            if last is not None and last != first:
                end = self.terms.skip(place + 2, ("before",)) + 1
                yield Read(_between_clocks(term.of, first, last), end, term.cost)
            return
        operators: dict[str, Operator] = {"after": ">=", "since": ">=", "before": "<", "until": "<"}
        if way in operators:
            yield Read(_clock_condition(term.of, operators[way], first), place + 1, term.cost)

    def _clock(self, place: int) -> int | None:
        """Return the second of the day at which a time of day begins."""
        token = self.tokens[place] if place < len(self.tokens) else None
        return cast("tuple[int, int]", token.value)[0] if token is not None and token.kind == "clock" else None

    def _recent(self, term: Term, place: int) -> Iterator[Read]:
        """Read "last hour", "past 7 days": up to the newest moment of the data."""
        quantity = self.terms.number(place)
        number, after = (quantity.value, place + 1) if quantity else (1, place)
        unit = next((name for name in _SECONDS if name in bases_of(self._word(after))), None)
        if unit and isinstance(number, int) and number > 0:
            yield Read(Recent(of=term.of, seconds=number * _SECONDS[unit]), after + 1, term.cost)

    def _weekdays(self, term: Term, place: int) -> Iterator[Read]:
        """Read "on Mondays", "at the weekend"."""
        left = PartOf(part="weekday", of=term.of)
        word = bases_of(self._word(place))
        for day in _WEEKDAYS:
            if word & {day.lower()}:
                yield Read(Compare(left=left, operator="=", value=day), place + 1, term.cost)
        if "weekend" in word:
            yield Read(Compare(left=left, operator="in", value=_WEEKDAYS[5:]), place + 1, term.cost)
        if "weekday" in word:
            yield Read(Compare(left=left, operator="in", value=_WEEKDAYS[:5]), place + 1, term.cost)

    def _repeats(self, start: int) -> Iterator[Read]:
        """Read "duplicate emails", "emails that appear more than once"."""
        if phrase := phrase_at(self.tokens, start, "lists", "repeated"):
            for term in self.terms.at(phrase.end):
                if isinstance(term.of, Column):
                    yield Read(Repeated(of=(term.of,)), term.end, term.cost)
        for term in self.terms.at(start):
            place = self.terms.skip(term.end, ("that", "which", "who", "are", "is"))
            phrase = phrase_at(self.tokens, place, "lists", "repeated")
            if phrase and isinstance(term.of, Column):
                yield Read(Repeated(of=(term.of,)), phrase.end, term.cost)


def _is_capital(token: Token) -> bool:
    return token.kind == "word" and token.text[:1].isupper() and token.text[1:].islower()


def _clock_condition(of: Expression, operator: Operator, second: int) -> Condition:
    """Compare the time of day of a moment: by its hour where that is enough, else as clocks show it."""
    if second % 3600 == 0:
        return Compare(left=PartOf(part="hour of day", of=of), operator=operator, value=second // 3600)
    shown = f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"
    return Compare(left=PartOf(part="clock time", of=of), operator=operator, value=shown)


def _between_clocks(of: Expression, first: int, last: int) -> Condition:
    """Ask that a time of day lies between two, the second of which is none of them any more."""
    if last < first:  # From 22:00 to 06:00 it is night.
        return Or(of=(_clock_condition(of, ">=", first), _clock_condition(of, "<", last)))
    if first % 3600 == 0 and last % 3600 == 0:
        hours = (first // 3600, last // 3600 - 1)
        return Compare(left=PartOf(part="hour of day", of=of), operator="between", value=hours)
    return _both(_clock_condition(of, ">=", first), _clock_condition(of, "<", last))


def _yes_of(column: ColumnInfo) -> tuple[Scalar, ...]:
    """Return the values of a column of yes and no that stand for yes; none of any other column."""
    if column.kind == "bool":
        return (True,)
    held = {str(value).lower(): value for value in column.values}
    if not held or not set(held) <= {"yes", "no", "y", "n", "true", "false", "t", "f"}:
        return ()
    return tuple(value for text, value in held.items() if text[0] in "yt")


def _compares_columns(condition: Condition) -> bool:
    return isinstance(condition, Compare) and isinstance(condition.value, Column)


def _turn(condition: Condition) -> Condition:
    """Return the opposite of a condition, without a double denial."""
    if isinstance(condition, Not):
        return condition.of
    if (
        isinstance(condition, Compare)
        and condition.operator in ("=", "!=")
        and not isinstance(condition.value, (tuple, Column))
    ):
        turned: Operator = "!=" if condition.operator == "=" else "="
        return Compare(left=condition.left, operator=turned, value=condition.value)
    return Not(of=condition)


def _both(*conditions: Condition) -> Condition:
    return And(of=conditions)


def _operator(text: str) -> Operator:
    return cast("Operator", text)


def _equals(column: ColumnInfo, values: Sequence[Scalar]) -> Condition:
    """Return that a column has one of some values; a list of items has one of them among its items."""
    left = Column(name=column.name)
    distinct = tuple(dict.fromkeys(values))
    if column.kind == "list":
        found = tuple(Compare(left=left, operator="contains", value=str(value)) for value in distinct)
        return found[0] if len(found) == 1 else Or(of=found)
    if len(distinct) == 1:
        return Compare(left=left, operator="=", value=distinct[0])
    return Compare(left=left, operator="in", value=distinct)


def _equals_any(term: Term, operator: str, values: Sequence[int | float]) -> Condition:
    condition = Compare(left=term.of, operator="in", value=tuple(values))
    return Not(of=condition) if operator == "!=" else condition


def _or_more(terms: Terms, operator: str, end: int, said: bool) -> tuple[str, int]:
    """Read "or more", "or older" behind a number."""
    if terms.word(end) == "and" and operator == "=" and terms.word(end + 1) in ("up", "above", "over", "upwards"):
        return ">=", end + 2
    if terms.word(end) == "or" and operator == "=":
        word = terms.word(end + 1)
        if word in ("more", "higher", "above", "over", "greater", "older", "larger", "longer", "later"):
            return ">=", end + 2
        if word in ("less", "fewer", "lower", "below", "under", "younger", "smaller", "shorter", "cheaper"):
            return "<=", end + 2
    return operator, end


def _at(term: Term, operator: Operator, when: datetime) -> Condition:
    """Compare a moment with an instant; the far end of a span stands for for ever."""
    far = Span(when, datetime(9999, 12, 31)) if operator == ">=" else Span(datetime(1, 1, 1), when)
    return Compare(left=term.of, operator="during", value=far)


def _is_currency(value: str, unit: str) -> bool:
    known = unit_of(value)
    return known is not None and known[1] == unit


def _are_codes(column: ColumnInfo) -> bool:
    return all(isinstance(value, int) and 100 <= value < 600 for value in column.values)


__all__ = ["UNSURE", "Conditions", "Read", "in_class", "timedelta"]
