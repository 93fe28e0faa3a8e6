"""Read the tests a model wrote: cases and checks as JSON, or test functions in Python."""

from __future__ import annotations

import ast
import json
import re

from mayfly.core import parse_python
from mayfly.forge._code import code_in
from mayfly.gates import Test

# Nobody needs more tests of one program; a writer that gives hundreds is cut short.
MOST = 50
LONGEST = 500
_JSON = re.compile(r"[\[{].*[\]}]", re.DOTALL)


def read_tests(answer: str, inputs: list[object]) -> list[Test]:
    """Return the tests in *answer*; what cannot be read as a test is left out, so nothing counts as none."""
    data = _as_json(answer)
    if data is not None:
        return _from_json(data, inputs)[:MOST]
    source = code_in(answer)
    return [] if source is None else _from_python(source, inputs)[:MOST]


def _as_json(answer: str) -> object | None:
    found = _JSON.search(answer)
    for text in (answer, found.group() if found else ""):
        try:
            data: object = json.loads(text)
        except (ValueError, RecursionError):
            continue
        if _is_suite(data):
            return data
    return None


def _is_suite(data: object) -> bool:
    """Whether this is meant as tests: code is full of brackets that are JSON as well."""
    if isinstance(data, dict):
        return any(isinstance(data.get(key), list) for key in ("cases", "tests", "checks"))
    return isinstance(data, list) and bool(data) and all(isinstance(row, dict) and "input" in row for row in data)


def _from_json(data: object, inputs: list[object]) -> list[Test]:
    cases = (
        data if isinstance(data, list) else data.get("cases", data.get("tests", [])) if isinstance(data, dict) else []
    )
    checks = data.get("checks", []) if isinstance(data, dict) else []
    tests = [
        Test(
            name=f"written {number}",
            kind="intent",
            input=case["input"],
            expected=case[key],
            words=str(case.get("words", ""))[:LONGEST],
            confidence=0.8,
        )
        for number, case in enumerate(cases if isinstance(cases, list) else [], 1)
        if isinstance(case, dict) and "input" in case
        for key in ("output", "expected")
        if key in case
    ]
    over = [test.input for test in tests] + inputs
    for check in checks if isinstance(checks, list) else []:
        if isinstance(check, dict) and isinstance(check.get("source"), str):
            tests += _checks(check["source"], str(check.get("description", "")), check.get("confidence", 0.8), over)
    return tests


def _from_python(source: str, inputs: list[object]) -> list[Test]:
    try:
        tree = parse_python(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    functions = [node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    tests: list[Test] = []
    if any(node.name.startswith("test") and (node.decorator_list or not node.args.args) for node in functions):
        tests.append(Test(name="written", kind="function", function=source, confidence=0.8))
    for node in functions:
        # Document-style tests take the result, or the input and the result, and answer True or False.
        if (
            (node.name.startswith("test") or node.name == "check")
            and 1 <= len(node.args.args) <= 2
            and not node.decorator_list
        ):
            described = (ast.get_docstring(node) or node.name).splitlines()[0]
            tests += _checks(_as_check(source, node.name, len(node.args.args)), described, 0.8, inputs)
    return tests


def _as_check(source: str, name: str, parameters: int) -> str:
    if name == "check" and parameters == 2:
        return source
    call = "output" if parameters == 1 else "input, output"
    return f"{source}\n\n_written = {name}\n\n\ndef check(input, output):\n    return _written({call})\n"


def _checks(source: str, description: str, confidence: object, inputs: list[object]) -> list[Test]:
    sure = float(confidence) if isinstance(confidence, (int, float)) else 0.5
    return [
        Test(
            name=f"check {number}",
            kind="check",
            input=input,
            check=source,
            description=description,
            confidence=min(1.0, max(0.0, sure)),
        )
        for number, input in enumerate(inputs, 1)
    ]
