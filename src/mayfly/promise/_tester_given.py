"""Read a test that somebody gave as Python source, and prepare it for the far side of the wall."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from mayfly.core import parse_python

LONGEST = 100_000
_INPUTS = frozenset({"input", "given", "argument", "source"})
_NAME = re.compile(r"test(_\w*)?|check")


class NoTest(Exception):
    """The source is no test; the message says why in one line."""


class Given(NamedTuple):
    """A test that can be run: the job's source, and what the test says of itself."""

    source: str
    description: str


def read_given(source: str) -> Given:
    """Return the job for *source*: `test(result)`, `test(result, input)`, `check(input, output)`, or a lambda.

    Where there are several, all have to answer True. Parameters called input or context get those, wherever they stand.
    """
    tree, source = _parsed(source)
    calls: list[str] = []
    described = ""
    for name, arguments, text in _functions(tree):
        calls.append(f"lambda result, input, context: {name}({_order(name, arguments)})")
        described = described or text
    if not calls:
        raise NoTest("the test has no function test(result), test(result, input) or check(input, output)")
    return Given(f"{source}\n\n_mayfly_calls = [{', '.join(calls)}]\n{_far_side()}", described)


def _parsed(source: str) -> tuple[ast.Module, str]:
    if len(source) > LONGEST:
        raise NoTest(f"the test is longer than {LONGEST} characters")
    try:
        tree = parse_python(source)
        if len(tree.body) == 1 and isinstance(tree.body[0], ast.Expr) and isinstance(tree.body[0].value, ast.Lambda):
            source = f"test = (\n{source}\n)"
            tree = parse_python(source)
    except SyntaxError as error:
        raise NoTest(f"the test is not Python: {error.msg} (line {error.lineno})") from None
    except (ValueError, RecursionError, MemoryError):
        raise NoTest("the test is not Python that can be read") from None
    return tree, source


def _functions(tree: ast.Module) -> Iterator[tuple[str, ast.arguments, str]]:
    found: dict[str, tuple[ast.arguments, str]] = {}
    for node in tree.body:
        if isinstance(node, ast.AsyncFunctionDef) and _NAME.fullmatch(node.name):
            raise NoTest(f"{node.name} is async; a test is a plain function")
        if isinstance(node, ast.FunctionDef) and _NAME.fullmatch(node.name):
            found[node.name] = node.args, (ast.get_docstring(node) or "").strip().partition("\n")[0]
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
            for target in node.targets:
                if isinstance(target, ast.Name) and _NAME.fullmatch(target.id):
                    found[target.id] = node.value.args, ""
    # A plain `test` or `check` is the test, and functions beside it are its helpers.
    chosen = [name for name in found if name in ("test", "check")][:1] or list(found)
    yield from ((name, *found[name]) for name in chosen)


def _order(name: str, arguments: ast.arguments) -> str:
    """Return what the test is called with, in its own order."""
    if any(default is None for default in arguments.kw_defaults):
        raise NoTest(f"{name} needs keyword arguments, which nobody gives it")
    plain = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
    needed = plain[: max(1, len(plain) - len(arguments.defaults))]
    known = {word: meant for word in needed if (meant := _meant(word))} if len(needed) > 1 else {}
    others = [word for word in needed if word not in known]
    free = ["input", "result", "context"] if name == "check" and len(others) > 1 else ["result", "input", "context"]
    guessed = dict(zip(others, [value for value in free if value not in known.values()], strict=False))
    if "result" not in guessed.values() or len(guessed) < len(others) or len(set(known.values())) < len(known):
        raise NoTest(f"{name} has to take the result, or the result and the input, not ({', '.join(plain)[:100]})")
    extra = [argument.arg for argument in arguments.args if argument.arg not in needed]
    optional = [f"{word}={_meant(word)}" for word in extra if _meant(word) and _meant(word) not in known.values()]
    return ", ".join([*({**known, **guessed}[word] for word in needed), *optional])


def _meant(word: str) -> str:
    return "input" if word in _INPUTS else "context" if word == "context" else ""


@cache
def _far_side() -> str:
    return files("mayfly.promise").joinpath("far_side.txt").read_text(encoding="utf-8")
