"""Recognise the logs everybody writes, from a table of templates."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, cached_property
from importlib.resources import files
from typing import Any

from mayfly.synthesis.records import _align, _kinds, _naming, _shape, _times
from mayfly.synthesis.records._cells import is_continued
from mayfly.synthesis.records._model import Field, Fixed, Format, Kind, Numeral, Part, Shape, Slot

ENOUGH = 0.6
# Moments stand so near the beginning of lines.
LONGEST_HEAD = 120
# The signs that a listing begins with, and what they stand for.
FILES = (("-", "file"), ("d", "directory"), ("l", "link"), ("b", "device"), ("c", "device"), ("p", "pipe"))


class Candidate:
    """One way a known log can be written; there are hundreds, so its pattern is made when a line might fit it."""

    def __init__(self, log: int, parts: tuple[Part, ...], *, tail: bool, level: bool, layout: str) -> None:
        self.log = log
        self.layout = layout
        self.parts = parts
        self.tail = tail
        self._level = level
        # What stands in every line that fits: the fixed texts, cut where any number of spaces may be.
        fixed = (run for part in parts if isinstance(part, Fixed) for run in re.split("   |  ", part.text))
        self._words = tuple(dict.fromkeys(run for run in fixed if run))

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return _shape.compiled(Shape((*self.parts, Slot(name="", style="rest"))) if self.tail else Shape(self.parts))

    def might_fit(self, line: str) -> bool:
        """Whether *line* holds every fixed text."""
        return all(word in line for word in self._words)

    def fits(self, line: str) -> bool:
        """Whether *line* is written in this way."""
        found = self._pattern.fullmatch(line) if self.might_fit(line) else None
        return found is not None and (not self._level or _shape.is_level(found["level"]))


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath("formats.toml").read_text(encoding="utf-8"))


@cache
def _candidates() -> tuple[Candidate, ...]:
    table = _table()
    found = []
    for number, log in enumerate(table["format"]):
        for template in log["templates"]:
            for layout in _shape.template_times(template, table["times"]):
                parts, tail = _shape.parse_template(template, layout)
                found.append(Candidate(number, parts, tail=tail, level=_shape.has_level(template), layout=layout))
    return tuple(found)


def detect(lines: Sequence[str]) -> Format | None:
    """Return the known log that most lines belong to; lines that continue the one above do not count."""
    heads = [line for line in lines if line.strip() and not is_continued(line)]
    if not heads:
        return None
    probe = heads[:: max(1, len(heads) // 120)]
    first = _most_fitting(probe)
    if first is None:
        return None
    chosen = _cover(heads, [first, *(one for one in _candidates() if one.log == first.log and one is not first)])
    return _format(lines, heads, first.log, chosen)


def _most_fitting(lines: Sequence[str]) -> Candidate | None:
    """Return the candidate that most lines fit, the first of several; one that cannot be it is not tried."""
    best, chosen = 0, None
    layouts = {one.layout for one in _candidates()}
    seen = {one for one in layouts if any(_times.compiled(one).search(line[:LONGEST_HEAD]) for line in lines)}
    for candidate in _candidates():
        if best == len(lines):
            break
        if candidate.layout not in seen:
            continue
        possible = [line for line in lines if candidate.might_fit(line)]
        if len(possible) > best:
            number = sum(map(candidate.fits, possible))
            best, chosen = (number, candidate) if number > best else (best, chosen)
    return chosen


def _cover(lines: Sequence[str], candidates: Sequence[Candidate]) -> list[tuple[Candidate, list[str]]]:
    """Take up to three candidates, each for the lines that those before it leave over."""
    left = list(lines)
    chosen: list[tuple[Candidate, list[str]]] = []
    for candidate in candidates:
        fitting = [line for line in left if candidate.fits(line)]
        if fitting and len(chosen) < 3 and (not chosen or len(fitting) >= max(1, len(lines) // 200)):
            chosen.append((candidate, fitting))
            taken = set(fitting)
            left = [line for line in left if line not in taken]
    return chosen


def _format(
    lines: Sequence[str], heads: Sequence[str], log: int, chosen: list[tuple[Candidate, list[str]]]
) -> Format | None:
    fitted = sum(len(fitting) for _, fitting in chosen)
    if fitted < len(heads) * ENOUGH:
        return None
    table = _table()["format"][log]
    if table.get("strict") and fitted < len(heads):
        return None
    made = [_with_tail(candidate, fitting) for candidate, fitting in chosen]
    blank = sum(1 for line in lines if not line.strip())
    return Format(
        name=table["name"],
        kind="pattern",
        record=table.get("record", "Record"),
        fields=_naming.fields_of_shapes([fields for _, fields in made]),
        shapes=tuple(shape for shape, _ in made),
        continued=len(lines) - blank - len(heads),
        passed=table.get("passed", ""),
        words=frozenset(table["words"]),
    )


def _with_tail(candidate: Candidate, lines: Sequence[str]) -> tuple[Shape, list[Field]]:
    """Make the final shape: what stands behind the known part is learned from the lines."""
    parts = candidate.parts
    fields = _fields(candidate, lines)
    if not candidate.tail:
        return _divided(parts, fields, lines)
    pattern = _shape.compiled(Shape(parts))
    tails = [line[found.end() :] for line in lines if (found := pattern.match(line))]
    learned, more = _learn_tail(tails, fields)
    return Shape((*parts, *learned)), [*fields, *more]


def _divided(parts: tuple[Part, ...], fields: list[Field], lines: Sequence[str]) -> tuple[Shape, list[Field]]:
    """Cut a message further where the bar before it stands equally often in every message: these are columns."""
    *head, before, last = parts
    whole = Shape(parts), fields
    if not isinstance(last, Slot) or not isinstance(before, Fixed) or before.text.strip() != "|" or not last.name:
        return whole
    found = [match[last.name] for line in lines if (match := _shape.compiled(Shape(parts)).match(line))]
    if len({text.count("|") for text in found}) != 1 or "|" not in found[0]:
        return whole
    kept = [field for field in fields if field.name != last.name]
    learned = _learned(found, kept)
    return (Shape((*head, before, *learned[0].parts)), [*kept, *learned[1]]) if learned else whole


def _learned(texts: Sequence[str], taken: Sequence[Field]) -> tuple[Shape, tuple[Field, ...]] | None:
    """Return the shape that all of some texts have, with its fields beside those *taken*; None without such."""
    shape, fields = _naming.name_pieces(_align.learn(texts), [field.name for field in taken])
    pattern = _shape.compiled(shape)
    return (shape, fields) if fields and all(pattern.fullmatch(text) for text in texts) else None


def _learn_tail(tails: Sequence[str], taken: Sequence[Field]) -> tuple[tuple[Part, ...], list[Field]]:
    apart = all(tail.startswith(" ") and tail.strip() for tail in tails)
    learned = _learned([tail[1:].rstrip() for tail in tails], taken) if apart else None
    if learned is None:
        return (Slot(name="", style="rest"),), []
    shape, fields = learned
    parts: tuple[Part, ...] = (Fixed(" "), *shape.parts)
    bare = next((field for field in fields if field.name == "number" and field.kind == "float"), None)
    if bare is None:
        return parts, [*fields]
    # A bare fraction behind an access log is nearly always how long the request took.
    took = replace(bare, name="request_time", role="duration", unit="s")
    named = [replace(one, name=took.name) if isinstance(one, Slot) and one.name == bare.name else one for one in parts]
    return tuple(named), [took if field is bare else field for field in fields]


def _fields(candidate: Candidate, lines: Sequence[str]) -> list[Field]:
    pattern = _shape.compiled(Shape(candidate.parts))
    found = [match for line in lines if (match := pattern.match(line))]
    fields: list[Field] = []
    for slot in _shape.slots(candidate.parts):
        texts = [match[slot.name] for match in found] if slot.name else []
        if slot.style == "request":
            fields.extend(_naming.request_fields(texts, []))
        elif slot.name:
            fields.append(_describe(slot, texts))
    return fields


def _describe(slot: Slot, texts: Sequence[str]) -> Field:
    field = _kinds.describe(slot.name, texts)
    optional = field.optional or slot.optional or slot.name in ("user", "referer", "user_agent")
    if slot.style == "int":
        return replace(field, kind="int", layout="", optional=optional)
    if slot.style == "code":
        return replace(field, kind="int", layout="", optional=False)
    if slot.style == "float":
        return replace(field, kind="float", layout="")
    if slot.style == "time":
        return replace(field, kind="time", layout=slot.layout, role="timestamp")
    if slot.name == "type" and {*texts} <= dict(FILES).keys():
        return replace(
            field, kind="text", values=tuple(dict(FILES)[text] for text in dict.fromkeys(texts)), meanings=FILES
        )
    if slot.style == "regex":
        return replace(field, optional=optional)
    moment = field.kind == "time"
    layout = field.layout if moment else ""
    kind: Kind = "time" if moment else "text"
    return _kinds.in_lines(replace(field, kind=kind, layout=layout, numeral=Numeral(), optional=optional), texts)
