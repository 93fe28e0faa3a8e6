"""Tell capitals from small letters, or not: where values differ in nothing else, nobody knows whether that matters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from mayfly.language.question._query import Column, Expression, PartOf, Query
from mayfly.language.question._vocabulary import ColumnInfo, Vocabulary


def letters_told_apart(query: Query, vocabulary: Vocabulary, *, ignored: bool) -> Iterator[Query]:
    """Yield a query as it is, and one in which all letters of its groups are small; that alone where case is ignored.

    Groups "calm" and "Calm" are one to most people and two to a program. Where no two values differ only in their
    letters, there is nothing to choose.
    """
    mixed = {one.name for one in vocabulary.columns if _is_mixed(one)}
    small = _with_small(query, mixed)
    if small != query:
        yield small
    if small == query or not ignored:
        yield query


def _is_mixed(column: ColumnInfo) -> bool:
    """Say whether some values of a column differ only in capitals."""
    texts = {value for value in column.values if isinstance(value, str)}
    return column.kind == "text" and any(count > 1 for count in Counter(map(str.lower, texts)).values())


def _with_small(query: Query, mixed: set[str]) -> Query:
    """Return a query that tells values of some columns apart by their small letters only."""
    measures = tuple(
        replace(one, of=_small(one.of, mixed)) if one.of and one.function in ("unique", "mode") else one
        for one in query.measures
    )
    keys = tuple(_small(one, mixed) for one in query.keys) if query.pick is None else query.keys
    columns = tuple(_small(one, mixed) for one in query.columns) if query.unique else query.columns
    return replace(query, measures=measures, keys=keys, columns=columns)


def _small(of: Expression, mixed: set[str]) -> Expression:
    return PartOf(part="small letters", of=of) if isinstance(of, Column) and of.name in mixed else of
