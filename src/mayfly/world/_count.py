"""Count what a file, a text or a list holds."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from mayfly.core import InputError, Invocation
from mayfly.world._declare import COUNT, Declared, takes, takes_file_or_text, tool
from mayfly.world._paths import reading, root_of
from mayfly.world._read import blocks_of, content_of, reader


def _counter(name: str, one: str, count: Callable[[str], int], recount: Callable[[str], int]) -> Declared:
    def count_in(largest: int, call: Invocation) -> int:
        return count(content_of(call, largest))

    count_in.__doc__ = f"Count the {one}s of one file or of a text."
    return reader(
        takes_file_or_text(),
        name=name,
        output_schema=COUNT,
        does=(("count", one),),
        check=lambda largest, call, value: type(value) is int and recount(content_of(call, largest)) == value,
        proves=f"counting the {one}s in another way gives the same number",
    )(count_in)


@tool(
    takes("items", items={"type": ["array", "object"]}),
    output_schema=COUNT,
    does=(("count", "item"),),
    check=lambda call, value: value == sum(1 for _ in call.arguments["items"]),
    proves="going through them one by one gives the same number",
    quick=True,
    steady=True,
)
def count_items(call: Invocation) -> int:
    """Count the items of a list, or the entries of a record."""
    return len(call.arguments["items"])


def _same_lines(_: int, call: Invocation, value: object) -> bool:
    if "text" in call.arguments:
        lines = call.arguments["text"].split("\n")
        return type(value) is int and value == len(lines) - (lines[-1] == "")
    with reading(root_of(call), call.arguments["path"]) as file:
        return type(value) is int and sum(1 for _ in file) == value


@reader(
    takes_file_or_text(),
    output_schema=COUNT,
    does=(("count", "line"),),
    check=_same_lines,
    proves="counting line by line gives the same number",
)
def count_lines(_: int, call: Invocation) -> int:
    """Count the lines of one file or of a text; a last line without an end counts too."""
    count, last = 0, b"\n"
    for block in blocks_of(call):
        if b"\0" in block:
            raise InputError(f"{call.arguments.get('path', 'the text')} is not a text file: it holds null bytes")
        count += block.count(b"\n")
        last = block[-1:] or last
    return count + (last != b"\n")


def _matches(pattern: str, text: str) -> int:
    return sum(1 for _ in re.finditer(pattern, text))


COUNTERS = (
    _counter("count_words", "word", lambda text: len(text.split()), partial(_matches, r"\S+")),
    _counter("count_characters", "character", len, partial(_matches, r"(?s).")),
)
