"""Spread a question over parts of its files: a program for each part, and one that joins what all of them give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple, cast

from mayfly.language.question import Column, Measure, Query, Recent, Repeated, walk
from mayfly.synthesis.records._evaluate import labels, title_of
from mayfly.synthesis.records._model import Field, Format, Kind
from mayfly.synthesis.records._sql import Output, Statement, StatementWriter
from mayfly.synthesis.records._sql_account import write_account
from mayfly.synthesis.records._sql_measures import Measured, Measures
from mayfly.synthesis.records._sql_program import ENTRY, Written, write_program
from mayfly.synthesis.records._sql_rows import Rows, rows_of
from mayfly.synthesis.records._sql_source import Source, select
from mayfly.synthesis.records._sql_text import clause, free_name
from mayfly.synthesis.records._sql_values import Values

# The first half of the digits of a number, the rest of which is its difference to that.
_ROUGH = "CAST(coalesce(TRY_CAST({0} AS FLOAT), 0) AS DOUBLE)"


class Spread(NamedTuple):
    """The program that a part of the files is asked with, and the one that makes the answer of what the parts give."""

    partial: Written
    joining: Written


class _Aggregate(NamedTuple):
    """One column of what a part gives: an aggregate, and the kind of its values."""

    sql: str
    kind: Kind


class _Division(NamedTuple):
    """A measure as aggregates of each part, and as an aggregate over their columns, which stand in it by number."""

    of_part: Sequence[_Aggregate]
    of_all: str


def spread_of(found: Format, query: Query) -> Spread | str:
    """Return the programs for a question about several files, or why it is answered in one place."""
    if query.join or query.items or query.pick or not query.measures:
        return "the answer is rows, and only aggregates are computed in parts"
    if any(isinstance(part, (Recent, Repeated)) for part in walk(query)):
        return "it compares the rows of all files with each other"
    rows = rows_of(found, query)
    measures = Measures(query, rows.values)
    divisions = []
    for measure, label in zip(query.measures, labels(query), strict=True):
        division = _divided(measures, measure)
        if division is None:
            return f"{label} cannot be computed from partial results"
        divisions.append(division)
    titles = [title_of(key) for key in query.keys]
    if len(set(titles)) < len(titles):
        return "two columns of the answer have the same name"
    known = [measures.measured(one) for one in query.measures]
    return Spread(_partial(found, query, rows, divisions), _joining(found, query, rows.values, divisions, known))


# How measures are divided.


def _divided(measures: Measures, measure: Measure) -> _Division | None:
    """Return a measure in two steps; None where what parts give is not enough for it."""
    values, name, of = measures.values, measure.function, measure.of
    if name == "count":
        return _Division([_Aggregate("count(*)", "int")], "sum({0})")
    if name == "share" and of is None:
        test = values.condition(measure.where) if measure.where else "false"
        counts = [_Aggregate(f"count(*) FILTER (WHERE {test})", "int"), _Aggregate("count(*)", "int")]
        return _Division(counts, "100 * sum({0}) / nullif(sum({1}), 0)")
    if of is None or values.sort(of) == "list":
        return None
    if name == "ratio" and measure.per is not None:
        one = _divided_sum(values.value(of), whole=False)
        other = _divided_sum(values.value(measure.per), whole=False, place=len(one.of_part))
        return _Division([*one.of_part, *other.of_part], f"100 * coalesce({one.of_all}, 0) / nullif({other.of_all}, 0)")
    if values.is_moment(of):
        return _divided_moments(measures, measure)
    given = values.given(of)
    if name in ("min", "max"):
        return _Division([_Aggregate(f"{name}({given})", cast("Kind", values.sort(of)))], f"{name}({{0}})")
    return _divided_numbers(measures, name, given, values.sort(of) == "int")


def _divided_moments(measures: Measures, measure: Measure) -> _Division | None:
    """Divide what is asked of a column of moments: each goes along with how it is written."""
    assert measure.of is not None
    moment, shown = measures.values.moment(measure.of), measures.values.value(measure.of)
    ends = [_Aggregate(f"epoch({end}({moment}))", "float") for end in ("min", "max")]
    if measure.function == "range":
        return _Division(ends, "max({1}) - min({0})")
    if measure.function not in ("min", "max"):
        return None
    written = _Aggregate(f"arg_{measure.function}({shown}, {moment})", cast("Kind", measures.values.sort(measure.of)))
    return _Division([written, ends[measure.function == "max"]], f"arg_{measure.function}({{0}}, {{1}})")


def _divided_numbers(measures: Measures, name: str, of: str, whole: bool) -> _Division | None:
    """Divide what is asked of numbers, *whole* ones or others; a median needs all of them in one place."""
    of_part, of_all = _divided_sum(of, whole=whole)
    if name == "sum":
        return _Division(of_part, of_all if measures.query.keys else f"coalesce({of_all}, 0)")
    if name == "mean":
        counted = _Aggregate(f"count({of})", "int")
        return _Division([*of_part, counted], f"{of_all} / nullif(sum({{{len(of_part)}}}), 0)")
    if name == "range":
        kind: Kind = "int" if whole else "float"
        return _Division([_Aggregate(f"{end}({of})", kind) for end in ("min", "max")], "max({1}) - min({0})")
    return None


def _divided_sum(of: str, *, whole: bool, place: int = 0) -> _Division:
    """Divide a sum, the columns of which begin at a *place*; it loses no digit by being added up in parts.

    That of whole numbers may need more than the 64 bits of a column, so it is handed on as text. That of others would
    be rounded for each part: where a share or an average is rounded in the end, that can be seen.
    """
    if whole:
        return _Division([_Aggregate(f"CAST(sum({of}) AS VARCHAR)", "text")], f"sum(CAST({{{place}}} AS HUGEINT))")
    rough = _ROUGH.format(of)
    halves = [_Aggregate(f"fsum({rough})", "float"), _Aggregate(f"fsum({of} - {rough})", "float")]
    return _Division(halves, f"(fsum({{{place}}}) + fsum({{{place + 1}}}))")


# The program for a part.


def _partial(found: Format, query: Query, rows: Rows, divisions: Sequence[_Division]) -> Written:
    asked = replace(
        query,
        having=None,
        of_total=False,
        order=(),
        limit=None,
        skip=0,
        last=None,
        tally=False,
        digits=None,
        scale=None,
    )
    statement = _PartialWriter(found, asked, rows, divisions).write()
    return Written(write_program(asked, rows, statement), ENTRY, write_account(found, asked, None, statement))


class _PartialWriter(StatementWriter):
    """Write the statement for a part: its groups as rows, with what their measures are made of."""

    def __init__(self, found: Format, query: Query, rows: Rows, divisions: Sequence[_Division]) -> None:
        super().__init__(found, query, rows)
        self._aggregates = [one for division in divisions for one in division.of_part]

    def write(self) -> Statement:
        """Return the statement; a key keeps its kind, by which it is read again."""
        keys = [self.values.value(of) for of in self.query.keys]
        names = [f"key_{number}" for number in range(1, len(keys) + 1)]
        parts = [f"part_{number}" for number in range(1, len(self._aggregates) + 1)]
        values = [*keys, *(one.sql for one in self._aggregates)]
        items = [f"{value} AS {name}" for value, name in zip(values, [*names, *parts], strict=True)]
        statement = select(items, self.values.table, self._where())
        if keys:
            statement += "\n" + clause("GROUP BY", self._group_keys(keys, names))
        sorts = [self.values.sort(of) for of in self.query.keys]
        outputs = [Output(name, sort) for name, sort in zip(names, sorts, strict=True)]
        outputs += [Output(name, "text") for name in parts]
        return Statement(sql=self._assembled(statement), answer="rows", outputs=outputs, keys=len(keys))


# The program that joins.


def _joining(
    found: Format, query: Query, values: Values, divisions: Sequence[_Division], known: Sequence[Measured]
) -> Written:
    """Return the program that reads what parts gave as JSON lines: its keys are columns, and so are its aggregates."""
    fields = [
        Field(name=f"key_{number}", path=(f"key_{number}",), heading=title_of(key), kind=cast("Kind", values.sort(key)))
        for number, key in enumerate(query.keys, start=1)
    ]
    titles = [one.title for one in fields]
    aggregates = [one for division in divisions for one in division.of_part]
    for number, one in enumerate(aggregates, start=1):
        titles.append(free_name(f"part {number}", titles))
        name = f"part_{number}"
        fields.append(Field(name=name, path=(name,), heading=titles[-1], kind=one.kind))
    joined = Format(name=found.name, kind="json", record=found.record, fields=tuple(fields), words=found.words)
    # What our own program wrote need not be held against patterns.
    source = Source(found=joined, titles=titles)
    rows = Rows(
        sources=(source,),
        fields=joined.fields,
        values=Values(source.columns, {one.title: one for one in fields}, source.table),
        tables=[*source.tables],
        where=[*source.where],
    )
    columns = iter([source.columns[title].value for title in titles[len(query.keys) :]])
    measured = [
        replace(one, sql=division.of_all.format(*(next(columns) for _ in division.of_part)))
        for one, division in zip(known, divisions, strict=True)
    ]
    keys = {key: Column(name=title) for key, title in zip(query.keys, titles, strict=False)}
    order = tuple(one if isinstance(one.by, int) else replace(one, by=keys[one.by]) for one in query.order)
    asked = replace(query, where=None, keys=tuple(keys.values()), order=order)
    statement = _JoiningWriter(joined, asked, rows, measured).write()
    account = write_account(joined, Query(measures=(Measure(function="count"),)), None, statement)
    return Written(write_program(asked, rows, statement), ENTRY, account)


class _JoiningWriter(StatementWriter):
    """Write the statement of a question whose measures are put together from columns."""

    def __init__(self, found: Format, query: Query, rows: Rows, measured: Sequence[Measured]) -> None:
        super().__init__(found, query, rows)
        self._found = measured

    def _measures(self) -> Measures:
        return _Joined(self.query, self.values, self._found)


class _Joined(Measures):
    """The measures of a question, each as it is put together."""

    def __init__(self, query: Query, values: Values, found: Sequence[Measured]) -> None:
        super().__init__(query, values)
        self._found = found

    def measured(self, measure: Measure) -> Measured:
        """Return the aggregate of a measure."""
        return self._found[self.query.measures.index(measure)]
