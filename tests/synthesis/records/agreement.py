"""Hold generated programs against the host: what both make of the same lines, value by value and line by line."""

import json
import random
from collections.abc import Sequence
from pathlib import Path

from mayfly.language.question import Column, Compare, Measure, Missing, Order, PartOf, Query, Repeated
from mayfly.synthesis.records._detect import detect
from mayfly.synthesis.records._evaluate import evaluate
from mayfly.synthesis.records._model import Field, Format
from mayfly.synthesis.records._propose import account_of, told
from mayfly.synthesis.records._table import Table, read_table
from mayfly.synthesis.records._write import Written, needed_titles, write_program

EXAMPLES = Path(__file__).parents[3] / "examples"
SIGNS = '"\\[]()<>{}|;,:=-. \t/0159aZ\u0663\u00a0\ufeff\x00+%$€'


def read(items: Sequence[object]) -> Table:
    """Return the table that some lines or objects are."""
    return read_table(detect(items), items)


def rows(items: Sequence[object]) -> list[dict[str, object]]:
    """Return the rows of some lines without the lines themselves."""
    return [{name: value for name, value in row.items() if name} for row in read(items).rows]


def lines(name: str) -> list[str]:
    """Return the lines of one of the sample files."""
    return (EXAMPLES / name).read_text(encoding="utf-8").splitlines()


def call(program: Written, items: Sequence[object]) -> object:
    """Run a program as plain Python, and return its answer as JSON would carry it."""
    space: dict[str, object] = {"__name__": "generated"}
    exec(compile(program.source, "generated", "exec"), space)
    entry = space[program.entry]
    assert isinstance(entry, type)
    answer = entry().invoke(list(items))
    return json.loads(json.dumps(list(answer) if program.streams else answer))


def expected(found: Format, query: Query, items: Sequence[object], *, streams: bool) -> object:
    """Return what the host makes of the items, with the account of every one of them."""
    table = read_table(found, items).asked_for(needed_titles(found, query))
    answer = evaluate(query, table.rows, table.fields)
    assert table.lines == table.not_understood + table.empty + table.header + len(table.rows)
    assert account_of(answer, table)["lines"] == table.lines
    return json.loads(json.dumps(told(answer, table, streams=streams)))


def check(found: Format, query: Query, items: Sequence[object]) -> str:
    """Assert that a program agrees with the host, and return its source."""
    program = write_program(found, query)
    got, wanted = call(program, items), expected(found, query, items, streams=program.streams)
    assert alike(got, wanted), f"{query}\n{got}\n{wanted}"
    return program.source


def alike(one: object, other: object) -> bool:
    """Say whether two answers are the same but for the last digits of fractions, which depend on the order of sums."""
    if isinstance(one, float) or isinstance(other, float):
        numbers = isinstance(one, (int, float)) and isinstance(other, (int, float))
        return numbers and abs(one - other) <= 2e-6 * max(1.0, abs(one))  # type: ignore[operator,arg-type]
    if isinstance(one, dict) and isinstance(other, dict):
        return list(one) == list(other) and all(alike(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(alike, one, other))
    return one == other


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
        Query(measures=(Measure(function="count"),), keys=(column,)),
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
    if one.kind == "list":
        made.append(Query(measures=(Measure(function="count"),), keys=(column,), items=column))
    if one.kind == "text":
        made.append(Query(columns=(column,), where=Repeated(of=(column,))))
    return made


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
