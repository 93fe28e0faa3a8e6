"""Strict YAML: plain values with the line of each, and the keys of an entry, each read as what it has to be."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import Any, Final, TypeAlias

from mayfly.core import InputError, one_line

Plain: TypeAlias = "str | int | bool | list[Plain] | Mapping | None"
# Names of personas, verbs, tools and the like, as rules write them after their slash.
NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,63}")
# An atom names others and matches a handful of values; more in one list is a mistake.
_MOST_NAMES: Final = 1000
_LARGEST: Final = 1_000_000
# Ten thousand atoms of a paragraph each; a file beyond that is a mistake or an attack.
MOST_BYTES: Final = 8 * 1024 * 1024
# An entry is a mapping in a list, with lists in it; the rest is room for a mapping of selectors.
MOST_NESTING: Final = 8
_WHOLE: Final = re.compile(r"[-+]?(0|[1-9][0-9]{0,17})")
_WORDS: Final[dict[str, bool | None]] = {"true": True, "false": False, "null": None, "~": None, "": None}


class Mapping(dict[str, Any]):
    """A mapping of a file: where it stands, and on which line each of its keys is."""

    def __init__(self, line: int) -> None:
        super().__init__()
        self.line = line
        self.lines: dict[str, int] = {}


@dataclass(slots=True, kw_only=True)
class _Open:
    """A mapping or list that is being read, and the key whose value comes next."""

    into: Mapping | list[Plain]
    line: int
    key: str | None = None


def read_entries(path: Path) -> list[Mapping]:
    """Read the entries of one file: a mapping, or a list of mappings; what is wrong is one line with file and line."""
    text = read_text_file(path)
    entries: list[Mapping] = []
    for value, line in _documents(text, path):
        for one in value if isinstance(value, list) else [value]:
            if one is None:
                continue
            if not isinstance(one, Mapping):
                raise InputError(f"{path}:{line}: an entry is a mapping of keys, not {one_line(repr(one), limit=40)}")
            entries.append(one)
    return entries


def read_text_file(path: Path) -> str:
    """Read a text of the operator's: a regular file, of bearable size, that not everybody may write."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
    with open(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise InputError(f"{path}: it is no file")
        if status.st_mode & stat.S_IWOTH:
            raise InputError(f"{path}: anybody may write it", fix=f"chmod o-w {path}")
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise InputError(f"{path}: more than {MOST_BYTES:,} bytes")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: byte {error.start} is not UTF-8") from None


def _documents(text: str, path: Path) -> Iterator[tuple[Plain, int]]:
    # Imported by name: the library has no types of its own, and is loaded only where a file is read.
    yaml: Any = import_module("yaml")
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        yield from _Reader(path).documents(yaml.parse(text, Loader=loader))
    except (yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{path}:{mark.line + 1}" if mark is not None else str(path)
        said = getattr(error, "problem", None) or str(error) or type(error).__name__
        raise InputError(f"{where}: {one_line(str(said))}") from None


class _Reader:
    """Build values from the events of the parser, without recursion and without what aliases and tags can do."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stack: list[_Open] = []

    def documents(self, events: Iterator[Any]) -> Iterator[tuple[Plain, int]]:
        """Yield the value of each document with its first line."""
        for event in events:
            kind, line = type(event).__name__, event.start_mark.line + 1
            if kind == "AliasEvent":
                raise self._error(line, "anchors and aliases are not used here", "write the value out")
            if getattr(event, "tag", None):
                raise self._error(line, f"the tag {one_line(event.tag, limit=40)} is not used here", "leave it out")
            if kind == "ScalarEvent":
                value = _scalar(event)
                if not self._stack:
                    yield value, line
                else:
                    self._put(value, line)
            elif kind in ("MappingStartEvent", "SequenceStartEvent"):
                self._begin(Mapping(line) if kind.startswith("Mapping") else [], line)
            elif kind in ("MappingEndEvent", "SequenceEndEvent"):
                done = self._stack.pop()
                if not self._stack:
                    yield done.into, done.line

    def _begin(self, into: Mapping | list[Plain], line: int) -> None:
        if len(self._stack) >= MOST_NESTING:
            raise self._error(line, f"nested deeper than {MOST_NESTING}")
        if self._stack:
            self._put(into, line)
        self._stack.append(_Open(into=into, line=line))

    def _put(self, value: Plain, line: int) -> None:
        top = self._stack[-1]
        if isinstance(top.into, list):
            top.into.append(value)
        elif top.key is None:
            # `on: x` has the key "on": words and numbers stay the text they were written as.
            if not isinstance(value, str | int | bool):
                raise self._error(line, "a key is a word")
            key = str(value).lower() if isinstance(value, bool) else str(value)
            if key in top.into:
                raise self._error(line, f"the key {one_line(key, limit=40)} stands there twice")
            top.into.lines[key] = line
            top.key = key
        else:
            top.into[top.key] = value
            top.key = None

    def _error(self, line: int, message: str, fix: str | None = None) -> InputError:
        return InputError(f"{self._path}:{line}: {message}", fix=fix)


def _scalar(event: Any) -> str | int | bool | None:
    """Return a scalar: what is quoted or a block is text, a bare `true`, `null` or whole number is that."""
    text: str = event.value
    if not event.implicit[0]:
        return text
    if text in _WORDS:
        return _WORDS[text]
    return int(text) if _WHOLE.fullmatch(text) else text


class Fields:
    """Read the keys of an entry; those that were never asked for are unknown."""

    def __init__(self, entry: Mapping, path: Path, known: Collection[str]) -> None:
        self._entry = entry
        self._path = path
        for key in entry:
            if key not in known:
                near = get_close_matches(key, known, n=1)
                fix = f"did you mean {near[0]}?" if near else f"use {', '.join(sorted(known))}"
                raise self.error(key, "unknown key", fix)

    @property
    def place(self) -> str:
        """Where the entry stands: file and line."""
        return f"{self._path}:{self._entry.line}"

    def error(self, key: str, message: str, fix: str | None = None) -> InputError:
        """Return an error about one key."""
        line = self._entry.lines.get(key, self._entry.line)
        return InputError(f"{self._path}:{line}: {one_line(key, limit=60)}: {message}", fix=fix)

    def has(self, key: str) -> bool:
        """Tell whether the entry has a value for the key."""
        return self._entry.get(key) is not None

    def text(self, key: str, default: str = "") -> str:
        """Return a text; whole numbers are taken as they were written."""
        value = self._entry.get(key)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise self.error(key, "it has to be text")
        return str(value)

    def name(self, key: str) -> str:
        """Return a name without its slash, or "" where there is none."""
        value = self.text(key).removeprefix("/")
        if value and not NAME.fullmatch(value):
            raise self.error(key, f"{one_line(value, limit=40)!r} is no name", "use small letters, digits and _")
        return value

    def number(self, key: str, default: int) -> int:
        """Return a whole number from 0 up."""
        value = self._entry.get(key)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _LARGEST:
            raise self.error(key, f"it has to be a whole number from 0 to {_LARGEST:,}")
        return value

    def flag(self, key: str) -> bool:
        """Return true or false; what is not there is false."""
        value = self._entry.get(key)
        if value is None or isinstance(value, bool):
            return bool(value)
        raise self.error(key, "it has to be true or false")

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of texts, each once and in the order written; one text alone is a list of one."""
        value = self._entry.get(key)
        listed = [] if value is None else value if isinstance(value, list) else [value]
        if len(listed) > _MOST_NAMES or not all(isinstance(one, str) and one.strip() for one in listed):
            raise self.error(key, f"it has to be a list of at most {_MOST_NAMES} texts")
        return tuple(dict.fromkeys(str(one).strip() for one in listed))

    def names(self, key: str) -> tuple[str, ...]:
        """Return a list of names without their slashes."""
        found = tuple(dict.fromkeys(one.removeprefix("/") for one in self.texts(key)))
        for one in found:
            if not NAME.fullmatch(one):
                raise self.error(key, f"{one_line(one, limit=40)!r} is no name", "use small letters, digits and _")
        return found
