"""The names of the files in a workspace, looked through once and only so far."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache, cached_property
from pathlib import Path

from mayfly.core import shipped_table


@cache
def slot_words(name: str) -> frozenset[str]:
    """Return one list of words of `slots.toml`."""
    table = shipped_table(Path(__file__).with_name("slots.toml"))
    return frozenset(str(table[name]).split())


_MOST = 20_000
_DEEPEST = 12


class Files:
    """Know which files a workspace has; nothing is opened, and a name that no line could hold is passed over."""

    def __init__(self, workspace: Path) -> None:
        self._workspace = workspace

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The paths of the files, relative to the workspace."""
        return tuple(self._walk())

    def find(self, module: str, *, code: bool = False) -> str | None:
        """Return the one file that a name means, only one of *code* if asked; None where none or several could be."""
        wanted = [f"{module}.py", module, f"{module.lower()}.*", f"{module}/__init__.py"]
        wanted += [] if code else [f"{module.lower()}.text"]
        found = next((self._by_name[name] for name in wanted if name in self._by_name), [])
        return found[0] if len(found) == 1 else None

    def is_directory(self, name: str) -> bool:
        """Say whether a word names a directory of the workspace that has files in it."""
        return name.strip("/") in self._folders

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for path in self.names:
            folder, _, name = path.rpartition("/")
            keys = {name, _known(name)} | ({f"{folder.rpartition('/')[2]}/{name}"} if folder else set())
            for key in keys:
                found.setdefault(key, []).append(path)
        return found

    @cached_property
    def _folders(self) -> frozenset[str]:
        found: set[str] = set()
        for path in self.names:
            folder = path.rpartition("/")[0]
            while folder and folder not in found:
                found.add(folder)
                folder = folder.rpartition("/")[0]
        return frozenset(found)

    def _walk(self) -> Iterator[str]:
        root, seen = os.fspath(self._workspace), 0
        for place, folders, names in os.walk(root):
            inside = os.path.relpath(place, root)
            inside = "" if inside == "." else inside.replace(os.sep, "/") + "/"
            folders[:] = sorted(
                name for name in folders if not name.startswith(".") and name not in slot_words("skipped")
            )
            if inside.count("/") >= _DEEPEST:
                folders.clear()
            for name in sorted(names):
                seen += 1
                if seen > _MOST:
                    return
                if (inside + name).isprintable():
                    yield inside + name


def _known(name: str) -> str:
    """Return under what a file is known without its ending: a program or a text."""
    stem, dot, ending = name.rpartition(".")
    kind = "*" if ending.lower() in slot_words("endings") else "text"
    return f"{stem.lower()}.{kind}" if dot and ending.lower() in slot_words("endings") | slot_words("texts") else name
