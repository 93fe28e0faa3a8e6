"""What is written: typed, small functions, few imports, and patterns that cannot run away."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from mayfly.gates import find_entry

from . import test_formats, test_operations
from .programs import lines, planned

ALLOWED = {"re", "json", "dataclasses", "typing", "datetime", "math"}
RISKY = {"re", "json", "datetime", "math"}
BRANCHES = (ast.If, ast.For, ast.While, ast.ExceptHandler, ast.With, ast.IfExp, ast.comprehension)


def _sources() -> list[str]:
    intents = [intent for intent, _ in (*test_operations.RECORDS, *test_operations.VALUES)]
    found = [planned(intent, test_operations.LOG).source for intent in intents]
    found += [planned("parse the lines", case[1]).source for case in test_formats.CASES]
    found += [planned("first 3 lines sorted by time", case[1]).source for case in test_formats.CASES if _timed(case[1])]
    for intent in (
        "count errors by service",
        "latency over 500ms",
        "unique user names",
        "slowest 3 events",
        "group events by level",
    ):
        found.append(planned(intent, lines("events.jsonl")).source)
    for intent in (
        "sum amount by customer",
        "orders where quantity > 5",
        "total amount by month",
        "orders with note gift",
    ):
        found.append(planned(intent, lines("orders.csv")).source)
    for intent in ("identify OOM patterns", "count OOM errors by heap type", "find exceptions", "warnings by thread"):
        found.append(planned(intent, lines("app.log")).source)
    return list(dict.fromkeys(found))


def _timed(sample: list[str]) -> bool:
    return any(
        field.kind == "time" and "%Y" in field.layout for field in planned("parse the lines", sample).format.fields
    )


@pytest.fixture(scope="module")
def sources() -> list[str]:
    return _sources()


def test_every_program_passes_the_strict_type_checker(sources: list[str], tmp_path: Path) -> None:
    for number, source in enumerate(sources):
        (tmp_path / f"program_{number}.py").write_text(source, encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--no-error-summary",
        f"--cache-dir={tmp_path}/cache",
        str(tmp_path),
    ]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.stdout == ""


def test_every_program_imports_little(sources: list[str]) -> None:
    for source in sources:
        nodes = ast.walk(ast.parse(source))
        modules = {
            name
            for node in nodes
            for name in (
                [alias.name for alias in node.names]
                if isinstance(node, ast.Import)
                else [str(node.module)]
                if isinstance(node, ast.ImportFrom)
                else []
            )
        }
        assert modules <= ALLOWED
        assert len(modules & RISKY) <= 2, source


def test_every_function_is_simple(sources: list[str]) -> None:
    for source in sources:
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.FunctionDef):
                inner = list(ast.walk(node))
                branches = sum(isinstance(one, BRANCHES) for one in inner)
                branches += sum(len(one.values) - 1 for one in inner if isinstance(one, ast.BoolOp))
                assert branches + 1 <= 10, (node.name, source)
                assert ast.get_docstring(node)
                assert not any(isinstance(one, ast.If) and _is_chain(one) for one in inner)


def _is_chain(node: ast.If) -> bool:
    return len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If)


def test_every_program_has_one_entry(sources: list[str]) -> None:
    for source in sources:
        entry = find_entry(ast.parse(source))
        assert entry.kind == "class"
        assert len(entry.parameters) == 1


def test_records_are_streamed(sources: list[str]) -> None:
    made = planned("Parse NGINX access logs and extract 4xx error patterns", lines("access.log"))
    assert find_entry(ast.parse(made.source)).generator


def test_no_pattern_repeats_what_can_overlap(sources: list[str]) -> None:
    for source in sources:
        for pattern in re.findall(r"r['\"](.*)['\"]", source):
            assert not re.search(r"\.[*+]\??\.[*+]|\([^()]*\.[*+]\)[*+]", pattern), pattern
