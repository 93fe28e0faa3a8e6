"""Look into a payload: every text in it, which of them name paths or hosts, and what would be run."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

MOST: Final = 1000
DEEPEST: Final = 32
AGAIN: Final = "\0again"
_COMMANDS: Final = frozenset(
    {"command", "cmd", "program", "executable", "exe", "bin", "binary", "name", "shell", "tool"}
)
_ARGUMENTS: Final = frozenset({"args", "argv", "arguments", "params", "parameters", "options", "flags", "input"})
_PATHS: Final = frozenset(
    {"path", "file", "filename", "filepath", "dir", "directory", "cwd", "destination", "dest", "dst", "src", "folder"}
    | {
        "target",
        "output",
        "input_file",
        "output_file",
        "source_path",
        "target_path",
        "file_path",
        "paths",
        "files",
        "root",
    }
)
# What is written is not where it is written to.
_CONTENT: Final = frozenset(
    {"content", "contents", "text", "body", "message", "description", "code", "data", "old", "new", "old_string"}
    | {"new_string", "prompt", "query", "patch", "diff", "comment", "title", "note", "summary", "docstring"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """One text of a payload and the key under which it lies."""

    key: str
    text: str

    @property
    def is_path(self) -> bool:
        """Whether it names a path: by its key, or by its look where it is no content."""
        if not self.text or len(self.text) > 4096 or "://" in self.text[:64].replace("file://", ""):
            return False
        if self.key in _PATHS:
            return True
        looks = self.text.startswith(("/", "~", "./", "../", "file:", ".\\", "..\\"))
        within = ("/" in self.text or "\\" in self.text) and not any(char.isspace() for char in self.text)
        return (looks or within) and self.key not in _CONTENT


@dataclass(frozen=True, slots=True, kw_only=True)
class Payload:
    """A payload taken apart; `value` is what it holds as JSON, None where it is none."""

    value: object
    texts: tuple[Text, ...]
    lists: tuple[tuple[str, ...], ...]
    whole: bool
    """Whether everything was looked at."""


def take_apart(payload: str) -> Payload:
    """Read a payload as JSON where it is JSON, and else as one text."""
    value = _decoded(payload)
    if value is None:
        texts = (Text(key="", text=payload),) if payload else ()
        return Payload(value=None, texts=texts, lists=(), whole=True)
    walk = _Walk()
    walk.value("", value, 0)
    return Payload(value=value, texts=tuple(walk.texts), lists=tuple(walk.lists), whole=walk.whole)


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
        self.lists: list[tuple[str, ...]] = []
        self.whole = True

    def value(self, key: str, value: object, depth: int) -> None:
        if depth > DEEPEST or len(self.texts) > MOST:
            self.whole = False
        elif isinstance(value, str):
            self._text(key, value, depth)
        elif isinstance(value, Mapping):
            self._mapping(value, depth)
        elif isinstance(value, list):
            self._list(key, value, depth)

    def _text(self, key: str, text: str, depth: int) -> None:
        inner = _decoded(text) if text[:1] in '{["' else None
        if isinstance(inner, (dict, list)):
            self.value(key, inner, depth + 1)
        self.texts.append(Text(key=key, text=text))

    def _list(self, key: str, items: list[object], depth: int) -> None:
        words = tuple(item for item in items if isinstance(item, str))
        if words and len(words) == len(items):
            self.lists.append(words[:MOST])
        for item in items:
            self.value(key, item, depth + 1)
            if not self.whole:
                return

    def _mapping(self, value: Mapping[str, object], depth: int) -> None:
        self.lists.extend(_commands({key.lower().strip(): item for key, item in value.items()}))
        for key, item in value.items():
            # A key is a text too, and an environment or a header map is keyed by whatever was wanted.
            self.value(key.lower().strip(), item, depth + 1)
            if not self.whole:
                return


def _commands(entries: Mapping[str, object]) -> Iterator[tuple[str, ...]]:
    """Join a program and its arguments that lie under two keys of one object."""
    for name in _COMMANDS & entries.keys():
        program = entries[name]
        for other in _ARGUMENTS & entries.keys():
            given = entries[other]
            if not isinstance(program, str):
                continue
            if isinstance(given, list):
                yield (program, *(item if isinstance(item, str) else str(item) for item in given[:MOST]))
            elif isinstance(given, str):
                yield ("sh", "-c", f"{program} {given}")
