"""One round of repairs: edits by position, so that comments and layout stay as they were written."""

from __future__ import annotations

import ast
import io
import tokenize
import typing
from collections.abc import Iterator, Sequence

from mayfly.core import Verdict, parse_python
from mayfly.gates.types._repair_kinds import ANY, BUILTINS, Kind

Function = ast.FunctionDef | ast.AsyncFunctionDef
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_IMPORTABLE = set(typing.__all__) - {"TYPE_CHECKING", "no_type_check", "no_type_check_decorator"}


class Edits:
    """Collect changes to one text and make them all at once; positions are those of `ast`: lines, and bytes in them."""

    def __init__(self, source: str) -> None:
        self._data = source.encode()
        self._starts = [0]
        for line in self._data.split(b"\n"):
            self._starts.append(self._starts[-1] + len(line) + 1)
        self._changes: list[tuple[int, int, str]] = []

    def insert(self, line: int, column: int, text: str) -> bool:
        """Put *text* before a position."""
        return self._change(self._at(line, column), self._at(line, column), text)

    def replace(self, node: ast.expr | ast.stmt, text: str) -> bool:
        """Put *text* in the place of *node*; False if something there is changed already."""
        end = self._at(node.end_lineno or node.lineno, node.end_col_offset or node.col_offset)
        return self._change(self._at(node.lineno, node.col_offset), end, text)

    def between(self, start: tuple[int, int], end: tuple[int, int], text: str) -> bool:
        """Put *text* in the place of everything from *start* to *end*."""
        return self._change(self._at(*start), self._at(*end), text)

    def read(self, start: tuple[int, int], end: tuple[int, int]) -> str:
        """Return the text from *start* to *end*."""
        return self._data[self._at(*start) : self._at(*end)].decode()

    def after(self, line: int, text: str) -> bool:
        """Put *text* at the end of a line, behind its comment."""
        end = max(self._at(line, 0), min(self._starts[line] - 1, len(self._data)))
        return self._change(end, end, text)

    def indent(self, node: ast.stmt) -> str | None:
        """Return the white space before a statement, None if it shares its line with something before it."""
        before = self.read((node.lineno, 0), (node.lineno, node.col_offset))
        return before if not before.strip() else None

    def result(self) -> str:
        """Return the text with all changes made."""
        data = self._data
        for start, end, text in sorted(self._changes, key=lambda change: change[:2], reverse=True):
            data = data[:start] + text.encode() + data[end:]
        return data.decode()

    def _at(self, line: int, column: int) -> int:
        return min(self._starts[line - 1] + column, len(self._data))

    def _change(self, start: int, end: int, text: str) -> bool:
        whole_lines = start == end and text.endswith("\n")
        if any(_collide((start, end), (first, last), whole_lines) for first, last, _ in self._changes):
            return False
        self._changes.append((start, end, text))
        return True


def _collide(new: tuple[int, int], old: tuple[int, int], whole_lines: bool) -> bool:
    """Whether a change touches another; only lines may be put before what is changed itself."""
    if whole_lines and new[0] <= old[0]:
        return False
    return new[0] <= old[1] and old[0] <= new[1]


def functions(tree: ast.AST) -> Iterator[tuple[Function, ast.AST]]:
    """Yield every function of *tree*, with what it is directly inside of."""
    for parent in ast.walk(tree):
        for node in ast.iter_child_nodes(parent):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield node, parent


def inside(node: Function | ast.Module | ast.ClassDef) -> Iterator[ast.AST]:
    """Yield everything in the body of *node* in the order of the text, but nothing of scopes within it."""
    stack: list[ast.AST] = list(reversed(node.body))
    while stack:
        found = stack.pop()
        yield found
        if not isinstance(found, _SCOPES):
            stack.extend(reversed(list(ast.iter_child_nodes(found))))


def colon(source: str, function: Function) -> tuple[int, int] | None:
    """Return where the colon is that ends the head of *function*."""
    lines = source.split("\n")[function.lineno - 1 : function.body[0].end_lineno]
    depth, opened, begun = 0, False, False
    try:
        for token in tokenize.generate_tokens(io.StringIO("\n".join(lines) + "\n").readline):
            begun = begun or token.string == "def"
            if not begun or token.type != tokenize.OP:
                continue
            depth += (token.string in "([{") - (token.string in ")]}")
            opened = opened or depth > 0
            if token.string == ":" and depth == 0 and opened:
                row, column = token.start
                return function.lineno + row - 1, len(lines[row - 1][:column].encode())
    except (tokenize.TokenError, IndentationError):
        pass
    return None


def bound_names(node: Function | ast.Module | ast.ClassDef) -> set[str]:
    """Return the names that are given a value in the scope of *node* itself, parameters and imports among them."""
    names = {found.id for found in inside(node) if isinstance(found, ast.Name) and isinstance(found.ctx, ast.Store)}
    for found in inside(node):
        if isinstance(found, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(found.name)
        elif isinstance(found, (ast.Import, ast.ImportFrom)):
            names |= {(alias.asname or alias.name).split(".")[0] for alias in found.names}
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        names |= {argument.arg for argument in arguments(node)}
    return names


def arguments(function: Function) -> list[ast.arg]:
    """Return all parameters of *function*, starred ones too."""
    made = function.args
    starred = [argument for argument in (made.vararg, made.kwarg) if argument is not None]
    return [*made.posonlyargs, *made.args, *made.kwonlyargs, *starred]


class Work:
    """Hold one round of repairs on one source."""

    def __init__(self, source: str, errors: Sequence[Verdict], *, loose: bool) -> None:
        self.source = source
        self.tree = parse_python(source)
        self.edits = Edits(source)
        self.notes: list[str] = []
        self.errors = [error for error in errors if error.gate == "types" and error.decision != "accept"]
        self.loose = loose
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

    def write(self, found: Kind, where: ast.AST | None = None) -> str:
        """Return *found* as an annotation at *where*, or Any if a name in it means something else there."""
        hidden = self._bound.union(*(bound_names(outer) for outer in self._outside(where)))
        names = found.names()
        if names & hidden & BUILTINS:
            found, names = ANY, {"Any"}
        self.want(*(names & {"Any"}))
        return str(found)

    def _outside(self, node: ast.AST | None) -> Iterator[Function | ast.ClassDef]:
        while node is not None:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                yield node
            node = self.parents.get(node)

    def written(self, node: ast.expr) -> str:
        """Return the text of an expression."""
        end = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
        return self.edits.read((node.lineno, node.col_offset), end)

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
