"""Ask a program behind the wall: many questions in one job, and one by one where that job does not end well."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

from mayfly.core import mismatch, parse_python
from mayfly.gates._annotations import Schema, schema_of
from mayfly.gates._entry import Entry, adapted
from mayfly.gates.proof.harness import far_side
from mayfly.sandbox import Result, Sandbox

Ask = dict[str, Any]
CORES = 2
# How an answer ends that took too much time, memory or stack.
OUT_OF = {"timeout", "MemoryError", "RecursionError", "died", "memory"}
_SHARE = 1.0
# Results of a program that does nothing.
EMPTY: tuple[object, ...] = (None, [], {}, "", 0, False, True)
# Methods of every object, which a test does not call by their names.
_OURS = {"__init__", "__new__", "__eq__", "__hash__", "__repr__", "__getattr__", "__getattribute__", "__post_init__"}


class Answer(NamedTuple):
    """What a program answered: a value, or the classes and message of an error, or how its process ended."""

    value: object = None
    errors: tuple[str, ...] = ()
    message: str = ""
    line: int | None = None
    steps: tuple[Any, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether there is a value."""
        return not self.errors

    @property
    def error(self) -> str:
        """The error in one line, empty where there is none."""
        if self.ok:
            return ""
        where = f" (line {self.line})" if self.line else ""
        return f"{self.errors[0]}: {self.message}{where}" if self.message else f"{self.errors[0]}{where}"


@dataclass(frozen=True, kw_only=True)
class Program:
    """A source, what is called in it, and what it may use."""

    source: str
    entry: Entry
    imports: frozenset[str] | None
    timeout: float = 5.0
    memory: int | None = None

    @property
    def waits(self) -> bool:
        """Whether it needs an event loop."""
        return "async " in self.source

    @property
    def lines(self) -> int:
        """How many lines are its own."""
        return self.source.count("\n") + 1

    @property
    def callable(self) -> tuple[str, str]:
        """The source to load and the name in it that takes one argument."""
        return adapted(self.source, self.entry)

    @cached_property
    def returns(self) -> Schema:
        """The type of its results, as it is annotated."""
        return schema_of(self.entry.returns, self.source)

    @cached_property
    def allows_empty(self) -> tuple[bool, ...]:
        """Whether the annotation allows each of the results in EMPTY."""
        return tuple(not mismatch(value, self.returns) for value in EMPTY)

    @cached_property
    def shape(self) -> dict[str, Any]:
        """Its names, for those who stand in their place: classes with their methods, and functions."""
        return shape_of(self.source)


def ask(sandbox: Sandbox, program: Program, asks: Sequence[Ask]) -> list[Answer]:
    """Return the answer to each of *asks*; where one spoils the job of all, each is asked alone, so it is named."""
    if not asks:
        return []
    result = _job(sandbox, program, asks)
    if result.ok and isinstance(result.value, list) and len(result.value) == len(asks):
        return [read_answer(item) for item in result.value]
    failed = ended(result)
    if len(asks) == 1 or _is_about_loading(result):
        return [failed] * len(asks)
    # All together had the whole time; alone, each gets twice its share, so that a program that hangs ends soon.
    share = min(program.timeout, max(_SHARE, 2 * program.timeout / len(asks)))
    alone = replace(program, timeout=share)
    with ThreadPoolExecutor(CORES) as threads:
        return [answers[0] for answers in threads.map(lambda one: ask(sandbox, alone, [one]), asks)]


def _job(sandbox: Sandbox, program: Program, asks: Sequence[Ask]) -> Result:
    source, name = program.callable
    sessions = any("steps" in one for one in asks)
    driver = far_side("answer", "session") if sessions else far_side("answer")
    request = {"entry": name, "asks": list(asks), "lines": program.lines, "waits": program.waits}
    return sandbox.run(
        source + driver,
        "_mayfly_answers",
        request,
        timeout=program.timeout,
        imports=program.imports,
        memory=program.memory,
    )


def _is_about_loading(result: Result) -> bool:
    """Whether no question was reached, so that asking again would only fail again."""
    return result.status == "refused" or (
        result.status == "error" and "_mayfly_" not in (result.traceback or "_mayfly_")
    )


def read_answer(item: Any) -> Answer:
    """Read one answer of the far side; anything else than an answer is an error of its own."""
    if not isinstance(item, dict):
        return Answer(errors=("NotAnAnswer",), message="the program's process sent something that is not an answer")
    if "ok" in item:
        return Answer(value=item["ok"])
    if isinstance(item.get("steps"), list):
        return Answer(steps=tuple(item["steps"]))
    if "late" in item:
        return Answer(errors=("timeout",), message="no answer in time")
    errors = item.get("error")
    names = tuple(str(name) for name in errors) if isinstance(errors, list) and errors else ("NotAnAnswer",)
    line = item.get("line")
    return Answer(errors=names, message=str(item.get("message", "")), line=line if isinstance(line, int) else None)


def ended(result: Result) -> Answer:
    """Turn a job that gave no answers into the answer of each question."""
    if result.ok:
        return Answer(errors=("NotAnAnswer",), message="the program's process sent something that is not an answer")
    name = result.status
    message = result.error or ""
    if name == "error":
        kind, colon, rest = message.partition(": ")
        if colon and kind.isidentifier():
            return Answer(errors=(kind,), message=rest)
    return Answer(errors=(name,), message=message)


def shape_of(source: str) -> dict[str, Any]:
    """Describe what a program defines, so that its names can be stood for: classes, their methods, functions."""
    classes: dict[str, Any] = {}
    functions: dict[str, bool] = {}
    for node in parse_python(source).body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            functions[node.name] = isinstance(node, ast.AsyncFunctionDef)
        elif isinstance(node, ast.ClassDef):
            classes[node.name] = _class_shape(node, classes)
    return {"classes": classes, "functions": functions}


def _is_called(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a test calls this method by its name: no property, and nothing that stands for an object anyway."""
    return node.name not in _OURS and not any("property" in ast.unparse(item) for item in node.decorator_list)


def _class_shape(node: ast.ClassDef, known: dict[str, Any]) -> dict[str, Any]:
    bases = [known[base.id] for base in node.bases if isinstance(base, ast.Name) and base.id in known]
    methods = {name: waits for base in bases for name, waits in base["methods"].items()}
    data = any("dataclass" in ast.unparse(decorator) for decorator in node.decorator_list)
    for item in node.body:
        if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef)) and _is_called(item):
            methods[item.name] = isinstance(item, ast.AsyncFunctionDef)
    errors = [name for base in node.bases if (name := ast.unparse(base)).endswith(("Error", "Exception"))]
    error = next((base["error"] for base in bases if base["error"]), errors[0] if errors else "")
    return {"methods": methods, "data": data or any(base["data"] for base in bases), "error": error}
