"""Collect the pieces of a program and put them in order: docstring, imports, constants, classes, functions."""

from __future__ import annotations

import pprint
from collections.abc import Sequence


def literal(value: object) -> str:
    """Return Python source for a value, strings in double quotes."""
    if isinstance(value, str):
        plain = '"' not in value and "\\" not in value and value.isprintable()
        return f'"{value}"' if plain else repr(value)
    if isinstance(value, tuple):
        inner = ", ".join(map(literal, value))
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if isinstance(value, list):
        return f"[{', '.join(map(literal, value))}]"
    if isinstance(value, frozenset):
        return f"frozenset({{{', '.join(map(literal, sorted(value)))}}})"
    return pprint.pformat(value)


def raw(pattern: str) -> str:
    """Return a pattern as a raw string."""
    if not pattern.isprintable() or pattern.endswith("\\"):
        return repr(pattern)
    if '"' not in pattern:
        return f'r"{pattern}"'
    return f"r'{pattern}'" if "'" not in pattern else repr(pattern)


class Source:
    """Hold a program while it is being written."""

    def __init__(self, title: str) -> None:
        self.title, self.kind, self.precision = title, "", "second"
        self.imports: set[str] = set()
        self.typing: set[str] = {"Iterable", "Iterator"}
        self.datetime: set[str] = set()
        self.constants: dict[str, None] = {}
        self.blocks: dict[str, str] = {}

    def use(self, module: str) -> None:
        """Import a module."""
        self.imports.add(module)

    def constant(self, text: str) -> None:
        """Add a constant, once."""
        self.constants.setdefault(text)

    def helper(self, name: str, text: str) -> None:
        """Add a ready-made function, once."""
        self.blocks.setdefault(name, text)

    def function(self, head: str, docstring: str, body: Sequence[str]) -> None:
        """Add a function from its head, its docstring and the lines of its body."""
        self.helper(head, block(head, docstring, body))

    def text(self) -> str:
        """Return the whole program."""
        body = "\n\n\n".join(self.blocks.values())
        constants = "\n".join(self.constants)
        head = [f'"""{_escaped(self.title)}"""', "", *self._imports(body + constants), "", "Row = dict[str, object]"]
        return "\n".join([*head, *([constants] if constants else []), "", "", body, ""])

    def _imports(self, body: str) -> list[str]:
        plain = [f"import {name}" for name in sorted(self.imports & {"re", "json", "math"})]
        found = []
        if self.datetime:
            found.append(f"from datetime import {', '.join(sorted(self.datetime))}")
        names = [name for name in sorted(self.typing) if f"{name}[" in body]
        found.append(f"from typing import {', '.join(names)}")
        return [*plain, *found]


def _escaped(text: str) -> str:
    """Return a text as it can stand in a docstring."""
    return text.replace("\\", "\\\\").replace('"""', "'''").replace("\n", " ").rstrip('"')


def block(head: str, docstring: str, body: Sequence[str], indent: str = "") -> str:
    """Return a function as text."""
    lines = [head, f'    """{docstring}"""', *(f"    {line}" if line else "" for line in body)]
    return "\n".join(f"{indent}{line}" if line else "" for line in lines)
