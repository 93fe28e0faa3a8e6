"""Put the segments of a question together to the queries they can mean."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple, cast

from mayfly.language.question._conditions import UNSURE
from mayfly.language.question._query import (
    And,
    Arithmetic,
    Column,
    Compare,
    Condition,
    Constant,
    Expression,
    Function,
    Measure,
    Missing,
    Not,
    Operator,
    Or,
    Order,
    PartOf,
    Pick,
    Query,
    Repeated,
    Scalar,
    columns_of,
    walk,
)
from mayfly.language.question._segments import Segment
from mayfly.language.question._terms import Term
from mayfly.language.question._vocabulary import AKIN, NEAR, ColumnInfo, Vocabulary
from mayfly.language.question._words import UNIT_SIZES, is_person, unit_of

# Numbers of these roles are added up where nothing is said; of any other it is not known what is made of them.
_ADDED = ("amount", "quantity", "size", "distance", "weight", "energy", "volume")
# A reading that is less likely than its rivals by so much is not offered beside them.
_LESS = 0.6
# Moments at which something ends: nothing is as old as they say.
_ENDS = frozenset(("expires", "expiry", "expire", "due", "next", "until", "end", "ends", "ended", "valid", "closed"))
# Roles of columns that tell who.
_PERSONS = ("user", "customer", "name", "email")


# What each way of reading makes use of; conditions and nouns go with all of them.
_SHARED = "measure term group sort way limit superlative"
_DEDUPED = "dedupe keep group term sort way limit measure"
_CHANGED = "rename add drop columns range sort way limit"
_HAD = "having term group measure sort way limit"
_RANKED = "superlative limit term group measure"
_MEASURED = "measure term group sort way limit unique edge"
_LISTED = "term group unique edge limit sort way"


class Composed(NamedTuple):
    """A query, and how much less likely it is than others from the same segments.

    Of a share, *base* is how many of its conditions say of what it is a share, where that was said.
    """

    query: Query
    cost: float
    base: int | None = None


class Composer:
    """Hold the segments of one cut by what they say, and make queries of them."""

    def __init__(self, segments: Sequence[Segment], vocabulary: Vocabulary, moments: Sequence[ColumnInfo]) -> None:
        segments = _without_counting(_without_repeats(_without_doubles(_with_counted(segments))))
        self.vocabulary = vocabulary
        # The columns of moments that can be meant where none is named.
        self.moments = moments
        self.all = [one for one in segments if one.kind not in ("glue", "ask", "unknown")]
        self.segments = segments
        # The words that only join, before each segment that says something.
        self.joints = list(_joints(segments))
        # What has to be there to be counted, while that is being read.
        self.present: Missing | None = None
        self.lines = any(one.kind == "noun" and one.word in ("line", "lines") for one in segments)

    def _of(self, *kinds: str) -> list[Segment]:
        return [one for one in self.all if one.kind in kinds]

    def queries(self) -> Iterator[Composed]:
        """Yield every query that the segments can mean; none where they do not go together."""
        if not self.all and any(one.word == "join" for one in self.segments):
            yield Composed(Query(), 0.0)
        if not self.all or self._says_twice() or self._drops_noun() or self._wants_span():
            return
        for where, cost in _conditions(self.all):
            for found in self._made():
                query = found.query
                if self.lines and not query.columns and not query.keys:
                    query = replace(query, lines=True)
                query = self._without_missing(self._with_items(query))
                if query.of_total and len(query.measures) != 1:
                    continue
                if any(one.of in query.keys and one.function not in ("unique", "count") for one in query.measures):
                    continue  # A sum of what all records of a group share says nothing.
                if where is not None:
                    both = where if query.where is None else And(of=(where, query.where))
                    query = replace(query, where=_flat(both))
                flagged = _with_flags(query, self._of("digits", "scale", "of total"), self.vocabulary)
                if flagged is None:
                    continue
                query = flagged
                apart = self._told_apart(query)
                # "GET vs POST" is nothing but the two side by side.
                beside = bool(apart) and any(one.name == "vs" for one in self._of("condition"))
                for told in (*([] if beside else [query]), *apart):
                    more = UNSURE if self._denies_some(told) else 0.0
                    yield Composed(told, cost + found.cost + more, self._base_of_share())

    def _denies_some(self, query: Query) -> bool:
        """Say whether records are sorted out where groups were meant: users without a running job have other jobs."""
        if not any(one.word == "none" for one in self._of("condition")):
            return False
        shown = [*(query.columns if query.unique else ()), *query.keys]
        shown += [one.of for one in query.measures if one.function == "unique" and one.of is not None]
        known = self.vocabulary.by_name
        return any(name in known and not known[name].distinct for of in shown for name in columns_of(of))

    def _base_of_share(self) -> int | None:
        """Return how many conditions stand before the verb of a share: "of the night trains were cancelled"."""
        places = [at for at, one in enumerate(self.all) if one.kind == "condition"]
        for number, at in enumerate(places):
            if number and self.joints[at] & {"got", "were", "was", "is", "are", "have", "has", "had"}:
                return number
        return None

    def _told_apart(self, query: Query) -> list[Query]:
        """Read several values that are listed as groups: "how many passed, failed and skipped", "GET vs POST"."""
        listed = [one.condition for one in self._of("condition") if one.name in ("each", "vs")]
        if len(listed) != 1 or query.keys or not query.measures or query.order or query.limit is not None:
            return []
        return [replace(query, keys=(cast("Compare", listed[0]).left,))]

    def _without_missing(self, query: Query) -> Query:
        """Leave out of a ranking what has no name: "top 3 users" are users."""
        if not (query.keys and query.order and query.order[0].by == 0 and query.limit is not None):
            return query
        known = self.vocabulary.by_name
        # A list that is empty has no items, so that none of them has to be left out.
        named = {one.name for one in known.values() if one.optional and one.kind != "list"}
        some = [of for of in query.keys if isinstance(of, Column) and of.name in named]
        given = [Not(of=Missing(of=of)) for of in some]
        given = [one for one in given if query.where != one]
        if not given:
            return query
        return replace(
            query,
            where=_flat(And(of=(*([query.where] if query.where else []), *given)))
            if len(given) + bool(query.where) > 1
            else given[0],
        )

    def _with_items(self, query: Query) -> Query:
        """Take a list apart where its items are counted, grouped by or listed."""
        lists = [one.name for one in self.vocabulary.columns if one.kind == "list"]
        looked = [*query.keys, *(one.of for one in query.measures if one.of), *query.columns]
        named = dict.fromkeys(
            part.name for of in looked for part in walk(of) if isinstance(part, Column) and part.name in lists
        )
        plain = not any(isinstance(part, PartOf) and part.part == "items" for of in looked for part in walk(of))
        return replace(query, items=Column(name=next(iter(named)))) if len(named) == 1 and plain else query

    def _says_twice(self) -> bool:
        """Say whether a column is named right before a condition that is about it anyway: "status 404"."""
        for at, (one, following) in enumerate(pairwise(self.all)):
            near = one.end == following.start or self.joints[at + 1] <= {"is", "are", "was", "were", "of", "the"}
            if one.kind == "term" and following.kind == "condition" and near and one.term:
                if set(columns_of(one.term.of)) & set(columns_of(following.condition)):
                    return True
        return False

    def _wants_span(self) -> bool:
        """Say whether a unit was taken for that of a span, and no span was read."""
        if not any(one.kind == "glue" and one.name == "unit" for one in self.segments):
            return False
        return not any(one.term is not None and isinstance(one.term.of, Arithmetic) for one in self.all)

    def _drops_noun(self) -> bool:
        """Say whether a noun is one of a list of columns, and would be lost as what records are called."""
        listed = ("term", "measure")
        return any(
            {one.kind, following.kind} & {"noun"}
            and (one.kind in listed or following.kind in listed)
            and self.joints[at + 1] & {"and", ","}
            and not self.joints[at + 1] & {"which", "what", "who", "how", "then"}
            for at, (one, following) in enumerate(pairwise(self.all))
        )

    def _made(self) -> Iterator[Composed]:
        """Read everything at once, and where a list of columns stands apart, as what is to be shown of the records."""
        yield from self._read()
        chosen = self._selection()
        if not chosen:
            return
        whole, joints = self.all, self.joints
        self.all = [one for one in whole if one not in chosen]
        self.joints = [joint for one, joint in zip(whole, joints, strict=True) if one not in chosen]
        columns = tuple(dict.fromkeys(one.term.of for one in chosen if one.term))
        for found in self._read():
            query = found.query
            if query.pick is not None:
                yield Composed(query, found.cost + 0.1)  # Whole records have their title anyway.
            elif not query.measures and not query.columns and not query.renamed and len(columns) == len(chosen):
                yield Composed(replace(query, columns=columns), found.cost)
        self.all, self.joints = whole, joints

    def _selection(self) -> list[Segment]:
        """Return the columns that stand together before "of" at the start, or behind a comma at the end."""
        first = 0
        while (
            first < len(self.all)
            and self.all[first].kind == "term"
            and (not first or self.joints[first] & {"and", ","})
        ):
            first += 1
        if 0 < first < len(self.all) and self.joints[first] & {"of", "for"}:
            return self.all[:first]
        last = len(self.all)
        while last > 0 and self.all[last - 1].kind == "term" and self.joints[last - 1] & {"and", ","}:
            last -= 1
        return self.all[last:] if 0 < last < len(self.all) and "," in self.joints[last] else []

    def _read(self) -> Iterator[Composed]:
        measures = self._of("measure")
        if any(one.function == "share" for one in measures):
            yield from self._unless_more(_SHARED, self._shares)
        elif self._of("dedupe"):
            yield from self._unless_more(_DEDUPED, self._changed)
        elif self._of("rename", "add", "drop", "columns", "range"):
            yield from self._unless_more(_CHANGED, self._changed)
        elif self._of("having"):
            yield from self._unless_more(_HAD, self._having)
        elif self._of("superlative"):
            yield from self._unless_more(_RANKED, self._ranked)
        elif measures:
            yield from self._unless_more(_MEASURED, self._measured)
        else:
            yield from self._unless_more(_LISTED, self._listed)

    def _unless_more(self, kinds: str, read: Callable[[], Iterator[Composed]]) -> Iterator[Composed]:
        """Read only what a way of reading makes use of: a segment that it would pass over makes it no reading."""
        known = {*kinds.split(), "condition", "or", "noun", "digits", "scale"}
        flags = self._of("of total")
        if {one.kind for one in self.all} - {"of total"} <= known:
            for found in read():
                # A share is in percent anyway; other numbers only are so of a total.
                measures = found.query.measures
                if not flags or (len(measures) == 1 and (found.query.keys or measures[0].function == "share")):
                    yield found

    # Measures.

    def _filled(self) -> Iterator[tuple[tuple[Measure, ...], frozenset[int], float]]:
        """Yield the measures with what they are of, the places of the terms that were taken, and a cost."""
        yield from self._fill(0, (), frozenset(), 0.0)

    def _fill(
        self, place: int, made: tuple[Measure, ...], taken: frozenset[int], cost: float
    ) -> Iterator[tuple[tuple[Measure, ...], frozenset[int], float]]:
        if place >= len(self.all):
            yield made, taken, cost
            return
        segment = self.all[place]
        if segment.kind != "measure" or segment.function is None:
            yield from self._fill(place + 1, made, taken, cost)
            return
        after = self.all[place + 1] if place + 1 < len(self.all) else None
        if (
            segment.function == "sum"
            and segment.word in ("total", "overall")
            and after is not None
            and after.kind == "measure"
            and after.function in ("count", "unique")
        ):
            yield from self._fill(place + 1, made, taken, cost)  # "total number of"
            return
        if made and not self._is_joined(place):
            return  # Two measures that nothing joins are none: "how many are missing the number of".
        if segment.function == "count":
            yield from self._counted(place, made, taken, cost)
            return
        shared = place + 1
        while shared < len(self.all) and self.all[shared].kind in ("measure", "edge"):
            if self.all[shared].function == "count":
                return  # "average number of" would be a measure of measures.
            shared += 1
        terms = self._terms_from(shared)
        if not terms and place and self.all[place - 1].kind == "term" and place - 1 not in taken:
            terms = [place - 1]
        if not terms and segment.function == "sum" and after is not None and after.kind == "noun":
            yield from self._fill(place + 1, (*made, Measure(function="count")), taken, cost)  # "total requests"
            return
        fitting = [at for at in terms if _fits(segment.function, self._term(at))]
        if not fitting or (len(fitting) < len(terms) and not _fits(segment.function, self._term(terms[0]))):
            return
        fitting = fitting if shared == place + 1 or len(terms) == 1 else fitting[:1]
        measures = tuple(Measure(function=segment.function, of=self._term(at).of, at=segment.at) for at in fitting)
        yield from self._fill(place + 1, tuple(dict.fromkeys((*made, *measures))), taken | set(fitting), cost)

    def _is_joined(self, place: int) -> bool:
        """Say whether a measure goes on with a list of them."""
        earlier = next(at for at in range(place - 1, -1, -1) if self.all[at].kind == "measure")
        return earlier == place - 1 or any(
            self.joints[at] & {"and", ",", "with", "/"} for at in range(earlier + 1, place + 1)
        )

    def _counted(
        self, place: int, made: tuple[Measure, ...], taken: frozenset[int], cost: float
    ) -> Iterator[tuple[tuple[Measure, ...], frozenset[int], float]]:
        after = self.all[place + 1] if place + 1 < len(self.all) else None
        distinct = after is not None and after.kind == "unique" and after.word != "repeated"
        at = place + 1 + distinct
        term = self.all[at].term if at < len(self.all) and self.all[at].kind == "term" else None
        if term is None:
            # "how many different cards start with LC" counts the cards of which that is said.
            said = self.all[at].condition if distinct and at < len(self.all) else None
            if isinstance(said, Compare) and isinstance(said.left, Column) and said.left.name:
                yield from self._fill(at, (*made, Measure(function="unique", of=said.left)), taken, cost)
            if not distinct:
                yield from self._fill(place + 1, (*made, Measure(function="count")), taken, cost)
            return
        if isinstance(term.of, Column) and term.info and term.info.kind == "list" and not distinct:
            return
        if not distinct and self.vocabulary.is_noun(self.all[at].word):
            return  # The word is what a record is called, and is read as that.
        if not distinct and term.numeric and _is_added(term):
            # "how many kg came from plot 3" are added up.
            yield from self._fill(at, (*made, Measure(function="sum", of=term.of)), taken | {at}, cost)
            return
        yield from self._fill(at, (*made, Measure(function="unique", of=term.of)), taken | {at}, cost)
        if not distinct:
            # Of "count emails" nobody knows whether each address counts once: both are readings.
            self.present = Missing(of=term.of) if term.info and term.info.optional else None
            yield from self._fill(at, (*made, Measure(function="count")), taken | {at}, cost)
            self.present = None

    def _terms_from(self, place: int) -> list[int]:
        """Return the places of the terms that stand side by side from *place* on."""
        found: list[int] = []
        if place + 1 < len(self.all) and self.all[place].kind == "noun" and self.all[place + 1].kind == "term":
            place += 1  # "average order value"
        while place < len(self.all) and self.all[place].kind == "term":
            if found and not self.joints[place] & {"and", ","}:
                break
            found.append(place)
            place += 1
        return found

    def _term(self, place: int) -> Term:
        return cast("Term", self.all[place].term)

    def _measured(self) -> Iterator[Composed]:
        often = [one for one in self._of("measure") if one.name]
        each = any(one.kind == "glue" and one.word == "each" for one in self.segments)
        if often and each and not self._of("term", "group"):
            return  # Of what each is one, has to be said.
        terms = [one.term for one in self._of("term") if one.term]
        if often and len(self._of("measure")) == 1 and len(terms) == 1 and not self._keys():
            # "ip addresses and how often each is mentioned"
            key = terms[0]
            given = _given(key)
            yield from self._in_order(Query(measures=(Measure(function="count"),), keys=(key.of,), where=given), 0.0)
            return
        which = any(one.kind == "glue" and one.word in ("which", "who") for one in self.segments[:2])
        if (
            which
            and self._of("noun")
            and any(one.word == "" and one.function in ("min", "max") for one in self._of("measure"))
        ):
            return  # "which job has the highest memory" asks for the job.
        if any(
            one.kind == "measure" and one.word == "" and one.function in ("min", "max") and "with" in self.joints[at]
            for at, one in enumerate(self.all)
            if at and self.all[at - 1].kind == "noun"
        ):
            return  # "the record with the highest value"
        for measures, taken, cost in self._filled():
            measures = (*self._edges(taken), *measures) if self._of("edge") and measures else measures
            left = [one for at, one in enumerate(self.all) if one.kind == "term" and at not in taken]
            keys = self._keys()
            if any(one.term and one.term.of not in keys for one in left):
                continue
            if self._of("unique", "edge") and not all(one.function in ("unique", "first", "last") for one in measures):
                if self._of("edge") or not any(one.function == "unique" for one in measures):
                    continue
            if not measures:
                continue
            present = None if self.present is None else Not(of=self.present)
            yield from self._in_order(Query(measures=measures, keys=keys, where=present), cost)

    def _edges(self, taken: frozenset[int]) -> tuple[Measure, ...]:
        terms = [self._term(at) for at in sorted(taken)]
        return tuple(
            Measure(function="last" if one.last else "first", of=terms[0].of) for one in self._of("edge") if terms
        )

    def _keys(self) -> tuple[Expression, ...]:
        keys = dict.fromkeys(term.of for one in self._of("group") for term in one.terms)
        # "per week by borrowed_on" names the moment of which the week is meant.
        parts = [one.of for one in keys if isinstance(one, PartOf)]
        return tuple(one for one in keys if one not in parts)

    def _in_order(self, query: Query, cost: float) -> Iterator[Composed]:
        """Add how groups or records are sorted and how many of them are wanted."""
        sorts = [part for one in self._of("sort") for part in one.sorts or (one,)]
        ways, limits = self._of("way"), self._of("limit")
        descending = {way.descending for way in ways}
        descending |= {one.name == "down" for one in sorts[-1:] if one.name and ways}
        if len(descending) > 1 or len(limits) > 1:
            return  # "ascending descending" contradicts itself.
        order: list[Order] = []
        for sort in sorts:
            if sort.term is None and sort.function is not None:
                at = next((place for place, one in enumerate(query.measures) if one.function == sort.function), None)
                if at is None:
                    return
                order.append(Order(by=at, descending=sort.name != "up"))
                continue
            if sort.term is None:
                continue
            # A way that stands by itself is that of what was named last.
            way = sort.name == "down" if sort.name else (ways[0].descending if ways and sort is sorts[-1] else False)
            by: Expression | int | None = sort.term.of
            if query.measures and by not in query.keys:
                by = next((at for at, one in enumerate(query.measures) if one.of == sort.term.of), None)
            if by is None:
                return
            order.append(Order(by=by, descending=way))
        if not order and (ways or sorts):
            found = self._order_by_way(query, ways[0] if ways else None, bool(sorts))
            if found is None:
                return
            order = [found]
        limit = limits[0] if limits else None
        if limit is not None and limit.word == "number":
            return
        if query.measures and not query.keys and (order or limit):
            return
        changed = replace(query, order=tuple(order))
        if limit is not None and not order and not query.measures:
            for column in self._moments():
                timed = replace(changed, order=(Order(by=column),))
                yield Composed(
                    replace(timed, last=limit.number) if limit.last else replace(timed, limit=limit.number), cost
                )
        if limit is not None:
            changed = replace(changed, last=limit.number) if limit.last else replace(changed, limit=limit.number)
        yield Composed(changed, cost)

    def _order_by_way(self, query: Query, way: Segment | None, sort: bool) -> Order | None:
        """Find what "descending" or "newest first" sorts by where no column is named."""
        if way is not None and way.adjective is not None and way.adjective.roles and not query.measures:
            columns = [one for role in way.adjective.roles for one in self.vocabulary.with_role(role)]
            columns = list(self.moments) if "timestamp" in way.adjective.roles else columns
            return Order(by=Column(name=columns[0].name), descending=way.descending) if len(columns) == 1 else None
        if query.keys and query.measures:
            return Order(by=0, descending=way.descending if way else True)
        texts = [one for one in self.vocabulary.columns if one.kind == "text"]
        if len(query.columns) == 1 and way is not None and not isinstance(query.columns[0], Column):
            return Order(by=query.columns[0], descending=way.descending)  # "height times width, largest first"
        if way is not None and way.adjective is not None and way.adjective.name in ("large", "small"):
            sizes = [one for one in self.vocabulary.columns if one.numeric and one.role in _ADDED]
            return Order(by=Column(name=sizes[0].name), descending=way.descending) if len(sizes) == 1 else None
        if not query.columns and len(texts) == 1 == len([one for one in self.vocabulary.columns if one.kind != "list"]):
            return Order(by=Column(name=texts[0].name), descending=way.descending if way else False)
        if len(query.columns) == 1:
            return Order(by=query.columns[0], descending=way.descending if way else False)
        return None

    # Shares.

    def _shares(self) -> Iterator[Composed]:
        measures = self._of("measure")
        keys = self._keys()
        terms = [one.term for one in self._of("term") if one.term]
        others = [one.function for one in measures if one.function != "share"]
        if len(others) > 1 or any(one not in ("count", "sum") for one in others) or self._of("having", "unique"):
            return
        if self._of("superlative"):
            yield from self._highest_share(keys, terms)
            return
        numeric = [term for term in terms if term.numeric]
        if len(numeric) == 2 == len(terms) and not self._of("unique"):
            yield from self._ratios(keys)
        elif len(terms) == 1 and not numeric and self._of("condition") and not keys and "count" not in others:
            # "share of sessions that have a purchase"
            key = terms[0].of if not (terms[0].info and terms[0].info.distinct) else None
            yield from self._in_order(Query(measures=(Measure(function="share", of=key),)), 0.0)
        elif keys and len(numeric) == 1 == len(terms):
            yield from self._in_order(
                Query(measures=(Measure(function="sum", of=numeric[0].of),), keys=keys, of_total=True), 0.0
            )
        elif keys and not terms and not self._of("condition"):
            yield from self._in_order(Query(measures=(Measure(function="count"),), keys=keys, of_total=True), 0.0)
        elif not terms and self._of("condition"):
            # Which condition is the whole and which the part is settled by `split_shares`.
            yield from self._in_order(Query(measures=(Measure(function="share"),), keys=keys), 0.0)

    def _ratios(self, keys: tuple[Expression, ...]) -> Iterator[Composed]:
        """Read "scrap as a percentage of count", "what percentage of the pieces got broken"."""
        share = next(one for one in self._of("measure") if one.function == "share")
        first, second = (one for one in self._of("term") if one.term)
        part, whole = (first, second) if first.start < share.start else (second, first)
        if part.term is not None and whole.term is not None and part.term.of != whole.term.of:
            measure = Measure(function="ratio", of=part.term.of, per=whole.term.of)
            yield from self._in_order(Query(measures=(measure,), keys=keys), 0.0)

    def _highest_share(self, keys: tuple[Expression, ...], terms: Sequence[Term]) -> Iterator[Composed]:
        """Read "which carrier has the highest share of lost consignments"."""
        superlatives = self._of("superlative")
        keys = keys or tuple(term.of for term in terms)
        adjective = superlatives[0].adjective
        large = adjective is not None and adjective.name in ("large", "small") and not adjective.roles
        if len(superlatives) == 1 == len(keys) and large and adjective is not None and self._of("condition"):
            order = (Order(by=0, descending=adjective.descending),)
            limit = superlatives[0].number or 1
            yield Composed(Query(measures=(Measure(function="share"),), keys=keys, order=order, limit=limit), 0.0)

    # Groups with a number of records.

    def _having(self) -> Iterator[Composed]:
        """Read "customers with more than 40 orders", "stations whose average humidity is above 65"."""
        having = self._of("having")
        terms = [one.term for one in self._of("term") if one.term]
        keys = tuple(term.of for term in terms) or self._keys()
        measures = self._of("measure")
        if any(term.numeric for term in terms):
            return  # "restarted more than 20 times" counts no records.
        if len(having) != 1 or len(keys) != 1 or self._of("superlative") or len(measures) > 1:
            return
        if (terms and self._of("group")) or (measures and measures[0].function not in ("count", "unique")):
            return
        one = having[0]
        condition = (cast("Operator", one.name), int(one.at) if one.at == int(one.at) else one.at)
        measure = (
            Measure(function=one.function, of=one.term.of) if one.function and one.term else Measure(function="count")
        )
        query = Query(measures=(measure,), keys=keys, having=condition, tally=bool(measures))
        yield from self._in_order(query, 0.0)

    # Rankings.

    def _ranked(self) -> Iterator[Composed]:
        found = self._of("superlative")
        if len(found) != 1 or self._of("sort", "way"):
            return
        superlative = found[0]
        numbers = [one.number for one in self._of("limit") if one.word == "number"]
        if len(self._of("limit")) > len(numbers) or (numbers and superlative.number):
            return
        number = superlative.number or (numbers[0] if numbers else 0)
        place = self.all.index(superlative)
        after = self.all[place + 1] if place + 1 < len(self.all) else None
        by = [one for one in self._of("group") if one.word == "by" and one.start > superlative.start]
        apart = tuple(term.of for one in self._of("group") if one not in by for term in one.terms)
        for made in _Ranking(self, superlative, number, after, by, apart).queries():
            query = made.query
            if superlative.second and not query.skip:
                if query.limit != 1 or not query.order:
                    continue  # Only of what is in order there is a second.
                query = replace(query, skip=superlative.second - 1)
            yield Composed(query, made.cost)

    # Lists.

    def _listed(self) -> Iterator[Composed]:
        terms = [one.term for one in self._of("term") if one.term]
        keys = self._keys()
        unique = self._of("unique")
        if any(one.word == "repeated" for one in unique):
            if terms or len(unique) > 1:
                return
            yield from self._in_order(Query(where=Repeated(of=()), lines=self.lines, unique=self.lines), 0.0)
            return
        if keys:
            yield from self._grouped(terms, keys, bool(unique))
            return
        if self._of("edge"):
            yield from self._at_edges(terms)
            return
        if self._of("keep"):
            return
        ways = self._of("way")
        if len(terms) == 1 and len(ways) == 1 and ways[0].adjective and ways[0].adjective.roles == ("count",):
            order = (Order(by=0, descending=ways[0].descending),)
            given = _given(terms[0])
            counted = (Measure(function="count"),)
            yield Composed(Query(measures=counted, keys=(terms[0].of,), where=given, order=order), 0.0)
            return
        columns = tuple(dict.fromkeys(term.of for term in terms))
        repeated = [one.condition for one in self._of("condition") if isinstance(one.condition, Repeated)]
        if len(repeated) == 1 and len(repeated[0].of) == 1 and not columns and not self._of("noun", "unique"):
            yield from self._in_order(Query(columns=repeated[0].of, unique=True), 0.0)
            return
        if len(columns) < len(terms) or (not columns and any(one.name for one in self._of("noun"))):
            return
        places = [at for at, one in enumerate(self.all) if one.kind == "term"]
        if any(not self.joints[at] & {"and", ","} for at in places[1:]):
            return  # Columns that are not joined are no list.
        # "orders with a note" has one rather than shows it.
        shown = 0.5 if any("with" in self.joints[at] for at in places) else 0.0
        if unique:
            yield from self._in_order(Query(columns=columns, unique=True, lines=self.lines and not columns), 0.0)
            return
        which = any(one.kind == "glue" and one.word in ("which", "who", "what") for one in self.segments[:3])
        named = any(self.vocabulary.is_noun(one.word) for one in self._of("term"))
        who = any(one.kind == "glue" and one.word == "who" for one in self.segments[:2])
        if who and terms and not any(_tells_who(term) for term in terms):
            return  # Who asks for somebody wants no weeks.
        nouns = self._of("noun")
        said = bool(places) and bool(self.joints[places[0]] & {"that", "who", "were", "was", "have", "has"})
        if (which or said) and nouns and places and nouns[0].start < self.all[places[0]].start:
            return  # "which printers ... toner" asks for printers.
        if any(self.all[at].end == noun.start for at in places for noun in nouns):
            return  # "colour printers" are printers, and no colours.
        if (
            any((term.numeric and term.cost >= AKIN) or (term.moment and term.cost > _LESS) for term in terms)
            and not unique
        ):
            shown += UNSURE  # "what did we spend" wants no list of amounts.
        happened = [one for one in self._of("term") if one.term and one.term.moment and "_" not in one.word]
        if happened and self._of("condition") and any(one.word.endswith(("ed", "d", "n")) for one in happened):
            shown += UNSURE  # "umbrellas found on T4" asks for no days.
        # Numbers are listed as they are, and not each once.
        named = named or any(term.numeric for term in terms)
        several = which and len(terms) == 1 and not terms[0].numeric and not (terms[0].info and terms[0].info.distinct)
        named = named and not several
        if columns and (which or len(columns) == 1) and not named:
            yield from self._in_order(Query(columns=columns, unique=True), shown)
            if self._is_about(terms[0]) and not which:
                yield from self._in_order(Query(), shown)
        every = any(one.kind == "glue" and one.word in ("all", "every", "each") for one in self.segments)
        extracted = any(one.kind == "ask" and one.word in ("extract", "pull") for one in self.segments)
        plain = (
            len(columns) != 1
            or every
            or extracted
            or unique
            or (terms and terms[0].info and terms[0].info.kind == "list")
        )
        if named or not columns or (not which and plain):
            yield from self._in_order(Query(columns=columns, lines=self.lines and not columns), shown)

    def _is_about(self, term: Term) -> bool:
        """Say whether a column that stands first is what the records are called, though some share a name."""
        first = self.vocabulary.columns[0]
        return term.of == Column(name=first.name) and not first.distinct and bool(self._of("condition"))

    def _grouped(self, terms: Sequence[Term], keys: tuple[Expression, ...], unique: bool) -> Iterator[Composed]:
        limits, edges = self._of("limit"), self._of("edge")
        left = [term for term in terms if term.of not in keys]
        behind = max(one.start for one in self._of("group"))
        if any(
            one.start > behind and one.term and one.term.of not in keys and not self.joints[at] & {"and", ",", ":"}
            for at, one in enumerate(self.all)
            if one.kind == "term"
        ):
            return  # "per test file" groups by something that is not there.
        if (limits or edges) and not left and not self._of("sort", "way"):
            if len(limits) + len(edges) == 1:
                one = (limits or edges)[0]
                for column in self._moments():
                    pick = Pick(number=one.number or 1, by=column, descending=one.last)
                    yield Composed(Query(pick=pick, keys=keys, lines=self.lines), 0.0)
                yield Composed(
                    Query(pick=Pick(number=one.number or 1, last=one.last), keys=keys, lines=self.lines), 0.0
                )
            return
        if limits and left and limits[0].start < self._of("group")[0].start:
            return  # "first two stays at each cottage" are no groups.
        noun = [one for one in self._of("term") if one.term in left and self.vocabulary.is_noun(one.word)]
        if edges and len(left) == 1 and noun and left[0].info is not None and left[0].info.distinct:
            return  # "the last passage of each vessel" is a record, and is read as that.
        if edges and len(left) == 1:
            measures = tuple(Measure(function="last" if one.last else "first", of=left[0].of) for one in edges)
            yield from self._in_order(Query(measures=measures, keys=keys), 0.0)
            return
        if len(left) > 1 or edges or (unique and not left):
            return
        functions: list[tuple[Function, float]] = [("count", 0.0)]
        if left and unique:
            functions = [("unique", 0.0)]
        elif left and left[0].numeric:
            functions = [("sum", 0.0)] if _is_added(left[0]) else [("sum", 0.0), ("mean", 0.0)]
        elif left:
            functions = [("count", 0.0), ("unique", 0.0)]
        for function, cost in functions:
            of = left[0].of if left and function != "count" else None
            yield from self._in_order(Query(measures=(Measure(function=function, of=of),), keys=keys), cost)

    def _at_edges(self, terms: Sequence[Term]) -> Iterator[Composed]:
        """Read "first and last timestamp", "the last record"."""
        edges = self._of("edge")
        if len(terms) == 1:
            measures = tuple(Measure(function="last" if one.last else "first", of=terms[0].of) for one in edges)
            yield Composed(Query(measures=measures), 0.0)
            if terms[0].moment:
                measures = tuple(Measure(function="max" if one.last else "min", of=terms[0].of) for one in edges)
                yield Composed(Query(measures=measures), 0.0)
        elif not terms and len(edges) == 1 and self._of("noun"):
            base = Query(lines=self.lines)
            yield Composed(replace(base, last=1) if edges[0].last else replace(base, limit=1), 0.0)
            for column in self._moments():
                yield Composed(replace(base, order=(Order(by=column, descending=edges[0].last),), limit=1), 0.0)

    def _moments(self) -> list[Expression]:
        """Return the column of moments, where there is one: the first record may be the earliest."""
        found = [Column(name=one.name) for one in self.moments]
        return list(found) if len(found) == 1 and not self.lines else []

    # Tables that are changed.

    def _changed(self) -> Iterator[Composed]:
        terms = [one.term for one in self._of("term") if one.term]
        if self._of("superlative", "having", "unique"):
            return
        if self._of("dedupe"):
            yield from self._deduplicated(terms)
            return
        if self._of("measure"):
            return
        ranges = self._of("range")
        if ranges:
            if len(self.all) == 1 + len(self._of("condition")) and not self._of("condition"):
                one = ranges[0]
                yield Composed(Query(lines=one.plural, skip=one.number - 1, limit=one.second - one.number + 1), 0.0)
            return
        if terms or self._of("group", "edge", "keep"):
            return
        query = Query(
            renamed=tuple(
                (cast("Column", part.term.of).name, part.name)
                for one in self._of("rename")
                for part in one.sorts or (one,)
                if part.term
            ),
            added=tuple(one.named for one in self._of("add") if one.named),
            dropped=tuple(
                term.of.name for one in self._of("drop") for term in one.terms if isinstance(term.of, Column)
            ),
            columns=tuple(dict.fromkeys(term.of for one in self._of("columns") for term in one.terms)),
        )
        yield from self._in_order(query, 0.0)

    def _deduplicated(self, terms: Sequence[Term]) -> Iterator[Composed]:
        keys = self._keys() or tuple(term.of for term in terms)
        keeps = self._of("keep")
        if len(keeps) > 1 or (self._keys() and terms):
            return
        counted = bool(self._of("measure"))
        if any(one.function != "count" for one in self._of("measure")) or (counted and len(keys) > 1):
            return
        if counted and keys:
            yield Composed(Query(measures=(Measure(function="unique", of=keys[0]),)), 0.0)
            return
        if not keys:
            if not keeps:
                yield from self._in_order(Query(unique=True, lines=self.lines, tally=counted), 0.0)
            return
        pick = Pick(number=1)
        if keeps and keeps[0].adjective is not None:
            columns = self._spoken_of(keeps[0])
            for column in columns:
                yield Composed(
                    Query(
                        pick=Pick(number=1, by=column, descending=keeps[0].adjective.descending), keys=keys, unique=True
                    ),
                    0.0,
                )
            return
        if keeps:
            pick = Pick(number=1, last=keeps[0].last)
        yield Composed(Query(pick=pick, keys=keys, unique=True), 0.0)

    def _spoken_of(self, segment: Segment) -> list[Expression]:
        """Return the columns that an adjective speaks of by itself: moments for "newest", durations for "slowest"."""
        roles = segment.adjective.roles if segment.adjective else ()
        for role in roles:
            columns = [
                one for one in self.vocabulary.columns if one.role == role and (one.numeric or one.kind == "time")
            ]
            if role == "timestamp":
                # How old something is, is told by the moment with which it begins, or by a year; not by when it ends.
                years = [one for one in self.vocabulary.columns if _is_year(one)]
                begun = [one for one in self.moments if _ENDS.isdisjoint(one.words)]
                columns = [*([one for one in begun if one.first] or begun), *years]
            if columns:
                return [Column(name=one.name) for one in columns]
        return []


class _Ranking:
    """Make queries of a question with a superlative: what is ranked, by what, how many, and for which groups."""

    def __init__(
        self,
        composer: Composer,
        superlative: Segment,
        number: int,
        after: Segment | None,
        by: Sequence[Segment],
        apart: tuple[Expression, ...],
    ) -> None:
        self.composer, self.superlative, self.number, self.after, self.apart = (
            composer,
            superlative,
            number,
            after,
            apart,
        )
        self.by = [term for one in by for term in one.terms]
        assert superlative.adjective is not None
        self.adjective = superlative.adjective
        self.descending = self.adjective.descending
        self.terms = [one for one in composer._of("term") if one.term]
        self.measures = composer._of("measure")

    def queries(self) -> Iterator[Composed]:
        if self.composer._of("unique", "edge") or len(self.by) > 1:
            return
        if self.measures:
            yield from self._by_measure()
            yield from self._on_average()
            return
        others = [one for one in self.terms if one is not self.after]
        subject = self.after.term if self.after and self.after.kind == "term" else None
        nouns = self.composer._of("noun")
        place = self.composer.all.index(self.superlative)
        before = self.composer.all[place - 1] if place else None
        if subject is None and before is not None and before.kind == "term" and before.term and before.term.numeric:
            # "who earns the most": not the number is asked for, but whose it is.
            if self.adjective.name in ("large", "small") and not nouns and others == [before]:
                yield from self._whose(before.term)
            return
        if subject is not None and subject.numeric and not self.by and self.adjective.roles != ("count",):
            # "most used" is as well what is used most often.
            often = self.superlative.word == "most" and self.after is not None and self.after.word.endswith("ed")
            for found in self._of_number(subject, others, nouns):
                yield found._replace(cost=found.cost + UNSURE * often)
        elif subject is not None and subject.moment and nouns and not others and self._speaks_of(subject):
            yield from self._picked(subject.of, self.number or 1, 0.0)
        elif subject is not None:
            if not others:
                yield from self._of_groups(subject)
        elif nouns and not others:
            yield from self._of_records(nouns[0])
        elif nouns and len(others) == 1 and others[0].term and self._lasts(others[0].term):
            # "longest call, from started to ended"
            yield from self._picked(others[0].term.of, self.number or 1, 0.0)
        elif self._stands_behind() and others and self.adjective.roles:
            yield from self._of_those(others)
        elif (nouns or self.composer._of("condition")) and len(others) == 1 and others[0].term:
            yield from self._most(others[0].term)
        elif (
            not nouns and not others and not self.by and not self.apart and self.adjective.roles not in ((), ("count",))
        ):
            for column in self.composer._spoken_of(self.superlative):  # "5 heaviest"
                yield from self._picked(column, self.number or 1, 0.0)

    def _stands_behind(self) -> bool:
        """Say whether the superlative has nothing behind it that it could be of: "which build took the longest, and"."""
        if self.after is None or self.after.kind not in ("term", "noun"):
            return True
        return "and" in self.composer.joints[self.composer.all.index(self.after)]

    def _of_those(self, others: Sequence[Segment]) -> Iterator[Composed]:
        """Read "which build took the longest", "when was it hottest", "at what hour are we busiest"."""
        shown = tuple(one.term.of for one in others if one.term)
        limit, cost = self._limit(others[0])
        if self.apart:
            return
        if self.adjective.roles == ("count",):
            if len(shown) == 1:
                order = (Order(by=0, descending=self.descending),)
                yield Composed(Query(measures=(Measure(function="count"),), keys=shown, order=order, limit=limit), cost)
            return
        for column in self.composer._spoken_of(self.superlative):
            order = (Order(by=column, descending=self.descending),)
            # Of several everybody wants to see by how much.
            columns = shown if limit == 1 or column in shown else (*shown, column)
            yield Composed(Query(columns=columns, order=order, limit=limit), cost)

    def _whose(self, number: Term) -> Iterator[Composed]:
        """Read "who earns the most": of several records of one person the sum is meant, if it can be one."""
        persons = [one for one in self.composer.vocabulary.columns if is_of_persons(one)]
        several = [one for one in persons if not one.distinct and one.kind == "text"]
        if not several or not _is_added(number):
            yield from self._picked(number.of, self.number or 1, 0.0)
            return
        for person in several:
            measure = Measure(function="sum", of=number.of)
            order = (Order(by=0, descending=self.descending),)
            key = Column(name=person.name)
            yield Composed(Query(measures=(measure,), keys=(key,), order=order, limit=self.number or 1), 0.0)

    def _limit(self, segment: Segment | None) -> tuple[int | None, float]:
        """Return how many are wanted; several without a number are all, in order, which is less likely."""
        if self.number:
            return self.number, 0.0
        return (None, UNSURE) if segment is not None and segment.plural else (1, 0.0)

    def _by_measure(self) -> Iterator[Composed]:
        """Read "customer with the highest total amount", "top 3 hosts by number of errors"."""
        for measures, taken, cost in self.composer._filled():
            terms = [
                self.composer.all[at]
                for at in range(len(self.composer.all))
                if self.composer.all[at].kind == "term" and at not in taken
            ]
            keys = [*(one.term for one in terms if one.term), *(self.by if not terms else [])]
            if not keys and len(self.apart) == 1 == len(measures) and self._ends():
                # "total km of each rider, best three"
                order = (Order(by=0, descending=self.descending),)
                yield Composed(Query(measures=measures, keys=self.apart, order=order, limit=self.number or 1), cost)
                continue
            if len(measures) != 1 or len(keys) != 1 or (keys[0].numeric and not terms) or (self.by and terms):
                continue
            limit, more = self._limit(terms[0] if terms else None)
            if self.apart:
                continue
            yield Composed(
                Query(
                    measures=measures, keys=(keys[0].of,), order=(Order(by=0, descending=self.descending),), limit=limit
                ),
                cost + more,
            )

    def _ends(self) -> bool:
        """Say whether the superlative stands behind everything else, and is of what was said before it."""
        return (
            self.after is None and self.adjective.name in ("large", "small", "good", "bad") and not self.adjective.roles
        )

    def _on_average(self) -> Iterator[Composed]:
        """Read "which endpoint is the slowest on average": the superlative says of what."""
        functions = [one.function for one in self.measures]
        if functions != ["mean"] or len(self.terms) != 1 or self.apart or self.by or self.terms[0].term is None:
            return
        for of in self.composer._spoken_of(self.superlative):
            limit, cost = self._limit(self.terms[0])
            order = (Order(by=0, descending=self.descending),)
            measure = Measure(function="mean", of=of)
            yield Composed(Query(measures=(measure,), keys=(self.terms[0].term.of,), order=order, limit=limit), cost)

    def _of_number(self, subject: Term, others: Sequence[Segment], nouns: Sequence[Segment]) -> Iterator[Composed]:
        """Read "highest amount", "order with the highest amount", "customer with the highest amount"."""
        order = (Order(by=subject.of, descending=self.descending),)
        if len(others) > 1 or (self.adjective.roles and not self._speaks_of(subject)):
            return
        if others and others[0].term is not None:
            key = others[0].term
            limit, more = self._limit(others[0])
            if self.apart:
                return
            # Whoever has the most has it in all records together; where each has one record only, that is the same.
            together = self.superlative.word in ("most", "least", "fewest") and _is_added(subject)
            once = key.info is not None and key.info.distinct and isinstance(key.of, Column)
            if once or not (together or isinstance(key.of, PartOf)):
                yield Composed(Query(columns=(key.of,), order=order, limit=limit), more)
            for function in _functions(subject) if not once and not self.adjective.roles else ():
                yield Composed(
                    Query(
                        measures=(Measure(function=function, of=subject.of),),
                        keys=(key.of,),
                        order=(Order(by=0, descending=self.descending),),
                        limit=limit,
                    ),
                    more,
                )
            return
        behind = self.after is not None and any(one.start == self.after.end for one in nouns)
        if behind:  # "the best paid act of every stage"
            yield from self._picked(subject.of, self.number or 1, 0.0)
            return
        ahead = [one for one in nouns if one.start < self.superlative.start]
        if ahead:
            limit, more = self._limit(ahead[0])
            yield from self._picked(subject.of, limit, more)
            return
        if self.superlative.second and not self.apart and not nouns:
            place = self.superlative.second - 1
            yield Composed(Query(columns=(subject.of,), unique=True, order=order, skip=place, limit=1), 0.0)
            return
        if self.number:
            if not self.apart and not nouns:
                yield Composed(Query(columns=(subject.of,), order=order, limit=self.number), 0.0)
            elif nouns:
                yield from self._picked(subject.of, self.number, 0.0)
            return
        extreme: Function = "max" if self.descending else "min"
        yield Composed(Query(measures=(Measure(function=extreme, of=subject.of),), keys=self.apart), 0.0)

    def _lasts(self, term: Term) -> bool:
        """Say whether a term is the time between two moments, and the superlative speaks of such."""
        span = isinstance(term.of, Arithmetic) and term.info is not None and term.info.kind == "time"
        return span and "duration" in self.adjective.roles

    def _speaks_of(self, term: Term) -> bool:
        if isinstance(term.of, Arithmetic) and term.info is not None and term.info.kind == "time":
            return self._lasts(term)
        return term.info is not None and (
            term.info.role in self.adjective.roles or (term.moment and "timestamp" in self.adjective.roles)
        )

    def _picked(self, by: Expression, limit: int | None, cost: float) -> Iterator[Composed]:
        lines = self.composer.lines
        if self.apart:
            yield Composed(
                Query(pick=Pick(number=limit or 1, by=by, descending=self.descending), keys=self.apart, lines=lines),
                cost,
            )
        else:
            yield Composed(Query(order=(Order(by=by, descending=self.descending),), limit=limit, lines=lines), cost)

    def _of_records(self, noun: Segment) -> Iterator[Composed]:
        """Read "slowest request per service", "3 most expensive orders", "top 5 orders by amount", "longest line"."""
        # For each group one is meant, however the noun stands.
        limit, cost = (self.number or 1, 0.0) if self.apart else self._limit(noun)
        if self.by:
            term = self.by[0]
            if term.numeric or term.moment:
                yield from self._picked(term.of, limit, cost)
            return
        if self.composer.lines and self.adjective.name in ("long", "short", "large", "small"):
            yield from self._picked(PartOf(part="length", of=Column(name="")), limit, cost)
            return
        texts = [one for one in self.composer.vocabulary.columns if one.kind != "list"]
        if len(texts) == 1 and texts[0].kind == "text":
            yield from self._of_names(Column(name=texts[0].name), noun)
            return
        if self.adjective.name == "old" and self.superlative.word == "oldest" and is_person(noun.word):
            return  # How old somebody is no moment of a record tells, unless there is an age.
        for column in self.composer._spoken_of(self.superlative):
            yield from self._picked(column, limit, cost)
        if self.adjective.name in ("large", "small") and self.superlative.word != "most":
            sizes = [one for one in self.composer.vocabulary.columns if one.numeric and one.role in _ADDED]
            if len(sizes) == 1:  # There is one thing only in which a record can be large.
                yield from self._picked(Column(name=sizes[0].name), limit, cost + 1.0)

    def _of_names(self, name: Column, noun: Segment) -> Iterator[Composed]:
        """Read "longest word", "5 most common words" of a list of names."""
        limit, cost = self._limit(noun)
        if self.adjective.name in ("long", "short", "large", "small"):
            yield from self._picked(PartOf(part="length", of=name), limit, cost)
        elif self.adjective.roles == ("count",) and not self.apart:
            order = (Order(by=0, descending=self.descending),)
            yield Composed(Query(measures=(Measure(function="count"),), keys=(name,), order=order, limit=limit), cost)

    def _of_groups(self, subject: Term) -> Iterator[Composed]:
        """Read "top 5 customers by spend", "most common status", "busiest hour", "oldest patient"."""
        after = self.after
        limit, cost = self._limit(after)
        if self.apart and not self.by:
            yield from self._common_of_each(subject)
            return
        if self.apart:
            return
        order = (Order(by=0, descending=self.descending),)
        if self.by:
            term = self.by[0]
            if not (term.numeric or term.moment):
                return
            for function in _functions(term) if term.numeric else ():
                yield Composed(
                    Query(
                        measures=(Measure(function=function, of=term.of),), keys=(subject.of,), order=order, limit=limit
                    ),
                    cost,
                )
            yield Composed(
                Query(columns=(subject.of,), order=(Order(by=term.of, descending=self.descending),), limit=limit),
                cost + (0.0 if not term.numeric else _LESS),
            )
            return
        if (
            self.adjective.name == "old"
            and self.superlative.word == "oldest"
            and is_person(after.word if after else "")
        ):
            return
        if self.adjective.roles and self.adjective.roles != ("count",):
            lasting = self.composer._spoken_of(self.superlative)
            if (
                self.adjective.name in ("long", "short")
                and subject.info
                and subject.info.kind == "text"
                and not lasting
            ):
                yield Composed(
                    Query(
                        columns=(subject.of,),
                        order=(Order(by=PartOf(part="length", of=subject.of), descending=self.descending),),
                        limit=limit,
                    ),
                    cost,
                )
            if subject.moment:
                extreme: Function = "max" if self.descending else "min"
                yield Composed(Query(measures=(Measure(function=extreme, of=subject.of),)), cost)
                return
            for column in self.composer._spoken_of(self.superlative):
                yield Composed(
                    Query(columns=(subject.of,), order=(Order(by=column, descending=self.descending),), limit=limit),
                    cost,
                )
            return
        if self.adjective.name in ("large", "small") and self.superlative.word not in ("top", "bottom"):
            cost += UNSURE  # Of the "largest customers" nobody knows in what they are large.
        several = after is not None and after.plural and not self.number
        # What is missing is none of those that are asked for.
        given = _given(subject)
        yield Composed(
            Query(measures=(Measure(function="count"),), keys=(subject.of,), where=given, order=order, limit=limit),
            cost + (_LESS if several and cost < UNSURE else 0.0),
        )

    def _common_of_each(self, subject: Term) -> Iterator[Composed]:
        """Read "most common status per host"."""
        if self.adjective.name == "common" and not self.number:
            yield Composed(Query(measures=(Measure(function="mode", of=subject.of),), keys=self.apart), 0.0)

    def _most(self, key: Term) -> Iterator[Composed]:
        """Read "which host has the most errors", "customer with the fewest orders"."""
        if self.adjective.name not in ("large", "small") or self.by:
            return
        limit, cost = self._limit(None)
        yield Composed(
            Query(
                measures=(Measure(function="count"),),
                keys=(key.of,),
                order=(Order(by=0, descending=self.descending),),
                limit=limit,
            ),
            cost,
        )


def _with_counted(segments: Sequence[Segment]) -> Sequence[Segment]:
    """Count the records where their name is one of a list of measures: "trips and total passengers per day"."""
    said = [one for one in segments if one.kind not in ("glue", "ask")]
    between = {one.end for one in segments if one.kind == "glue" and one.word in ("and", ",")}
    for one, following in pairwise(said):
        if one.kind == "noun" and following.kind == "measure" and following.start - 1 in {end - 1 for end in between}:
            counted = replace(one, kind="measure", function="count", word="", name="")
            return [counted if segment is one else segment for segment in segments]
    return segments


def _without_doubles(segments: Sequence[Segment]) -> Sequence[Segment]:
    """Leave out the first of two words that are parts of one column's name: "used the most kWh" with "kWh used"."""
    terms = [one for one in segments if one.kind == "term" and one.term is not None and one.term.cost == NEAR]
    for one, other in pairwise(terms):
        if one.term and other.term and one.term.of == other.term.of and one.word != other.word:
            return [segment for segment in segments if segment is not one]
    return segments


def _without_repeats(segments: Sequence[Segment]) -> Sequence[Segment]:
    """Leave out a second superlative that only says the first again: "top 5 bikes with the most faults"."""
    found = [one for one in segments if one.kind == "superlative" and one.adjective is not None]
    if len(found) != 2 or found[0].word not in ("top", "bottom") or found[1].number:
        return segments
    first, second = (one.adjective for one in found)
    again = first and second and second.name in ("large", "small") and first.descending == second.descending
    return [one for one in segments if one is not found[1]] if again else segments


def _without_counting(segments: Sequence[Segment]) -> Sequence[Segment]:
    """Leave "how many" out where a number follows of which something else is made: "how many minutes on average"."""
    said = [one for one in segments if one.kind not in ("glue", "ask")]
    measures = [one for one in said if one.kind == "measure"]
    if [one.function for one in measures] not in (["count", "mean"], ["mean", "count"]):
        return segments
    counted = next(one for one in measures if one.function == "count")
    other = next(one for one in measures if one is not counted)
    following = {id(one): after for one, after in pairwise(said)}
    number, own = following.get(id(counted)), following.get(id(other))
    if number is None or number.term is None or not number.term.numeric or (own is not None and own.kind == "term"):
        return segments if own is not counted else [one for one in segments if one is not counted]
    # What it is made of stands right behind the measure, as it would have been said otherwise.
    rest = [one for one in segments if one not in (counted, other)]
    place = rest.index(number)
    return [*rest[:place], other, *rest[place:]]


def _joints(segments: Sequence[Segment]) -> Iterator[frozenset[str]]:
    held: set[str] = set()
    for one in segments:
        if one.kind in ("glue", "ask", "unknown"):
            held.add(one.word)
        else:
            yield frozenset(held)
            held.clear()


def is_of_persons(column: ColumnInfo) -> bool:
    """Say whether a column tells who: a user, a customer, a name, a doctor."""
    return column.role in _PERSONS or any(map(is_person, column.words))


def _tells_who(term: Term) -> bool:
    return term.info is not None and is_of_persons(term.info)


def _is_year(column: ColumnInfo) -> bool:
    """Say whether whole numbers are years: of a building, a book, a harvest."""
    named = not {"year", "built", "founded", "made"}.isdisjoint(column.words)
    held = [value for value in column.values if isinstance(value, int)]
    return named and column.kind == "int" and bool(held) and min(held) > 999 and max(held) < 2101


def _given(term: Term) -> Condition | None:
    """Ask that there is a value where some records have none; a list that is empty has no items anyway."""
    some = term.info is not None and term.info.optional and term.info.kind != "list"
    return Not(of=Missing(of=term.of)) if some else None


def _functions(term: Term) -> tuple[Function, ...]:
    """Return what may be made of several numbers of a group where nothing is said."""
    return ("sum",) if _is_added(term) else ("sum", "mean", "max")


def _is_added(term: Term) -> bool:
    """Say whether numbers are added up where nothing is said: amounts and counts are, ages and ratings are not."""
    info = term.info
    if info is None or info.role in _ADDED:
        return info is not None
    return (
        info.kind == "int"
        and not info.role
        and not info.unit
        and {"%", "rating", "score", "year", "rank"}.isdisjoint(info.words)
    )


def _fits(function: Function, term: Term) -> bool:
    """Say whether a measure can be made of a term."""
    if function in ("unique", "mode", "first", "last"):
        return True
    listed = term.info is not None and term.info.numbers and isinstance(term.of, Column)
    if function in ("min", "max", "range"):
        return term.numeric or term.moment or listed
    return term.numeric or listed


def _conditions(segments: Sequence[Segment]) -> Iterator[tuple[Condition | None, float]]:
    """Put the conditions together: all of them, but for those that "or" stands between."""
    found: list[Condition] = []
    joints: list[str] = []
    either = False
    for segment in segments:
        if segment.kind == "or":
            if not found or either:
                return
            either = True
        elif segment.kind in ("condition", "group") and segment.condition is not None:
            if either and _same_column(found[-1], segment.condition):
                found[-1] = _either(found[-1], segment.condition)
                either = False
                continue
            if found:
                joints.append("or" if either else "and")
            found.append(segment.condition)
            either = False
        elif either:
            return  # What stands on one side of "or" is no condition.
    if either:
        return
    if not found:
        yield None, 0.0
        return
    if "or" not in joints:
        yield _all_of(found), 0.0
        return
    # "and" binds more closely than "or"; with both, the other way to group them is a rival.
    groups: list[list[Condition]] = [[found[0]]]
    for joint, condition in zip(joints, found[1:], strict=True):
        if joint == "or":
            groups.append([condition])
        else:
            groups[-1].append(condition)
    yield _any_of([_all_of(group) for group in groups]), 0.0
    if "and" in joints:
        pairs: list[list[Condition]] = [[found[0]]]
        for joint, condition in zip(joints, found[1:], strict=True):
            if joint == "and":
                pairs.append([condition])
            else:
                pairs[-1].append(condition)
        yield _all_of([_any_of(pair) for pair in pairs]), 0.0


def _any_of(conditions: Sequence[Condition]) -> Condition:
    return conditions[0] if len(conditions) == 1 else _flat(Or(of=tuple(conditions)))


def _all_of(conditions: Sequence[Condition]) -> Condition:
    """Ask for all; values of one column cannot all hold, so of those any will do: "errors and warnings"."""
    merged: list[Condition] = []
    for condition in conditions:
        place = next((at for at, one in enumerate(merged) if _same_column(one, condition)), None)
        inside = next(
            (at for at, one in enumerate(merged) if _implies(one, condition) or _implies(condition, one)), None
        )
        if inside is not None:
            merged[inside] = merged[inside] if _implies(merged[inside], condition) else condition
        elif place is None:
            merged.append(condition)
        else:
            merged[place] = _either(merged[place], condition)
    return merged[0] if len(merged) == 1 else _flat(And(of=tuple(merged)))


def _implies(one: Condition, other: Condition) -> bool:
    """Say whether what passes the first passes the other: 5xx is an error anyway."""
    if not isinstance(one, Compare) or not isinstance(other, Compare) or one.left != other.left:
        return False
    if other.operator != "between" or not isinstance(other.value, tuple):
        return False
    low, high = cast("tuple[float, float]", other.value)
    held = one.value if isinstance(one.value, tuple) else (one.value,)
    inside = one.operator in ("=", "in", "between") and all(
        isinstance(v, (int, float)) and low <= v <= high for v in held
    )
    return inside


def _same_column(one: Condition, other: Condition) -> bool:
    if not isinstance(one, Compare) or not isinstance(other, Compare) or isinstance(one.value, Column):
        return False
    return {one.operator, other.operator} <= {"=", "in"} and one.left == other.left


def _either(one: Condition, other: Condition) -> Condition:
    held: list[Scalar] = []
    for condition in (one, other):
        value = cast("Compare", condition).value
        held += cast("tuple[Scalar, ...]", value) if isinstance(value, tuple) else (cast("Scalar", value),)
    left = cast("Compare", one).left
    return Compare(left=left, operator="in", value=tuple(dict.fromkeys(held)))


def _flat(condition: Condition) -> Condition:
    """Write And in And and Or in Or as one."""
    if not isinstance(condition, (And, Or)):
        return condition
    kind = type(condition)
    inside = [_flat(one) for one in condition.of]
    flat = tuple(part for one in inside for part in (one.of if isinstance(one, kind) else (one,)))
    return kind(of=tuple(dict.fromkeys(flat)))


def _with_flags(query: Query, flags: Sequence[Segment], vocabulary: Vocabulary) -> Query | None:
    """Add how numbers are shown; None where what was asked for cannot be done to these."""
    for flag in flags:
        if flag.kind == "digits":
            query = replace(query, digits=flag.number)
        elif flag.kind == "of total" and query.keys and all(one.function != "share" for one in query.measures):
            query = replace(query, of_total=True)
        elif flag.kind == "scale":
            scaled = _scaled(query, flag.name, vocabulary)
            if scaled is None:
                return None
            query = scaled
    return query


def _scaled(query: Query, unit: str, vocabulary: Vocabulary) -> Query | None:
    """Return a query whose numbers are shown in a unit; None where theirs is not known or measures something else."""
    measure = query.measures[0] if len(query.measures) == 1 else None
    own = _unit_of_number(measure.of, vocabulary) if measure and measure.function not in ("count", "unique") else ""
    if own not in UNIT_SIZES or unit not in UNIT_SIZES or _role_of_unit(own) != _role_of_unit(unit):
        return None
    factor = UNIT_SIZES[unit] / UNIT_SIZES[own]
    return query if factor == 1 else replace(query, scale=(unit, factor))


def _role_of_unit(unit: str) -> str:
    known = unit_of(unit)
    return known[0] if known else ""


def _unit_of_number(of: Expression | None, vocabulary: Vocabulary) -> str:
    """Return the unit of a number: that of its column, seconds between two moments, what these were divided by."""
    if isinstance(of, Arithmetic) and isinstance(of.right, Constant) and of.sign == "/":
        return {60: "min", 3600: "h", 86400: "d"}.get(int(of.right.value), "")
    columns = [vocabulary.by_name.get(name) for name in columns_of(of)]
    if isinstance(of, Arithmetic):
        return "s" if all(one is not None and one.kind == "time" for one in columns) else ""
    column = columns[0] if len(columns) == 1 else None
    if column is None or not column.numeric:
        return ""
    known = unit_of(column.unit) if column.unit else None
    return known[1] if known else "B" if column.role == "size" and not column.unit else ""
