"""Tests given as Python source, prepared for the far side of the wall, and wrong results by which a test is tried."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Literal, NamedTuple

from mayfly.core import UNSET, Unset, is_sequence, parse_python, same

LONGEST = 100_000
_INPUTS = frozenset({"input", "given", "argument", "source"})
_NAME = re.compile(r"test(_\w*)?|check")


class NoTest(Exception):
    """The source is no test; the message says why in one line."""


class GivenTest(NamedTuple):
    """A test that can be run: the job's source, and what the test says of itself."""

    source: str
    description: str


def read_given(source: str) -> GivenTest:
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
    return GivenTest(f"{source}\n\n_mayfly_calls = [{', '.join(calls)}]\n{_far_side()}", described)


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


KILLED = 0.6
ALIEN: dict[object, object] = {"mayfly": "☃ nobody asked for this"}
_LONG = 1000


class Wrong(NamedTuple):
    """One wrong result; *gross* ones have to be noticed by any test that is worth something."""

    name: str
    value: object
    gross: bool = False


def wrong_results(value: object, input: object | Unset = UNSET) -> list[Wrong]:
    """Return results that differ from *value*: nothing, the empty one, another thing altogether, and small changes."""
    made = [Wrong("None", None, True), *_empty(value), Wrong("another thing", ALIEN, True), *_changed(value)]
    if not isinstance(input, Unset):
        made.append(Wrong("the input itself", input))
    kept: list[Wrong] = []
    for wrong in made:
        if not same(wrong.value, value) and not any(same(wrong.value, other.value) for other in kept):
            kept.append(wrong)
    return kept


def strength_of(wrong: Sequence[Wrong], accepted: Sequence[bool]) -> tuple[Literal["strong", "weak", "none"], str]:
    """Return what a test is worth that accepts some of the *wrong* results, and what it failed to notice."""
    missed = [result for result, passed in zip(wrong, accepted, strict=True) if passed]
    small = [passed for result, passed in zip(wrong, accepted, strict=True) if not result.gross]
    if wrong and len(missed) == len(wrong):
        return "none", "the test accepts anything"
    caught = small.count(False) / len(small) if small else 1.0
    if any(result.gross for result in missed) or caught < KILLED:
        return "weak", f"the test also accepts {', '.join(result.name for result in missed[:3])}"
    return "strong", ""


def _empty(value: object) -> list[Wrong]:
    if isinstance(value, bool):
        return []
    if isinstance(value, (int, float)):
        return [Wrong("0", 0, True)]
    if isinstance(value, str):
        return [Wrong("an empty text", "", True)]
    if isinstance(value, Mapping):
        return [Wrong("an empty record", {}, True)]
    return [Wrong("an empty list", [], True)] if is_sequence(value) else []


def _changed(value: object) -> list[Wrong]:
    if isinstance(value, bool):
        return [Wrong(repr(not value), not value, True)]
    if isinstance(value, (int, float)):
        return [Wrong("one more", value + 1), Wrong("one less", value - 1), Wrong("its negative", -value)]
    if isinstance(value, str):
        cut = value[: len(value) // 2]
        return [Wrong("half the text", cut), Wrong("a longer text", f"{value}☃"), Wrong("it backwards", value[::-1])]
    if isinstance(value, Mapping):
        return _changed_record(value)
    return _changed_list(value) if is_sequence(value) and isinstance(value, Sequence) else []


def _changed_record(value: Mapping[object, object]) -> list[Wrong]:
    made = [Wrong("a further field", {**value, **ALIEN})]
    for key in list(value)[:1]:
        made.append(Wrong("a field less", {name: item for name, item in value.items() if name != key}))
        made.append(Wrong("a field without a value", {**value, key: None}))
        made += [Wrong("another field", {**value, key: other.value}) for other in _changed(value[key])[:1]]
    return made


def _changed_list(value: Sequence[object]) -> list[Wrong]:
    if len(value) > _LONG:
        return []
    items = list(value)
    made = [Wrong("a further item", [*items, ALIEN])]
    if items:
        made += [Wrong("an item less", items[:-1]), Wrong("an item twice", [*items, items[-1]])]
        made += [Wrong("another item", [other.value, *items[1:]]) for other in _changed(items[0])[:1]]
    return made
