"""The keys of one entry, each read as what it has to be; an error names file, line and key."""

from __future__ import annotations

import re
from collections.abc import Collection
from difflib import get_close_matches
from pathlib import Path
from typing import Final

from mayfly.core import InputError, one_line
from mayfly.persona._yaml import Mapping

# Names of personas, verbs, tools and the like, as rules write them after their slash.
NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,63}")
# An atom names others and matches a handful of values; more in one list is a mistake.
_MOST_NAMES: Final = 1000
_LARGEST: Final = 1_000_000


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
