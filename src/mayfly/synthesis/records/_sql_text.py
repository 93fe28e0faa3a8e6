"""Write values, names and clauses as SQL, and SQL as Python source, so that nothing in them can break out."""

from __future__ import annotations

import pprint
import re
import textwrap
from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import groupby

# Longer lines of SQL are broken; with their place in the program they stay within 120 columns.
WIDTH = 98
_PIECE = 80
INDENT = "    "
# What is no name without quotes in DuckDB: its keywords of the categories reserved and type_function.
_KEYWORDS = """
all analyse analyze and anti any array as asc asof asymmetric at authorization binary both by case cast check
collate collation column columns concurrently constraint create cross default deferrable desc describe distinct do
else end except false fetch for foreign freeze from full generated glob group having ilike in initially inner
intersect into is isnull join lambda lateral leading left like limit map natural not notnull null offset on only or
order outer overlaps pivot pivot_longer pivot_wider placing positional primary qualify references returning right
select semi show similar some struct summarize symmetric table tablesample then to trailing true try_cast tuple
union unique unpack unpivot using variadic verbose when where window with
"""
_RESERVED = frozenset(_KEYWORDS.split())


def literal(value: object) -> str:
    """Return a value as an SQL literal; signs that cannot be printed are written as calls of `chr`."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, datetime):
        return f"TIMESTAMP '{value.isoformat(' ').removesuffix(' 00:00:00')}'"
    parts: list[str] = []
    for printable, signs in groupby(str(value), str.isprintable):
        run = "".join(signs)
        parts += [quoted(run)] if printable else [f"chr({_code(sign)})" for sign in run]
    return f"({' || '.join(parts)})" if len(parts) > 1 else parts[0] if parts else "''"


def _code(sign: str) -> int:
    # Half of a surrogate pair is no character, and no text in DuckDB can hold it.
    return 0xFFFD if 0xD800 <= ord(sign) < 0xE000 else ord(sign)


def quoted(text: str) -> str:
    """Return printable text in single quotes; long text is broken, since neighbouring literals are one."""
    whole = "'" + text.replace("'", "''") + "'"
    if len(whole) <= WIDTH:
        return whole
    pieces = [text[at : at + _PIECE] for at in range(0, len(text), _PIECE)]
    return "\n".join("'" + piece.replace("'", "''") + "'" for piece in pieces)


def broken(pieces: Sequence[str]) -> str:
    """Return a text as a literal of as many lines as it needs, each of them whole *pieces* where these fit."""
    lines = [""]
    for piece in pieces:
        if lines[-1] and len(lines[-1]) + len(piece) > _PIECE:
            lines.append("")
        lines[-1] += piece
    text = "".join(pieces)
    fits = text.isprintable() and max(map(len, lines)) + 2 <= WIDTH
    return "\n".join("'" + line.replace("'", "''") + "'" for line in lines) if fits else literal(text)


def identifier(name: str) -> str:
    """Return a printable name as SQL, in quotes where it cannot stand without them."""
    plain = re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", name) and name.lower() not in _RESERVED
    return name if plain else '"' + name.replace('"', '""') + '"'


def free_name(text: str, taken: Iterable[str]) -> str:
    """Return a printable name that differs from all *taken* ones, for which case does not count."""
    name = "".join(sign if sign.isprintable() else "_" for sign in text).strip() or "column"
    known = {one.casefold() for one in taken}
    number, found = 2, name
    while found.casefold() in known:
        found, number = f"{name}_{number}", number + 1
    return found


def clause(word: str, items: Sequence[str]) -> str:
    """Return a clause of a statement, on one line where it fits."""
    whole = f"{word} {', '.join(items)}"
    if len(items) == 1 or (len(whole) <= WIDTH and "\n" not in whole):
        return whole
    return f"{word}\n{textwrap.indent(filled(items), INDENT)}"


def filled(items: Sequence[str]) -> str:
    """Return items with commas between them, as many on a line as fit."""
    lines = [""]
    for place, item in enumerate(items):
        text = item + ("," if place < len(items) - 1 else "")
        if lines[-1] and ("\n" in text or "\n" in lines[-1] or len(lines[-1]) + len(text) >= WIDTH):
            lines.append(text)
        else:
            lines[-1] = f"{lines[-1]} {text}".strip(" ")
    return "\n".join(lines)


def call(name: str, items: Sequence[str]) -> str:
    """Return a call of a function, on one line where it fits."""
    whole = f"{name}({', '.join(items)})"
    if len(whole) <= WIDTH and "\n" not in whole:
        return whole
    return f"{name}(\n{textwrap.indent(filled(items), INDENT)}\n)"


def joined(word: str, conditions: Sequence[str]) -> str:
    """Return conditions with a word between them, on one line where they fit."""
    whole = f" {word} ".join(conditions)
    return whole if len(whole) <= WIDTH and "\n" not in whole else f"\n{word} ".join(conditions)


def python_string(sql: str, indent: str) -> str:
    """Return a statement as a Python string of several lines, each of them indented."""
    body = f"\n{sql}\n"
    if '"""' in body or not all(line.isprintable() for line in body.split("\n")):
        return repr(sql)
    return f'{"r" if chr(92) in body else ""}"""{textwrap.indent(body, indent)}{indent}"""'


def in_python(value: object) -> str:
    """Return Python source for a value, strings in double quotes."""
    if isinstance(value, str):
        plain = '"' not in value and "\\" not in value and value.isprintable()
        return f'"{value}"' if plain else repr(value)
    if isinstance(value, tuple):
        inner = ", ".join(map(in_python, value))
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if isinstance(value, list):
        return f"[{', '.join(map(in_python, value))}]"
    if isinstance(value, frozenset):
        return f"frozenset({{{', '.join(map(in_python, sorted(value)))}}})"
    return pprint.pformat(value)
