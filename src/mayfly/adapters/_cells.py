"""Cells of Python behind the wall, one after the other, as a notebook has them: what one leaves the next ones have."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from mayfly.adapters.cell import pack, unpack
from mayfly.core import InputError, one_line, parse_python

if TYPE_CHECKING:
    from mayfly.sandbox import Sandbox

# Each call of a tool sends the cell again from its beginning: more of them than this is a loop over tools.
MOST_CALLS = 100
# Bytes of state that go back and forth with every cell.
MOST_STATE = 8_000_000


@dataclass(frozen=True, kw_only=True)
class CellOutcome:
    """What came of one cell; *final* where it named the answer of the whole task, *error* where it failed."""

    value: object = None
    output: str = ""
    error: str = ""
    final: bool = False

    @property
    def text(self) -> str:
        """What was printed, and the value where there is one."""
        return self.output + ("" if self.value is None else f"{self.value}")


class Cells:
    """Run cells in a sandbox; plain data, functions, classes and imports of one are there in the next.

    *tools* are called in this process, with plain data, while the cell waits.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        *,
        grants: Collection[str] = (),
        timeout: float = 30.0,
        tools: Mapping[str, Callable[..., Any]] | None = None,
    ) -> None:
        self.tools: Mapping[str, Callable[..., Any]] = tools or {}
        self._sandbox = sandbox
        self._grants = tuple(grants)
        self._timeout = timeout
        self._variables: dict[str, Any] = {}
        self._sources: dict[str, str] = {}
        self._harness = files("mayfly.adapters").joinpath("cell.py").read_text(encoding="utf-8")

    def put(self, variables: Mapping[str, object]) -> None:
        """Let the next cells have these variables."""
        try:
            packed = {name: pack(value) for name, value in variables.items()}
        except TypeError as error:
            raise InputError(f"a variable for the sandbox has to be plain data: {error}") from None
        self._variables |= packed

    def forget(self) -> None:
        """Begin anew."""
        self._variables, self._sources = {}, {}

    def run(self, code: str) -> CellOutcome:
        """Run one cell; whatever it does is told and not raised. A cell that fails leaves nothing behind."""
        try:
            tree = parse_python(code)
        except (SyntaxError, ValueError) as error:
            return CellOutcome(error=f"SyntaxError: {error}")
        try:
            return self._run(code, tree)
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
            # The harness runs where the cell does, so that what it tells may be anything.
            return CellOutcome(error="the cell gave what no cell gives")

    def _run(self, code: str, tree: ast.Module) -> CellOutcome:
        answers: list[dict[str, object]] = []
        while True:
            told = self._send(code, answers)
            if isinstance(told, CellOutcome):
                return told
            if told["wanted"] is None:
                return self._taken(told, tree)
            if len(answers) >= MOST_CALLS:
                return CellOutcome(error=f"the cell calls tools more than {MOST_CALLS} times")
            answers.append(self._answer(told["wanted"]))

    def _send(self, code: str, answers: list[dict[str, object]]) -> CellOutcome | dict[str, Any]:
        given = {
            "code": code,
            "answers": answers,
            "variables": self._variables,
            "sources": list(dict.fromkeys(self._sources.values())),
            "tools": list(self.tools),
        }
        result = self._sandbox.run(self._harness, "run_cell", given, timeout=self._timeout, grants=self._grants)
        if not result.ok or not isinstance(result.value, dict):
            return CellOutcome(error=f"{result.status}: {result.error or 'the sandbox ended it'}")
        return result.value

    def _answer(self, asked: dict[str, Any]) -> dict[str, object]:
        """Call a tool for a cell; what it gives has to be plain data, or is handed over as text."""
        tool = self.tools[asked["tool"]]
        args: Any = unpack(asked["args"])
        kwargs: Any = unpack(asked["kwargs"])
        try:
            value: object = tool(*args, **kwargs)
        except Exception as error:  # a tool may fail in whatever way it likes, and the cell is told
            return {"asked": asked, "value": None, "error": one_line(f"{type(error).__name__}: {error}")}
        try:
            return {"asked": asked, "value": pack(value), "error": ""}
        except (TypeError, RecursionError):
            return {"asked": asked, "value": str(value), "error": ""}

    def _taken(self, told: dict[str, Any], tree: ast.Module) -> CellOutcome:
        output = str(told["output"])
        if told["error"]:
            return CellOutcome(output=output, error=str(told["error"]))
        kept = {name: value for name, value in told["variables"].items() if not name.startswith("__")}
        if len(json.dumps(kept)) > MOST_STATE:
            return CellOutcome(output=output, error=f"the variables are more than {MOST_STATE:,} bytes; delete some")
        value, named = unpack(told["value"]), {str(name) for name in told["named"]}
        sources = {
            name: text for name, text in (self._sources | _sources_in(tree)).items() if name in named or name[0] == "*"
        }
        left = sorted({*map(str, told["left"]), *(named - sources.keys())})
        self._variables, self._sources = kept, sources
        if left:
            output += f"[not kept for the next cell, since it is no plain data: {', '.join(left[:10])}]\n"
        return CellOutcome(value=value, output=output, final=bool(told["final"]))


def _sources_in(tree: ast.Module) -> dict[str, str]:
    """Return the source of every function, class and import of a cell by the names they give."""
    found: dict[str, str] = {}
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names = [node.name]
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            starred = f"* of {getattr(node, 'module', '')}"
            named = (alias.asname or alias.name.partition(".")[0] for alias in node.names)
            names = [starred if name == "*" else name for name in named]
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
            names = [target.id for target in node.targets if isinstance(target, ast.Name)]
        else:
            continue
        found |= dict.fromkeys(names, ast.unparse(node))
    return found
