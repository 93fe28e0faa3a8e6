"""Who depends on a file or on something in it: directly, through others, and which tests are among them."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from mayfly.core import InputError, Stop, ToolSettings
from mayfly.world._other_imports import LANGUAGES, MARKS, OtherFiles
from mayfly.world._place import WorkspacePlace, source_files, text_in
from mayfly.world._python_project import PythonProject, PythonSymbol, UsedBy
from mayfly.world._python_uses import PythonFile, read_python

_PYTHON = frozenset({".py", ".pyi"})
# Longer sources are data, or were written by a program.
_LARGEST = 500_000
_TEST = re.compile(
    r"(^|/)(tests?|__tests__|spec)/|(^|/)test_[^/]*$|(_test|\.test|\.spec|Test)\.[a-z]+$|(^|/)conftest\.py$"
)


class Mention(NamedTuple):
    """Where something is used."""

    path: str
    line: int
    told: str


@dataclass(kw_only=True)
class Impact:
    """What depends on *target*: each with the reason, and how many steps away the others are."""

    target: str
    defined: str
    direct: list[Mention] = field(default_factory=list)
    by_name: list[Mention] = field(default_factory=list)
    further: dict[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def tests(self) -> list[str]:
        """The tests among all that depends on it, the nearest first."""
        near = dict.fromkeys(one.path for one in self.direct if is_test(one.path))
        far = [path for path in self.further if is_test(path.partition("::")[0])]
        return list(dict.fromkeys([*near, *(path.partition("::")[0] for path in far)]))


def is_test(path: str) -> bool:
    """Whether a file holds tests, by its name and place."""
    return _TEST.search(path) is not None


class CodeIndex:
    """The sources of a workspace as they are now."""

    def __init__(
        self, place: WorkspacePlace, *, under: str = ".", limits: ToolSettings | None = None, stop: Stop | None = None
    ) -> None:
        limits = limits or ToolSettings()
        until = time.monotonic() + limits.code_seconds
        python: dict[str, PythonFile] = {}
        others: dict[str, str] = {}
        marks: dict[str, str] = {}
        unread: list[str] = []
        self.notes: list[str] = []
        suffixes = _PYTHON | LANGUAGES | {os.path.splitext(mark)[1] for mark in MARKS}
        for number, path in enumerate(source_files(place, suffixes, under=under, most=limits.code_files), 1):
            if time.monotonic() > until or (stop is not None and stop.cancelled):
                self.notes.append(
                    f"only the first {number - 1} files were read within {limits.code_seconds:g} s: name a directory"
                )
                break
            if number == limits.code_files:
                self.notes.append(f"only the first {limits.code_files} files were read: name a directory")
            ending, mark = os.path.splitext(path)[1].lower(), os.path.basename(path) in MARKS
            try:
                if ending in _PYTHON:
                    python[path] = read_python(text_in(place, path, most=_LARGEST))
                elif ending in LANGUAGES or mark:
                    (marks if mark else others)[path] = text_in(place, path, most=_LARGEST)
            except (InputError, OSError, SyntaxError, ValueError, RecursionError, MemoryError):
                unread.append(path)
        if unread:
            shown = ", ".join(unread[:5])
            self.notes.append(f"{len(unread)} files could not be read, so what they use is not known: {shown}")
        self.project = PythonProject(python)
        self._others = others
        self._files = OtherFiles(others, marks)

    @property
    def paths(self) -> set[str]:
        """All files that were read."""
        return {*self.project.files, *self._others}

    @cached_property
    def imported_by(self) -> Mapping[str, Mapping[str, int]]:
        """For each file who imports it, with the line."""
        found: dict[str, dict[str, int]] = {}
        imports = [(path, self.project.imports_of(path)) for path in self.project.files]
        imports += [(path, self._files.imports_of(path)) for path in self._others]
        for path, targets in imports:
            for target, line in targets:
                if target != path:
                    found.setdefault(target, {}).setdefault(path, line)
        return found

    @cached_property
    def used_by(self) -> Mapping[PythonSymbol, list[UsedBy]]:
        """For each symbol of Python who uses it."""
        found: dict[PythonSymbol, list[UsedBy]] = {}
        for symbol, use in self.project.uses():
            found.setdefault(symbol, []).append(use)
        return found

    def impact(self, target: str) -> Impact:
        """Return what depends on *target*: a path, or a symbol as `path:name`, `package.name` or `name`."""
        path, _, name = target.replace("::", ":").partition(":")
        path = os.path.normpath(path)
        if path in self.paths:
            return self._of_symbol(target, self._in_file(path, name)) if name else self._of_file(path)
        module = self.project.module(target, "")
        if module is None and (path.endswith((*_PYTHON, *LANGUAGES)) or "/" in target):
            raise InputError(f"{path} is no source file of the workspace that could be read")
        found = [*([PythonSymbol(module, "")] if module is not None else ()), *self._find(target)]
        if not found:
            return self._by_word(target)
        if len(found) > 1:
            places = ", ".join(f"{one.path}:{one.name}" if one.name else one.path for one in found[:8])
            raise InputError(f"{target} may be any of {len(found)}: {places}", fix="say path or path:name")
        return self._of_symbol(target, found[0]) if found[0].name else self._of_file(found[0].path)

    def _in_file(self, path: str, name: str) -> PythonSymbol:
        file = self.project.files.get(path)
        if file is None or name not in file.definitions:
            known = ", ".join(list(file.definitions)[:20]) if file is not None else "nothing that is known by name"
            raise InputError(f"{path} defines no {name}: {known}")
        return PythonSymbol(path, name)

    def _find(self, target: str) -> list[PythonSymbol]:
        parts = target.split(".")
        for count in range(len(parts) - 1, 0, -1):
            module = self.project.module(".".join(parts[:count]), "")
            found = self.project.named(module, parts[count]) if module is not None else None
            if found is not None and found.name:
                inner = self.project.method(found, parts[count + 1]) if len(parts) > count + 1 else None
                return [inner or found]
        return [
            PythonSymbol(path, name)
            for path, file in self.project.files.items()
            for name in file.definitions
            if name == target or name.endswith(f".{target}")
        ]

    def _of_file(self, path: str) -> Impact:
        users = self.imported_by
        header = self._files.partner(path)
        found = Impact(target=path, defined=f"{path}, a file", notes=tuple(self.notes))
        for one in (path, header) if header else (path,):
            told = "imports it" if one == path else f"imports its header {one}"
            found.direct += [
                Mention(user, line, told) for user, line in sorted(users.get(one, {}).items()) if user != path
            ]
        seen = {path, *(one.path for one in found.direct)}
        wave, steps = [one.path for one in found.direct], 2
        while wave:
            wave = sorted({user for one in wave for user in users.get(one, {})} - seen)
            found.further |= dict.fromkeys(wave, steps)
            seen.update(wave)
            steps += 1
        return found

    def _of_symbol(self, target: str, symbol: PythonSymbol) -> Impact:
        there = self.project.files[symbol.path].definitions[symbol.name]
        found = Impact(
            target=target, defined=f"{symbol.path}:{there.line} {there.kind} {symbol.name}", notes=tuple(self.notes)
        )
        users = self._users(symbol)
        found.direct = [Mention(one.path, one.line, _told(one)) for one in sorted(users)]
        if there.kind == "method":
            found.by_name = self._by_attribute(symbol, known={(one.path, one.line) for one in users})
        seen = {symbol}
        wave, steps = {PythonSymbol(one.path, one.within) for one in users}, 1
        while wave:
            seen |= wave
            if steps > 1:
                names = sorted(f"{one.path}::{one.name}" if one.name else one.path for one in wave)
                found.further |= dict.fromkeys(names, steps)
            wave = {PythonSymbol(user.path, user.within) for one in wave for user in self._users(one)} - seen
            steps += 1
        return found

    def _users(self, symbol: PythonSymbol) -> list[UsedBy]:
        """Return who uses a symbol: also who uses the class of a method, or imports a module whose own code uses it."""
        if not symbol.name:
            importers = self.imported_by.get(symbol.path, {})
            return [UsedBy(path, "", line, False) for path, line in importers.items()]
        users = list(self.used_by.get(symbol, ()))
        owner = symbol.name.rpartition(".")[0]
        if owner and PythonSymbol(symbol.path, owner) != symbol:
            known = {(one.path, one.line) for one in users}
            for one in self.used_by.get(PythonSymbol(symbol.path, owner), ()):
                if not _is_inside(one, symbol.path, owner) and (one.path, one.line) not in known:
                    users.append(one)
        return list(dict.fromkeys(users))

    def _by_attribute(self, symbol: PythonSymbol, known: set[tuple[str, int]]) -> list[Mention]:
        name = symbol.name.rpartition(".")[2]
        return [
            Mention(path, use.line, f"in {use.within or 'the module'}")
            for path, file in sorted(self.project.files.items())
            for use in file.attributes
            if use.dotted == name and (path, use.line) not in known
        ]

    def _by_word(self, word: str) -> Impact:
        """Return where a word stands in files of other languages, whose names are not followed."""
        name = re.compile(rf"(?<![\w$]){re.escape(word.rpartition('.')[2])}(?![\w$])")
        found = Impact(target=word, defined="not known as a definition", notes=tuple(self.notes))
        for path, text in sorted(self._others.items()):
            for number, line in enumerate(text.splitlines(), 1):
                if len(line) < 2000 and name.search(line):
                    found.by_name.append(Mention(path, number, line.strip()[:120]))
        if not found.by_name:
            raise InputError(f"nothing called {word[:100]} was found", fix="say a path, path:name or package.name")
        return found


def _is_inside(use: UsedBy, path: str, owner: str) -> bool:
    return use.path == path and (use.within == owner or use.within.startswith(f"{owner}."))


def _told(use: UsedBy) -> str:
    return f"{'called' if use.called else 'used'} in {use.within or 'the module'}"


def tell(impact: Impact, *, most: int) -> str:
    """Return an impact as text, at most *most* lines of each kind."""
    lines = [f"{impact.target}: {impact.defined}"]
    lines += _section("used directly", [f"{one.path}:{one.line} {one.told}" for one in impact.direct], most)
    lines += _section(
        "perhaps used, by the same name", [f"{one.path}:{one.line} {one.told}" for one in impact.by_name], most
    )
    lines += _section("through these", [f"{name} ({steps} steps)" for name, steps in impact.further.items()], most)
    lines += _section("tests among them", impact.tests, most)
    if not impact.direct and not impact.by_name:
        lines.append("nothing in the workspace uses it")
    return "\n".join([*lines, *(f"[{note}]" for note in impact.notes)])


def _section(title: str, rows: Iterable[str], most: int) -> list[str]:
    all_rows = list(rows)
    if not all_rows:
        return []
    more = [f"  [{len(all_rows) - most} more]"] if len(all_rows) > most else []
    return [f"{title} ({len(all_rows)}):", *(f"  {row}" for row in all_rows[:most]), *more]
