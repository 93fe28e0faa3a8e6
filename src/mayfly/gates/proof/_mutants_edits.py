"""Say where a program could be subtly wrong: every small change of its text that a good test would notice."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from mayfly.core import parse_python

_COMPARE = {
    ast.Lt: (("<", "<="), ("<", ">")),
    ast.LtE: (("<=", "<"), ("<=", ">")),
    ast.Gt: ((">", ">="), (">", "<")),
    ast.GtE: ((">=", ">"), (">=", "<")),
    ast.Eq: (("==", "!="),),
    ast.NotEq: (("!=", "=="),),
    ast.In: (("in", "not in"),),
    ast.NotIn: (("not in", "in"),),
    ast.Is: (("is", "is not"),),
    ast.IsNot: (("is not", "is"),),
}
_ARITHMETIC = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "+"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "*"),
    ast.Mod: ("%", "//"),
    ast.Pow: ("**", "*"),
    ast.BitAnd: ("&", "|"),
    ast.BitOr: ("|", "&"),
    ast.BitXor: ("^", "|"),
    ast.LShift: ("<<", ">>"),
    ast.RShift: (">>", "<<"),
}
_NAMES = {
    "min": "max", "max": "min", "any": "all", "all": "any", "sorted": "list", "reversed": "list", "set": "list",
    "abs": "(lambda x: x)", "sum": "max", "floor": "ceil", "ceil": "floor", "round": "int",
    "upper": "lower", "lower": "upper", "strip": "lstrip", "lstrip": "rstrip", "rstrip": "lstrip",
    "startswith": "endswith", "endswith": "startswith", "find": "rfind", "rfind": "find", "index": "rindex",
    "isupper": "islower", "islower": "isupper", "isalpha": "isalnum", "isalnum": "isalpha", "isdigit": "isalnum",
    "isnumeric": "isalnum", "search": "match", "match": "search", "fullmatch": "match", "findall": "split",
    "capitalize": "lower", "title": "capitalize", "swapcase": "lower", "keys": "values", "values": "keys",
    "ljust": "rjust", "rjust": "ljust", "union": "intersection", "intersection": "union",
}  # fmt: skip
_DROPPED = {"strip", "lstrip", "rstrip", "lower", "upper", "title", "capitalize", "swapcase", "casefold"}
_REGEX = (
    ("\\d", "\\w"),
    ("\\w", "\\S"),
    ("\\S", "."),
    ("\\s", "."),
    ("\\b", ""),
    ("+", "*"),
    ("*", "+"),
    ("?", ""),
    ("^", ""),
    ("$", ""),
    ("[^", "["),
)
_RE_CALLS = {"compile", "match", "search", "fullmatch", "findall", "finditer", "sub", "subn", "split"}
_ORDERED = {"range", "isinstance", "issubclass", "round", "getattr", "hasattr"}
_QUIET = {"__repr__", "__str__", "__format__", "__hash__"}
# A loop whose body runs at least once, which is what people who write "repeat until" mean.
_ONCE = '(({}) or "_mayfly_in" not in locals()) and (_mayfly_in := True)'


class Edit(NamedTuple):
    """One change of the text: these bytes become those."""

    start: int
    end: int
    new: str
    kind: str
    line: int


class Finder:
    """Walk a program and collect its edits."""

    def __init__(self, source: str) -> None:
        self.text = source.encode()
        self.starts = [0]
        for line in self.text.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))
        self.edits: list[Edit] = []

    def find(self) -> list[Edit]:
        """Return every edit, in the order of the text."""
        self.block(parse_python(self.text))
        return sorted(set(self.edits))

    def at(self, line: int, column: int) -> int:
        return self.starts[line - 1] + column

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self.at(node.lineno, node.col_offset), self.at(node.end_lineno, node.end_col_offset)

    def written(self, node: ast.expr | ast.stmt) -> str:
        start, end = self.span(node)
        return self.text[start:end].decode()

    def change(self, node: ast.expr | ast.stmt, new: str, kind: str) -> None:
        start, end = self.span(node)
        if self.text[start:end].decode() != new:
            self.edits.append(Edit(start, end, new, kind, node.lineno))

    def between(self, left: ast.expr, right: ast.expr, old: str, new: str, kind: str) -> None:
        """Change the operator that stands between two operands."""
        start, end = self.span(left)[1], self.span(right)[0]
        found = re.search(rf"(?<![\w<>=!*/]){re.escape(old)}(?![\w<>=*/])", self.text[start:end].decode())
        if found:
            self.edits.append(Edit(start + found.start(), start + found.end(), new, kind, right.lineno))

    def block(self, tree: ast.AST) -> None:
        for node in _parts(tree):
            if isinstance(node, ast.stmt):
                self.statement(node)
            elif isinstance(node, ast.expr):
                self.expression(node)
            elif isinstance(node, ast.comprehension):
                self.comprehension(node)
            elif isinstance(node, ast.ExceptHandler) and not isinstance(node.body[0], ast.Raise):
                self.change(node.body[0], "raise", "handler")
            self.block(node)

    def statement(self, node: ast.stmt) -> None:
        if isinstance(node, (ast.If, ast.While)):
            self.condition(node.test, loop=isinstance(node, ast.While))
            if isinstance(node, ast.While) and not isinstance(node.test, ast.Constant):
                self.change(node.test, _ONCE.format(self.written(node.test)), "once")
        elif isinstance(node, ast.For):
            self.loop(node.iter)
        elif isinstance(node, (ast.AugAssign, ast.Raise)) or (
            isinstance(node, ast.Expr) and isinstance(node.value, (ast.Call, ast.Await))
        ):
            self.change(node, "pass", "statement")
        elif isinstance(node, (ast.Break, ast.Continue)):
            self.change(node, "pass", "jump")
        elif isinstance(node, ast.Return) and node.value is not None and not _is_none(node.value):
            self.change(node.value, "None", "return")
        if isinstance(node, ast.AugAssign) and isinstance(node.op, (ast.Add, ast.Sub)):
            self.sign(node)

    def sign(self, node: ast.AugAssign) -> None:
        if isinstance(node.value, ast.Constant) and isinstance(node.value.value, (int, float)):
            old, new = ("+=", "-=") if isinstance(node.op, ast.Add) else ("-=", "+=")
            self.between(node.target, node.value, old, new, "arithmetic")

    def condition(self, test: ast.expr, *, loop: bool = False) -> None:
        if isinstance(test, ast.Constant):
            return
        self.change(test, "False", "condition")
        if not loop:
            self.change(test, "True", "condition")

    def loop(self, iterable: ast.expr) -> None:
        written = self.written(iterable)
        for part in ("[1:]", "[:-1]", "[:1]"):
            self.change(iterable, f"[*({written})]{part}", "loop")

    def comprehension(self, node: ast.comprehension) -> None:
        for test in node.ifs:
            self.condition(test)
        self.loop(node.iter)

    def expression(self, node: ast.expr) -> None:
        if isinstance(node, ast.Compare):
            for left, op, right in zip([node.left, *node.comparators], node.ops, node.comparators, strict=False):
                for old, new in _COMPARE[type(op)]:
                    self.between(left, right, old, new, "comparison")
        elif isinstance(node, ast.BinOp):
            self.arithmetic(node)
        elif isinstance(node, ast.BoolOp):
            self.boolean(node)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.USub)):
            self.change(node, f"({self.written(node.operand)})", "negation")
        elif isinstance(node, ast.IfExp):
            self.condition(node.test)
        elif isinstance(node, ast.Constant):
            self.constant(node)
        elif isinstance(node, ast.Subscript):
            self.subscript(node)
        elif isinstance(node, ast.Call):
            self.call(node)

    def arithmetic(self, node: ast.BinOp) -> None:
        if type(node.op) not in _ARITHMETIC or (isinstance(node.op, ast.Mod) and _is_text(node.left)):
            return
        texts = _is_text(node.left) or _is_text(node.right) or isinstance(node.left, ast.List)
        if isinstance(node.op, ast.Add) and (texts or isinstance(node.right, ast.List)):
            self.change(node, f"({self.written(node.left)})", "operand")
            self.change(node, f"({self.written(node.right)})", "operand")
            return
        self.between(node.left, node.right, *_ARITHMETIC[type(node.op)], "arithmetic")
        if isinstance(node.op, ast.Mod):
            self.change(node, f"(({self.written(node.left)}) + 1) % {self.written(node.right)}", "modulo")
        self.change(node, f"({self.written(node.left)})", "operand")

    def boolean(self, node: ast.BoolOp) -> None:
        old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        parts = [f"({self.written(value)})" for value in node.values]
        self.change(node, f"({f' {new} '.join(parts)})", "boolean")
        for at in range(len(parts)):
            self.change(node, f"({f' {old} '.join(parts[:at] + parts[at + 1 :])})", "boolean")

    def constant(self, node: ast.Constant) -> None:
        value = node.value
        if isinstance(value, bool):
            self.change(node, repr(not value), "constant")
        elif isinstance(value, int):
            self.change(node, str(value + 1), "constant")
            self.change(node, str(value - 1) if value > 0 else f"({value - 1})", "constant")
        elif isinstance(value, float):
            self.change(node, repr(value + 1), "constant")
        elif isinstance(value, str) and _quoted(self.written(node)):
            self.change(node, '"XX"' if not value else '""', "text")
            if len(value) > 1:
                self.change(node, repr(value[:-1]), "text")
                self.change(node, repr(value[1:]), "text")

    def subscript(self, node: ast.Subscript) -> None:
        if isinstance(node.ctx, ast.Store):
            return
        if isinstance(node.slice, ast.Slice):
            ends = (node.slice.lower, node.slice.upper)
            for part in ends:
                if part is not None and not isinstance(part, ast.Constant):
                    self.shift(part, "slice")
            if node.slice.step is not None or ends.count(None) == 1:
                self.change(node, f"({self.written(node.value)})", "slice")
        elif not isinstance(node.slice, (ast.Constant, ast.Tuple)) and _counts(node.slice):
            self.shift(node.slice, "index")

    def shift(self, node: ast.expr, kind: str) -> None:
        for sign in "+-":
            self.change(node, f"({self.written(node)}) {sign} 1", kind)

    def call(self, node: ast.Call) -> None:
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        if isinstance(node.func, ast.Attribute) and not node.args and not node.keywords and name in _DROPPED:
            self.change(node, f"({self.written(node.func.value)})", "dropped")
        if name in _NAMES and not (_NAMES[name] == "list" and node.keywords):
            self.rename(node.func, name)
        if name == "range":
            for argument in node.args[:2]:
                if not isinstance(argument, ast.Constant):
                    self.shift(argument, "range")
        if name in _RE_CALLS and node.args and isinstance(node.args[0], ast.Constant):
            self.regex(node.args[0])
        for word in node.keywords:
            if word.arg == "key" and isinstance(word.value, ast.Lambda):
                self.change(word.value, "None", "key")
        if name not in _ORDERED:
            self.swap(node)

    def swap(self, node: ast.Call) -> None:
        """Exchange two arguments."""
        if len(node.args) != 2 or any(isinstance(argument, ast.Starred) for argument in node.args):
            return
        first, second = map(self.written, node.args)
        start, end = self.span(node.args[0])[0], self.span(node.args[1])[1]
        if first != second:
            self.edits.append(Edit(start, end, f"{second}, {first}", "arguments", node.lineno))

    def rename(self, node: ast.expr, name: str) -> None:
        _, end = self.span(node)
        self.edits.append(Edit(end - len(name), end, _NAMES[name], "name", node.lineno))

    def regex(self, node: ast.Constant) -> None:
        if not isinstance(node.value, str):
            return
        pattern = node.value
        for old, new in _REGEX:
            at = pattern.find(old)
            if at >= 0 and not (len(old) == 1 and at > 0 and pattern[at - 1] == "\\"):
                self.change(node, repr(pattern[:at] + new + pattern[at + len(old) :]), "regex")


def _parts(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what is worth changing below *node*: no annotations, docstrings, imports or ways to show an object."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "bases", "type_params"):
            continue
        items = value if isinstance(value, list) else [value]
        for item in items:
            if isinstance(item, ast.AST) and not _is_quiet(item):
                yield item


def _is_quiet(node: ast.AST) -> bool:
    # What stands inside an f-string has no place of its own in the text before Python 3.12.
    if isinstance(node, (ast.Import, ast.ImportFrom, ast.Global, ast.Nonlocal, ast.JoinedStr)):
        return True
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name in _QUIET:
        return True
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return True
    if isinstance(node, (ast.AnnAssign, ast.Assign)):
        return _is_alias(node)
    return isinstance(node, ast.If) and "__name__" in ast.unparse(node.test)


def _is_alias(node: ast.AnnAssign | ast.Assign) -> bool:
    """Whether this names a type: a subscript of a capitalised or builtin generic name at the right."""
    value = node.value
    if value is None:
        return True
    if isinstance(node, ast.AnnAssign) and "TypeAlias" in ast.unparse(node.annotation):
        return True
    if isinstance(value, ast.Call):
        return ast.unparse(value.func).split(".")[-1] in ("TypeVar", "NewType", "NamedTuple", "namedtuple")
    if isinstance(value, ast.Subscript) and isinstance(value.value, ast.Name):
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        named = isinstance(target, ast.Name) and target.id[:1].isupper()
        return named and (value.value.id[:1].isupper() or value.value.id in ("list", "dict", "tuple", "set"))
    return False


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _quoted(written: str) -> bool:
    return written[-1:] in "\"'"


def _counts(node: ast.expr) -> bool:
    """Whether an index is computed with numbers, so that it can be off by one."""
    return isinstance(node, (ast.BinOp, ast.UnaryOp)) or (isinstance(node, ast.Name) and len(node.id) <= 5)
