"""Values and texts in one short line, whoever made them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import islice

from mayfly.core._same import is_sequence

# About a line and a half of a terminal: enough to recognise a value by.
SHOWN = 200
# Digits of a whole number are written up to here; Python itself refuses to write more than 4,300 of them.
_MOST_BITS = 2_000
# Deeper than this nobody can count the brackets.
_DEEPEST = 20
# What a terminal obeys instead of showing it, and what turns the direction of a text around.
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def shown(value: object, limit: int = SHOWN) -> str:
    """Write *value* as Python would, in one line of at most *limit* characters.

    Nothing of a stranger's is called: what is not plain data is named by its type, and no more of a value is looked at
    than there is room for.
    """
    text = ""
    for piece in _pieces(value, limit, 0):
        text += piece
        if len(text) > limit:
            break
    return clipped(text, limit)


def clipped(text: str, limit: int, *, mark: str = "…") -> str:
    """Return *text* in at most *limit* characters, ending in *mark* where something is missing."""
    return text if len(text) <= limit else text[: max(0, limit - len(mark))] + mark


def harmless(text: str) -> str:
    """Show control characters instead of obeying them."""
    return CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}" if ord(found[0]) < 256 else "\ufffd", text)


def json_text(value: object, *, ascii: bool = False, indent: int | None = None) -> str:
    """Write *value* as readable JSON without control characters; a sequence that lies on disk as its list.

    With *ascii* every other character is escaped, for who cannot show them.
    """
    text = json.dumps(value, ensure_ascii=ascii, indent=indent, default=_as_list)
    return CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _as_list(value: object) -> object:
    if isinstance(value, Sequence):
        return list(value)
    raise TypeError(f"{type(value).__name__} is not JSON")


def utf8(text: str) -> str:
    """Return *text* without halves of surrogate pairs, which UTF-8 cannot hold."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def one_line(text: str, *, limit: int = 2000) -> str:
    """Join the lines of *text*, show its control characters, and cut it where it stops being readable."""
    joined = harmless(" ".join(text.split()))
    return joined if len(joined) <= limit else joined[:limit] + " ..."


def _pieces(value: object, limit: int, depth: int) -> Iterator[str]:
    if type(value) is str or type(value) is bytes:
        yield repr(value[: limit + 1])
    elif value is None or type(value) in (bool, float) or (type(value) is int and value.bit_length() <= _MOST_BITS):
        yield repr(value)
    elif depth < _DEEPEST and (type(value) is list or type(value) is tuple):
        yield from _listed(value, limit, depth)
    elif depth < _DEEPEST and type(value) is dict:
        yield from _mapped(value, limit, depth)
    elif is_sequence(value) and isinstance(value, Sequence):
        yield f"{len(value)} items"
    else:
        yield f"a {type(value).__name__}"


def _listed(value: Sequence[object], limit: int, depth: int) -> Iterator[str]:
    start, end = ("[", "]") if type(value) is list else ("(", ",)" if len(value) == 1 else ")")
    yield start
    # Every item takes at least three characters with the comma and the blank before it.
    for number, item in enumerate(islice(value, limit // 3 + 2)):
        yield ", " if number else ""
        yield from _pieces(item, limit, depth + 1)
    yield end


def _mapped(value: dict[object, object], limit: int, depth: int) -> Iterator[str]:
    yield "{"
    for number, (key, item) in enumerate(islice(value.items(), limit // 6 + 2)):
        yield ", " if number else ""
        yield from _pieces(key, limit, depth + 1)
        yield ": "
        yield from _pieces(item, limit, depth + 1)
    yield "}"
