"""A reading that was chosen: the program that answers it, what that is given, and what it has to answer."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

from mayfly.language.question import Query, tell
from mayfly.synthesis.records import _detect, _java
from mayfly.synthesis.records._evaluate import Answer, evaluate
from mayfly.synthesis.records._join import Joined, asked_for, asked_of, join_tables
from mayfly.synthesis.records._model import Format
from mayfly.synthesis.records._several import as_tried, files_in, one_after_another, with_file
from mayfly.synthesis.records._spread import Spread, spread_of
from mayfly.synthesis.records._sql_program import Written, is_native, write_question
from mayfly.synthesis.records._sql_rows import needed_titles
from mayfly.synthesis.records._sql_spool import header_of, rows_of, written
from mayfly.synthesis.records._table import Table, read_table
from mayfly.synthesis.records._text import lines_of


@dataclass(frozen=True, kw_only=True)
class Proposal:
    """A reading that was chosen, and the table it was chosen for; the program that answers it follows from both."""

    query: Query
    table: Table
    joined: Joined | None = None
    # The rows are made by the detector, even of what DuckDB reads by itself.
    spooled: bool = False

    @property
    def reading(self) -> str:
        """The reading in words."""
        return tell(self.query)

    @property
    def formats(self) -> tuple[Format, ...]:
        """How the input is read, or each of two inputs."""
        if self.joined is None:
            return (self.table.format,)
        return self.joined.first.format, self.joined.second.format

    @property
    def native(self) -> bool:
        """Whether DuckDB reads the input as it is; of any other the rows are made by our own detector."""
        return all(map(self._is_native, self.formats))

    def _is_native(self, found: Format) -> bool:
        return not self.spooled and is_native(found, self.query if self.joined is None else None)

    @cached_property
    def program(self) -> Written:
        """The program and what accounts for its lines."""
        formats = [found if self._is_native(found) else written(found) for found in self.formats]
        return write_question(formats[0], self.query, *formats[1:])

    @cached_property
    def spread(self) -> Spread | str:
        """How parts of several files are asked, and what they give is joined; or why that is done in one place."""
        if self.joined is not None:
            return "two inputs are joined"
        if not self.native:
            return "its rows are made by our own detector"
        return spread_of(self.table.format, self.query)

    @property
    def asked(self) -> tuple[list[str], ...]:
        """The columns that the question needs, of each input."""
        titles = needed_titles(self.table.format, self.query)
        return tuple(map(sorted, [titles] if self.joined is None else asked_of(self.joined, titles)))

    @property
    def rows(self) -> str:
        """How the rows of each input are made, as JSON; nothing where DuckDB reads the input as it is."""
        if self.native:
            return ""
        sides = zip(self.formats, self.asked, strict=True)
        made = [None if self._is_native(one) else {"header": header_of(one), "asked": asked} for one, asked in sides]
        return json.dumps(made)

    @cached_property
    def answer(self) -> Answer:
        """What the host itself makes of the rows that were read."""
        return evaluate(self.query, self.table.rows, self.table.fields)

    def data(self, items: Sequence[object]) -> list[object]:
        """Return what the program is given for *items*: themselves, or the rows that are made of them."""
        items = as_tried(items)
        sides = [items] if self.joined is None else [cast("Sequence[object]", side) for side in items]
        made = [
            _given(side) if self._is_native(found) else list[object](rows_of(read_table(found, side).asked_for(asked)))
            for found, side, asked in zip(self.formats, sides, self.asked, strict=True)
        ]
        return made[0] if self.joined is None else list(made)

    @property
    def answered(self) -> object:
        """What the program has to answer for the rows that were read, as JSON carries it."""
        return json.loads(json.dumps(self.answer.value))

    def data_in_parts(self, items: Sequence[object], most: int) -> list[list[object]]:
        """Return what a program is given for parts of *items*, each of which can stand for some of several files."""
        items, files = as_tried(items), bool(files_in(items))
        # Files that are told apart by more than their names stand as one below the names of their columns.
        head = items[:1] if self.table.format.header and not files else items[:0]
        rest = items[len(head) :]
        return [self.data([*head, *rest[at::most]]) for at in range(most) if rest[at::most]]

    def expected(self, items: Sequence[object]) -> object:
        """Return what the program has to answer for *items*."""
        table = self._table_of(as_tried(items))
        return json.loads(json.dumps(evaluate(self.query, table.rows, table.fields).value))

    def account(self, items: Sequence[object]) -> dict[str, object]:
        """Return the account of *items*, line by line."""
        table = self._table_of(items)
        return account_of(evaluate(self.query, table.rows, table.fields), table)

    def _table_of(self, items: Sequence[object]) -> Table:
        if self.joined is None:
            table = read_table(self.table.format, items)
            return table.asked_for(needed_titles(self.table.format, self.query))
        sides = [cast("Sequence[object]", side) for side in items]
        formats = self.joined.first.format, self.joined.second.format
        first, second = (read_table(found, side) for found, side in zip(formats, sides, strict=True))
        return narrowed(join_tables(first, second, self.joined.join), self.query).table


def _given(items: Sequence[object]) -> list[object]:
    """Return what is written to files behind the wall: lines, or lines by the names of their files."""
    return [{"file": one.name, "lines": [*one.lines]} for one in files_in(items)] or list(items)


def account_of(answer: Answer, table: Table) -> dict[str, object]:
    """Return how many lines were used, filtered out, not understood, empty or a header."""
    bad = table.first_bad
    return {
        "lines": table.lines,
        "used": answer.used,
        "filtered": answer.filtered,
        "not_understood": table.not_understood,
        "empty": table.empty,
        "header": table.header,
        "first_not_understood": None if bad is None else {"line": bad.number, "text": bad.text[:200]},
    }


def rows_again(
    made: str, items: Sequence[object], name: str | Sequence[str] = ""
) -> tuple[list[object], dict[str, object]] | None:
    """Return the rows that are made of *items* anew, with the account of lines; None where they are others now.

    With the names of two inputs *items* are the items of both, of whose lines no account is given here.
    """
    plans = json.loads(made)
    if isinstance(name, str):
        return _side_again(plans[0], items, name)
    sides = [cast("Sequence[object]", side) for side in items]
    found = [
        (list(side), {}) if plan is None else _side_again(plan, side, called)
        for plan, side, called in zip(plans, sides, name, strict=True)
    ]
    kept = [one[0] for one in found if one is not None]
    return (list(kept), {}) if len(kept) == len(found) else None


def _side_again(
    plan: dict[str, Any], items: Sequence[object], name: str
) -> tuple[list[object], dict[str, object]] | None:
    for found in formats_of(items):
        if header_of(found) == plan["header"]:
            table = read_table(found, items, name).asked_for(plan["asked"])
            return list(rows_of(table)), account_of(Answer(None, len(table.rows), 0), table)
    return None


def formats_of(items: Sequence[object]) -> list[Format]:
    """Return how the items can be read: as what they look like, and for what was thrown in them."""
    whole = one_after_another(items)
    found = [_detect.detect(whole)]
    lines = lines_of(whole)
    if lines is not None and any(_java.MEMORY in line for line in lines):
        found.append(_java.memory_format(lines))
    if lines is not None and found[0].kind in ("plain", "pattern"):
        traces = _java.trace_format(lines)
        found += [traces] if traces.fitted else []
    return [with_file(one, items) for one in found]


def narrowed(joined: Joined, query: Query) -> Joined:
    return asked_for(joined, needed_titles(joined.table.format, query))
