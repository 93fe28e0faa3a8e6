"""Hold generated programs against the host: what both make of the same lines, value by value and line by line."""

import json
import random
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mayfly.forge._question import agree
from mayfly.language.question import Column, Compare, Measure, Missing, Order, PartOf, Query, Repeated
from mayfly.synthesis.records._detect import detect
from mayfly.synthesis.records._evaluate import evaluate
from mayfly.synthesis.records._model import Field, Format
from mayfly.synthesis.records._proposal import account_of
from mayfly.synthesis.records._propose import plain_format
from mayfly.synthesis.records._sql_program import Written, is_native, write_question
from mayfly.synthesis.records._sql_rows import needed_titles
from mayfly.synthesis.records._sql_spool import rows_of, written
from mayfly.synthesis.records._table import Table, read_table

# Columns of the kinds of files that hold lists of numbers or of objects.
_NO_TEXTS = ("amount", "lines")
EXAMPLES = Path(__file__).parents[3] / "examples"
SIGNS = '"\\[]()<>{}|;,:=-. \t/0159aZ\u0663\u00a0+%$€'


def read(items: Sequence[object]) -> Table:
    """Return the table that some lines or objects are."""
    return read_table(detect(items), items)


def rows(items: Sequence[object]) -> list[dict[str, object]]:
    """Return the rows of some lines without the lines themselves."""
    return [{name: value for name, value in row.items() if name} for row in read(items).rows]


def lines(name: str) -> list[str]:
    """Return the lines of one of the sample files."""
    return (EXAMPLES / name).read_text(encoding="utf-8").splitlines()


def call(program: Written, items: Sequence[object]) -> tuple[object, object]:
    """Run a program and its account on a file with the items, and return both as JSON would carry them."""
    space: dict[str, Any] = {"__name__": "generated"}
    exec(compile(program.source + program.account, "generated", "exec"), space)
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", errors="replace", newline="") as file:
        texts = (one.rstrip("\r\n") if isinstance(one, str) else json.dumps(one) for one in items)
        file.writelines(f"{text}\n" for text in texts)
        file.flush()
        return json.loads(json.dumps(space[program.entry](file.name))), space["account"](file.name)


def expected(found: Format, query: Query, items: Sequence[object]) -> tuple[object, dict[str, object]]:
    """Return what the host makes of the items, and the account of every one of them."""
    table = read_table(found, items).asked_for(needed_titles(found, query))
    answer = evaluate(query, table.rows, table.fields)
    assert table.lines == table.not_understood + table.empty + table.header + len(table.rows)
    account = account_of(answer, table)
    assert account["lines"] == table.lines
    return json.loads(json.dumps(answer.value)), account


def check(found: Format, query: Query, items: Sequence[object], *, odd: bool = False) -> str:
    """Assert that a program agrees with the host, in its account too, and return its source.

    Of *odd* lines DuckDB has a mind of its own: there the program may be the one for rows that the detector makes.
    """
    if query.lines and found.kind not in ("plain", "objects"):
        found = plain_format()  # as such lines are lines, whatever is in them
    value, account = expected(found, query, items)
    if is_native(found, query):
        program = write_question(found, query)
        got, told = call(program, items)
        if not odd:
            assert told == account, f"{query}\n{told}\n{account}"
        if not odd or agree(got, value):
            assert agree(got, value), f"{query}\n{got}\n{value}\n{program.source}"
            return program.source
    program = write_question(written(found), query)
    got, _ = call(program, rows_of(read_table(found, items).asked_for(needed_titles(found, query))))
    assert agree(got, value), f"{query}\n{got}\n{value}\n{program.source}"
    return program.source


def queries(found: Format) -> list[Query]:
    """Return queries that together ask for every column of a format, each in the ways its kind allows."""
    made = [Query(), Query(lines=True), Query(measures=(Measure(function="count"),))]
    for one in found.fields:
        made += _queries_of(one)
    return made


def _queries_of(one: Field) -> list[Query]:
    column = Column(name=one.title)
    made = [
        Query(columns=(column,)),
        Query(measures=(Measure(function="unique", of=column),)),
        Query(columns=(column,), where=Missing(of=column)),
    ]
    if one.numeric:
        made.append(Query(measures=tuple(Measure(function=name, of=column) for name in ("sum", "mean", "max"))))
        made.append(Query(columns=(column,), where=Compare(left=column, operator=">", value=10)))
        made.append(Query(columns=(column,), order=(Order(by=column, descending=True),)))
    if one.kind in ("time", "epoch"):
        made.append(Query(measures=(Measure(function="count"),), keys=(PartOf(part="hour", of=column),)))
        made.append(Query(measures=(Measure(function="min", of=column),)))
    # Of a list its items are counted, which SQL takes for texts: numbers would stand in another order.
    counted = Query(measures=(Measure(function="count"),), keys=(column,), items=column if one.kind == "list" else None)
    made += [counted] if one.kind != "list" or one.title not in _NO_TEXTS else []
    if one.kind == "text":
        made.append(Query(columns=(column,), where=Repeated(of=(column,))))
    return made


def head_of(found: Format, items: Sequence[object]) -> list[object]:
    """Return the lines of a table with its header: without it a program is not asked about a table."""
    return list(items[: found.skip + 1]) if found.header else []


def damaged(line: str, source: random.Random) -> str:
    """Return a line with a few signs changed, lost, added or doubled, or with a part of it gone."""
    signs = list(line)
    for _ in range(source.randint(1, 3)):
        at = source.randint(0, len(signs))
        width = source.randint(1, 6)
        change = source.choice(([], [source.choice(SIGNS)], signs[at : at + width] * 2))
        signs[at : at + (width if source.random() < 0.5 else 1)] = change
    whole = "".join(signs)
    return whole[: source.randint(0, len(whole))] if source.random() < 0.2 else whole
