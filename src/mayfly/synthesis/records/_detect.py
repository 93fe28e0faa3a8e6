"""Find out what the lines of a sample are: objects, tables, pairs, a known log, or a shape to be learned."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import takewhile

from mayfly.synthesis.records import _align, _kinds, _known, _mask, _naming, _shape
from mayfly.synthesis.records._blocks import detect_blocks
from mayfly.synthesis.records._cells import LOGFMT, is_continued, pairs_of
from mayfly.synthesis.records._found import with_found
from mayfly.synthesis.records._model import Field, Fixed, Format, Shape
from mayfly.synthesis.records._objects import detect_json_lines, detect_objects
from mayfly.synthesis.records._outside import is_title, joined, without_last_paragraph, without_remarks
from mayfly.synthesis.records._regular import with_regularity
from mayfly.synthesis.records._spaced import detect_ruled, detect_spaced
from mayfly.synthesis.records._tables import detect_delimited, detect_w3c
from mayfly.synthesis.records._text import lines_of

LEARNED_FROM = 400
# Longer lines are no records that a shape could be learned from.
LONGEST = 5000
MOST_SHAPES = 3
MOST_FIELDS = 60
ENOUGH = 0.6
# Without a number or a moment that every line has, lines are a format only if nearly all of them fit.
PROSE = 0.97
# So many lines above learned ones may be titles; more of them are lines of another kind.
MOST_LEARNED_TITLES = 3
# A shape with the fields that its pieces were named.
_Learned = tuple[Shape, tuple[Field, ...]]


def detect(sample: Sequence[object]) -> Format:
    """Return the format of a sample of lines or objects; lines nothing is known about are plain text."""
    lines = lines_of(sample)
    if lines is None:
        return detect_objects(sample)
    filled = [line for line in lines if line.strip()]
    if filled and (blocks := detect_blocks(lines)) is not None:
        return blocks
    steps = (
        detect_json_lines,
        detect_w3c,
        detect_ruled,
        _logged,
        _pairs,
        detect_delimited,
        detect_spaced,
        _learned_lines,
    )
    for step in steps:
        if filled and (found := step(filled)) is not None:
            return with_found(with_regularity(found, lines), lines)
    if (body := without_last_paragraph(lines)) and (found := detect_spaced(body)) is not None:
        return found
    fields = (Field(name="text", role="message"),)
    return with_found(Format(name="text", kind="plain", fields=fields), filled)


def _logged(lines: Sequence[str]) -> Format | None:
    """Recognise a log that everybody writes, with remarks between its lines."""
    return _between_remarks(_known.detect, lines)


def _learned_lines(lines: Sequence[str]) -> Format | None:
    """Learn the shape of unknown lines, with remarks between them and perhaps a title above."""
    above = list(takewhile(is_title, lines))
    above = above if len(above) <= MOST_LEARNED_TITLES else []
    found = _between_remarks(_learned, lines[len(above) :])
    if found is None:
        return None
    shapes = [_shape.compiled(shape) for shape in found.shapes]
    titles = [re.escape(line) for line in above if not any(shape.fullmatch(line) for shape in shapes)]
    return replace(found, passed=joined([*titles, found.passed]))


def _between_remarks(step: Callable[[Sequence[str]], Format | None], lines: Sequence[str]) -> Format | None:
    """Take a step without the lines that are remarks, and let these be passed."""
    kept, remarks = without_remarks(lines)
    found = step(kept)
    return found and replace(found, passed=joined([found.passed, remarks]))


def _pairs(lines: Sequence[str]) -> Format | None:
    """Recognise lines of pairs key=value and nothing else."""
    plain = [line for line in lines if not line.startswith("#")]
    fitting = [line for line in plain if line.count("=") > 1 and not LOGFMT.sub("", line).strip()]
    if not fitting or len(fitting) < len(plain) * 0.8:
        return None
    fields = _kinds.describe_pairs([pairs_of(line, LOGFMT) for line in fitting], partial=True)
    return Format(
        name="key=value lines",
        kind="pairs",
        fields=tuple(fields[:MOST_FIELDS]),
        passed="#.*" if len(plain) < len(lines) else "",
        words=frozenset({"logfmt", "key", "pair", "log"}),
    )


def _learned(lines: Sequence[str]) -> Format | None:
    """Learn the shape of unknown lines, all as one or as up to three shapes, whichever explains more."""
    heads = [line for line in lines if not is_continued(line)]
    if len(lines) * ENOUGH > len(heads):
        return _learned_from(lines)
    found = _learned_from(heads)
    dated = found is not None and any(one.kind == "time" for one in found.fields)
    if len(heads) == len(lines) or (found is not None and dated):
        return found and replace(found, continued=len(lines) - len(heads))
    return _learned_from(lines)


def _learned_from(lines: Sequence[str]) -> Format | None:
    likely = [line for line in lines if len(line) < LONGEST]
    probe = likely[:: max(1, len(likely) // LEARNED_FROM)][:LEARNED_FROM]
    if not probe:
        return None
    groups = _mask.clusters(probe)
    frequent = [group for group in groups if len(group) >= max(2, len(probe) // 20)][:MOST_SHAPES]
    rivals = [_shapes([probe], lines), _shapes(frequent[:1], lines), _shapes(frequent, lines)]
    if (
        rivals[0]
        and rivals[0].fitted == len(lines)
        and _telling(rivals[0])
        and not _richer(rivals[2], rivals[0], frequent, probe, len(lines))
    ):
        return rivals[0]
    # A shape that fits everything and tells nothing does not stand in the way of one that leaves a title over. Running
    # text has shapes too, but few lines share one.
    good = [one for one in rivals if one and one.fitted >= max(1, len(lines) * (ENOUGH if _is_firm(one) else PROSE))]
    return max(filter(_telling, good), key=lambda one: _merit(one, len(lines)), default=None)


def _is_firm(found: Format) -> bool:
    """Whether every line has a value that is no text."""
    return any(field.kind != "text" and not field.optional for field in found.fields)


def _richer(
    several: Format | None, whole: Format, groups: Sequence[Sequence[str]], probe: Sequence[str], total: int
) -> bool:
    """Whether a few shapes, each with a good part of the lines, say clearly more about them than one shape does."""
    if several is None or len(several.shapes) < 2 or any(len(group) * 7 < len(probe) for group in groups):
        return False
    return several.fitted >= PROSE * total and len(several.fields) >= len(whole.fields) + 2


def _merit(found: Format, total: int) -> float:
    return found.fitted / total * (4 + min(len(found.fields), 10)) - 0.5 * len(found.shapes)


def _telling(found: Format) -> bool:
    if _is_prose(found):
        return False
    return len(found.fields) > 1 or any(field.kind != "text" for field in found.fields)


def _is_prose(found: Format) -> bool:
    """Say whether lines only share that there is some text in them, with now and then something else."""
    loose = any(slot.style in ("rest", "text") for shape in found.shapes for slot in _shape.slots(shape.parts))
    return loose and not _is_firm(found)


def _shapes(groups: Sequence[Sequence[str]], lines: Sequence[str]) -> Format | None:
    """Return the format of lines by the shapes of some groups of them; None where nothing can be learned."""
    learned = _useful(_learned_shapes(groups), lines)
    shapes = [shape for shape, _ in learned]
    if not shapes:
        return None
    fitted = sum(any(_shape.compiled(shape).fullmatch(line) for shape in shapes) for line in lines)
    return Format(
        name="learned lines",
        kind="pattern",
        fields=_naming.fields_of_shapes([found for _, found in learned]),
        shapes=tuple(shapes),
        fitted=fitted,
    )


def _learned_shapes(groups: Sequence[Sequence[str]]) -> list[_Learned]:
    """Learn one shape from each group of lines, each once."""
    learned: list[_Learned] = []
    for group in groups:
        shape, found = _naming.name_pieces(_align.learn([line.strip(" ") for line in group]))
        if any(line[0] == " " or line[-1] == " " for line in group):
            shape = Shape((Fixed("   "), *shape.parts, Fixed("   ")))
        if found and shape not in [known for known, _ in learned]:
            learned.append((shape, found))
    return learned


def _useful(learned: Sequence[_Learned], lines: Sequence[str]) -> list[_Learned]:
    """Leave out a shape that fits only what an earlier one fits too: its columns would not have a single value."""
    taken = [[bool(_shape.compiled(shape).fullmatch(line)) for line in lines] for shape, _ in learned]
    firsts = {next((at for at, fits in enumerate(row) if fits), -1) for row in zip(*taken, strict=True)}
    return [one for at, one in enumerate(learned) if at in firsts]
