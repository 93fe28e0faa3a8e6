"""What looks like a secret: the one list of forms, for code that is judged and for whatever is recorded or sent."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from mayfly.core._tables import shipped_table

HIDDEN = "‹secret›"
# Shorter values, and plain words such as a database's default password, stand in texts for other reasons.
_SHORTEST, _SHORTEST_WORD = 8, 20
# No form of a key is shorter; of a password that is named, the shortest is `secret=abcd`.
_SHORTEST_KEY, _SHORTEST_LIKELY = 12, 11
# What is under a name of a secret in a record is one from here on: shorter texts are "no", "yes", "set".
_SHORTEST_NAMED = 4
# The shortest name of a secret; shorter texts need no look.
_SHORTEST_MARK = 6
# Longer texts hardly come twice, and would be held in memory.
_LONGEST_REMEMBERED = 200


# The edge of a word, also after a sign that JSON, a shell or an address writes with letters: `\n`, `\u000a`, `%0a`.
_EDGE = r"(?:\b|(?<=\\[nrtbf])|(?<=\\u[0-9a-fA-F]{4})|(?<=%[0-9a-fA-F]{2}))"
# Where shells, addresses and paths cut a text.
_BETWEEN = re.compile(r"[^\w+=.~-]+|(?<=[\w])=")


class FoundKey(NamedTuple):
    """What has the form of a key, and whose."""

    text: str
    issuer: str


class _Form(NamedTuple):
    issuer: str
    pattern: str
    marks: tuple[str, ...]

    def search(self, text: str) -> re.Match[str] | None:
        """Find it; most forms are never looked for, so a pattern is compiled when it is (and `re` remembers it)."""
        return re.search(self.pattern, text, re.DOTALL)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Find all of it."""
        return re.finditer(self.pattern, text, re.DOTALL)

    def hide(self, text: str) -> str:
        """Return *text* without what has this form."""
        return re.sub(self.pattern, HIDDEN, text, flags=re.DOTALL)


class _Forms(NamedTuple):
    keys: tuple[_Form, ...]
    everything: tuple[_Form, ...]
    small_marks: tuple[str, ...]
    exact_marks: tuple[str, ...]
    name: re.Pattern[str]
    environment: re.Pattern[str]


@cache
def _forms() -> _Forms:
    found = shipped_table(Path(__file__).with_name("secrets.toml"))
    words = found["names"]["words"]
    keys, likely = (
        tuple(
            _Form(issuer, told["form"].replace("{words}", words).replace(r"\b", _EDGE), tuple(told["marks"]))
            for issuer, told in found[kind].items()
        )
        for kind in ("keys", "likely")
    )
    # What is likely goes first: it takes a private key to its end and a key together with what follows it.
    everything = (*likely, *keys)
    marks = dict.fromkeys(mark for form in everything for mark in form.marks)
    return _Forms(
        keys=keys,
        everything=everything,
        small_marks=tuple(mark for mark in marks if mark == mark.lower()),
        exact_marks=tuple(mark for mark in marks if mark != mark.lower()),
        name=re.compile(rf"(?:^|[_.-])(?:{words})(?:$|[_.-])", re.IGNORECASE),
        environment=re.compile(rf"(?:{found['names']['environment']})$", re.IGNORECASE),
    )


# Reading the list imports a module, under a lock that a child forked in that moment would inherit held, by a thread it
# does not have; every append reads it. So whoever forks has read it, or waits until the thread that reads it is done.
os.register_at_fork(before=_forms)


def _marked(forms: tuple[_Form, ...], text: str) -> Iterator[_Form]:
    """Yield the forms that *text* can hold at all."""
    small = text.lower()
    return (form for form in forms if any(mark in small or mark in text for mark in form.marks))


def _has_mark(text: str) -> bool:
    return _short_has_mark(text) if len(text) <= _LONGEST_REMEMBERED else _has_mark_at_all(text)


# The same words come again in event after event; what is new in one is a number and a hash.
@lru_cache(maxsize=4096)
def _short_has_mark(text: str) -> bool:
    return _has_mark_at_all(text)


def _has_mark_at_all(text: str) -> bool:
    forms, small = _forms(), text.lower()
    for mark in forms.small_marks:  # loops, since this is asked of every text of every event
        if mark in small:
            return True
    return any(mark in text for mark in forms.exact_marks)


def issuers() -> tuple[str, ...]:
    """Return the name of every form in the list, those of keys first."""
    return tuple(dict.fromkeys(form.issuer for form in (*_forms().keys, *_forms().everything)))


def is_secret_name(name: str) -> bool:
    """Tell whether what is called *name* holds a secret."""
    return _forms().name.search(name) is not None


def find_key(text: str) -> FoundKey | None:
    """Return the first thing in *text* that has the form of a real key, whatever stands around it."""
    if len(text) < _SHORTEST_KEY:
        return None
    searched = ((form.issuer, form.search(text)) for form in _marked(_forms().keys, text))
    places = [(found.start(), found[0], issuer) for issuer, found in searched if found]
    return FoundKey(*min(places)[1:]) if places else None


def holds_secret(text: str) -> bool:
    """Tell whether something in *text* looks like a key, a token or a password."""
    if len(text) < _SHORTEST_LIKELY or not _has_mark(text):
        return False
    return any(form.search(text) for form in _marked(_forms().everything, text))


def without_secrets(text: str) -> str:
    """Return *text* with everything that looks like a secret left out."""
    return _without(_forms().everything, text) if len(text) >= _SHORTEST_LIKELY and _has_mark(text) else text


def without_known_secrets(text: str, also: Iterable[str] = ()) -> str:
    """Return *text* without keys, without the value of any environment variable named like a secret, nor *also*."""
    names = _forms().environment
    named = (value for name, value in os.environ.items() if names.search(name) and _is_secret(value))
    for secret in sorted({*named, *(value for value in also if value)}, key=len, reverse=True):
        text = text.replace(secret, HIDDEN)
    return _without(_forms().keys, text)


def secret_remover(text: str) -> Callable[[str], str]:
    """Return what leaves secrets out of texts cut from *text*: also pieces of its secrets that look like none.

    The word after `--password` is a word as any other where it stands alone.
    """
    found = [match[0] for form in _marked(_forms().everything, text) for match in form.finditer(text)]
    pieces = {piece for one in found for piece in (one, *_BETWEEN.split(one)) if len(piece) >= _SHORTEST_NAMED}
    if not pieces:
        return without_secrets
    longest_first = sorted(map(re.escape, pieces), key=len, reverse=True)
    pattern = re.compile("|".join(longest_first), re.IGNORECASE)
    return lambda other: without_secrets(pattern.sub(HIDDEN, other))


def without_secrets_in(data: object) -> object:
    """Return plain data without the secrets in any of its texts and names, and under names of secrets.

    Data that has no mark of any form, which is nearly all, is returned as it is.
    """
    for text in _texts_of(data):
        if len(text) >= _SHORTEST_MARK and _has_mark(text):
            return _without_in(data)
    return data


def holds_secret_in(data: object) -> bool:
    """Tell whether anything in plain data, or in a sequence of it that lies on disk, looks like a secret."""
    if hasattr(data, "texts"):
        return any(map(holds_secret, data.texts()))
    return without_secrets_in(data) != data


def was_hidden(data: object) -> bool:
    """Tell whether a secret was left out of *data*, so that nobody can go on from it as if it were whole."""
    return any(HIDDEN in text for text in _texts_of(data))


def _without(forms: tuple[_Form, ...], text: str) -> str:
    for form in _marked(forms, text):
        text = form.hide(text)
    return text


def _without_in(data: object) -> object:
    if isinstance(data, str):
        return without_secrets(data)
    if isinstance(data, Mapping):
        hidden: dict[object, object] = {}
        for name, value in data.items():
            kept = without_secrets(name) if isinstance(name, str) else name
            while kept in hidden:  # two names that only differ in their secrets
                kept = f"{kept}'"
            hidden[kept] = HIDDEN if _is_named(name, value) else _without_in(value)
        return hidden
    if isinstance(data, (list, tuple)):
        return [_without_in(item) for item in data]
    return data


def _is_named(name: object, value: object) -> bool:
    return isinstance(name, str) and isinstance(value, str) and len(value) >= _SHORTEST_NAMED and is_secret_name(name)


# Plain data that holds no text.
_WORDLESS = frozenset((int, float, bool, type(None)))


def _texts_of(data: object) -> Iterator[str]:
    """Yield every text and name in plain data."""
    waiting: list[Any] = [data]
    while waiting:
        item = waiting.pop()
        # The types themselves first: whether something is a mapping takes longer to ask than all else here.
        kind = type(item)
        if kind is str:
            yield item
        elif kind in _WORDLESS:
            continue
        elif kind is dict or isinstance(item, Mapping):
            waiting += item.keys()
            waiting += item.values()
        elif isinstance(item, str):
            yield item
        elif isinstance(item, (list, tuple)):
            waiting += item


def _is_secret(value: str) -> bool:
    return len(value) >= (_SHORTEST_WORD if value.isalpha() else _SHORTEST)
