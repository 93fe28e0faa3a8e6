"""What a capability is given: a plain value, a record with named fields, or the names that stand in the intent."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise

from mayfly.core import UNSET, InputError
from mayfly.library._capability import Invocation
from mayfly.library.builtin._paths import sayable
from mayfly.language import Token, tokens

Fields = dict[str, object]
# Whoever writes more than this in one intent has pasted something.
_LONGEST_INTENT = 20_000
# Other names under which callers give the same field.
_ALIASES = {
    "file": "path",
    "filename": "path",
    "file_path": "path",
    "directory": "path",
    "folder": "path",
    "glob": "pattern",
    "address": "url",
    "uri": "url",
    "contents": "content",
    "data": "content",
    "query": "text",
}


def fields_of(
    invocation: Invocation,
    *,
    main: str,
    others: tuple[str, ...] = (),
    asked: Callable[[Invocation], Fields] | None = None,
) -> Fields:
    """Return the named fields of an argument; a value that is no record is its *main* field.

    Without an argument the fields are those that *asked* finds in the intent.
    """
    argument = invocation.argument
    if argument is None or argument is UNSET:
        return {} if asked is None else asked(invocation)
    if not isinstance(argument, Mapping):
        return {main: argument}
    known = (main, *others)
    found: Fields = {}
    for name, value in argument.items():
        field = name if name in known else _ALIASES.get(str(name), name)
        if field not in known or field in found:
            wrong = "is given twice" if field in found else "is unknown"
            raise InputError(f"the field {str(name)[:80]!r} {wrong}", fix=f"fields are {', '.join(known)}")
        found[field] = value
    return found


def text_of(fields: Mapping[str, object], name: str, *, longest: int = 4096, default: str | None = None) -> str:
    """Return a field that has to be text."""
    value = fields.get(name, default)
    if value is None:
        raise InputError(f"{name} is missing", fix=f'give it as text or as {{"{name}": …}}')
    if not isinstance(value, str):
        raise InputError(f"{name} must be text, not {type(value).__name__}")
    if len(value) > longest:
        raise InputError(f"{name} is longer than {longest} characters")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise InputError(f"{name} is not text: it holds half of a character") from None
    return value


def flag_of(fields: Mapping[str, object], name: str, *, default: bool = False) -> bool:
    """Return a field that has to be true or false."""
    value = fields.get(name, default)
    if not isinstance(value, bool):
        raise InputError(f"{name} must be true or false, not {str(value)[:80]!r}")
    return value


def number_of(fields: Mapping[str, object], name: str, *, default: float, most: float) -> float:
    """Return a field that has to be a number above 0 and at most *most*."""
    value = fields.get(name, default)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value <= most:
        raise InputError(f"{name} must be a number above 0 and at most {most:g}, not {str(value)[:80]!r}")
    return value


def asked_path(invocation: Invocation) -> Fields:
    """Find the one path that an intent names, in the directory that it names with it: "read a.txt in src"."""
    found = [token.text for token in said(invocation) if token.kind == "path"]
    found = found or [token.text for token in _after(invocation, ("file", "directory", "folder", "in", "of"))]
    found = found or [token.text for token in said(invocation) if token.kind in ("quoted", "code")]
    place = named_in(invocation)
    if place is not None and is_directory(invocation, place):
        found = [os.path.join(place, path) for path in found if path != place] or [place]
    return only(found, "path")


def is_directory(invocation: Invocation, path: str) -> bool:
    """Say whether a text is the name of a directory of the workspace, and not of a file or a pattern."""
    return sayable(path) and "*" not in path and "\0" not in path and os.path.isdir(invocation.workspace / path)


def described(invocation: Invocation, *nouns: str) -> list[str]:
    """Return the words by which an intent narrows down its object: "count the empty lines" wants not all of them.

    What stands between the verb and the first of the *nouns* counts, articles and "all" aside.
    """
    read = [token.plain for token in said(invocation)]
    places = [place for place, word in enumerate(read) if word in nouns]
    between = read[1 : places[0]] if places else []
    return [word for word in between if word not in _NOT_NAMES and word not in _WHOLE]


_WHOLE = frozenset(("all", "every", "each", "of", "number", "total", "for", "me", "one", "single", "")) | {
    *("many", "up", "its", "their", "my", "our", "your", "his", "her", "it", "them"),
}


def named_in(invocation: Invocation) -> str | None:
    """Return the place that an intent names with "in", "under", "below" or "inside"."""
    leads = ("in", "under", "below", "inside", "within")
    read = said(invocation)
    for place, token in enumerate(read):
        rest = [other for other in read[place + 1 :] if other.plain not in _NOT_NAMES]
        if token.plain in leads and rest and rest[0].kind in ("word", "path", "quoted", "code"):
            return rest[0].text
    return None


def only(found: list[str], name: str) -> Fields:
    """Return the one thing that was found as a field; several are a mistake, as nobody knows which is meant."""
    distinct = list(dict.fromkeys(found))
    if len(distinct) > 1:
        raise InputError(f"the intent names more than one {name}: {', '.join(distinct[:3])}", fix="give an argument")
    return {name: distinct[0]} if distinct else {}


def said(invocation: Invocation) -> list[Token]:
    """Return the tokens of the intent."""
    return list(tokens(invocation.intent[:_LONGEST_INTENT]))


_NOT_NAMES = frozenset(
    {"the", "a", "an", "this", "that", "these", "those", "my", "our", "your", "it"}
    | {"file", "files", "directory", "folder", "text", "workspace", "project"}
)


def _after(invocation: Invocation, leads: tuple[str, ...]) -> Iterator[Token]:
    """Yield words that stand where the name of a file is said: "hash file x", "list the files in src"."""
    read = said(invocation)
    for lead, token in pairwise(read):
        if lead.plain in leads and token.kind in ("word", "quoted", "code") and token.plain not in _NOT_NAMES:
            yield token
            return
