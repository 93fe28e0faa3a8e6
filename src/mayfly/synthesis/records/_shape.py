"""Turn templates into shapes, and shapes into patterns that read a line in one pass."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import cast, get_args

from mayfly.language.question import level_values
from mayfly.synthesis.records import _times
from mayfly.synthesis.records._model import Fixed, Part, Shape, Slot, Style
from mayfly.synthesis.records._numbers import INTEGER, NUMBER
from mayfly.synthesis.records._text import escape, other_signs

REQUEST_FIELDS = ("method", "path", "protocol")
_QUOTED = r'[^"\\]*(?:\\.[^"\\]*)*'
_SIMPLE: dict[str, str] = {
    "word": r"\S+",
    "quoted": _QUOTED,
    "request": _QUOTED,
    "int": INTEGER,
    "float": NUMBER,
    "code": "[0-9]{3}",
    "letters": "[A-Za-z]+",
    "rest": ".*",
}
_PIECE = re.compile(r"\{(?P<name>\w*):(?P<style>[a-z]+)(?:=(?P<more>(?:[^{}]|\{[0-9,]+\})+))?\}|(?P<tail>\{tail\})")


def fixed_pattern(text: str) -> str:
    """Return the pattern of fixed text; two spaces stand for one or more, three for any number of them."""
    runs = {"  ": " +", "   ": " *"}
    return "".join(runs.get(run) or escape(run) for run in re.split("(   |  )", text) if run)


def slot_pattern(slot: Slot, following: str) -> str:
    """Return the pattern of a value, which ends where *following* begins."""
    if slot.style == "time":
        body = _times.regex(slot.layout)
    elif slot.style == "class":
        body = f"[{slot.layout}]{'*' if slot.optional else '+'}"
    elif slot.style == "regex":
        body = slot.layout
    elif slot.style in ("upto", "text"):
        body = _until(slot.style, following)
    else:
        body = _SIMPLE[slot.style]
    return f"(?:{body}|-?)" if slot.optional and slot.style in ("int", "float", "code", "time") else body


def _until(style: Style, following: str) -> str:
    if not following:
        return ".*"
    if style == "upto":
        return f"{other_signs(following.lstrip(' ')[:1] or following[0])}*"
    return f"(?:(?!{fixed_pattern(following)}).)*"


def following(parts: tuple[Part, ...], index: int) -> str:
    """Return the fixed text right after the part at *index*, if there is some."""
    after = parts[index + 1] if index + 1 < len(parts) else None
    return after.text if isinstance(after, Fixed) else ""


def slots(parts: Iterable[Part]) -> Iterator[Slot]:
    """Yield every place of a value, in order."""
    yield from (part for part in parts if isinstance(part, Slot))


def groups(shape: Shape) -> tuple[str, ...]:
    """Return the names of the values a line of this shape holds."""
    return tuple(slot.name for slot in slots(shape.parts) if slot.name)


@cache
def compiled(shape: Shape) -> re.Pattern[str]:
    """Return the compiled pattern of a whole line, with a named group for each field."""
    pattern = ""
    for place, part in enumerate(shape.parts):
        if isinstance(part, Fixed):
            pattern += fixed_pattern(part.text)
            continue
        body = slot_pattern(part, following(shape.parts, place))
        pattern += f"(?P<{part.name}>{body})" if part.name else f"(?:{body})"
    return re.compile(pattern)


def parse_template(template: str, layout: str) -> tuple[tuple[Part, ...], bool]:
    """Read a template; *layout* is how its moments are written. Also return whether it ends in a learned tail."""
    parts: list[Part] = []
    tail = False
    at = 0
    for found in _PIECE.finditer(template):
        if found.start() > at:
            parts.append(Fixed(template[at : found.start()]))
        at = found.end()
        if found["tail"]:
            tail = True
        else:
            parts.append(_slot(found["name"], found["style"], found["more"] or "", layout))
    if at < len(template):
        parts.append(Fixed(template[at:]))
    return tuple(parts), tail


def _slot(name: str, style: str, more: str, layout: str) -> Slot:
    known = {"size": "int", "level": "letters"}.get(style, style)
    if known not in get_args(Style):
        raise ValueError(f"there is no style {style!r}")
    return Slot(
        name=name, style=cast("Style", known), layout=layout if style == "time" else more, optional=style == "size"
    )


def template_times(template: str, times: dict[str, list[str]]) -> list[str]:
    """Return the layouts a template's moments may have; one empty layout if it has none."""
    found = re.search(r":time=(\w+)\}", template)
    return times[found[1]] if found else [""]


def has_level(template: str) -> bool:
    """Whether the template holds a level, which has to be a known one."""
    return ":level}" in template


def is_level(text: str) -> bool:
    """Whether *text* is what some log calls a level."""
    return text.lower() in level_values()
