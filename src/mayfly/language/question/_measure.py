"""Make queries of what is made of records: counts, sums and averages, of all records or for each group."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, cast

from mayfly.language.question._order import put_in_order
from mayfly.language.question._query import Column, Compare, Function, Measure, Missing, Not, Operator, Query
from mayfly.language.question._said import Composed, Said
from mayfly.language.question._segment import Segment
from mayfly.language.question._sense import ask_for_value, can_be_made_of, is_added
from mayfly.language.question._terms import Term


class Filled(NamedTuple):
    """Measures with what they are of, the places of the terms that were taken, what has to be there to be counted."""

    measures: tuple[Measure, ...] = ()
    taken: frozenset[int] = frozenset()
    present: Missing | None = None

    def with_measures(self, *measures: Measure, taken: frozenset[int] = frozenset()) -> Filled:
        """Return this with more measures and more places that were taken."""
        return self._replace(measures=(*self.measures, *measures), taken=self.taken | taken)


def read_measures(said: Said) -> Iterator[Composed]:
    """Read "average amount per day", "how many orders and total amount by city"."""
    measures = said.of("measure")
    often = [one for one in measures if one.name]
    if often and said.passes("each") and not said.of("term", "group"):
        return  # Of what each is one, has to be said.
    terms = said.terms()
    if often and len(measures) == 1 == len(terms) and not said.keys():
        # "ip addresses and how often each is mentioned"
        counted = (Measure(function="count"),)
        yield from put_in_order(said, Query(measures=counted, keys=(terms[0].of,), where=ask_for_value(terms[0])))
        return
    extreme = any(one.word == "" and one.function in ("min", "max") for one in measures)
    if extreme and said.passes("which", "who", within=2) and said.of("noun"):
        return  # "which job has the highest memory" asks for the job.
    if any(map(_picks_record, said.all, said.all[1:], said.joints[1:])):
        return
    for filled in fill_measures(said):
        if (query := _query_of(said, filled)) is not None:
            yield from put_in_order(said, query)


def _picks_record(noun: Segment, measure: Segment, joint: frozenset[str]) -> bool:
    """Say whether a record is asked for by its highest or lowest value: "the record with the highest value"."""
    extreme = measure.kind == "measure" and measure.word == "" and measure.function in ("min", "max")
    return noun.kind == "noun" and extreme and "with" in joint


def _query_of(said: Said, filled: Filled) -> Query | None:
    """Return the query with some measures; None where something that is said would be lost."""
    edges, keys = said.of("edge"), said.keys()
    left = [one for at, one in enumerate(said.all) if one.kind == "term" and at not in filled.taken]
    if not filled.measures or any(one.term and one.term.of not in keys for one in left):
        return None
    measures = (*_edges(said, filled.taken), *filled.measures) if edges else filled.measures
    functions = {one.function for one in measures}
    others = not functions <= {"unique", "first", "last"}
    # "unique" may belong to one measure of several.
    if others and (edges or (said.of("unique") and "unique" not in functions)):
        return None
    where = None if filled.present is None else Not(of=filled.present)
    return Query(measures=measures, keys=keys, where=where)


def _edges(said: Said, taken: frozenset[int]) -> tuple[Measure, ...]:
    """Read "first and last" beside other measures of the same thing."""
    terms = [_term_at(said, at) for at in sorted(taken)]
    return tuple(Measure(function="last" if one.last else "first", of=terms[0].of) for one in said.of("edge") if terms)


# What each measure is of.


def fill_measures(said: Said) -> Iterator[Filled]:
    """Yield the measures with what they are of, in every way that makes sense."""
    yield from _fill(said, 0, Filled())


def _fill(said: Said, place: int, made: Filled) -> Iterator[Filled]:
    if place >= len(said.all):
        yield made
        return
    segment = said.all[place]
    if segment.kind != "measure" or segment.function is None or _is_total_of_count(said, place):
        yield from _fill(said, place + 1, made)
    elif made.measures and not _is_joined(said, place):
        return  # Two measures that nothing joins are none: "how many are missing the number of".
    elif segment.function == "count":
        yield from _fill_count(said, place, made)
    else:
        yield from _fill_function(said, place, segment.function, made)


def _is_total_of_count(said: Said, place: int) -> bool:
    """Say whether a word only adds to the measure behind it: "total number of"."""
    one, after = said.all[place], said.after(place)
    total = one.function == "sum" and one.word in ("total", "overall")
    return total and after is not None and after.kind == "measure" and after.function in ("count", "unique")


def _fill_function(said: Said, place: int, function: Function, made: Filled) -> Iterator[Filled]:
    """Find what a measure other than a count is of; several in a row share what stands behind the last."""
    shared = place + 1
    while shared < len(said.all) and said.all[shared].kind in ("measure", "edge"):
        if said.all[shared].function == "count":
            return  # "average number of" would be a measure of measures.
        shared += 1
    terms = _terms_from(said, shared)
    if not terms and place and said.all[place - 1].kind == "term" and place - 1 not in made.taken:
        terms = [place - 1]
    after = said.after(place)
    if not terms and function == "sum" and after is not None and after.kind == "noun":
        yield from _fill(said, place + 1, made.with_measures(Measure(function="count")))  # "total requests"
        return
    fitting = [at for at in terms if can_be_made_of(function, _term_at(said, at))]
    if not fitting or fitting[0] != terms[0]:
        return
    fitting = fitting if shared == place + 1 or len(terms) == 1 else fitting[:1]
    at = said.all[place].at
    found = made.with_measures(
        *(Measure(function=function, of=_term_at(said, one).of, at=at) for one in fitting), taken=frozenset(fitting)
    )
    yield from _fill(said, place + 1, found._replace(measures=tuple(dict.fromkeys(found.measures))))


def _fill_count(said: Said, place: int, made: Filled) -> Iterator[Filled]:
    """Find what is counted: records, or values of a column, each once or all of them."""
    after = said.after(place)
    distinct = after is not None and after.kind == "unique" and after.word != "repeated"
    at = place + 1 + distinct
    term = said.all[at].term if at < len(said.all) and said.all[at].kind == "term" else None
    if term is not None:
        yield from _fill_count_of(said, at, term, distinct, made)
    elif not distinct:
        yield from _fill(said, place + 1, made.with_measures(Measure(function="count")))
        # Of "number of mice caught" nobody knows whether a record with a count of three counts once or three times.
        several = [one for one in said.vocabulary.with_role("quantity") if one.numeric]
        if after is not None and after.kind == "condition" and len(several) == 1 and not said.of("noun"):
            summed = Measure(function="sum", of=Column(name=several[0].name))
            yield from _fill(said, place + 1, made.with_measures(summed))
    elif at < len(said.all):
        # "how many different cards start with LC" counts the cards of which that is said.
        told = said.all[at].condition
        if isinstance(told, Compare) and isinstance(told.left, Column) and told.left.name:
            yield from _fill(said, at, made.with_measures(Measure(function="unique", of=told.left)))


def _fill_count_of(said: Said, at: int, term: Term, distinct: bool, made: Filled) -> Iterator[Filled]:
    here = frozenset({at})
    unique = made.with_measures(Measure(function="unique", of=term.of), taken=here)
    if distinct:
        yield from _fill(said, at, unique)
        return
    if isinstance(term.of, Column) and term.info and term.info.kind == "list":
        return
    if said.vocabulary.is_noun(said.all[at].word):
        return  # The word is what a record is called, and is read as that.
    if term.numeric and is_added(term):
        # "how many kg came from plot 3" are added up.
        yield from _fill(said, at, made.with_measures(Measure(function="sum", of=term.of), taken=here))
        return
    yield from _fill(said, at, unique)
    # Of "count emails" nobody knows whether each address counts once: both are readings.
    present = Missing(of=term.of) if term.info and term.info.optional else None
    counted = made.with_measures(Measure(function="count"), taken=here)
    yield from _fill(said, at, counted._replace(present=present))


def _is_joined(said: Said, place: int) -> bool:
    """Say whether a measure goes on with a list of them."""
    earlier = next(at for at in range(place - 1, -1, -1) if said.all[at].kind == "measure")
    return earlier == place - 1 or any(
        said.joints[at] & {"and", ",", "with", "/"} for at in range(earlier + 1, place + 1)
    )


def _terms_from(said: Said, place: int) -> list[int]:
    """Return the places of the terms that stand side by side from *place* on."""
    found: list[int] = []
    if place + 1 < len(said.all) and said.all[place].kind == "noun" and said.all[place + 1].kind == "term":
        place += 1  # "average order value"
    while place < len(said.all) and said.all[place].kind == "term":
        if found and not said.joints[place] & {"and", ","}:
            break
        found.append(place)
        place += 1
    return found


def _term_at(said: Said, place: int) -> Term:
    return cast("Term", said.all[place].term)


# Groups that have to have a measure.


def read_havings(said: Said) -> Iterator[Composed]:
    """Read "customers with more than 40 orders", "stations whose average humidity is above 65"."""
    having, measures, terms = said.of("having"), said.of("measure"), said.terms()
    keys = tuple(term.of for term in terms) or said.keys()
    if any(term.numeric for term in terms):
        return  # "restarted more than 20 times" counts no records.
    if len(having) != 1 or len(keys) != 1 or len(measures) > 1:
        return
    if (terms and said.of("group")) or (measures and measures[0].function not in ("count", "unique")):
        return
    one = having[0]
    condition = (cast("Operator", one.name), int(one.at) if one.at == int(one.at) else one.at)
    measure = Measure(function=one.function, of=one.term.of) if one.function and one.term else Measure(function="count")
    yield from put_in_order(said, Query(measures=(measure,), keys=keys, having=condition, tally=bool(measures)))
