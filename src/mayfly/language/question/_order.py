"""Add to a query how its groups or records are sorted and how many of them are wanted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from mayfly.language.question._query import Column, Expression, Order, Query
from mayfly.language.question._said import Composed, Said
from mayfly.language.question._segment import Segment
from mayfly.language.question._sense import sizes_of
from mayfly.language.question._vocabulary import ColumnInfo


def put_in_order(said: Said, query: Query, cost: float = 0.0) -> Iterator[Composed]:
    """Yield a query in the order and with the limit that is said; nothing where it cannot have them."""
    limits = said.of("limit")
    order = _orders(said, query)
    if order is None or len(limits) > 1:
        return
    limit = limits[0] if limits else None
    if limit is not None and limit.word == "number":
        return
    if query.measures and not query.keys and (order or limit):
        return
    changed = replace(query, order=order)
    if limit is not None and not order and not query.measures:
        for column in said.own_moments():
            yield Composed(_cut(replace(changed, order=(Order(by=column),)), limit), cost)
    yield Composed(changed if limit is None else _cut(changed, limit), cost)


def _cut(query: Query, limit: Segment) -> Query:
    return replace(query, last=limit.number) if limit.last else replace(query, limit=limit.number)


def _orders(said: Said, query: Query) -> tuple[Order, ...] | None:
    """Return what a query is sorted by; None where it cannot be, or what is said contradicts itself."""
    sorts = [part for one in said.of("sort") for part in one.sorts or (one,)]
    ways = said.of("way")
    descending = {way.descending for way in ways}
    descending |= {one.name == "down" for one in sorts[-1:] if one.name and ways}
    if len(descending) > 1:
        return None  # "ascending descending"
    named = [one for one in sorts if one.term is not None or one.function is not None]
    if not named and (ways or sorts):
        found = _order_by_way(said, query, ways[0] if ways else None)
        return None if found is None else (found,)
    order: list[Order] = []
    for sort in named:
        # A way that stands by itself is that of what was named last.
        down = ways[0].descending if ways and sort is sorts[-1] else False
        if (found := _order_by(query, sort, down)) is None:
            return None
        order.append(found)
    return tuple(order)


def _order_by(query: Query, sort: Segment, down: bool) -> Order | None:
    """Sort by a column or a measure that is named; None where the query has no such thing."""
    if sort.term is None:
        at = next((place for place, one in enumerate(query.measures) if one.function == sort.function), None)
        return None if at is None else Order(by=at, descending=sort.name != "up")
    by: Expression | int | None = sort.term.of
    if query.measures and by not in query.keys:
        by = next((at for at, one in enumerate(query.measures) if one.of == sort.term.of), None)
    return None if by is None else Order(by=by, descending=sort.name == "down" if sort.name else down)


def _order_by_way(said: Said, query: Query, way: Segment | None) -> Order | None:
    """Find what "descending" or "newest first" sorts by where no column is named."""
    if query.keys and query.measures:
        return Order(by=0, descending=way.descending if way else True)
    adjective = way.adjective if way else None
    down = way.descending if way else False
    if adjective is not None and adjective.roles and not query.measures:
        columns = [one for role in adjective.roles for one in said.vocabulary.with_role(role)]
        return _by_only(said.moments if "timestamp" in adjective.roles else columns, down)
    only = query.columns[0] if len(query.columns) == 1 else None
    if way is not None and only is not None and not isinstance(only, Column):
        return Order(by=only, descending=down)  # "height times width, largest first"
    if adjective is not None and adjective.name in ("large", "small"):
        return _by_only(sizes_of(said), down)
    if not query.columns:
        return _by_only(_only_texts(said), down)
    return None if only is None else Order(by=only, descending=down)


def _only_texts(said: Said) -> list[ColumnInfo]:
    """Return the column of a list of names; nothing of a table with more."""
    columns = [one for one in said.vocabulary.columns if one.kind != "list"]
    return columns if len(columns) == 1 and columns[0].kind == "text" else []


def _by_only(columns: Sequence[ColumnInfo], descending: bool) -> Order | None:
    """Sort by the only column that can be meant; by none of several."""
    return Order(by=Column(name=columns[0].name), descending=descending) if len(columns) == 1 else None
