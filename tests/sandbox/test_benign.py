"""Ordinary programs give exactly the results of plain Python, behind the wall alone and at tier ephemeral."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from mayfly.sandbox import EPHEMERAL_IMPORTS, MEMO_IMPORTS, Sandbox

PROGRAMS = sorted((Path(__file__).parent / "benign").glob("*.py"))


class Program(NamedTuple):
    source: str
    entry: str
    argument: object
    imports: frozenset[str]


class Answer(NamedTuple):
    value: object
    output: str


# Plain Python, one process for all programs: each in a real module, its result through JSON, its output caught.
_PLAIN = """
import asyncio, collections, contextlib, dataclasses, inspect, io, json, linecache, sys, types

sys.set_int_max_str_digits(0)


def plain(value):
    if dataclasses.is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    raise TypeError(type(value).__name__)


for line in sys.stdin:
    name, source, entry, argument = json.loads(line)
    module = sys.modules["job"] = types.ModuleType("job")
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    sys.set_int_max_str_digits(4300)
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(io.StringIO()):
        exec(compile(source, name, "exec", dont_inherit=True), module.__dict__)
        target = getattr(module, entry)
        value = target().invoke(argument) if isinstance(target, type) else target(argument)
        if inspect.iscoroutine(value):
            value = asyncio.run(value)
        if inspect.isgenerator(value):
            value = list(value)
    sys.set_int_max_str_digits(0)
    print(json.dumps([name, json.dumps(value, default=plain), output.getvalue()]))
"""


def read(path: Path) -> Program:
    source = path.read_text("utf-8")
    tree = ast.parse(source)
    constants: dict[str, ast.expr] = {}
    imports: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            constants.setdefault(node.targets[0].id, node.value)
        if isinstance(node, ast.Import):
            imports |= {alias.name.partition(".")[0] for alias in node.names}
        if isinstance(node, ast.ImportFrom):
            imports.add((node.module or "").partition(".")[0])
    entry = ast.literal_eval(constants["ENTRY"]) if "ENTRY" in constants else "main"
    argument = eval(compile(ast.Expression(constants["ARGUMENT"]), str(path), "eval"))
    return Program(source, entry, argument, EPHEMERAL_IMPORTS | imports | {"__future__"})


@pytest.fixture(scope="module")
def plain() -> dict[str, Answer]:
    lines = []
    for path in PROGRAMS:
        program = read(path)
        lines.append(json.dumps([path.stem, program.source, program.entry, program.argument]))
    done = subprocess.run(
        [sys.executable, "-I", "-c", _PLAIN], input="\n".join(lines), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    answers = {}
    digits = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    for line in done.stdout.splitlines():
        name, value, output = json.loads(line)
        answers[name] = Answer(json.loads(value), output)
    sys.set_int_max_str_digits(digits)
    return answers


def test_the_corpus_is_large() -> None:
    assert len(PROGRAMS) >= 60


def test_most_of_it_needs_no_more_than_tier_memo_has() -> None:
    modules = {name.partition(".")[0] for name in MEMO_IMPORTS} | {"__future__"}
    assert sum(read(path).imports <= modules for path in PROGRAMS) >= 0.7 * len(PROGRAMS)


@pytest.mark.first(60)
@pytest.mark.parametrize("tier", ["wall", "ephemeral"])
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_gives_what_plain_python_gives(box: Sandbox, plain: dict[str, Answer], path: Path, tier: str) -> None:
    program = read(path)
    imports = program.imports if tier == "ephemeral" else None
    result = box.run(program.source, program.entry, program.argument, timeout=30.0, imports=imports)
    assert result.status == "ok", result.error
    expected = plain[path.stem]
    assert result.value == expected.value
    assert result.output.replace("to standard error\n", "") == expected.output
