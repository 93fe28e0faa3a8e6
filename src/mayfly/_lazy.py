"""What packages show: names that are listed once, and in most packages loaded on first use.

A package lists its names as imports, each ``import Name as Name``, which says that the name is public (PEP 484); they
are read there. Where they stand under `TYPE_CHECKING`, who asks for one name does not load what the others need.
"""

import ast
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from sys import modules


def public_names(package: str) -> list[str]:
    """Return the `__all__` of *package*."""
    return sorted(_imports_of(package))


def lazily(package: str, homes: Mapping[str, str] | None = None) -> Callable[[str], object]:
    """Return the `__getattr__` of *package*.

    Its names are those of its imports, or of *homes*, the names that each of its modules has; `A=B` calls its A here B.
    """
    home = dict(_imports_of(package)) if homes is None else {}
    for module, names in (homes or {}).items():
        for name in names.split():
            there, _, here = name.partition("=")
            home[here or there] = (f"{package}.{module}", there)

    def load(name: str) -> object:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, there = home[name]
        found = getattr(import_module(module), there)
        setattr(modules[package], name, found)
        return found

    return load


@cache
def _imports_of(package: str) -> Mapping[str, tuple[str, str]]:
    """Return what *package* makes public by an import: each name with its module, and its name there."""
    file = modules[package].__file__
    assert file is not None, "a package is a directory with an __init__.py"
    body = ast.parse(Path(file).read_text(encoding="utf-8")).body
    nested = [one for block in body if isinstance(block, ast.If) for one in block.body]
    found = [one for one in (*body, *nested) if isinstance(one, ast.ImportFrom)]
    return {name.asname: (str(one.module), name.name) for one in found for name in one.names if name.asname}
