"""Every operation a written text program may use, and the source of those that are building blocks."""

from __future__ import annotations

import ast
import inspect
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from types import ModuleType

from mayfly.core import parse_python
from mayfly.synthesis.examples._tree import ApplyOperation, Expr, Literal, Op, Value
from mayfly.synthesis.examples.parts import MODULES

_HELPERS: dict[str, Op] = {}


def helper(name: str, returns: str = "str", words: str = "") -> Op:
    """Return the operation that calls the function *name* of `parts`."""
    if name not in _HELPERS:
        module = next(module for module in MODULES if hasattr(module, name))
        _HELPERS[name] = Op(name=name, run=getattr(module, name), returns=returns, words=words)
    return _HELPERS[name]


def call(op: Op, *args: Expr | Value) -> ApplyOperation:
    """Apply an operation; plain values become constants."""
    return ApplyOperation(op=op, args=tuple([arg if isinstance(arg, Expr) else Literal(arg) for arg in args]))


def native(name: str, template: str, *, returns: str = "str", loose: bool = False, words: str = "") -> Op:
    """Return an operation for which Python has an expression: the template that is written is also what is run."""
    places = 1 + max(int(place) for place in re.findall(r"{(\d)}", template))
    names = ("a", "b", "c")[:places]
    # The templates are constants of this package.
    run = eval(f"lambda {', '.join(names)}: {template.format(*names)}", {"math": math})
    return Op(name=name, run=run, template=template, returns=returns, loose=loose, words=words or name)


LENGTH = native("length", "len({0})", returns="int", words="the length of {0}")
UPPER = native("upper", "{0}.upper()", words="{0} in upper case")
LOWER = native("lower", "{0}.lower()", words="{0} in lower case")
TITLE = native("title", "{0}.title()", words="{0} with every word capitalized")
CAPITALIZE = native("capitalize", "{0}.capitalize()", words="{0} capitalized")
SWAPCASE = native("swapcase", "{0}.swapcase()", words="{0} with upper and lower case swapped")
STRIP = native("strip", "{0}.strip()", words="{0} without blanks around it")
REVERSE = native("reverse", "{0}[::-1]", words="{0} backwards")
FIRST = native("first", "{0}[:{1}]", words="the first {1} of {0}")
LAST = native("last", "{0}[-{1}:]", words="the last {1} of {0}")
FROM = native("from", "{0}[{1}:]", words="{0} without the first {1}")
UNTIL = native("until", "{0}[:-{1}]", words="{0} without the last {1}")
REPLACE = native("replace", "{0}.replace({1}, {2})", words="{0} with {2} for {1}")
ZFILL = native("zfill", "{0}.zfill({1})", words="{0} with zeros up to {1}")
RJUST = native("rjust", "{0}.rjust({1}, {2})", words="{0} right-aligned")
LJUST = native("ljust", "{0}.ljust({1}, {2})", words="{0} left-aligned")
JOIN = native("join", "{1}.join({0})", words="{0} joined by {1}")
WORDS = native("words", "{0}.split()", returns="list[str]", words="the words of {0}")
STRING = native("text", "str({0})", words="{0} as text")
COUNT = native("count", "{0}.count({1})", returns="int", words="how often {1} is in {0}")
IS_EMPTY = native("is empty", "not {0}", returns="bool", loose=True, words="{0} is empty")
CONTAINS = native("contains", "{1} in {0}", returns="bool", loose=True, words="{0} contains {1}")
STARTS = native("starts", "{0}.startswith({1})", returns="bool", words="{0} starts with {1}")
ENDS = native("ends", "{0}.endswith({1})", returns="bool", words="{0} ends with {1}")
IS_UPPER = native("is upper", "{0}.isupper()", returns="bool", words="{0} is upper case")
IS_LOWER = native("is lower", "{0}.islower()", returns="bool", words="{0} is lower case")
LONGER = native("longer", "len({0}) > {1}", returns="bool", loose=True, words="{0} is longer than {1}")
WORD_COUNT = native(
    "words over", "len({0}.split()) > {1}", returns="bool", loose=True, words="{0} has more than {1} words"
)

PIECE = helper("piece", words="piece {2} of {0}")
BETWEEN = helper("between", words="a part of {0}")
START_OF = helper("start_of", "int")
END_OF = helper("end_of", "int")
FIELD = helper("field", words="field {2} of {0} between {1}")
WORD = helper("word", words="word {1} of {0}")
ENCLOSED = helper("enclosed", words="what stands between {1} and {2} in {0}")
ONLY = helper("only", words="some characters of {0}")
PIECES = helper("pieces", "list[str]", words="the pieces of {0}")
FIELDS = helper("fields", "list[str]", words="the fields of {0} between {1}")
LOOKED_UP = helper("looked_up", words="what the table says of {1}")
HAS = helper("has", "bool", words="{0} has a certain pattern")
IS_ALL = helper("is_all", "bool", words="{0} has a certain form")
NUMBER_IN = helper("number_in", "tuple[int, int]", words="number {1} in {0}")
READ_NUMBER = helper("read_number", "tuple[int, int]", words="the number {0}")
WRITE_NUMBER = helper("write_number", words="{0} written out")
MOMENT_IN = helper("moment_in", "datetime", words="the date or time in {0}")


_IMPORTED = {
    "re": "re",
    "math": "math",
    "json": "json",
    "date": "datetime",
    "datetime": "datetime",
    "timedelta": "datetime",
}


@dataclass(frozen=True, kw_only=True)
class Block:
    """One function or constant of a building-block module: its text, all names in it, and the blocks it leans on.

    Functions get a leading underscore, so that no name of a caller's choosing meets theirs.
    """

    name: str
    text: str
    names: frozenset[str]
    uses: frozenset[str]
    constant: bool


@lru_cache(maxsize=1)
def blocks() -> dict[str, Block]:
    """Return every building block by name, in the order in which they are written."""
    nodes = [(node, lines) for tree, lines in map(_parsed, MODULES) for node in tree.body]
    functions = {node.name for node, _ in nodes if isinstance(node, ast.FunctionDef)}
    calls = re.compile(rf"(?<![\w.])({'|'.join(sorted(functions))})(?=\()")
    found: dict[str, Block] = {}
    for node, lines in nodes:
        name = _defined(node)
        if name:
            text = calls.sub(r"_\1", "\n".join(lines[node.lineno - 1 : node.end_lineno]))
            names = frozenset(each.id for each in ast.walk(node) if isinstance(each, ast.Name))
            called = {
                each.func.id
                for each in ast.walk(node)
                if isinstance(each, ast.Call) and isinstance(each.func, ast.Name)
            }
            uses = frozenset(called & functions | {each for each in names if each.isupper()})
            found[name] = Block(name=name, text=text, names=names, uses=uses, constant=name.isupper())
    return found


def _parsed(module: ModuleType) -> tuple[ast.Module, list[str]]:
    source = inspect.getsource(module)
    return parse_python(source), source.splitlines()


def _defined(node: ast.stmt) -> str:
    if isinstance(node, ast.FunctionDef):
        return node.name
    return node.targets[0].id if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) else ""


def needed(names: Iterable[str]) -> list[Block]:
    """Return the blocks for *names* and all that they lean on, constants first."""
    everything = blocks()
    wanted: set[str] = set()
    waiting = [name.removeprefix("_") for name in names if name.removeprefix("_") in everything]
    while waiting:
        name = waiting.pop()
        if name not in wanted:
            wanted.add(name)
            waiting.extend(used for used in everything[name].uses if used in everything)
    chosen = [block for block in everything.values() if block.name in wanted]
    return [block for block in chosen if block.constant] + [block for block in chosen if not block.constant]


def imports(names: Iterable[str]) -> list[str]:
    """Return the import lines for the names that a source uses."""
    by_module: dict[str, set[str]] = {}
    for name in names:
        if name in _IMPORTED:
            by_module.setdefault(_IMPORTED[name], set()).add(name)
    lines = [f"import {module}" for module in sorted(by_module) if module != "datetime"]
    if "datetime" in by_module:
        lines.append(f"from datetime import {', '.join(sorted(by_module['datetime']))}")
    return lines
