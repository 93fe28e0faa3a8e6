"""Take a suite apart into cases: a test source holds several tests, some plain statements of what the entry gives."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from mayfly.core import UNSET, parse_python
from mayfly.gates._entry import Entry
from mayfly.gates.proof._program import Ask
from mayfly.gates.proof._values import Suite, Test

_LOOSE = "test_at_the_top"
Function = ast.FunctionDef | ast.AsyncFunctionDef


def as_data(value: object) -> object:
    """Return *value* as it looks after crossing the wall: tuples are lists, keys are texts."""
    return json.loads(json.dumps(value, allow_nan=False))


@dataclass(kw_only=True)
class Replay:
    """One test by its name, the calls it was seen to make and the answers they got."""

    source: str
    pick: str
    steps: list[Any] = field(default_factory=list)
    answers: list[Any] = field(default_factory=list)
    passed: bool = False
    failed: str = ""
    line: int | None = None

    @property
    def open(self) -> bool:
        """Whether it is not known yet how the test ends."""
        return not self.passed and not self.failed


class Case(NamedTuple):
    """One question to the program, or one replayed test, and the test it belongs to."""

    name: str
    test: Test
    replay: Replay | None = None
    problem: str = ""

    @property
    def ask(self) -> Ask:
        """What the program is asked."""
        return {"steps": self.replay.steps} if self.replay else {"input": self.test.input}


def cases_of(suite: Suite, entry: Entry) -> list[Case]:
    """Take the suite apart; a source with several tests gives several cases."""
    return [case for test in suite.tests for case in _cases(test, entry)]


def _cases(test: Test, entry: Entry) -> Iterator[Case]:
    if test.function:
        yield from _function_cases(test, entry)
        return
    if test.expected is UNSET and not test.raises and not test.check:
        yield Case(test.name, test, problem="the test says nothing about the output")
        return
    try:
        given, expected = as_data(test.input), UNSET if test.expected is UNSET else as_data(test.expected)
        yield Case(test.name, _with(test, given, expected))
    except (TypeError, ValueError, RecursionError) as error:
        yield Case(test.name, test, problem=f"the test is not plain data: {error}")


def _function_cases(test: Test, entry: Entry) -> Iterator[Case]:
    found = collect(test, entry)
    if found.problem:
        yield Case(test.name, test, problem=found.problem)
    for name, claims in found.claims.items():
        for number, claim in enumerate(claims, 1):
            label = f"{name}[{number}]" if len(claims) > 1 else name
            yield Case(label, _with(test, claim.input, claim.expected))
    for pick in found.picks:
        yield Case(pick, test, Replay(source=found.source, pick=pick))


def _with(test: Test, given: object, expected: object) -> Test:
    return Test(name=test.name, kind=test.kind, input=given, expected=expected, raises=test.raises, check=test.check)


class CallClaim(NamedTuple):
    """One input of the entry and the output a test says it has."""

    input: object
    expected: object


@dataclass(frozen=True, kw_only=True)
class Collected:
    """What one test source holds: tests to be run by their names, and claims to be compared outside."""

    source: str = ""
    picks: tuple[str, ...] = ()
    claims: dict[str, tuple[CallClaim, ...]] = field(default_factory=dict)
    problem: str = ""


def collect(test: Test, entry: Entry) -> Collected:
    """Return the tests of one source; asserts outside every function become a test of their own."""
    try:
        tree = parse_python(test.function)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return Collected(problem=f"the test does not parse: {error}")
    loose = any(isinstance(node, ast.Assert) for node in tree.body)
    tree = _with_loose_asserts(tree)
    claims: dict[str, tuple[CallClaim, ...]] = {}
    picks = []
    for name, node in _tests(tree):
        found = None if "." in name else _claims(node, entry)
        if found:
            claims[name] = found
        else:
            picks.append(name)
    if not claims and not picks:
        return Collected(problem="the source holds no test: no function in it is named test_...")
    source = ast.unparse(tree) if loose else test.function
    return Collected(source=source, picks=tuple(picks), claims=claims)


def _with_loose_asserts(tree: ast.Module) -> ast.Module:
    loose: list[ast.stmt] = [node for node in tree.body if isinstance(node, ast.Assert)]
    if not loose:
        return tree
    made = parse_python(f"def {_LOOSE}():\n    pass").body[0]
    assert isinstance(made, ast.FunctionDef)
    made.body = loose
    tree.body = [*(node for node in tree.body if node not in loose), made]
    return ast.fix_missing_locations(tree)


def _tests(tree: ast.Module) -> Iterator[tuple[str, Function]]:
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name.startswith("test"):
            yield node.name, node
        elif isinstance(node, ast.ClassDef) and node.name.startswith("Test"):
            inner = (item for item in node.body if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef)))
            yield from ((f"{node.name}.{item.name}", item) for item in inner if item.name.startswith("test"))


def _claims(node: Function, entry: Entry) -> tuple[CallClaim, ...] | None:
    """Return what a test claims where every statement of it is `assert entry(literals) == literal`."""
    if node.args.args or node.decorator_list:
        return None
    found = []
    body = node.body[1:] if ast.get_docstring(node) is not None else node.body
    for statement in body:
        claim = _claim(statement, entry)
        if claim is None:
            return None
        found.append(claim)
    return tuple(found) or None


def _claim(statement: ast.stmt, entry: Entry) -> CallClaim | None:
    if not isinstance(statement, ast.Assert) or not isinstance(statement.test, ast.Compare):
        return None
    compare = statement.test
    exact = isinstance(compare.ops[0], ast.Is) and isinstance(compare.comparators[0], ast.Constant)
    if len(compare.ops) != 1 or not (isinstance(compare.ops[0], ast.Eq) or exact):
        return None
    sides = (compare.left, compare.comparators[0])
    call, other = sides if isinstance(sides[0], ast.Call) else sides[::-1]
    arguments = _arguments(call, entry)
    try:
        if arguments is None:
            return None
        expected = as_data(ast.literal_eval(other))
        given = as_data([ast.literal_eval(argument) for argument in arguments])
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None
    assert isinstance(given, list)
    return CallClaim(given if entry.spread else given[0], expected)


def _arguments(call: ast.expr, entry: Entry) -> list[ast.expr] | None:
    """Return the arguments of a call of the entry; anything else is None."""
    if not isinstance(call, ast.Call) or call.keywords or any(isinstance(a, ast.Starred) for a in call.args):
        return None
    if not entry.spread and len(call.args) != 1:
        return None
    return call.args if ast.unparse(call.func) == _called(entry) else None


def _called(entry: Entry) -> str:
    return entry.name if entry.kind == "function" else f"{entry.name}().{entry.method}"
