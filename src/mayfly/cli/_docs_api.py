"""The page of the Python names: what the package and its runtime offer, from their own docstrings."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Iterator
from functools import cached_property
from importlib import import_module
from typing import Any

from mayfly.library import Tools
from mayfly.library.promotion import Identities, Promotion

HEAD = """\
# Python

Written by `make docs` from the docstrings; change it there. Everything in the first part is imported from `mayfly`; the
others are reached by a property of `Runtime`.
"""


def api_page() -> str:
    """Return docs/api.md."""
    parts = [HEAD]
    package = import_module("mayfly")
    for name in sorted(package.__all__, key=str.lower):
        if not name.startswith("_"):
            parts += _told(f"mayfly.{name}", getattr(package, name))
    parts.append("# What a runtime has\n")
    for title, found in (("Runtime.tools", Tools), ("Runtime.promotion", Promotion), ("identities", Identities)):
        parts += _told(title, found)
    return "\n".join(parts)


def _told(title: str, found: Any) -> Iterator[str]:
    yield f"## {title}\n"
    if inspect.isclass(found):
        yield f"{_first(found)}\n"
        yield from _members(found)
    elif callable(found):
        yield f"```text\n{title.rpartition('.')[2]}{_signature(found)}\n```\n\n{_first(found)}\n"
    else:
        yield f"{_first(found)}\n"


def _members(found: type) -> Iterator[str]:
    if dataclasses.is_dataclass(found):
        rows = [f"| `{one.name}` | `{_type(one.type)}` |" for one in dataclasses.fields(found) if one.name[0] != "_"]
        if rows:
            yield "\n".join(["| field | type |", "| --- | --- |", *rows, ""])
    rows = []
    for name, member in vars(found).items():
        if name.startswith("_") or not _first(member):
            continue
        if isinstance(member, (property, cached_property)):
            rows.append(f"| `{name}` | {_cell(_first(member))} |")
        elif inspect.isfunction(inspect.unwrap(_plain(member))):
            rows.append(f"| `{_cell(name + _signature(_plain(member)))}` | {_cell(_first(member))} |")
    if rows:
        yield "\n".join(["| member | what it does |", "| --- | --- |", *rows, ""])


def _plain(member: Any) -> Any:
    return member.__func__ if isinstance(member, (classmethod, staticmethod)) else member


def _signature(function: Any) -> str:
    try:
        made = inspect.signature(function)
    except (TypeError, ValueError):
        return "(…)"
    kept = [one for name, one in made.parameters.items() if name not in ("self", "cls")]
    text = str(made.replace(parameters=kept))
    # What a default is called inside differs between versions of Python; its address between two runs.
    text = re.sub(r"<[^<>]*>", "…", text).replace("mayfly.core._types.", "").replace("'", "")
    return re.sub(r"\b(?:mayfly|collections|typing)(?:\.\w+)*\.(?=[A-Z])", "", text)


def _type(told: object) -> str:
    return _cell(told if isinstance(told, str) else getattr(told, "__name__", str(told)))


def _first(found: Any) -> str:
    """Return the first paragraph of a docstring of our own."""
    text = inspect.getdoc(found) or ""
    return " ".join(text.split("\n\n")[0].split())


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
