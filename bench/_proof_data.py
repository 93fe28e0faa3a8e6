"""Programs that models wrote, with the truth about each: what the proof gate is measured on."""

from __future__ import annotations

import ast
import gzip
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from mayfly.gates import Entry, NoEntry, Suite, Test, examples_in, find_entry

VARIABLE = "MAYFLY_BENCH_DATA"
FILE = "llm_solutions_dev.jsonl.gz"
FEWEST = 2


class Row(NamedTuple):
    """One program: what it should do, what it is, and whether it does it."""

    task: str
    source: str
    entry: Entry | None
    suite: Suite
    right: bool
    annotated: bool


def located(given: str | None) -> Path | None:
    """Return the data file, named by an option or by the environment, if it is there."""
    named = given or os.environ.get(VARIABLE)
    if not named:
        return None
    path = Path(named)
    path = path / FILE if path.is_dir() else path
    return path if path.is_file() else None


def rows(path: Path, limit: int | None = None) -> list[Row]:
    """Return the HumanEval programs whose prompt holds at least two examples, each program once."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        read = [json.loads(line) for line in file]
    found = list(_rows(row for row in read if row["bench"] == "humaneval"))
    if limit is None or limit >= len(found):
        return found
    # Spread over the tasks, so that a short run sees all kinds of them.
    return [found[at * len(found) // limit] for at in range(limit)]


def _rows(read: Iterator[dict[str, Any]]) -> Iterator[Row]:
    seen = set()
    for row in read:
        source = _source(row)
        if (row["task_id"], source) in seen:
            continue
        seen.add((row["task_id"], source))
        made = _row(row, source)
        if len(made.suite.tests) >= FEWEST:
            yield made


def _row(row: dict[str, Any], source: str) -> Row:
    name = row["entry_point"]
    prompted = _entry(row["prompt"] + "\n    pass\n", name)
    spread = None if prompted is None else prompted.spread
    tests = examples_in(_docstring(row["prompt"], name), name, spread=spread)
    suite = Suite(tests=(*tests[:-1], *(_held_out(test) for test in tests[-1:])), author="prompt")
    entry = _entry(source, name)
    return Row(row["task_id"], source, entry, suite, row["passes"], bool(entry and entry.returns))


def _held_out(test: Test) -> Test:
    return Test(name=test.name, kind="held-out", input=test.input, expected=test.expected)


def _entry(source: str, name: str) -> Entry | None:
    try:
        return find_entry(ast.parse(source), name)
    except (SyntaxError, ValueError, NoEntry):
        return None


def _source(row: dict[str, Any]) -> str:
    """Return the program; where only the body was written, the prompt comes first."""
    code: str = row["code"]
    return code if _entry(code, row["entry_point"]) else row["prompt"] + code


def _docstring(prompt: str, name: str) -> str:
    try:
        tree = ast.parse(prompt + "\n    pass\n")
    except SyntaxError:
        return ""
    named = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name]
    return (ast.get_docstring(named[-1]) or "") if named else ""
