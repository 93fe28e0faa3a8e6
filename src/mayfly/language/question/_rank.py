"""Make queries of superlatives: what is ranked, by what, how many, and for which groups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from mayfly.language.question._measure import fill_measures
from mayfly.language.question._operators import UNSURE
from mayfly.language.question._query import (
    Arithmetic,
    Column,
    Expression,
    Function,
    Measure,
    Order,
    PartOf,
    Pick,
    Query,
)
from mayfly.language.question._said import LESS, Composed, Said
from mayfly.language.question._segment import Segment
from mayfly.language.question._sense import ask_for_value, functions_of, is_added, is_of_persons, sizes_of
from mayfly.language.question._terms import Term
from mayfly.language.question._words import is_person

_COUNT = (Measure(function="count"),)
# How long something is, a text is by its letters.
_LENGTHS = ("long", "short", "large", "small")


def read_superlatives(said: Said) -> Iterator[Composed]:
    """Read "top 5 customers by spend", "the slowest request per service", "who earns the most"."""
    found = said.of("superlative")
    if len(found) != 1:
        return
    superlative = found[0]
    numbers = [one.number for one in said.of("limit") if one.word == "number"]
    if len(said.of("limit")) > len(numbers) or (numbers and superlative.number):
        return
    number = superlative.number or (numbers[0] if numbers else 0)
    for made in _Ranking(said, superlative, number).queries():
        query = made.query
        if superlative.second and not query.skip:
            if query.limit != 1 or not query.order:
                continue  # Only of what is in order there is a second.
            query = replace(query, skip=superlative.second - 1)
        yield Composed(query, made.cost)


class _Ranking:
    """Hold a superlative with what stands around it."""

    def __init__(self, said: Said, superlative: Segment, number: int) -> None:
        assert superlative.adjective is not None
        self.said, self.superlative, self.number = said, superlative, number
        self.adjective, self.descending = superlative.adjective, superlative.adjective.descending
        place = said.all.index(superlative)
        self.before = said.all[place - 1] if place else None
        self.after = self._first_behind(place)
        groups = said.of("group")
        by = [one for one in groups if one.word == "by" and one.start > superlative.start]
        # What is ranked by, and the groups of each of which some are wanted.
        self.by = [term for one in by for term in one.terms]
        self.apart = tuple(term.of for one in groups if one not in by for term in one.terms)
        self.terms = [one for one in said.of("term") if one.term]
        self.others = [one for one in self.terms if one is not self.after]
        self.nouns = said.of("noun")
        self.first = (Order(by=0, descending=self.descending),)

    def _first_behind(self, place: int) -> Segment | None:
        """Return what stands behind the superlative, and behind what is said of that: "highest lead result"."""
        at = place + 1
        while at + 1 < len(self.said.all) and self.said.all[at].kind == "condition" and not self.said.joints[at + 1]:
            at += 1
        behind = self.said.all[at] if at < len(self.said.all) else None
        return behind if behind is not None and behind.kind in ("term", "noun") else self.said.after(place)

    def queries(self) -> Iterator[Composed]:
        """Yield every query that the superlative can mean."""
        if len(self.by) > 1:
            return
        subject = self.after.term if self.after and self.after.kind == "term" else None
        before = self.before.term if self.before is not None and self.before.kind == "term" else None
        if self.said.of("measure"):
            yield from self._by_measure()
            yield from self._on_average()
        elif subject is not None:
            yield from self._of_subject(subject)
        elif before is not None and before.numeric:
            # "who earns the most": not the number is asked for, but whose it is.
            if self.adjective.name in ("large", "small") and not self.nouns and self.others == [self.before]:
                yield from self._whose(before)
        elif self.nouns and not self.others:
            yield from self._of_records(self.nouns[0])
        else:
            yield from self._of_others()

    def _of_subject(self, subject: Term) -> Iterator[Composed]:
        """Read a superlative right before a column: "highest amount", "newest date", "top customers"."""
        if subject.numeric and not self.by and self.adjective.roles != ("count",):
            # "most used" is as well what is used most often.
            often = self.superlative.word == "most" and self.after is not None and self.after.word.endswith("ed")
            for found in self._of_number(subject):
                yield found._replace(cost=found.cost + UNSURE * often)
        elif subject.moment and self.nouns and not self.others and self._speaks_of(subject):
            yield from self._picked(subject.of, self.number or 1)
        elif not self.others:
            yield from self._of_groups(subject)

    def _of_others(self) -> Iterator[Composed]:
        """Read a superlative of what stands elsewhere, or of nothing that is named."""
        others = self.others
        if self.nouns and all(map(self._is_shown_too, others)):
            for column in self._measures_spoken_of():
                yield from self._picked(column, *self._limit(self.nouns[0]))
        elif others:
            yield from self._of_named(others)
        elif not self.nouns and not self.by and not self.apart:
            for column in self._measures_spoken_of():  # "5 heaviest"
                yield from self._picked(column, self.number or 1)

    def _of_named(self, others: Sequence[Segment]) -> Iterator[Composed]:
        """Read a superlative of columns that stand elsewhere."""
        only = others[0].term if len(others) == 1 else None
        if self.nouns and only is not None and self._lasts(only):
            # "longest call, from started to ended"
            yield from self._picked(only.of, self.number or 1)
        elif self._stands_behind() and self.adjective.roles:
            yield from self._of_those(others)
        elif (self.nouns or self.said.of("condition")) and only is not None:
            yield from self._most(only)

    def _is_shown_too(self, term: Segment) -> bool:
        """Say whether records have a column anyway that is to be shown: "the three dearest items with their value"."""
        return "with" in self.said.joints[self.said.all.index(term)]

    def _measures_spoken_of(self) -> list[Expression]:
        """Return the columns that the superlative speaks of, if it does not speak of how often something is there."""
        return [] if self.adjective.roles == ("count",) else self._spoken_of()

    # What several ways share.

    def _limit(self, segment: Segment | None) -> tuple[int | None, float]:
        """Return how many are wanted; several without a number are all, in order, which is less likely."""
        if self.number:
            return self.number, 0.0
        return (None, UNSURE) if segment is not None and segment.plural else (1, 0.0)

    def _order_by(self, by: Expression) -> tuple[Order]:
        return (Order(by=by, descending=self.descending),)

    def _picked(self, by: Expression, limit: int | None, cost: float = 0.0) -> Iterator[Composed]:
        """Take whole records: the first by an expression, or the first of each group."""
        lines = self.said.lines
        if self.apart:
            pick = Pick(number=limit or 1, by=by, descending=self.descending)
            yield Composed(Query(pick=pick, keys=self.apart, lines=lines), cost)
        else:
            yield Composed(Query(order=self._order_by(by), limit=limit, lines=lines), cost)

    def _spoken_of(self) -> list[Expression]:
        return self.said.spoken_of(self.superlative)

    def _lasts(self, term: Term) -> bool:
        """Say whether a term is the time between two moments, and the superlative speaks of such."""
        span = isinstance(term.of, Arithmetic) and term.info is not None and term.info.kind == "time"
        return span and "duration" in self.adjective.roles

    def _speaks_of(self, term: Term) -> bool:
        """Say whether the adjective is one of the column: "slowest" of a duration."""
        if isinstance(term.of, Arithmetic) and term.info is not None and term.info.kind == "time":
            return self._lasts(term)
        return term.info is not None and (
            term.info.role in self.adjective.roles or (term.moment and "timestamp" in self.adjective.roles)
        )

    def _is_age_of(self, word: str) -> bool:
        """Say whether somebody is oldest: how old one is no moment of a record tells, unless there is an age."""
        return self.adjective.name == "old" and self.superlative.word == "oldest" and is_person(word)

    def _stands_behind(self) -> bool:
        """Say whether nothing behind the superlative is what it is of: "which build took the longest, and"."""
        if self.after is None or self.after.kind not in ("term", "noun"):
            return True
        return "and" in self.said.joints[self.said.all.index(self.after)]

    # With a measure.

    def _by_measure(self) -> Iterator[Composed]:
        """Read "customer with the highest total amount", "top 3 hosts by number of errors"."""
        for filled in fill_measures(self.said):
            measures = filled.measures
            terms = [one for at, one in enumerate(self.said.all) if one.kind == "term" and at not in filled.taken]
            keys = [*(one.term for one in terms if one.term), *(self.by if not terms else [])]
            if not keys and len(self.apart) == 1 == len(measures) and self._ends():
                # "total km of each rider, best three"
                yield Composed(Query(measures=measures, keys=self.apart, order=self.first, limit=self.number or 1))
                continue
            if len(measures) != 1 or len(keys) != 1 or (keys[0].numeric and not terms) or (self.by and terms):
                continue
            limit, cost = self._limit(terms[0] if terms else None)
            if not self.apart:
                yield Composed(Query(measures=measures, keys=(keys[0].of,), order=self.first, limit=limit), cost)

    def _ends(self) -> bool:
        """Say whether the superlative stands behind everything else, and is of what was said before it."""
        plain = self.adjective.name in ("large", "small", "good", "bad") and not self.adjective.roles
        return self.after is None and plain

    def _on_average(self) -> Iterator[Composed]:
        """Read "which endpoint is the slowest on average": the superlative says of what."""
        functions = [one.function for one in self.said.of("measure")]
        if functions != ["mean"] or len(self.terms) != 1 or self.apart or self.by or self.terms[0].term is None:
            return
        limit, cost = self._limit(self.terms[0])
        keys = (self.terms[0].term.of,)
        for of in self._spoken_of():
            measures = (Measure(function="mean", of=of),)
            yield Composed(Query(measures=measures, keys=keys, order=self.first, limit=limit), cost)

    # Of numbers.

    def _of_number(self, subject: Term) -> Iterator[Composed]:
        """Read "highest amount", "order with the highest amount", "customer with the highest amount"."""
        if len(self.others) > 1 or (self.adjective.roles and not self._speaks_of(subject)):
            return
        if self.others and self.others[0].term is not None:
            if not self.apart:
                yield from self._with_number(subject, self.others[0].term, self.others[0])
            return
        ahead = [one for one in self.nouns if one.start < self.superlative.start]
        if self.after is not None and any(one.start == self.after.end for one in self.nouns):
            yield from self._picked(subject.of, self.number or 1)  # "the best paid act of every stage"
        elif ahead:
            yield from self._picked(subject.of, *self._limit(ahead[0]))
        else:
            yield from self._number_itself(subject.of)

    def _with_number(self, subject: Term, key: Term, segment: Segment) -> Iterator[Composed]:
        """Read "customer with the highest amount": of one record, or of all records together."""
        limit, cost = self._limit(segment)
        # Whoever has the most has it in all records together; where each has one record only, that is the same.
        together = self.superlative.word in ("most", "least", "fewest") and is_added(subject)
        once = key.info is not None and key.info.distinct and isinstance(key.of, Column)
        if once or not (together or isinstance(key.of, PartOf)):
            yield Composed(Query(columns=(key.of,), order=self._order_by(subject.of), limit=limit), cost)
        for function in functions_of(subject) if not once and not self.adjective.roles else ():
            measures = (Measure(function=function, of=subject.of),)
            yield Composed(Query(measures=measures, keys=(key.of,), order=self.first, limit=limit), cost)

    def _number_itself(self, of: Expression) -> Iterator[Composed]:
        """Read "highest amount", "second highest amount", "3 highest amounts", "highest amount per day"."""
        plain = not self.apart and not self.nouns
        order = self._order_by(of)
        if self.superlative.second and plain:
            place = self.superlative.second - 1
            yield Composed(Query(columns=(of,), unique=True, order=order, skip=place, limit=1))
        elif self.number and plain:
            yield Composed(Query(columns=(of,), order=order, limit=self.number))
        elif self.number and self.nouns:
            yield from self._picked(of, self.number)
        elif not self.number:
            yield Composed(Query(measures=(self._extreme(of),), keys=self.apart))

    def _extreme(self, of: Expression) -> Measure:
        extreme: Function = "max" if self.descending else "min"
        return Measure(function=extreme, of=of)

    def _whose(self, number: Term) -> Iterator[Composed]:
        """Read "who earns the most": of several records of one person the sum is meant, if it can be one."""
        persons = [one for one in self.said.vocabulary.columns if is_of_persons(one)]
        several = [one for one in persons if not one.distinct and one.kind == "text"]
        if not several or not is_added(number):
            yield from self._picked(number.of, self.number or 1)
            return
        measures = (Measure(function="sum", of=number.of),)
        for person in several:
            key = Column(name=person.name)
            yield Composed(Query(measures=measures, keys=(key,), order=self.first, limit=self.number or 1))

    # Of records.

    def _of_records(self, noun: Segment) -> Iterator[Composed]:
        """Read "slowest request per service", "3 most expensive orders", "top 5 orders by amount", "longest line"."""
        # For each group one is meant, however the noun stands.
        limit, cost = (self.number or 1, 0.0) if self.apart else self._limit(noun)
        texts = [one for one in self.said.vocabulary.columns if one.kind != "list"]
        if self.by:
            if self.by[0].numeric or self.by[0].moment:
                yield from self._picked(self.by[0].of, limit, cost)
        elif self.said.lines and self.adjective.name in _LENGTHS:
            yield from self._picked(PartOf(part="length", of=Column(name="")), limit, cost)
        elif len(texts) == 1 and texts[0].kind == "text":
            yield from self._of_names(Column(name=texts[0].name), noun)
        elif not self._is_age_of(noun.word):
            for column in self._spoken_of():
                yield from self._picked(column, limit, cost)
            sizes = sizes_of(self.said)
            large = self.adjective.name in ("large", "small") and self.superlative.word != "most"
            if large and len(sizes) == 1:  # There is one thing only in which a record can be large.
                yield from self._picked(Column(name=sizes[0].name), limit, cost + 1.0)

    def _of_names(self, name: Column, noun: Segment) -> Iterator[Composed]:
        """Read "longest word", "5 most common words" of a list of names."""
        limit, cost = self._limit(noun)
        if self.adjective.name in _LENGTHS:
            yield from self._picked(PartOf(part="length", of=name), limit, cost)
        elif self.adjective.roles == ("count",) and not self.apart:
            yield Composed(Query(measures=_COUNT, keys=(name,), order=self.first, limit=limit), cost)

    def _of_those(self, others: Sequence[Segment]) -> Iterator[Composed]:
        """Read "which build took the longest", "when was it hottest", "at what hour are we busiest"."""
        shown = tuple(one.term.of for one in others if one.term)
        limit, cost = self._limit(others[0])
        if self.apart:
            return
        if self.adjective.roles == ("count",):
            if len(shown) == 1:
                yield Composed(Query(measures=_COUNT, keys=shown, order=self.first, limit=limit), cost)
            return
        for column in self._spoken_of():
            # Of several everybody wants to see by how much.
            columns = shown if limit == 1 or column in shown else (*shown, column)
            yield Composed(Query(columns=columns, order=self._order_by(column), limit=limit), cost)

    # Of groups.

    def _of_groups(self, subject: Term) -> Iterator[Composed]:
        """Read "top 5 customers by spend", "most common status", "busiest hour", "oldest patient"."""
        limit, cost = self._limit(self.after)
        if self.apart:
            # "most common status per host"
            if not self.by and self.adjective.name == "common" and not self.number:
                yield Composed(Query(measures=(Measure(function="mode", of=subject.of),), keys=self.apart))
        elif self.by:
            yield from self._groups_by(subject, self.by[0], limit, cost)
        elif self._is_age_of(self.after.word if self.after else ""):
            return
        elif self.adjective.roles and self.adjective.roles != ("count",):
            yield from self._groups_spoken_of(subject, limit, cost)
        else:
            yield from self._groups_counted(subject, limit, cost)

    def _groups_by(self, subject: Term, by: Term, limit: int | None, cost: float) -> Iterator[Composed]:
        """Read "top 5 customers by spend", "top 3 trips by start"."""
        if not (by.numeric or by.moment):
            return
        for function in functions_of(by) if by.numeric else ():
            measures = (Measure(function=function, of=by.of),)
            yield Composed(Query(measures=measures, keys=(subject.of,), order=self.first, limit=limit), cost)
        alone = Query(columns=(subject.of,), order=self._order_by(by.of), limit=limit)
        yield Composed(alone, cost + (0.0 if not by.numeric else LESS))

    def _groups_spoken_of(self, subject: Term, limit: int | None, cost: float) -> Iterator[Composed]:
        """Read "longest name", "newest date", "slowest endpoint"."""
        text = subject.info is not None and subject.info.kind == "text"
        if self.adjective.name in ("long", "short") and text and not self._spoken_of():
            order = self._order_by(PartOf(part="length", of=subject.of))
            yield Composed(Query(columns=(subject.of,), order=order, limit=limit), cost)
        if subject.moment:
            yield Composed(Query(measures=(self._extreme(subject.of),)), cost)
            return
        for column in self._spoken_of():
            yield Composed(Query(columns=(subject.of,), order=self._order_by(column), limit=limit), cost)

    def _groups_counted(self, subject: Term, limit: int | None, cost: float) -> Iterator[Composed]:
        """Read "most common status", "top 5 hosts"."""
        if self.adjective.name in ("large", "small") and self.superlative.word not in ("top", "bottom"):
            cost += UNSURE  # Of the "largest customers" nobody knows in what they are large.
        several = self.after is not None and self.after.plural and not self.number
        # What is missing is none of those that are asked for.
        where = ask_for_value(subject)
        query = Query(measures=_COUNT, keys=(subject.of,), where=where, order=self.first, limit=limit)
        yield Composed(query, cost + (LESS if several and cost < UNSURE else 0.0))

    def _most(self, key: Term) -> Iterator[Composed]:
        """Read "which host has the most errors", "customer with the fewest orders"."""
        if self.adjective.name in ("large", "small") and not self.by:
            limit, cost = self._limit(None)
            yield Composed(Query(measures=_COUNT, keys=(key.of,), order=self.first, limit=limit), cost)
