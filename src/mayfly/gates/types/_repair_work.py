"""What the repairs of one round share: the tree, the edits, what was done, the imports that became needed."""

from __future__ import annotations

import ast
import typing
from collections.abc import Iterator, Sequence

from mayfly.core import Verdict, parse_python
from mayfly.gates.types._repair_edit import Edits, Function, bound_names, functions
from mayfly.gates.types._repair_infer import Scope
from mayfly.gates.types._repair_kinds import ANY, BUILTINS, TYPING, Kind

_IMPORTABLE = set(typing.__all__) - {"TYPE_CHECKING", "no_type_check", "no_type_check_decorator"}


class Work:
    """Hold one round of repairs on one source."""

    def __init__(self, source: str, errors: Sequence[Verdict], *, loose: bool) -> None:
        self.source = source
        self.tree = parse_python(source)
        self.edits = Edits(source)
        self.notes: list[str] = []
        self.errors = [error for error in errors if error.gate == "types" and error.decision != "accept"]
        self.loose = loose
        self.classes = {node.name for node in self.tree.body if isinstance(node, ast.ClassDef)}
        self.parents = {child: parent for parent in ast.walk(self.tree) for child in ast.iter_child_nodes(parent)}
        self._bound = bound_names(self.tree)
        self._wanted: set[str] = set()

    def coded(self, code: str) -> list[Verdict]:
        """Return the errors with that code."""
        return [error for error in self.errors if error.code == code]

    def note(self, done: bool, text: str) -> None:
        """Name a repair, if it was made."""
        if done:
            self.notes.append(text)

    def want(self, *names: str) -> None:
        """Have names imported from typing, unless they are."""
        self._wanted.update(names)

    def scope(self, function: Function, given: dict[str, Kind] | None = None) -> Scope:
        """Return what is known of the names in *function*."""
        return Scope(function, self.classes, given)

    def write(self, found: Kind, where: ast.AST | None = None) -> str:
        """Return *found* as an annotation at *where*, or Any if a name in it means something else there."""
        hidden = self._bound.union(*(bound_names(outer) for outer in self._outside(where)))
        names = found.names()
        if names & hidden & BUILTINS:
            found, names = ANY, {"Any"}
        self.want(*(names & TYPING))
        return f'"{found}"' if names & self.classes else str(found)

    def _outside(self, node: ast.AST | None) -> Iterator[Function | ast.ClassDef]:
        while node is not None:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                yield node
            node = self.parents.get(node)

    def function_at(self, line: int | None) -> Function | None:
        """Return the innermost function that holds *line*."""
        around = [one for one, _ in functions(self.tree) if line and one.lineno <= line <= (one.end_lineno or 0)]
        return max(around, key=lambda one: one.lineno, default=None)

    def result(self) -> str:
        """Return the source with everything repaired, and with the imports that takes."""
        have = {alias.name for node in self._typing_imports() for alias in node.names if alias.asname is None}
        missing = sorted((self._wanted & _IMPORTABLE) - have)
        if missing:
            self._import(missing)
        return self.edits.result()

    def _typing_imports(self) -> list[ast.ImportFrom]:
        found = [node for node in self.tree.body if isinstance(node, ast.ImportFrom)]
        return [node for node in found if node.module == "typing" and node.level == 0]

    def _import(self, names: list[str]) -> None:
        lists = [node for node in self._typing_imports() if node.names[0].name != "*"]
        if lists:
            last = lists[-1].names[-1]
            done = self.edits.insert(last.end_lineno or 0, last.end_col_offset or 0, "".join(f", {n}" for n in names))
        else:
            done = self.edits.insert(self.first_line(), 0, f"from typing import {', '.join(names)}\n")
        self.note(done, f"imported {', '.join(names)} from typing")

    def first_line(self) -> int:
        """Return the line before which an import may stand: after the docstring and what comes from the future."""
        line = 1
        for index, node in enumerate(self.tree.body):
            text = index == 0 and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
            if not (text or future):
                decorated = getattr(node, "decorator_list", [])
                return decorated[0].lineno if decorated else node.lineno
            line = (node.end_lineno or line) + 1
        return line
