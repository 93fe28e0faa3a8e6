"""Programs that models wrote, with the truth about each: what the proof gate is measured on."""

from __future__ import annotations

import ast
import gzip
import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from mayfly.gates import Entry, NoEntry, Suite, Test, examples_in, find_entry

VARIABLE = "MAYFLY_BENCH_DATA"
# Tests that somebody wrote from the prompts alone, a line each: {"id": "bench:task", "tests": {"cases": [...]}}.
TESTS = "MAYFLY_BENCH_TESTS"
FILE = "llm_solutions_dev.jsonl.gz"
# Fewer examples in a prompt leave none to hold out.
FEWEST = 2


class Row(NamedTuple):
    """One program: what it should do, what it is, and whether it does it."""

    task: str
    origin: str
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
    found = [row for row in _rows(_read(path)) if row.task.startswith("humaneval:") and len(row.suite.tests) >= FEWEST]
    if limit is None or limit >= len(found):
        return found
    # Spread over the tasks, so that a short run sees all kinds of them.
    return [found[at * len(found) // limit] for at in range(limit)]


def tested_rows(path: Path, tests: Path) -> list[Row]:
    """Return the programs of the tasks for which somebody wrote tests from the prompt, with those tests."""
    written = {row["id"]: row["tests"]["cases"] for row in map(json.loads, tests.read_text("utf-8").splitlines())}
    found = []
    for row in _rows(_read(path)):
        cases = [
            Test(name=f"written {number}", kind="intent", input=case["input"], expected=case["output"])
            for number, case in enumerate(written.get(row.task, ()), 1)
        ]
        if cases and row.entry is not None:
            # The arguments are written as a list, whether there is one or several.
            shown = [replace(test, input=_spread(test.input, row.entry)) for test in row.suite.tests]
            suite = replace(row.suite, tests=(*shown, *cases))
            found.append(row._replace(entry=replace(row.entry, spread=True), suite=suite))
    return found


def _spread(input: object, entry: Entry) -> object:
    return input if entry.spread else [input]


def _read(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def _rows(read: Iterator[dict[str, Any]]) -> Iterator[Row]:
    seen = set()
    for row in read:
        source = _source(row)
        if (row["task_id"], source) not in seen:
            seen.add((row["task_id"], source))
            yield _row(row, source)


def _row(row: dict[str, Any], source: str) -> Row:
    name = row["entry_point"]
    prompted = _entry(row["prompt"] + "\n    pass\n", name)
    spread = None if prompted is None else prompted.spread
    tests = examples_in(_docstring(row["prompt"], name), name, spread=spread)
    suite = Suite(tests=(*tests[:-1], *(_held_out(test) for test in tests[-1:])), author="prompt")
    entry = _entry(source, name)
    task = f"{row['bench']}:{row['task_id']}"
    return Row(task, row["origin"], source, entry, suite, row["passes"], bool(entry and entry.returns))


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
