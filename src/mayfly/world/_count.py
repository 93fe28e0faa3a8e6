"""Count what a file, a text or a list holds."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from mayfly.core import Capability, InputError, Invocation
from mayfly.world._paths import reading, root_of
from mayfly.world._read import asks_for_path, blocks_of, content_of
from mayfly.world._schemas import COUNT, takes, takes_file_or_text

_READ = ("fs:workspace",)


def count_capabilities(largest: int) -> tuple[Capability, ...]:
    """Return what counts; words and characters are counted in files of up to *largest* bytes."""
    return (
        Capability(
            name="count_lines",
            summary="Count the lines of one file or of a text; a last line without an end counts too.",
            input_schema=takes_file_or_text(),
            output_schema=COUNT,
            does=(("count", "line"),),
            grants=_READ,
            call=_count_lines,
            asks=asks_for_path,
            check=_same_lines,
            proves="counting line by line gives the same number",
        ),
        *(_counter(name, one, count, recount, largest) for name, one, count, recount in _COUNTED),
        Capability(
            name="count_items",
            summary="Count the items of a list, or the entries of a record.",
            input_schema=takes("items", items={"type": ["array", "object"]}),
            output_schema=COUNT,
            does=(("count", "item"),),
            call=lambda call: len(call.arguments["items"]),
            check=lambda call, value: value == sum(1 for _ in call.arguments["items"]),
            proves="going through them one by one gives the same number",
            quick=True,
            steady=True,
        ),
    )


def _counter(
    name: str, one: str, count: Callable[[str], int], recount: Callable[[str], int], largest: int
) -> Capability:
    return Capability(
        name=name,
        summary=f"Count the {one}s of one file or of a text.",
        input_schema=takes_file_or_text(),
        output_schema=COUNT,
        does=(("count", one),),
        grants=_READ,
        call=lambda call: count(content_of(call, largest)),
        asks=asks_for_path,
        check=lambda call, value: type(value) is int and recount(content_of(call, largest)) == value,
        proves=f"counting the {one}s in another way gives the same number",
    )


def _count_lines(call: Invocation) -> int:
    count, last = 0, b"\n"
    for block in blocks_of(call):
        if b"\0" in block:
            raise InputError(f"{call.arguments.get('path', 'the text')} is not a text file: it holds null bytes")
        count += block.count(b"\n")
        last = block[-1:] or last
    return count + (last != b"\n")


def _same_lines(call: Invocation, value: object) -> bool:
    if "text" in call.arguments:
        lines = call.arguments["text"].split("\n")
        return type(value) is int and value == len(lines) - (lines[-1] == "")
    with reading(root_of(call), call.arguments["path"]) as file:
        return type(value) is int and sum(1 for _ in file) == value


def _matches(pattern: str, text: str) -> int:
    return sum(1 for _ in re.finditer(pattern, text))


_COUNTED: tuple[tuple[str, str, Callable[[str], int], Callable[[str], int]], ...] = (
    ("count_words", "word", lambda text: len(text.split()), partial(_matches, r"\S+")),
    ("count_characters", "character", len, partial(_matches, r"(?s).")),
)
