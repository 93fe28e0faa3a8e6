"""Several frozen functions in one module: in any order, at once or one after the other, each does what it did alone."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from mayfly.core import InputError
from mayfly.forge._freeze_text import Written, merge_into

PATH = Path("shapes.py")
# What was written for each function, and a call of it with its value. Helpers and imports have the same names.
SOURCES = {
    "slug": '''"""Make a slug."""
import re

_PART = re.compile(r"[^a-z0-9]+")


def _clean(text: str) -> str:
    return _PART.sub("-", text).strip("-")


def slug(text: str) -> str:
    """Written."""
    return _clean(text.lower())
''',
    "price": """import re
from datetime import datetime

_PART = re.compile(r"\\d+")


def _clean(text: str) -> list[str]:
    return _PART.findall(text)


def price(text: str) -> int:
    assert datetime.min
    return int("".join(_clean(text)) or 0)
""",
    "clean": """import re
import datetime

_PART = re.compile(r"[^a-z0-9]+")


def _clean(text: str) -> str:
    return _PART.sub("-", text).strip("-")


def clean(text: str) -> str:
    assert datetime.datetime.min
    return _clean(text) + '''\"quoted\"'''
""",
    "shout": """def _twice(text: str) -> str:
    return text + text


def price_of(text: str) -> str:
    return _twice(text)


def shout(text: str) -> str:
    return f"{price_of(text)!r}".upper() + "é\\u2028"
""",
}
CALLS = {"slug": "Ab  Cd!", "price": "1 a 2", "clean": "x  y", "shout": "hé"}
HEADS = {
    "plain": "import mayfly\n",
    "docstring": '"""Shapes.\n\nOf \'all\' kinds."""\nimport mayfly\n',
    "future": '"""Shapes."""\nfrom __future__ import annotations\n\nimport re\nimport mayfly\n',
    "shebang": "#!/usr/bin/env python\n# -*- coding: utf-8 -*-\nimport mayfly\n",
    "form feed": 'import mayfly\n\x0cMARK = "\x0c \u2028 é"\n',
    "own names": "import mayfly\n\n_twice = 3\n\n\ndef _clean(text):\n    return None\n",
}
DECORATORS = (
    "@mayfly.jit(ground=None)",
    '@mayfly.jit(\n    ground={\'a\': """x\ny"""},\n)',
    "@(\n    mayfly.jit(ground=None)\n)",
)


def module(head: str, names: Sequence[str]) -> str:
    """Return a module with the functions to be written, each under its own kind of decorator, and others between."""
    parts = [
        f"\n\n{DECORATORS[number % 3]}\ndef {name}(text: str) -> object:\n"
        f'    r"""Do \\it for {name}.\n\n\tTab."""\n\n\n'
        f"def between{number}() -> str:\n\treturn '''{number}'''\n"
        for number, name in enumerate(names)
    ]
    return HEADS[head] + "".join(parts)


def freeze(text: str, *names: str) -> str:
    nodes = {node.name: node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)}
    return merge_into(text, PATH, [Written(nodes[name], SOURCES[name], f"# frozen {name}") for name in names])


def loaded(text: str) -> dict[str, Any]:
    found: dict[str, Any] = {"__name__": "shapes"}
    # No jit is left to call; a module that has one still makes the function itself.
    code = text.replace("import mayfly\n", "class mayfly:\n    jit = staticmethod(lambda **_: lambda made: made)\n")
    exec(compile(code, "shapes.py", "exec"), found)
    return found


def alone(name: str) -> object:
    found: dict[str, Any] = {}
    exec(compile(SOURCES[name], "alone.py", "exec"), found)
    return found[name](CALLS[name])


def holds(text: str, names: Sequence[str]) -> None:
    found = loaded(text)
    for number, name in enumerate(names):
        assert found[name](CALLS[name]) == alone(name)
        assert "Do \\it" in found[name].__doc__
        assert found[f"between{number}"]() == str(number)
    assert "mayfly.jit" not in text


@pytest.mark.first(30)
@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("names", list(permutations(SOURCES, 4))[::3] + list(permutations(SOURCES, 2)), ids="-".join)
def test_functions_that_are_frozen_at_once_do_what_each_did_alone(head: str, names: Sequence[str]) -> None:
    text = module(head, names)
    after = freeze(text, *names)
    holds(after, names)
    assert freeze(text, *reversed(names)) == after
    if head in ("docstring", "future", "shebang"):
        assert after.startswith(HEADS[head].splitlines()[0])


@pytest.mark.parametrize("order", list(permutations(SOURCES)), ids="-".join)
def test_functions_that_are_frozen_one_after_the_other_do_too(order: Sequence[str]) -> None:
    names = list(SOURCES)
    text = module("future", names)
    for name in order:
        text = freeze(text, name)
        loaded(text)
    holds(text, names)


def test_helpers_and_imports_that_are_the_same_are_written_once() -> None:
    same = SOURCES["slug"].replace("def slug", "def other").replace('"""Make a slug."""\n', "")
    text = "import mayfly\n" + "".join(
        f"\n\n@mayfly.jit(ground=1)\ndef {name}(text: str) -> str: ...\n" for name in ("slug", "other")
    )
    nodes = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    after = merge_into(text, PATH, [Written(nodes[0], SOURCES["slug"], "#"), Written(nodes[1], same, "#")])
    assert (after.count("import re\n"), after.count("def _clean("), after.count("_PART = ")) == (1, 1, 1)
    assert loaded(after)["other"]("A b") == "a-b"


def test_line_endings_and_a_byte_order_mark_stay() -> None:
    text = "\ufeff" + module("docstring", ["slug", "price"]).replace("\n", "\r\n")
    nodes = {
        node.name: node for node in ast.parse(text.removeprefix("\ufeff")).body if isinstance(node, ast.FunctionDef)
    }
    after = merge_into(text, PATH, [Written(nodes[name], SOURCES[name], "#") for name in ("slug", "price")])
    assert after.startswith('\ufeff"""Shapes.\r\n')
    assert "\n" not in after.replace("\r\n", "")
    holds(after.removeprefix("\ufeff").replace("\r\n", "\n"), ["slug", "price"])


@pytest.mark.parametrize(
    ("own", "words"),
    [("def int(text): return 7\n", "has its own int, and price needs Python's"), ("text = len = 3\n", "")],
)
def test_a_name_of_pythons_that_the_module_has_is_refused(own: str, words: str) -> None:
    text = own + module("plain", ["price"])
    if words:
        with pytest.raises(InputError, match=words):
            freeze(text, "price")
    else:
        assert loaded(freeze(text, "price"))["price"]("1 a 2") == 12


def test_a_parameter_that_hides_a_name_in_the_way_is_refused() -> None:
    text = "import mayfly\n_clean = 1\n\n\n@mayfly.jit(ground=1)\ndef f(text: str) -> str: ...\n"
    source = "def _clean(text: str) -> str:\n    return text\n\n\n"
    source += "def f(text: str) -> str:\n    return (lambda _clean: _clean)(_clean(text))\n"
    node = next(node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef))
    with pytest.raises(InputError, match="already has _clean, which f needs for itself"):
        merge_into(text, PATH, [Written(node, source, "#")])
