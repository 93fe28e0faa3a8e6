"""What every program that answers a query has: the writers of its parts, and its entry."""

from __future__ import annotations

from typing import NamedTuple

from mayfly.language.question import Column, Query, Repeated, columns_of, tell, walk
from mayfly.synthesis.records._model import Format
from mayfly.synthesis.records._source import Source
from mayfly.synthesis.records._write_conditions import ConditionWriter
from mayfly.synthesis.records._write_groups import GroupWriter
from mayfly.synthesis.records._write_read import OBJECTS
from mayfly.synthesis.records._write_rows import RowWriter
from mayfly.synthesis.records._write_values import ValueWriter

ENTRY = "Answer"


class Written(NamedTuple):
    """A program, the name of what is called in it, and whether it yields its answer piece by piece."""

    source: str
    entry: str
    streams: bool


class ProgramParts:
    """Hold a program while it is being written, with what writes its parts."""

    def __init__(self, found: Format, query: Query) -> None:
        self.found, self.query = found, query
        self.source = Source(tell(query))
        self.values = ValueWriter(self.source, {field.title: field for field in found.fields})
        self.conditions = ConditionWriter(self.source, self.values)
        self.rows = RowWriter(found, query, self.source, self.values, self.conditions)
        self.groups = GroupWriter(query, self.source, self.values, self.conditions)

    def answer(self, stream: str) -> tuple[list[str], bool]:
        """Return the body that answers the query for a stream of rows, and whether it yields piece by piece."""
        if self.query.measures:
            return self.groups.measured(stream), False
        if self.query.pick:
            return self.rows.picked(stream), False
        return self.rows.listed(stream)

    def finish(self, method: str, streams: bool) -> Written:
        """Return the program with its entry."""
        self.source.helper(ENTRY, f'class {ENTRY}:\n    """Answer the question above."""\n\n{method}')
        return Written(self.source.text(), ENTRY, streams)


def shows_records(found: Format, query: Query) -> bool:
    """Say whether whole records are the answer."""
    return not query.measures and not query.columns and not query.lines and found.kind != "plain"


def looks_at_lines(query: Query) -> bool:
    """Say whether a query asks something of whole lines."""
    named = any(isinstance(part, Column) and not part.name for part in walk(query))
    return named or (isinstance(query.where, Repeated) and not query.where.of)


def needed_titles(found: Format, query: Query) -> frozenset[str]:
    """Return the columns that a query reads: a line with something else in one of them is not understood."""
    if shows_records(found, query) and found.kind not in OBJECTS:
        return frozenset(field.title for field in found.fields)
    return frozenset(columns_of(query))
