"""Write a whole program for a query: rows are read, the wanted ones kept, the answer made of them and accounted for."""

from __future__ import annotations

from mayfly.language.question import Query
from mayfly.synthesis.records._model import Format
from mayfly.synthesis.records._source import block
from mayfly.synthesis.records._write_conditions import needs_all
from mayfly.synthesis.records._write_join import write_join
from mayfly.synthesis.records._write_program import (
    ENTRY,
    ProgramParts,
    Written,
    looks_at_lines,
    needed_titles,
    shows_records,
)
from mayfly.synthesis.records._write_read import OBJECTS, write_reader, write_rows


def write_program(found: Format, query: Query) -> Written:
    """Return a program that answers *query* for input of the format."""
    parts = ProgramParts(found, query)
    names = needed_titles(found, query)
    whole = shows_records(found, query) and found.kind in OBJECTS
    line = query.lines or found.kind == "plain" or looks_at_lines(query) or whole
    write_reader(parts.source, found, [field for field in found.fields if field.title in names], line=line)
    later = needs_all(query.where)
    if query.where is not None and not later:
        parts.conditions.write("wanted", query.where, "Whether a row is one of those asked for.")
    write_rows(parts.source, found, wanted=query.where is not None and not later)
    stream = "rows(input, account)"
    if query.items is not None:
        stream = parts.rows.items(stream)
    if later:
        stream = parts.rows.later(stream)
    body, streams = parts.answer(stream)
    return _finish(parts, body, streams)


def _finish(parts: ProgramParts, body: list[str], streams: bool) -> Written:
    """Put the body into the entry of the program."""
    kind = "object" if parts.found.kind == "objects" else "str"
    returned = "Iterator[object]" if streams else "dict[str, object]"
    head = f"def invoke(self, input: Iterable[{kind}]) -> {returned}:"
    said = (
        "Yield the answer piece by piece, and last of all the account."
        if streams
        else "Return the answer and the account of every line."
    )
    return parts.finish(block(head, said, ["account = Account()", *body], "    "), streams)


__all__ = ["ENTRY", "Written", "needed_titles", "write_join", "write_program"]
