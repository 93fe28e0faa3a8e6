"""Put the segments of a question together to the queries they can mean."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple, cast

from mayfly.language.question._change import read_changes, read_deduplication
from mayfly.language.question._combine import combine_conditions, flat, is_empty
from mayfly.language.question._letters import letters_told_apart
from mayfly.language.question._list import read_lists
from mayfly.language.question._measure import read_havings, read_measures
from mayfly.language.question._operators import UNSURE
from mayfly.language.question._query import (
    And,
    Arithmetic,
    Column,
    Compare,
    Condition,
    Missing,
    Not,
    PartOf,
    Query,
    columns_of,
    walk,
)
from mayfly.language.question._rank import read_superlatives
from mayfly.language.question._said import Composed, Said
from mayfly.language.question._segment import Segment
from mayfly.language.question._share import read_shares
from mayfly.language.question._tidy import tidy
from mayfly.language.question._units import show_numbers
from mayfly.language.question._vocabulary import ColumnInfo, Vocabulary

# What goes with every way of reading.
_COMMON = frozenset(("condition", "or", "noun", "digits", "scale", "of total", "any case"))


class _Way(NamedTuple):
    """A way of reading: the segments that call for it, all that it makes use of, and what reads them."""

    called_by: str
    uses: str
    read: Callable[[Said], Iterator[Composed]]


# The first that is called for is taken.
_WAYS = (
    _Way("share", "measure term group sort way limit superlative", read_shares),
    _Way("dedupe", "dedupe keep group term sort way limit measure", read_deduplication),
    _Way("rename add drop columns range", "rename add drop columns range sort way limit", read_changes),
    _Way("having", "having term group measure sort way limit", read_havings),
    _Way("superlative", "superlative limit term group measure", read_superlatives),
    _Way("measure", "measure term group sort way limit unique edge", read_measures),
)
_LISTS = _Way("", "term group unique edge limit sort way", read_lists)


class Composer:
    """Hold what one cut says, and make queries of it."""

    def __init__(self, segments: Sequence[Segment], vocabulary: Vocabulary, moments: Sequence[ColumnInfo]) -> None:
        self.said = Said(tidy(segments), vocabulary, moments)

    def queries(self) -> Iterator[Composed]:
        """Yield every query that the segments can mean; none where they do not go together."""
        said = self.said
        if not said.all and any(one.word == "join" for one in said.segments):
            yield Composed(Query())
        if not said.all or _says_twice(said) or _drops_noun(said) or _wants_span(said):
            return
        base = _base_of_share(said)
        for where in combine_conditions(said.all):
            for found in self._made():
                query = self._completed(found.query, where)
                for one in [] if query is None else self._told_apart(query):
                    more = UNSURE if _denies_some(said, one) else 0.0
                    yield Composed(one, found.cost + more, base)

    def _made(self) -> Iterator[Composed]:
        """Read everything at once, and where a list of columns stands apart, as what is to be shown of the records."""
        yield from _read(self.said)
        chosen = _selection(self.said)
        if not chosen:
            return
        columns = tuple(dict.fromkeys(one.term.of for one in chosen if one.term))
        for found in _read(self.said.without(chosen)):
            query = found.query
            if query.pick is not None:
                yield Composed(query, found.cost + 0.1)  # Whole records have their title anyway.
            elif not query.measures and not query.columns and not query.renamed and len(columns) == len(chosen):
                yield Composed(replace(query, columns=columns), found.cost)

    def _completed(self, query: Query, where: Condition | None) -> Query | None:
        """Return a query with its conditions and how it is shown; None where that makes no sense."""
        if self.said.lines and not query.columns and not query.keys:
            query = replace(query, lines=True)
        query = self._without_missing(self._with_items(query))
        if query.of_total and len(query.measures) != 1:
            return None
        if any(one.of in query.keys and one.function not in ("unique", "count") for one in query.measures):
            return None  # A sum of what all records of a group share says nothing.
        if where is not None:
            both = where if query.where is None else And(of=(where, query.where))
            if is_empty(flat(both)):
                return None  # Nobody asks for what cannot be.
            query = replace(query, where=flat(both))
        return show_numbers(query, self.said.of("digits", "scale", "of total"), self.said.vocabulary)

    def _with_items(self, query: Query) -> Query:
        """Take a list apart where its items are counted, grouped by or listed."""
        lists = [one.name for one in self.said.vocabulary.columns if one.kind == "list"]
        looked = [*query.keys, *(one.of for one in query.measures if one.of), *query.columns]
        parts = [part for of in looked for part in walk(of)]
        named = dict.fromkeys(part.name for part in parts if isinstance(part, Column) and part.name in lists)
        plain = not any(isinstance(part, PartOf) and part.part == "items" for part in parts)
        return replace(query, items=Column(name=next(iter(named)))) if len(named) == 1 and plain else query

    def _without_missing(self, query: Query) -> Query:
        """Leave out of a ranking what has no name: "top 3 users" are users."""
        if not (query.keys and query.order and query.order[0].by == 0 and query.limit is not None):
            return query
        # A list that is empty has no items, so that none of them has to be left out.
        named = {one.name for one in self.said.vocabulary.columns if one.optional and one.kind != "list"}
        some = [of for of in query.keys if isinstance(of, Column) and of.name in named]
        given: list[Condition] = [one for of in some if (one := Not(of=Missing(of=of))) != query.where]
        if not given:
            return query
        every = [query.where, *given] if query.where else given
        return replace(query, where=every[0] if len(every) == 1 else flat(And(of=tuple(every))))

    def _told_apart(self, query: Query) -> list[Query]:
        """Read several values that are listed as groups too: "how many passed, failed and skipped", "GET vs POST"."""
        listed = [one for one in self.said.of("condition") if one.name in ("each", "vs")]
        if len(listed) != 1 or query.keys or not query.measures or query.order or query.limit is not None:
            return list(letters_told_apart(query, self.said.vocabulary, ignored=bool(self.said.of("any case"))))
        apart = replace(query, keys=(cast("Compare", listed[0].condition).left,))
        # "GET vs POST" is nothing but the two side by side.
        return [apart] if listed[0].name == "vs" else [query, apart]


def _read(said: Said) -> Iterator[Composed]:
    """Read what is said in the way that it calls for; a segment that would be passed over makes it no reading."""
    kinds = {one.kind for one in said.all}
    share = any(one.function == "share" for one in said.of("measure"))
    called = kinds | ({"share"} if share else set())
    way = next((one for one in _WAYS if called & set(one.called_by.split())), _LISTS)
    if kinds - set(way.uses.split()) - _COMMON:
        return
    for found in way.read(said):
        # A share is in percent anyway; other numbers only are so of a total.
        measures = found.query.measures
        fits = len(measures) == 1 and (found.query.keys or measures[0].function == "share")
        if fits or "of total" not in kinds:
            yield found


def _selection(said: Said) -> list[Segment]:
    """Return the columns that stand together before "of" at the start, or behind a comma at the end."""
    first = 0
    while first < len(said.all) and said.all[first].kind == "term" and (not first or said.joints[first] & {"and", ","}):
        first += 1
    if 0 < first < len(said.all) and said.joints[first] & {"of", "for"}:
        return said.all[:first]
    last = len(said.all)
    while last > 0 and said.all[last - 1].kind == "term" and said.joints[last - 1] & {"and", ","}:
        last -= 1
    return said.all[last:] if 0 < last < len(said.all) and "," in said.joints[last] else []


def _says_twice(said: Said) -> bool:
    """Say whether a column is named right before a condition that is about it anyway: "status 404"."""
    for at, (one, following) in enumerate(pairwise(said.all)):
        near = one.end == following.start or said.joints[at + 1] <= {"is", "are", "was", "were", "of", "the"}
        if one.kind != "term" or following.kind != "condition" or not near or one.term is None:
            continue
        if set(columns_of(one.term.of)) & set(columns_of(following.condition)):
            return True
    return False


def _drops_noun(said: Said) -> bool:
    """Say whether a noun is one of a list of columns, and would be lost as what records are called."""
    listed = ("term", "measure")
    return any(
        {one.kind, following.kind} & {"noun"}
        and (one.kind in listed or following.kind in listed)
        and said.joints[at + 1] & {"and", ","}
        and not said.joints[at + 1] & {"which", "what", "who", "how", "then"}
        for at, (one, following) in enumerate(pairwise(said.all))
    )


def _wants_span(said: Said) -> bool:
    """Say whether a unit was taken for that of a span, and no span was read."""
    if not any(one.kind == "glue" and one.name == "unit" for one in said.segments):
        return False
    return not any(one.term is not None and isinstance(one.term.of, Arithmetic) for one in said.all)


def _denies_some(said: Said, query: Query) -> bool:
    """Say whether records are sorted out where groups were meant: users without a running job have other jobs."""
    if not any(one.word == "none" for one in said.of("condition")):
        return False
    shown = [*(query.columns if query.unique else ()), *query.keys]
    shown += [one.of for one in query.measures if one.function == "unique" and one.of is not None]
    known = said.vocabulary.by_name
    return any(name in known and not known[name].distinct for of in shown for name in columns_of(of))


def _base_of_share(said: Said) -> int | None:
    """Return how many conditions stand before the verb of a share: "of the night trains were cancelled"."""
    places = [at for at, one in enumerate(said.all) if one.kind == "condition"]
    for number, at in enumerate(places):
        if number and said.joints[at] & {"got", "were", "was", "is", "are", "have", "has", "had"}:
            return number
    return None
