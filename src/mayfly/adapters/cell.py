"""Run one cell behind the wall: this file is sent there as it is, and needs nothing but the standard library.

What a cell has from those before it comes as plain data, and as the source of their functions, classes and imports.
A tool is called by ending the cell: the host answers and sends the cell again with the answers it has so far. Nothing
that a cell did behind the wall reached the world, so that doing it again is harmless.
"""

import ast
import base64
import contextlib
import io
import sys
import traceback
from typing import Any

LONGEST = 100_000


class NeedsTool(BaseException):
    """A cell waits for the answer of a tool; no `except Exception` of the cell stands in the way."""


class FinalAnswer(BaseException):
    """A cell has the answer of the whole task."""


def pack(value: object) -> object:
    """Return *value* as JSON can carry it; a TypeError for what is no plain data."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        # Not a number and the infinities have no JSON.
        return value if value == value and abs(value) != float("inf") else {"": "float", "v": repr(value)}
    if isinstance(value, list):
        return [pack(item) for item in value]
    if isinstance(value, (tuple, set, frozenset)) and type(value) in (tuple, set, frozenset):
        return {"": type(value).__name__, "v": [pack(item) for item in value]}
    if type(value) is bytes:
        return {"": "bytes", "v": base64.b64encode(value).decode()}
    if type(value) is dict:
        if all(isinstance(key, str) and key for key in value):
            return {key: pack(item) for key, item in value.items()}
        return {"": "dict", "v": [[pack(key), pack(item)] for key, item in value.items()]}
    raise TypeError(f"a {type(value).__name__} is no plain data")


def unpack(value: object) -> object:
    """Return what `pack` was given."""
    if isinstance(value, list):
        return [unpack(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "" not in value:
        return {key: unpack(item) for key, item in value.items()}
    kind, inner = value[""], value["v"]
    if kind == "dict":
        return {unpack(key): unpack(item) for key, item in inner}
    if kind == "bytes":
        return base64.b64decode(inner)
    if kind == "float":
        return float(inner)
    made = {"tuple": tuple, "set": set, "frozenset": frozenset}[kind]
    return made(unpack(item) for item in inner)


class CellHost:
    """The tools as a cell sees them: each call is answered from what the host has sent, or ends the cell."""

    def __init__(self, answers: list[Any]) -> None:
        self.answers = answers
        self.number = 0
        self.wanted: dict[str, Any] = {}

    def call(self, name: str, args: tuple[object, ...], kwargs: dict[str, object]) -> object:
        """Return the answer of this call; the first one that has none ends the cell."""
        asked = {"tool": name, "args": pack(list(args)), "kwargs": pack(kwargs)}
        if self.number < len(self.answers):
            known = self.answers[self.number]
            self.number += 1
            if known["asked"] != asked:
                raise RuntimeError(
                    f"the call of {name} is another one than before: a cell has to do the same each time"
                )
            if known["error"]:
                raise RuntimeError(known["error"])
            return unpack(known["value"])
        self.wanted = asked
        raise NeedsTool


def run_cell(given: dict[str, Any]) -> dict[str, Any]:
    """Run a cell and return what came of it: its value, what it printed, its error, and what the next ones have."""
    host, printed = CellHost(given["answers"]), io.StringIO()
    space: dict[str, Any] = {"__name__": "__main__"}
    space |= {name: unpack(value) for name, value in given["variables"].items()}
    for name in given["tools"]:
        space[name] = _tool(host, name)
    space["final_answer"] = _final
    before = set(space)
    told: dict[str, Any] = {
        "value": None,
        "final": False,
        "error": "",
        "wanted": None,
        "variables": {},
        "left": [],
        "named": [],
    }
    try:
        for source in given["sources"]:
            exec(compile(source, "<earlier>", "exec"), space)
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            told["value"] = _value(given["code"], space, told)
    except NeedsTool:
        return {**told, "wanted": host.wanted}
    except SystemExit as error:
        told["error"] = f"SystemExit: {error}"
    except BaseException as error:
        if isinstance(error, MemoryError):
            raise
        told["error"] = _short_trace(error)
    told["output"] = printed.getvalue()[:LONGEST]
    skipped = {*given["tools"], "final_answer", "__builtins__", "__name__"}
    for name, value in space.items():
        if name in skipped:
            continue
        if callable(value) or isinstance(value, type(sys)):
            told["named"].append(name)  # it comes back by its source, where it has one
            continue
        try:
            told["variables"][name] = pack(value)
        except (TypeError, RecursionError):
            told["left"] += [name] if name not in before or name in given["variables"] else []
    return told


def _value(code: str, space: dict[str, Any], told: dict[str, Any]) -> object:
    """Run the code and return the value of its last line, or the final answer."""
    tree = ast.parse(code)
    end = tree.body[-1] if tree.body else None
    last = end if isinstance(end, ast.Expr) else None
    tree.body = tree.body[:-1] if last else tree.body
    try:
        exec(compile(tree, "<cell>", "exec"), space)
        found = eval(compile(ast.Expression(last.value), "<cell>", "eval"), space) if last else None
    except FinalAnswer as answer:
        told["final"], found = True, answer.args[0]
    try:
        return pack(found)
    except (TypeError, RecursionError):
        return pack(repr(found)[:LONGEST])


def _tool(host: CellHost, name: str) -> object:
    def call(*args: object, **kwargs: object) -> object:
        return host.call(name, args, kwargs)

    call.__name__ = name
    return call


def _final(answer: object = None) -> None:
    raise FinalAnswer(answer)


def _short_trace(error: BaseException) -> str:
    lines = [
        f"line {frame.lineno}" for frame in traceback.extract_tb(error.__traceback__) if frame.filename == "<cell>"
    ]
    at = f" ({lines[-1]})" if lines else ""
    return f"{type(error).__name__}: {error}{at}"[:LONGEST]
