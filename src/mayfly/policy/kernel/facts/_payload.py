"""Look into a payload: every text in it, which of them name paths, and what it says of a request."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from mayfly.policy.kernel._actions import names_of

# What the keys of a payload are called in the tools that models were trained on, as actions.toml lists them.
PATHS: Final = (names_of("path") | {"dir", "directory", "cwd", "workdir", "working_directory"}) - {
    *("to", "from", "source"),
}
CONTENT: Final = frozenset(
    {"content", "contents", "text", "body", "message", "description", "code", "data", "old", "new", "old_string"}
    | {"new_string", "prompt", "query", "patch", "diff", "comment", "title", "note", "summary", "docstring"}
)
"""What is written is not where it is written to."""
HOSTS: Final = names_of("host") - {"registry", "webhook"}
METHODS: Final = names_of("method")
BODIES: Final = frozenset({"body", "data", "json", "form", "payload", "content"})
"""What a request sends."""
REMOTES: Final = frozenset({"remote"})
REFS: Final = frozenset({"ref", "refspec", "branch"})
DOLLARS: Final = names_of("amount") | {"value"}
CENTS: Final = names_of("cents")
ATOMIC: Final = names_of("atomic")
TIMES: Final = names_of("quantity")
CURRENCY: Final = names_of("currency")

# More texts or deeper ones than any tool is given; beyond, nobody has looked.
MOST: Final = 10_000
DEEPEST: Final = 32
AGAIN: Final = "\0again"
_PATCHED: Final = re.compile(
    r"^(?:---|\+\+\+) (?:[ab]/)?([^\t\r\n]+)|^(?:rename|copy) (?:from|to) ([^\r\n]+)"
    r"|^\*\*\* (?:(?:Add|Update|Delete) File|Move to): ([^\r\n]+)",
    re.MULTILINE,
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
    keys: frozenset[str] = frozenset()
    """Every key, at whatever depth, whose value is not empty."""
    whole: bool = True
    """Whether everything was looked at."""

    def under(self, keys: frozenset[str]) -> tuple[str, ...]:
        """Return the texts under some keys, each once."""
        return tuple(dict.fromkeys(text.text for text in self.texts if text.key in keys))


def take_apart(payload: str) -> ActionPayload:
    """Read a payload as JSON where it is JSON, and else as one text."""
    value = _decoded(payload)
    if value is None:
        return ActionPayload(texts=(Text(key="", text=payload),) if payload else ())
    walk = _Walk()
    walk.value("", value, 0)
    return ActionPayload(value=value, texts=tuple(walk.texts), keys=frozenset(walk.keys), whole=walk.whole)


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
    """Collect the texts and keys of a value, up to a number and a depth."""

    def __init__(self) -> None:
        self.texts: list[Text] = []
        self.keys: set[str] = set()
        self.whole = True

    def value(self, key: str, value: object, depth: int) -> None:
        if depth > DEEPEST or len(self.texts) > MOST:
            self.whole = False
            return
        if value not in (None, "", False) and value != [] and value != {}:
            self.keys.add(key)
        if isinstance(value, str):
            self._text(key, value, depth)
        elif isinstance(value, Mapping):
            for name, item in value.items():
                self.value(name.lower().strip().replace("-", "_"), item, depth + 1)
        elif isinstance(value, list):
            for item in value:
                self.value(key, item, depth + 1)

    def _text(self, key: str, text: str, depth: int) -> None:
        inner = _decoded(text) if text[:1] in '{["' else None
        if isinstance(inner, (dict, list)):
            self.value(key, inner, depth + 1)
        self.texts.append(Text(key=key, text=text))
