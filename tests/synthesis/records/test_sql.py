"""Statements for DuckDB answer as the host does, over every kind of file, and account for the same lines."""

import json
import tempfile
from collections.abc import Sequence
from typing import Any

import pytest

from mayfly.forge._question import agree
from mayfly.language.question import Column, Query
from mayfly.synthesis.records._detect import detect
from mayfly.synthesis.records._evaluate import evaluate
from mayfly.synthesis.records._model import Format
from mayfly.synthesis.records._propose import account_of, plain_format
from mayfly.synthesis.records._sql_program import Written, is_native, write_question
from mayfly.synthesis.records._sql_rows import needed_titles
from mayfly.synthesis.records._sql_spool import rows_of, written
from mayfly.synthesis.records._table import read_table

from .agreement import queries
from .test_agreement import KINDS

# Items of lists that are numbers or objects are told as texts as yet.
_LISTS = {"messages": "amount", "objects": "lines"}


@pytest.mark.parametrize("kind", KINDS)
def test_a_statement_agrees_with_the_host_on_every_column(kind: str) -> None:
    found = detect(KINDS[kind])
    lists = {one.title for one in found.fields if one.kind == "list"}
    for query in queries(found):
        keys = {key.name for key in query.keys if isinstance(key, Column)}
        if (keys & lists and query.items is None) or _LISTS.get(kind) in keys:
            continue  # nobody counts by whole lists
        _check(found, query, KINDS[kind])


@pytest.mark.parametrize("name", ["a'b", 'a"b', "a$path", "a{b}", "a\\b", "select", "a;--", "line", "é ü"])
def test_no_name_of_a_column_leads_out_of_the_statement(name: str) -> None:
    items: list[object] = [json.dumps({name: f"x{at % 2}", "n": at}) for at in range(6)]
    found = detect(items)
    for query in queries(found):
        _check(found, query, items)


def _check(found: Format, query: Query, items: Sequence[object]) -> None:
    if query.lines and found.kind not in ("plain", "objects"):
        found = plain_format()  # as such lines are lines, whatever is in them
    table = read_table(found, items)
    asked = table.asked_for(needed_titles(found, query))
    answer = evaluate(query, asked.rows, asked.fields)
    native = is_native(found, query)
    program = write_question(found if native else written(found), query)
    got, told = _call(program, items if native else rows_of(table))
    assert agree(json.loads(json.dumps(answer.value)), got), f"{query}\n{got}\n{answer.value}\n{program.source}"
    # Lines that give no row are seen by the detector alone.
    assert not native or told == account_of(answer, asked), f"{query}\n{told}"


def _call(program: Written, items: Sequence[object]) -> tuple[object, object]:
    """Run a program and its account on a file with the items, and return both as JSON would carry them."""
    space: dict[str, Any] = {"__name__": "generated"}
    exec(compile(program.source + program.account, "generated", "exec"), space)
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", newline="") as file:
        file.writelines(f"{one if isinstance(one, str) else json.dumps(one)}\n" for one in items)
        file.flush()
        return json.loads(json.dumps(space[program.entry](file.name))), space["account"](file.name)
