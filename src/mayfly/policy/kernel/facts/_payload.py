"""Look into a payload: every text in it, which of them name paths or hosts, and what would be run."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from mayfly.policy.kernel.facts._keys import (
    ARGUMENTS,
    COMMANDS,
    CONTENT,
    DIRECTORIES,
    MANY,
    PATHS,
    RUN,
    SETTINGS,
    WORDS,
)

MOST: Final = 1000
DEEPEST: Final = 32
AGAIN: Final = "\0again"
_PATCHED: Final = re.compile(
    r"^(?:---|\+\+\+) (?:[ab]/)?([^\t\r\n]+)|^(?:rename|copy) (?:from|to) ([^\r\n]+)"
    r"|^\*\*\* (?:(?:Add|Update|Delete) File|Move to): ([^\r\n]+)",
    re.MULTILINE,
)

_BLANK: Final = re.compile(r"\s")

Role: TypeAlias = Literal["run", "beside", "words"]
"""What a text is for: to be run, or not, where another text of its object is; words are for people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """One text of a payload and the key under which it lies."""

    key: str
    text: str
    role: Role = "run"

    @property
    def is_path(self) -> bool:
        """Whether it names a path: by its key, or by its look where it is no content."""
        if not self.text or len(self.text) > 4096 or "://" in self.text[:64].replace("file://", ""):
            return False
        if self.key in PATHS:
            return True
        looks = self.text.startswith(("/", "~", "./", "../", "file:", ".\\", "..\\"))
        within = ("/" in self.text or "\\" in self.text) and not any(char.isspace() for char in self.text)
        return (looks or within) and self.key not in CONTENT

    @property
    def patched(self) -> tuple[str, ...]:
        """The files that it changes as a patch."""
        if "\n+++ " not in self.text and "*** " not in self.text and "\nrename to " not in self.text:
            return ()
        found = (next(filter(None, match.groups())) for match in _PATCHED.finditer(self.text))
        return tuple(path for path in dict.fromkeys(found) if path != "/dev/null")[:MOST]


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionPayload:
    """A payload taken apart; `value` is what it holds as JSON, None where it is none."""

    value: object = None
    texts: tuple[Text, ...] = ()
    lists: tuple[tuple[Role, tuple[str, ...]], ...] = ()
    settings: tuple[str, ...] = ()
    """The environment variables that it gives values to."""
    directories: tuple[str, ...] = ()
    """Where it says that something is run."""
    whole: bool = True
    """Whether everything was looked at."""


def take_apart(payload: str) -> ActionPayload:
    """Read a payload as JSON where it is JSON, and else as one text."""
    value = _decoded(payload)
    if value is None:
        return ActionPayload(texts=(Text(key="", text=payload),) if payload else ())
    walk = _Walk()
    walk.value("", value, 0, "run")
    return ActionPayload(
        value=value,
        texts=tuple(walk.texts),
        lists=tuple(walk.lists),
        settings=tuple(walk.settings),
        directories=tuple(walk.directories),
        whole=walk.whole,
    )


def _decoded(text: str) -> object:
    if not text.lstrip()[:1] or text.lstrip()[0] not in '{["':
        return None
    try:
        return json.loads(text, object_pairs_hook=_object)
    except (ValueError, RecursionError):
        return None


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Keep every value of a key that is given twice: readers disagree which of them counts."""
    held = dict(pairs)
    if len(held) < len(pairs):
        held[AGAIN] = [{key: value} for key, value in pairs]
    return held


class _Walk:
    """Collect the texts and the argument lists of a value, up to a number and a depth."""

    def __init__(self) -> None:
        self.texts: list[Text] = []
        self.lists: list[tuple[Role, tuple[str, ...]]] = []
        self.settings: dict[str, None] = {}
        self.directories: dict[str, None] = {}
        self.whole = True

    def value(self, key: str, value: object, depth: int, role: Role) -> None:
        if depth > DEEPEST or len(self.texts) > MOST:
            self.whole = False
        elif isinstance(value, str):
            self._text(key, value, depth, role)
        elif isinstance(value, Mapping):
            self._mapping(value, depth, role)
        elif isinstance(value, list):
            self._list(key, value, depth, role)
        if key in SETTINGS:
            self.settings |= dict.fromkeys(_names(value))

    def _text(self, key: str, text: str, depth: int, role: Role) -> None:
        inner = _decoded(text) if text[:1] in '{["' else None
        if isinstance(inner, (dict, list)):
            self.value(key, inner, depth + 1, role)
        self.texts.append(Text(key=key, text=text, role=role))
        if key in DIRECTORIES:
            self.directories[text] = None

    def _list(self, key: str, items: list[object], depth: int, role: Role) -> None:
        words = tuple(item for item in items if isinstance(item, str))
        if words and len(words) == len(items):
            self.lists.append((role, words[:MOST]))
        for item in items:
            word = isinstance(item, str) and len(items) > 1 and key not in MANY and not _BLANK.search(item)
            self.value(key, item, depth + 1, "beside" if word and role == "run" else role)
            if not self.whole:
                return

    def _mapping(self, value: Mapping[str, object], depth: int, role: Role) -> None:
        entries = {key.lower().strip(): item for key, item in value.items()}
        joined: list[tuple[Role, tuple[str, ...]]] = [("run", words) for words in _commands(entries)]
        self.lists.extend(joined)
        told = not RUN.isdisjoint(entries)
        for name, item in value.items():
            key = name.lower().strip()
            within = _role(key) if told else role
            part = joined and within == "run" and (key in COMMANDS or key in ARGUMENTS)
            self.value(key, item, depth + 1, "beside" if part else within)
            if not self.whole:
                return


def _role(key: str) -> Role:
    """Say what lies under a key of an object that says under another key what is run."""
    if key in RUN or key in ARGUMENTS or key == AGAIN:
        return "run"
    return "words" if key in WORDS or key in DIRECTORIES else "beside"


def _names(value: object) -> list[str]:
    """Return the names of the variables in an environment, given as an object or as a list of assignments."""
    if isinstance(value, Mapping):
        return [str(key) for key in value][:MOST]
    items = value if isinstance(value, list) else [value]
    return [item.partition("=")[0].strip() for item in items if isinstance(item, str) and "=" in item][:MOST]


def _commands(entries: Mapping[str, object]) -> Iterator[tuple[str, ...]]:
    """Join a program and its arguments that lie under two keys of one object."""
    for name in COMMANDS & entries.keys():
        program = entries[name]
        for other in ARGUMENTS & entries.keys():
            given = entries[other]
            if not isinstance(program, str):
                continue
            if isinstance(given, list):
                yield (program, *(item if isinstance(item, str) else str(item) for item in given[:MOST]))
            elif isinstance(given, str):
                yield ("sh", "-c", f"{program} {given}")
