"""Which file of a Python project a name leads to, through imports, packages that hand names on, and bases."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from mayfly.world._python_uses import Imported, PythonFile

# How often a name may be handed on before it is given up: longer chains go round in circles.
_STEPS = 12


class PythonSymbol(NamedTuple):
    """Something that a file defines; without a name the file itself."""

    path: str
    name: str


class UsedBy(NamedTuple):
    """Who uses a symbol, and where."""

    path: str
    within: str
    line: int
    called: bool


class PythonProject:
    """The Python files of a workspace, by the names under which they are imported."""

    def __init__(self, files: Mapping[str, PythonFile]) -> None:
        self.files = files
        self._modules: dict[str, list[str]] = {}
        for path in files:
            for name in self._names_of(path):
                self._modules.setdefault(name, []).append(path)

    def _names_of(self, path: str) -> set[str]:
        """Return the names of a module: from the directory where its packages begin, from the root, and from src."""
        steps = path.removesuffix(".pyi").removesuffix(".py").split("/")
        if steps[-1] == "__init__":
            steps.pop()
        start = len(path.split("/")) - 1
        above = path.split("/")[:-1]
        while start and "/".join((*above[:start], "__init__.py")) in self.files:
            start -= 1
        names = {".".join(steps[start:]), ".".join(steps)}
        names |= {".".join(steps[1:])} if steps[0] in ("src", "lib") else set()
        return {name for name in names if name}

    def module(self, name: str, importer: str) -> str | None:
        """Return the file of a module, the one nearest to the importer where several have the name."""
        found = self._modules.get(name, ())
        return max(found, key=lambda path: (len(os.path.commonpath([path, importer])), path), default=None)

    def imported_module(self, one: Imported, importer: str) -> str | None:
        """Return the file of the module that is imported or imported from."""
        if not one.level:
            return self.module(one.module, importer)
        steps = importer.split("/")[: -one.level]
        if len(importer.split("/")) < one.level:
            return None
        base = "/".join((*steps, *(one.module.split(".") if one.module else ())))
        return self._file_at(base)

    def _file_at(self, base: str) -> str | None:
        tried = (f"{base}.py", f"{base}/__init__.py", f"{base}.pyi") if base else ("__init__.py",)
        return next((path for path in tried if path in self.files), None)

    def imports_of(self, path: str) -> Iterator[tuple[str, int]]:
        """Yield the files that a file imports, also those behind a package that hands a name on, with the line."""
        for one in self.files[path].imports():
            module = self.imported_module(one, path)
            if module is None:
                continue
            yield module, one.line
            if one.name and one.name != "*":
                behind = self.named(module, one.name)
                if behind is not None and behind.path != module:
                    yield behind.path, one.line

    def named(self, path: str, name: str, steps: int = _STEPS) -> PythonSymbol | None:
        """Return what *name* is in the module at *path*."""
        file = self.files[path]
        if name in file.definitions:
            return PythonSymbol(path, name)
        if steps == 0:
            return None
        if name in file.imported:
            found = self._behind(file.imported[name], path, steps)
            if found is not None:
                return found
        if path.endswith("__init__.py"):
            below = self._file_at("/".join((*path.split("/")[:-1], name)))
            if below is not None:
                return PythonSymbol(below, "")
        for star in file.stars:
            module = self.imported_module(star, path)
            found = self.named(module, name, steps - 1) if module is not None and module != path else None
            if found is not None:
                return found
        return None

    def _behind(self, one: Imported, path: str, steps: int) -> PythonSymbol | None:
        module = self.imported_module(one, path)
        if module is None:
            return None
        return self.named(module, one.name, steps - 1) if one.name else PythonSymbol(module, "")

    def written(self, path: str, dotted: str) -> PythonSymbol | None:
        """Return what a chain of names in a file leads to; a method that a class has from its base is the base's."""
        file, parts = self.files[path], dotted.split(".")
        for count in range(len(parts), 0, -1):
            # `import a.b` is known by its whole name.
            one = file.imported.get(".".join(parts[:count]))
            if one is not None and (count > 1 or not one.name):
                here = self._behind(one, path, _STEPS)
                return None if here is None else self._member(here, parts[count:])
        first = self.named(path, parts[0])
        return None if first is None else self._member(first, parts[1:])

    def _member(self, here: PythonSymbol, parts: list[str], steps: int = _STEPS) -> PythonSymbol:
        for place, part in enumerate(parts):
            if not here.name:
                below = self.named(here.path, part)
                if below is None:
                    return here
                here = below
                continue
            method = self.method(here, part, steps)
            if method is None:
                return here
            here = method if place + 1 == len(parts) else here
        return here

    def method(self, owner: PythonSymbol, name: str, steps: int = _STEPS) -> PythonSymbol | None:
        """Return the method *name* of a class, its own or that of a base."""
        file = self.files[owner.path]
        if f"{owner.name}.{name}" in file.definitions:
            return PythonSymbol(owner.path, f"{owner.name}.{name}")
        for base in file.bases.get(owner.name, ()) if steps else ():
            there = self.written(owner.path, base)
            if there is not None and there != owner:
                found = self.method(there, name, steps - 1) if there.name else None
                if found is not None:
                    return found
        return None

    def uses(self) -> Iterator[tuple[PythonSymbol, UsedBy]]:
        """Yield every use of anything that a file of the project defines."""
        for path, file in self.files.items():
            for use in file.uses:
                found = self.written(path, use.dotted)
                # Of a module as such only that it is imported is worth telling.
                if found is not None and found.name and (found.path, found.name) != (path, use.within):
                    yield found, UsedBy(path, use.within, use.line, use.called)
