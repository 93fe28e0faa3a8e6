"""Known secret values, and the copy of a text in which placeholders stand for them.

Source is never rewritten: a value is hidden because it is known to be secret, out of the environment, the settings or a
file of secrets, or because it has an issuer's exact form; never because of the words around it.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from operator import is_
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from mayfly.core._secret_texts import secret_parts
from mayfly.core._secrets import SHORTEST_KEY, found_keys, is_address_variable, is_secret_variable, key_forms, replaced

if TYPE_CHECKING:
    from mayfly.core._settings import Settings

# Shorter values stand in texts for other reasons.
SHORTEST_VALUE = 12
# Looked for one by one in every text: two thousand take a millisecond in 8 KB.
MOST_VALUES = 2000
# Of a value that is broken over lines: one piece is whole, and around it is looked closely.
_SHORTEST_PIECE = 4
_PLACEHOLDER = re.compile(r"‹secret(?: (?P<tag>[0-9a-z]+))?(?:: (?P<what>[^‹›\n]*))?›")
# Where a long value goes on in the next line: wrapped, with the lines numbered, or as strings put together in source.
_BREAK = r"""["'`]?[ \t]*[+\\]?[ \t]*(?:\r?\n|\\r\\n|\\n)(?:[ \t]*\d{1,7}\t)?[+-]?[ \t]*[+.]?[ \t]*(?:b?["'`])?"""


def placeholder(what: str, tag: str = "") -> str:
    """Return what stands for a secret in a copy."""
    return f"‹secret {tag}: {what}›" if tag else f"‹secret: {what}›"


class SecretValues:
    """The values that are known to be secret, and what each stands for.

    They are asked for anew with every copy that is made: those of the environment, and the *more* values, a function
    that returns the same mapping as long as nothing has changed.
    """

    def __init__(
        self, values: Mapping[str, str] = {}, *, tag: str = "", more: Callable[[], Mapping[str, str]] | None = None
    ) -> None:
        self.tag = tag
        self._values = dict(values)
        self._more = more
        self._seen: tuple[object, object] = (None, None)
        self._hider = Hider({}, tag)

    def tagged(self, tag: str, more: Callable[[], Mapping[str, str]]) -> SecretValues:
        """Return one that knows *more* values, and whose placeholders say whose they are."""
        return SecretValues(self._values, tag=tag, more=more)

    def now(self) -> Hider:
        """Return what hides the values known at this moment: for many texts at once."""
        environment = _environment()
        more = self._more() if self._more is not None else None
        if environment != self._seen[0] or more is not self._seen[1]:
            known = {**_environment_values(environment), **self._values, **(more or {})}
            self._hider, self._seen = Hider(_written(known), self.tag), (environment, more)
        return self._hider

    def text(self, text: str) -> str:
        """Return *text* with placeholders for its secrets; the text itself where it has none."""
        return self.now().text(text)

    def data(self, data: Any) -> Any:
        """Return plain data with placeholders for the secrets in its texts and names; the data itself without any."""
        return self.now().data(data)

    def holds(self, data: Any) -> bool:
        """Tell whether a secret is anywhere in plain data, or in a sequence of it that lies on disk."""
        hider = self.now()
        if hasattr(data, "texts"):
            return any(hider.text(text) is not text for text in data.texts())
        return hider.data(data) is not data


class Hider:
    """Puts placeholders in place of known values and of keys in an issuer's form."""

    def __init__(self, known: Mapping[str, str], tag: str) -> None:
        self._known = known
        self._tag = tag
        self._pieces = {value: _pieces(value) for value in known}

    def with_pieces_of(self, text: str) -> Hider:
        """Return one that also knows pieces of the keys in *text*: a line of a private key looks like no key."""
        pieces = {
            piece: key.issuer
            for key in found_keys(text)
            for piece in re.split(r"[^A-Za-z0-9+/=_-]+", key.text)
            if len(piece) >= SHORTEST_VALUE
        }
        return Hider({**pieces, **self._known}, self._tag) if pieces else self

    def text(self, text: str) -> str:
        """Return *text* with placeholders for its secrets; the text itself where it has none."""
        if len(text) < SHORTEST_KEY:
            return text
        keys = key_forms(text)
        if not keys and not self._known:
            return text
        # A private key goes as a whole before a known value in it does, and any other key after.
        blocks = [form for form in keys if form.marks[0].startswith("-")]
        hidden = self._without_keys(text, blocks)
        hidden = self._without_known(hidden) if self._known else hidden
        hidden = self._without_keys(hidden, keys[len(blocks) :])
        return text if hidden == text else hidden

    def data(self, data: Any) -> Any:
        """Return plain data with placeholders for the secrets in its texts and names; the data itself without any."""
        if isinstance(data, str):
            return self.text(data)
        if isinstance(data, Mapping):
            return self._mapping(data)
        if isinstance(data, (list, tuple)):
            items = [self.data(item) for item in data]
            return data if all(map(is_, items, data)) else items
        return data

    def _mapping(self, data: Mapping[Any, Any]) -> Any:
        hidden: dict[Any, Any] = {}
        same = True
        for name, value in data.items():
            kept, item = self.data(name), self.data(value)
            same = same and kept is name and item is value
            while kept in hidden:  # two names that only differ in their secrets
                kept = f"{kept}'"
            hidden[kept] = item
        return data if same else hidden

    def _without_keys(self, text: str, forms: Iterable[Any]) -> str:
        for form in forms:
            text = form.sub(lambda _, issuer=form.issuer: placeholder(issuer, self._tag), text)
        return text

    def _without_known(self, text: str) -> str:
        text = replaced(text, self._known, lambda value: placeholder(self._known[value], self._tag))
        if "\n" in text or "\\n" in text:
            for value, pieces in self._pieces.items():
                for piece in pieces:
                    if piece in text:
                        text = self._without_broken(text, value, piece)
        return text

    def _without_broken(self, text: str, value: str, piece: str) -> str:
        """Hide a value that stands in more than one line, around each place where a piece of it stands."""
        most, start, kept = 8 * len(value), 0, list[str]()
        while (at := text.find(piece, start)) >= 0:
            found = _broken(value).search(text, max(start, at - most), at + most)
            end = found.end() if found is not None else at + len(piece)
            if found is not None:
                kept += [text[start : found.start()], placeholder(self._known[value], self._tag)]
            else:
                kept.append(text[start:end])
            start = end
        return "".join([*kept, text[start:]]) if kept else text


@lru_cache(maxsize=1024)
def _broken(value: str) -> re.Pattern[str]:
    """Return what finds a value whose signs may have line ends between them."""
    return re.compile(f"(?:{_BREAK})?".join(map(re.escape, value)))


def _pieces(value: str) -> tuple[str, ...]:
    """Return pieces of a value, of which one is whole however it is broken in three places."""
    size = max(len(value) // 4, _SHORTEST_PIECE)
    return tuple(value[at : at + size] for at in range(0, len(value) - size + 1, size))


def _environment() -> tuple[tuple[str, str], ...]:
    """Return the variables that may hold a secret; asked for every append, so only they are read."""
    names = [name for name in os.environ if is_secret_variable(name) or is_address_variable(name)]
    return tuple((name, os.environ.get(name, "")) for name in names)


@lru_cache(maxsize=64)
def _environment_values(environment: tuple[tuple[str, str], ...]) -> dict[str, str]:
    return {
        value: f"environment variable {name}"
        for name, text in environment
        for value in secret_parts(text, named=is_secret_variable(name))
    }


@lru_cache(maxsize=64)
def settings_values(settings: Settings) -> dict[str, str]:
    """Return the secrets in settings: the passwords and keys in addresses, and what is named like a secret."""
    return {
        value: f"setting {row.key}"
        for row in settings.show()
        if isinstance(row.value, str) and row.value != row.default
        for value in secret_parts(row.value, named=is_secret_variable(row.key))
    }


def _written(found: Mapping[str, str]) -> dict[str, str]:
    """Return values in all the ways they are written: as they are, in JSON, and in an address."""
    known: dict[str, str] = {}
    for value, what in list(found.items())[:MOST_VALUES]:
        ascii_only, unicode = (json.dumps(value, ensure_ascii=ascii)[1:-1] for ascii in (True, False))
        for form in (value, ascii_only, unicode, quote(value, safe="")):
            if len(form) >= SHORTEST_VALUE:
                known.setdefault(form, what)
    # What it is called goes into the copy, so it may not be a secret itself.
    unnamed = {what for what in set(known.values()) if any(value in what for value in known) or _has_key(what)}
    return {value: "a known value" if what in unnamed else what for value, what in known.items()}


def _has_key(text: str) -> bool:
    return "‹" in text or "›" in text or "\n" in text or next(found_keys(text), None) is not None


_ANYWHERE = SecretValues()


def without_secrets(text: str, also: Iterable[str] = ()) -> str:
    """Return *text* without keys of an issuer's form, values of variables named like a secret, and *also*."""
    return _ANYWHERE.text(replaced(text, filter(None, also), lambda _: placeholder("a key in use")))


def without_secrets_in(data: Any) -> Any:
    """Return plain data without them; the data itself where it has none."""
    return _ANYWHERE.data(data)


def was_hidden(data: object) -> bool:
    """Tell whether a placeholder is anywhere in *data*, so that nobody can go on from it as if it were whole."""
    return any("‹secret" in text and _PLACEHOLDER.search(text) for text in texts_of(data))


def placeholders_in(data: object, tags: Iterable[str]) -> list[str]:
    """Return what the placeholders with one of these tags in *data* stand for, each once."""
    wanted = set(tags)
    found = [match for text in texts_of(data) if "‹secret" in text for match in _PLACEHOLDER.finditer(text)]
    return list(dict.fromkeys(match["what"] or "a secret" for match in found if match["tag"] in wanted))


def with_tag(text: str, tag: str) -> str:
    """Return *text* with its placeholders, whoever made them, as those of *tag*."""
    if "‹secret" not in text:
        return text
    return _PLACEHOLDER.sub(lambda found: placeholder(found["what"] or "a secret", tag), text)


# Plain data that holds no text.
_WORDLESS = frozenset((int, float, bool, type(None)))


def texts_of(data: object) -> Iterator[str]:
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
