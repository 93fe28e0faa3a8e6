"""One round of edits of a source by position, so that comments and layout stay as they were written."""

from __future__ import annotations

import ast
import re
import typing
from collections.abc import Iterator, Sequence

from mayfly.core import Verdict, parse_python

Function = ast.FunctionDef | ast.AsyncFunctionDef
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
TYPING_NAMES = set(typing.__all__) - {"TYPE_CHECKING", "no_type_check", "no_type_check_decorator"}
# What stands between the last parameter of a function and the colon that ends its head.
_HEAD_END = re.compile(rb"(?:[^:#]|#[^\n]*)*?:")


class Edits:
    """Collect changes of one source and make them all at once; positions are those of `ast`: lines, and bytes in them.

    A change that touches an earlier one is left to the next round.
    """

    def __init__(self, source: str, errors: Sequence[Verdict]) -> None:
        self.tree = parse_python(source)
        self.errors = [error for error in errors if error.gate == "types" and error.line]
        self.notes: list[str] = []
        self._data = source.encode()
        self._starts = [0]
        for line in self._data.split(b"\n"):
            self._starts.append(self._starts[-1] + len(line) + 1)
        self._changes: list[tuple[int, int, str]] = []
        self._imports: set[str] = set()

    def coded(self, code: str) -> Iterator[tuple[Verdict, int]]:
        """Yield the errors with that code and their lines."""
        return ((error, error.line) for error in self.errors if error.code == code and error.line)

    def insert(self, node: ast.expr | ast.arg, text: str, note: str) -> None:
        """Put *text* behind *node*."""
        end = self._end(node)
        self._change(end, end, text, note)

    def replace(self, node: ast.expr | ast.stmt, text: str, note: str) -> None:
        """Put *text* in the place of *node*."""
        self._change(self._at(node.lineno, node.col_offset), self._end(node), text, note)

    def insert_line(self, node: ast.stmt, text: str, note: str, *, behind: bool = False) -> None:
        """Put a line before or *behind* a statement, indented alike; nothing where another one stands on its line."""
        start = self._starts[node.lineno - 1]
        indent = self._data[start : self._at(node.lineno, node.col_offset)]
        if indent.strip():
            return
        line = (node.end_lineno or node.lineno) if behind else node.lineno - 1
        at = min(self._starts[line], len(self._data))
        lead = "\n" if behind and not self._data[:at].endswith(b"\n") else ""
        self._change(at, at, f"{lead}{indent.decode()}{text}\n", note)

    def add_result(self, function: Function, text: str, note: str) -> None:
        """Write the type of the result into the head of *function*."""
        named = [one for one in function.args.kw_defaults if one is not None]
        parts: list[ast.arg | ast.expr] = [*parameters(function), *function.args.defaults, *named]
        start = max(map(self._end, parts), default=self._at(function.lineno, function.col_offset))
        head = _HEAD_END.match(self._data, start)
        if head is not None:
            self._change(head.end() - 1, head.end() - 1, f" -> {text}", note)

    def use(self, *names: str) -> None:
        """Have names imported from typing, unless they are."""
        self._imports.update(names)

    def add_import(self, module: str) -> None:
        """Have a module imported."""
        self._imports.add(f"import {module}")

    def written(self, node: ast.expr) -> str:
        """Return the text of an expression."""
        return self._data[self._at(node.lineno, node.col_offset) : self._end(node)].decode()

    def function_at(self, line: int) -> Function | None:
        """Return the innermost function that holds *line*."""
        every = (node for node in ast.walk(self.tree) if isinstance(node, FUNCTIONS))
        around = [one for one in every if one.lineno <= line <= (one.end_lineno or 0)]
        return max(around, key=lambda one: one.lineno, default=None)

    def result(self) -> str:
        """Return the source with all changes and the imports that they need."""
        known = {alias.name for node in self.tree.body if _is_typing(node) for alias in node.names if not alias.asname}
        lines = sorted(name for name in self._imports if name.startswith("import "))
        missing = sorted((self._imports & TYPING_NAMES) - known)
        lines += [f"from typing import {', '.join(missing)}"] if missing else []
        self.notes += [f"added {line}" for line in lines]
        data = self._data
        for start, end, text in sorted(self._changes, key=lambda change: change[:2], reverse=True):
            data = data[:start] + text.encode() + data[end:]
        # Nothing before the first line that an import may stand on is ever changed.
        at = self._starts[self._first_line() - 1]
        return (data[:at] + "".join(f"{line}\n" for line in lines).encode() + data[at:]).decode()

    def _first_line(self) -> int:
        """Return the line before which an import may stand: after the docstring and what comes from the future."""
        for place, node in enumerate(self.tree.body):
            text = place == 0 and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            if not text and not (isinstance(node, ast.ImportFrom) and node.module == "__future__"):
                decorators: list[ast.expr] = getattr(node, "decorator_list", [])
                return min([node.lineno, *(one.lineno for one in decorators)])
        return 1

    def _at(self, line: int, column: int) -> int:
        return min(self._starts[line - 1] + column, len(self._data))

    def _end(self, node: ast.expr | ast.stmt | ast.arg) -> int:
        return self._at(node.end_lineno or node.lineno, node.end_col_offset or node.col_offset)

    def _change(self, start: int, end: int, text: str, note: str) -> None:
        lines = text.endswith("\n")
        if all(end < first or last < start or (lines and start <= first) for first, last, _ in self._changes):
            self._changes.append((start, end, text))
            self.notes.append(note)


def parameters(function: Function) -> list[ast.arg]:
    """Return all parameters of *function*, starred ones too."""
    made = function.args
    starred = [argument for argument in (made.vararg, made.kwarg) if argument is not None]
    return [*made.posonlyargs, *made.args, *made.kwonlyargs, *starred]


def _is_typing(node: ast.stmt) -> typing.TypeGuard[ast.ImportFrom]:
    return isinstance(node, ast.ImportFrom) and node.module == "typing" and node.level == 0
