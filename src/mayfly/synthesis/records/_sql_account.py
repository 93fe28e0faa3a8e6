"""Write the account of lines: a function that counts what a statement used and what it passed over."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files

from mayfly.language.question import Query
from mayfly.synthesis.records._kinds import ABSENT
from mayfly.synthesis.records._model import Format
from mayfly.synthesis.records._sql import Statement
from mayfly.synthesis.records._sql_rows import rows_of
from mayfly.synthesis.records._sql_source import Source, select
from mayfly.synthesis.records._sql_text import INDENT, in_python, joined, literal, python_string


@cache
def _functions() -> str:
    return files(__package__).joinpath("_accounting.py").read_text(encoding="utf-8")


def write_account(found: Format, query: Query, second: Format | None, statement: Statement) -> str:
    """Return the source of `account`, which is put behind the program, and called after it."""
    rows = rows_of(found, replace(query, items=None), second)
    condition = [rows.values.condition(query.where)] if query.where else []
    head = [f"ABSENT = {in_python([*ABSENT])}", "", ""]
    # A condition behind WHERE that nothing can pass would keep DuckDB from reading anything.
    counts = [f"count(*) FILTER (WHERE {condition[0]})" if condition else "count(*)", "count(*)"]
    counts += [f"count({name})" for name in (rows.native or rows.sources[0].native)]
    used = _with(rows.tables, select(counts, rows.values.table, rows.where))
    if len(rows.sources) > 1:
        one, two = (_account(source, f"path[{at}]", _counted(source), False) for at, source in enumerate(rows.sources))
        body = f"return account_of_two(\n    path, {_string(used)}, ABSENT,\n    {one},\n    {two},\n)"
        head.append("def account(path: list[str]) -> dict[str, object]:")
    else:
        body = f"return {_account(rows.sources[0], 'path', used, statement.whole and not condition)}"
        head.append("def account(path: str) -> dict[str, object]:")
    head.append('    """Return how many lines were used, filtered out, not understood, empty or a header."""')
    return "\n".join([_functions(), "", *head, textwrap.indent(body, INDENT), ""])


def _with(tables: Sequence[str], statement: str) -> str:
    return "\n".join([*([f"WITH {', '.join(tables)}"] if tables else []), statement])


def _string(sql: str) -> str:
    return python_string(sql, INDENT) if sql else '""'


def _counts(source: Source) -> list[str]:
    """Return what makes DuckDB read every cell that it types itself, and refuse the lines in which one does not fit."""
    return [f"count({name})" for name in source.native]


def _counted(source: Source) -> str:
    """Return the statement that counts the rows of one of two inputs."""
    alone = replace_source(source, source.titles)
    return _with(alone.tables, select(["count(*)", "count(*)", *_counts(alone)], alone.table, alone.where))


def replace_source(source: Source, titles: Collection[str], *, line: bool = False) -> Source:
    """Return the same input as the only one, with some of its columns."""
    return Source(
        found=source.found,
        titles=titles,
        asked=source.asked,
        moments=source.moments,
        line=line,
    )


def _account(source: Source, path: str, used: str, every: bool) -> str:
    """Return the call that accounts for one input, of which the statement used *every* row or not."""
    found = source.found
    if found.kind == "delimited":
        return (
            f"account_of_table(\n    {path}, {_string(_unfit(source))}, {_string(used)}, ABSENT,\n"
            f"    {in_python([*found.header])}, {found.skip}, {in_python(found.passed)}, {in_python(found.delimiter)},"
            f" {found.multiline}, {every},\n)"
        )
    condition = "" if every else used
    return f"account_of_lines(\n    {path}, {_string(_kinds_of_lines(source))}, {_string(condition)}, ABSENT\n)"


def _unfit(source: Source) -> str:
    """Return the statement that counts the rows of a table that are none; nothing where DuckDB finds all of them."""
    alone = replace_source(source, source.titles)
    if not alone.fits and not alone.heading:
        return ""
    heading = alone.heading or "false"
    unfit = f"({joined('AND', alone.fits)}) IS NOT TRUE AND NOT ({heading})" if alone.fits else "false"
    items = [f"count(*) FILTER (WHERE {unfit})", f"count(*) FILTER (WHERE {heading})"]
    items += [f"min(position) FILTER (WHERE {unfit})", *_counts(alone)]
    rows = select(["*", "row_number() OVER () AS position"], alone.base, [])
    return select(items, f"(\n{textwrap.indent(rows, INDENT)}\n)", [])


def _kinds_of_lines(source: Source) -> str:
    """Return the statement that tells how many lines of each kind there are, and the first of each."""
    found, alone = source.found, replace_source(source, source.checked, line=True)
    cases = []
    if found.kind != "plain":
        cases.append("WHEN regexp_full_match(line, '\\s*') THEN 'empty'")
    if found.passed and found.kind != "plain":
        cases.append(f"WHEN regexp_full_match(line, {literal(found.passed)}) THEN 'header'")
    cases.append(f"WHEN {joined('AND', alone.fits) or 'true'} THEN 'used'")
    kind = "\n".join(["CASE", *(f"    {case}" for case in cases), "    ELSE 'bad'", "END AS kind"])
    rows = select(["line", "row_number() OVER () AS position", kind], alone.base, [])
    counts = ["kind", "count(*)", "min(position)", "arg_min(line, position)"]
    statement = select(counts, f"(\n{textwrap.indent(rows, INDENT)}\n)", [])
    tables = [one for one in alone.tables if not one.startswith("records AS")]
    return _with(tables, f"{statement}\nGROUP BY kind")
