"""Make queries of shares: how much of a hundred records, values or sums are."""

from __future__ import annotations

from collections.abc import Iterator

from mayfly.language.question._order import put_in_order
from mayfly.language.question._query import Expression, Measure, Order, Query
from mayfly.language.question._said import Composed, Said


def read_shares(said: Said) -> Iterator[Composed]:
    """Read "what percentage of orders are paid", "share of revenue by city", "scrap as a percentage of count"."""
    others = [one.function for one in said.of("measure") if one.function != "share"]
    if len(others) > 1 or any(one not in ("count", "sum") for one in others):
        return
    if said.of("superlative"):
        yield from _read_highest_share(said)
    elif (query := _query_of_share(said, counted="count" in others)) is not None:
        yield from put_in_order(said, query)


def _query_of_share(said: Said, *, counted: bool) -> Query | None:
    keys, terms, conditions = said.keys(), said.terms(), said.of("condition")
    if not terms and conditions:
        # Which condition is the whole and which the part is settled where queries become readings.
        return Query(measures=(Measure(function="share"),), keys=keys)
    if not terms:
        return Query(measures=(Measure(function="count"),), keys=keys, of_total=True) if keys else None
    numeric = [term for term in terms if term.numeric]
    if len(numeric) == 2 == len(terms):
        return _ratio(said, keys)
    if len(terms) > 1:
        return None
    term = terms[0]
    if not numeric and conditions and not keys and not counted:
        # "share of sessions that have a purchase"
        of = None if term.info and term.info.distinct else term.of
        return Query(measures=(Measure(function="share", of=of),))
    if keys and numeric:
        return Query(measures=(Measure(function="sum", of=term.of),), keys=keys, of_total=True)
    return None


def _ratio(said: Said, keys: tuple[Expression, ...]) -> Query | None:
    """Read "scrap as a percentage of count", "what percentage of the pieces got broken"."""
    share = next(one for one in said.of("measure") if one.function == "share")
    first, second = (one for one in said.of("term") if one.term)
    part, whole = (first, second) if first.start < share.start else (second, first)
    if part.term is None or whole.term is None or part.term.of == whole.term.of:
        return None
    return Query(measures=(Measure(function="ratio", of=part.term.of, per=whole.term.of),), keys=keys)


def _read_highest_share(said: Said) -> Iterator[Composed]:
    """Read "which carrier has the highest share of lost consignments"."""
    superlatives = said.of("superlative")
    keys = said.keys() or tuple(term.of for term in said.terms())
    adjective = superlatives[0].adjective
    large = adjective is not None and adjective.name in ("large", "small") and not adjective.roles
    if len(superlatives) == 1 == len(keys) and large and adjective is not None and said.of("condition"):
        order = (Order(by=0, descending=adjective.descending),)
        limit = superlatives[0].number or 1
        yield Composed(Query(measures=(Measure(function="share"),), keys=keys, order=order, limit=limit))
