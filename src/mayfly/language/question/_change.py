"""Make queries of tables that are changed: doubles left out, columns renamed, added, dropped or chosen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from mayfly.language.question._order import put_in_order
from mayfly.language.question._query import Column, Measure, Pick, Query
from mayfly.language.question._said import Composed, Said


def read_changes(said: Said) -> Iterator[Composed]:
    """Read "lines 10 to 20", "rename qty to amount", "drop the email", "only name and city"."""
    ranges = said.of("range")
    if ranges:
        if len(said.all) == 1:
            one = ranges[0]
            yield Composed(Query(lines=one.plural, skip=one.number - 1, limit=one.second - one.number + 1))
        return
    renamed = [part for one in said.of("rename") for part in one.sorts or (one,)]
    dropped = [term.of for one in said.of("drop") for term in one.terms]
    chosen = [term.of for one in said.of("columns") for term in one.terms]
    query = Query(
        renamed=tuple((cast("Column", part.term.of).name, part.name) for part in renamed if part.term),
        added=tuple(one.named for one in said.of("add") if one.named),
        dropped=tuple(of.name for of in dropped if isinstance(of, Column)),
        columns=tuple(dict.fromkeys(chosen)),
    )
    yield from put_in_order(said, query)


def read_deduplication(said: Said) -> Iterator[Composed]:
    """Read "remove duplicates by email, keep the newest", "how many are left without duplicates"."""
    terms, keeps, measures = said.terms(), said.of("keep"), said.of("measure")
    keys = said.keys() or tuple(term.of for term in terms)
    if len(keeps) > 1 or (said.keys() and terms):
        return
    counted = bool(measures)
    if any(one.function != "count" for one in measures) or (counted and len(keys) > 1):
        return
    if counted and keys:
        yield Composed(Query(measures=(Measure(function="unique", of=keys[0]),)))
    elif not keys:
        if not keeps:
            yield from put_in_order(said, Query(unique=True, lines=said.lines, tally=counted))
    elif keeps and keeps[0].adjective is not None:
        for column in said.spoken_of(keeps[0]):
            pick = Pick(number=1, by=column, descending=keeps[0].adjective.descending)
            yield Composed(Query(pick=pick, keys=keys, unique=True))
    else:
        pick = Pick(number=1, last=keeps[0].last) if keeps else Pick(number=1)
        yield Composed(Query(pick=pick, keys=keys, unique=True))
