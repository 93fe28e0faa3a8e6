"""Make queries of lists: records, columns, groups without a measure, the first and the last."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from mayfly.language.question._operators import UNSURE
from mayfly.language.question._order import put_in_order
from mayfly.language.question._query import Column, Expression, Function, Measure, Order, Pick, Query, Repeated
from mayfly.language.question._said import LESS, Composed, Said
from mayfly.language.question._segment import Segment
from mayfly.language.question._sense import ask_for_value, is_added, is_of_persons
from mayfly.language.question._terms import Term
from mayfly.language.question._vocabulary import AKIN


def read_lists(said: Said) -> Iterator[Composed]:
    """Read "orders over 100", "name and city of customers", "hosts by day", "the last record"."""
    terms, keys, unique = said.terms(), said.keys(), said.of("unique")
    if any(one.word == "repeated" for one in unique):
        if not terms and len(unique) == 1:
            yield from put_in_order(said, Query(where=Repeated(of=()), lines=said.lines, unique=said.lines))
    elif keys:
        yield from _list_groups(said, terms, keys, bool(unique))
    elif said.of("edge"):
        yield from _list_edges(said, terms)
    else:
        yield from _list_records(said, terms, bool(unique))


# Records and columns.


def _list_records(said: Said, terms: Sequence[Term], unique: bool) -> Iterator[Composed]:
    ways = said.of("way")
    if len(terms) == 1 == len(ways) and ways[0].adjective and ways[0].adjective.roles == ("count",):
        # "hosts, most common first"
        order = (Order(by=0, descending=ways[0].descending),)
        counted, keys = (Measure(function="count"),), (terms[0].of,)
        yield Composed(Query(measures=counted, keys=keys, where=ask_for_value(terms[0]), order=order))
        return
    columns = tuple(dict.fromkeys(term.of for term in terms))
    repeated = [one.condition for one in said.of("condition") if isinstance(one.condition, Repeated)]
    if len(repeated) == 1 and len(repeated[0].of) == 1 and not columns and not said.of("noun", "unique"):
        yield from put_in_order(said, Query(columns=repeated[0].of, unique=True))  # "duplicate emails"
    elif not _makes_list(said, terms, columns):
        return
    elif unique:
        yield from put_in_order(said, Query(columns=columns, unique=True, lines=said.lines and not columns))
    elif _asks_for_columns(said, terms):
        yield from _list_columns(said, terms, columns)


def _makes_list(said: Said, terms: Sequence[Term], columns: tuple[Expression, ...]) -> bool:
    """Say whether columns are a list: each is there once, and all of them are joined."""
    if len(columns) < len(terms) or (not columns and any(one.name for one in said.of("noun"))):
        return False
    return all(said.joints[at] & {"and", ","} for at in _places_of_terms(said)[1:])


def _places_of_terms(said: Said) -> list[int]:
    return [at for at, one in enumerate(said.all) if one.kind == "term"]


def _asks_for_columns(said: Said, terms: Sequence[Term]) -> bool:
    """Say whether the columns that are named are what is asked for, and not something about the records."""
    places, nouns = _places_of_terms(said), said.of("noun")
    if not places:
        return True
    if said.passes("who", within=2) and terms and not any(term.info and is_of_persons(term.info) for term in terms):
        return False  # Who asks for somebody wants no weeks.
    told = said.joints[places[0]] & {"that", "who", "were", "was", "have", "has"}
    which = said.passes("which", "who", "what", within=3)
    if (which or told) and nouns and nouns[0].start < said.all[places[0]].start:
        return False  # "which printers ... toner" asks for printers.
    # "colour printers" are printers, and no colours.
    return not any(said.all[at].end == noun.start for at in places for noun in nouns)


def _list_columns(said: Said, terms: Sequence[Term], columns: tuple[Expression, ...]) -> Iterator[Composed]:
    """Show columns as they are, or the different values of one: "which hosts" wants each once."""
    cost = _cost_of_columns(said, terms)
    which = said.passes("which", "who", "what", within=3)
    named = _are_as_they_are(said, terms) and not (which and len(terms) == 1 and _is_shared(terms[0]))
    if len(terms) == 1 and _could_be_added(said, terms[0]):
        # "tickets sold in December" may ask how many those are.
        yield from put_in_order(said, Query(measures=(Measure(function="sum", of=columns[0]),)), cost)
    if columns and (which or len(columns) == 1) and not named:
        yield from put_in_order(said, Query(columns=columns, unique=True), cost)
        if _is_about(said, terms[0]) and not which:
            yield from put_in_order(said, Query(), cost)
    if named or not columns or (not which and _wants_all(said, terms, columns)):
        yield from put_in_order(said, Query(columns=columns, lines=said.lines and not columns), cost)


def _could_be_added(said: Said, term: Term) -> bool:
    """Say whether numbers that nobody asked to be listed, and that are named as one thing, may be meant together."""
    asked = any(one.kind == "ask" for one in said.segments) or said.passes("which", "who", "what", "all", "every")
    plural = any(one.plural for one in said.of("term"))
    return (
        term.numeric and is_added(term) and not asked and not plural and not said.of("sort", "way", "limit", "unique")
    )


def _cost_of_columns(said: Said, terms: Sequence[Term]) -> float:
    """Return how doubtful it is that the columns that are named are to be shown."""
    # "orders with a note" has one rather than shows it.
    cost = 0.5 if any("with" in said.joints[at] for at in _places_of_terms(said)) else 0.0
    if any((term.numeric and term.cost >= AKIN) or (term.moment and term.cost > LESS) for term in terms):
        cost += UNSURE  # "what did we spend" wants no list of amounts.
    if said.of("condition") and any(map(_tells_what_happened, said.of("term"))):
        cost += UNSURE  # "umbrellas found on T4" asks for no days.
    return cost


def _are_as_they_are(said: Said, terms: Sequence[Term]) -> bool:
    """Say whether values are listed as they are, and not each once: numbers, and what the records are called."""
    return any(said.vocabulary.is_noun(one.word) for one in said.of("term")) or any(term.numeric for term in terms)


def _tells_what_happened(segment: Segment) -> bool:
    """Say whether a moment is named by a verb, which may be said of the records: "found on T4"."""
    moment = segment.term is not None and segment.term.moment and "_" not in segment.word
    return moment and segment.word.endswith(("ed", "d", "n"))


def _is_shared(term: Term) -> bool:
    """Say whether several records have the same value of a column that holds no numbers."""
    return not term.numeric and not (term.info is not None and term.info.distinct)


def _wants_all(said: Said, terms: Sequence[Term], columns: tuple[Expression, ...]) -> bool:
    """Say whether every value is wanted as often as it is there."""
    extracted = any(one.kind == "ask" and one.word in ("extract", "pull") for one in said.segments)
    listed = any(term.info and term.info.kind == "list" for term in terms[:1])
    return len(columns) != 1 or extracted or listed or said.passes("all", "every", "each")


def _is_about(said: Said, term: Term) -> bool:
    """Say whether a column that stands first is what the records are called, though some share a name."""
    first = said.vocabulary.columns[0]
    return term.of == Column(name=first.name) and not first.distinct and bool(said.of("condition"))


def _list_edges(said: Said, terms: Sequence[Term]) -> Iterator[Composed]:
    """Read "first and last timestamp", "the last record"."""
    edges = said.of("edge")
    if len(terms) == 1:
        of = terms[0].of
        yield Composed(Query(measures=_edges_of(of, edges)))
        if terms[0].moment:
            extremes = tuple(Measure(function="max" if one.last else "min", of=of) for one in edges)
            yield Composed(Query(measures=extremes))
    elif not terms and len(edges) == 1 and said.of("noun"):
        base = Query(lines=said.lines)
        yield Composed(replace(base, last=1) if edges[0].last else replace(base, limit=1))
        for column in said.own_moments():
            yield Composed(replace(base, order=(Order(by=column, descending=edges[0].last),), limit=1))


def _edges_of(of: Expression, edges: Sequence[Segment]) -> tuple[Measure, ...]:
    return tuple(Measure(function="last" if one.last else "first", of=of) for one in edges)


# Groups.


def _list_groups(said: Said, terms: Sequence[Term], keys: tuple[Expression, ...], unique: bool) -> Iterator[Composed]:
    """Read "orders by city", "amount per day", "first two orders of each customer"."""
    limits, edges = said.of("limit"), said.of("edge")
    left = [term for term in terms if term.of not in keys]
    if _has_stray_term(said, keys):
        return
    if (limits or edges) and not left and not said.of("sort", "way"):
        if len(limits) + len(edges) == 1:
            yield from _pick_of_each(said, keys, (limits or edges)[0])
    elif _are_records(said, left):
        return
    elif edges and len(left) == 1:
        yield from put_in_order(said, Query(measures=_edges_of(left[0].of, edges), keys=keys))
    elif len(left) <= 1 and not edges and (left or not unique):
        for measure in _likely_measures(left[0], unique) if left else [Measure(function="count")]:
            yield from put_in_order(said, Query(measures=(measure,), keys=keys))


def _are_records(said: Said, left: Sequence[Term]) -> bool:
    """Say whether records of each group are asked for, which are read as that, and nothing that is made of them."""
    limits = said.of("limit")
    if limits and left and limits[0].start < said.of("group")[0].start:
        return True  # "first two stays at each cottage" are no groups.
    # "the last passage of each vessel"
    return bool(said.of("edge")) and len(left) == 1 and _names_record(said, left[0])


def _names_record(said: Said, term: Term) -> bool:
    """Say whether a column whose values are all different is named by what the records are called."""
    named = any(one.term == term and said.vocabulary.is_noun(one.word) for one in said.of("term"))
    return named and term.info is not None and term.info.distinct


def _has_stray_term(said: Said, keys: tuple[Expression, ...]) -> bool:
    """Say whether something is grouped by that is not there: "per test file"."""
    behind = max(one.start for one in said.of("group"))
    return any(
        one.start > behind and one.term and one.term.of not in keys and not said.joints[at] & {"and", ",", ":"}
        for at, one in enumerate(said.all)
        if one.kind == "term"
    )


def _pick_of_each(said: Said, keys: tuple[Expression, ...], one: Segment) -> Iterator[Composed]:
    """Read "the last order of each customer": by its moment, or as they come."""
    for column in said.own_moments():
        pick = Pick(number=one.number or 1, by=column, descending=one.last)
        yield Composed(Query(pick=pick, keys=keys, lines=said.lines))
    yield Composed(Query(pick=Pick(number=one.number or 1, last=one.last), keys=keys, lines=said.lines))


def _likely_measures(term: Term, unique: bool) -> list[Measure]:
    """Return what may be made of a column for each group where nothing is said."""
    functions: tuple[Function, ...] = ("count", "unique")
    if unique:
        functions = ("unique",)
    elif term.numeric:
        functions = ("sum",) if is_added(term) else ("sum", "mean")
    return [Measure(function=one, of=None if one == "count" else term.of) for one in functions]
