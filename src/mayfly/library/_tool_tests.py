"""The tests of a tool as text: readable and runnable in its checkout, and under another name where it is compared."""

from __future__ import annotations

import io
import json
import keyword
import re
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import replace

from mayfly.core import UNSET, canonical_json
from mayfly.gates import Suite, Test
from mayfly.library._card import words_of


def rename_in(source: str, old: str, new: str) -> str:
    """Return Python source in which one name is another; what cannot be read stays as it is."""
    if old == new:
        return source
    try:
        read = list(tokenize.generate_tokens(io.StringIO(source).readline))
    except (tokenize.TokenError, SyntaxError, IndentationError):
        return source
    lines = source.splitlines(keepends=True)
    for token in reversed(read):
        if token.type == tokenize.NAME and token.string == old:
            row, column = token.start
            line = lines[row - 1]
            lines[row - 1] = line[:column] + new + line[column + len(old) :]
    return "".join(lines)


def renamed_suite(suite: Suite, old: str, new: str) -> Suite:
    """Return tests that call a program by another name."""
    return replace(suite, tests=tuple(replace(one, function=rename_in(one.function, old, new)) for one in suite.tests))


def each_once(tests: Sequence[Test]) -> tuple[Test, ...]:
    """Leave out what is tested already, whatever it is called."""
    found = {canonical_json({**test.to_json(), "name": "", "kind": ""}): test for test in reversed(tests)}
    return tuple(reversed(found.values()))


def unspread(suite: Suite) -> Suite:
    """Return tests of a function of one parameter with that one as their input, in place of a list that holds it."""
    tests = [
        replace(test, input=_first(test.input), check=f"{test.check}{_LISTED}" if test.check else "")
        for test in suite.tests
    ]
    samples = tuple(_first(one) for one in suite.samples)
    return replace(suite, tests=tuple(tests), samples=samples, never=tuple(_first(one) for one in suite.never))


# A check was written for an input that is a list of arguments.
_LISTED = """

_check_of_list = check


def check(input, output):
    return _check_of_list([input], output)
"""


def _first(value: object) -> object:
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def text_of_tests(suite: Suite, name: str, *, spread: bool, method: str = "") -> str:
    """Write tests as a file for `pytest`, with `tool.py` beside it; of a class a *method* is called."""
    parts = [f'"""The tests of {name}: `pytest` runs them here, Mayfly behind the wall."""\n']
    bodies = list(_bodies(suite.tests, f"{name}().{method}" if method else name, spread=spread))
    if any("pytest." in body for body in bodies):
        parts.append("import pytest\n")
    if bodies and not all("from tool import" in body for body in bodies):
        parts.append(f"from tool import {name}\n")
    return "\n".join([*parts, *(f"\n{body.strip()}\n" for body in bodies)])


def _bodies(tests: Sequence[Test], target: str, *, spread: bool) -> Iterator[str]:
    for number, test in enumerate(tests, 1):
        if test.function:
            yield test.function
            continue
        called = f"{target}({_given(test.input, spread=spread)})"
        title = f"def test_{number}_{_slug(test.name)}() -> None:"
        if test.raises:
            yield f"{title}\n    with pytest.raises({test.raises}):\n        {called}"
        elif test.check:
            check = f"check_{number}"
            yield f"{rename_in(test.check, 'check', check)}\n\n{title}\n    assert {check}({test.input!r}, {called})"
        elif test.expected is not UNSET:
            yield f"{title}\n    assert {called} == {test.expected!r}"


def _given(value: object, *, spread: bool) -> str:
    return ", ".join(map(repr, value)) if spread and isinstance(value, list) else repr(value)


def _slug(text: str) -> str:
    found = re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")[:40]
    return found or "case"


def tool_name_of(intent: str) -> str:
    """Make a name of what a tool is for: the words that say something, as they are written."""
    plain = [word for word in re.findall(r"[a-z][a-z0-9]*", intent.lower()) if words_of(word)][:4]
    name = "_".join(plain)[:60].rstrip("_")
    return f"{name}_tool".lstrip("_") if not name or keyword.iskeyword(name) else name


def suite_text(suite: Suite) -> str:
    """Return the suite as the store keeps it."""
    return json.dumps(suite.to_json(), sort_keys=True)
