"""Packages whose names are loaded on first use: who asks for one name does not load what the others need."""

from collections.abc import Callable, Mapping
from importlib import import_module
from sys import modules


def lazily(package: str, homes: Mapping[str, str]) -> Callable[[str], object]:
    """Return the `__getattr__` of *package*, given the names each of its modules has; `A=B` calls its A here B."""
    home: dict[str, tuple[str, str]] = {}
    for module, names in homes.items():
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
