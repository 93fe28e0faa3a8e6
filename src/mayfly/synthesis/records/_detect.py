"""Find out what the lines of a sample are: objects, tables, pairs, a known log, or a shape to be learned."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from mayfly.synthesis.records import _align, _kinds, _known, _mask, _naming, _shape
from mayfly.synthesis.records._model import Field, Format, Shape
from mayfly.synthesis.records._text import lines_of

LEARNED_FROM = 400
MOST_SHAPES = 3
MOST_FIELDS = 60
MOST_COLUMNS = 300
ENOUGH = 0.6
# So many lines of a table have to be as wide as most of them are; what the others hold is said, not guessed.
ENOUGH_ROWS = 0.6
PAIR = r'(?<!\S)([A-Za-z_@][\w.@-]*)=(?:"([^"\\]*(?:\\.[^"\\]*)*)"|(\S*))'
_PAIR = re.compile(PAIR)


def detect(sample: Sequence[object]) -> Format:
    """Return the format of a sample of lines or objects; lines nothing is known about are plain text."""
    lines = lines_of(sample)
    if lines is None:
        return _objects(sample)
    filled = [line for line in lines if line.strip()]
    for step in (_json_lines, _w3c, _known.detect, _pairs, _delimited, _spaced, _learned):
        if filled and (found := step(filled)) is not None:
            return found
    return Format(
        name="text", kind="plain", record="MatchedLine", fields=_plain_fields(), fitted=len(filled), total=len(filled)
    )


def _plain_fields() -> tuple[Field, ...]:
    return (Field(name="text", role="message"),)


def _objects(sample: Sequence[object]) -> Format:
    records = [item for item in sample if isinstance(item, Mapping)]
    fields = _object_fields(records)
    return Format(name="objects", kind="objects", record="Entry", fields=fields, fitted=len(records), total=len(sample))


def _json_lines(lines: Sequence[str]) -> Format | None:
    if sum(line.lstrip().startswith("{") for line in lines) < len(lines) * 0.8:
        return None
    records = [record for line in lines if (record := json_object(line)) is not None]
    if len(records) < len(lines) * 0.8:
        return None
    fields = _object_fields(records)
    return Format(name="JSON lines", kind="json", record="Entry", fields=fields, fitted=len(records), total=len(lines))


def json_object(line: str) -> dict[str, object] | None:
    """Return the object a line holds, or None."""
    try:
        value = json.loads(line, parse_constant=str)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _object_fields(records: Sequence[Mapping[str, object]]) -> tuple[Field, ...]:
    seen: dict[tuple[str, ...], list[object]] = {}
    for record in records:
        for path, value in _leaves(record, ()):
            seen.setdefault(path, []).append(value)
    fields: list[Field] = []
    for path, values in list(seen.items())[:MOST_FIELDS]:
        name = _kinds.identifier("_".join(path), [field.name for field in fields])
        fields.append(_object_field(name, path, values, len(values) < len(records)))
    return tuple(fields)


def _leaves(value: Mapping[str, object], path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], object]]:
    for key, inner in value.items():
        if isinstance(inner, Mapping) and len(path) < 4:
            yield from _leaves(inner, (*path, str(key)))
        else:
            yield (*path, str(key)), inner


def _object_field(name: str, path: tuple[str, ...], values: Sequence[object], missing: bool) -> Field:
    present = [value for value in values if value is not None]
    texts = [value if isinstance(value, str) else json.dumps(value) for value in present]
    field = _kinds.describe(name, texts, path=path, missing=missing or len(present) < len(values))
    kinds = {type(value) for value in present}
    if kinds & {list, dict}:
        return replace(field, kind="text", role="", values=())
    if kinds <= {bool}:
        return replace(field, kind="bool")
    if kinds <= {int, float} and field.kind not in ("int", "epoch"):
        return replace(field, kind="float", layout="")
    if field.kind == "bool" or (kinds != {str} and field.kind not in ("int", "float", "epoch")):
        return replace(field, kind="text", layout="")
    return field


def _w3c(lines: Sequence[str]) -> Format | None:
    head = next((line for line in lines if line.startswith("#Fields:")), None)
    if head is None:
        return None
    names = head.removeprefix("#Fields:").split()
    rows = [line.split() for line in lines if not line.startswith("#")]
    found = _table("W3C log", rows, names, " ", comment="#")
    if found is None:
        return None
    # The standard says that this one field is in milliseconds.
    fields = tuple(replace(field, unit="ms") if field.path == ("time-taken",) else field for field in found.fields)
    return replace(found, fields=fields)


def _table(
    name: str,
    rows: Sequence[Sequence[str]],
    names: Sequence[str],
    delimiter: str,
    *,
    comment: str = "",
    header: bool = False,
) -> Format | None:
    width = len(names)
    full = [row for row in rows if len(row) == width]
    if not full or len(full) < len(rows) * ENOUGH_ROWS:
        return None
    fields: list[Field] = []
    for index, title in enumerate(names):
        unique = _kinds.identifier(title, [field.name for field in fields])
        described = _kinds.describe_cell(unique, [row[index].strip() for row in full], path=(title,))
        again = sum(one.path == (title,) for one in fields)
        fields.append(replace(described, heading=f"{title} {again + 1}") if again else described)
    return Format(
        name=name,
        kind="delimited",
        record="Row",
        fields=tuple(fields),
        delimiter=delimiter,
        header=tuple(names) if header else (),
        comment=comment,
        fitted=len(full),
        total=len(rows),
        words=frozenset({"csv", "tsv", "comma", "tab", "separated", "delimited", "spreadsheet", "iis", "w3c"}),
    )


def _pairs(lines: Sequence[str]) -> Format | None:
    found = [(line, _PAIR.findall(line)) for line in lines]
    fitting = [pairs for line, pairs in found if len(pairs) > 1 and not _PAIR.sub("", line).strip()]
    if len(fitting) < len(lines) * 0.8:
        return None
    seen: dict[str, list[str]] = {}
    for pairs in fitting:
        for key, quoted, bare in pairs:
            seen.setdefault(key, []).append(re.sub(r"\\(.)", r"\1", quoted) if quoted else bare)
    fields: list[Field] = []
    for key, texts in list(seen.items())[:MOST_FIELDS]:
        name = _kinds.identifier(key, [field.name for field in fields])
        fields.append(_kinds.describe_cell(name, texts, path=(key,), missing=len(texts) < len(fitting)))
    words = frozenset({"logfmt", "key", "pair", "log"})
    return Format(
        name="key=value lines",
        kind="pairs",
        record="Entry",
        fields=tuple(fields),
        fitted=len(fitting),
        total=len(lines),
        words=words,
    )


def _delimited(lines: Sequence[str]) -> Format | None:
    joined = list(join_quoted(lines))
    for delimiter in ("\t", ",", ";", "|"):
        found = _delimited_by(delimiter, lines, False)
        if len(joined) < len(lines):
            several = _delimited_by(delimiter, joined, True)
            # Cells over several lines are what they are if fewer lines are left over so.
            if several and (found is None or several.total - several.fitted < found.total - found.fitted):
                found = several
        if found is not None:
            return found
    return None


def join_quoted(lines: Sequence[str]) -> Iterator[str]:
    """Yield lines with those joined that a quoted cell goes over: while the quotes are odd, the next one belongs."""
    held: list[str] = []
    odd = False
    for line in lines:
        held.append(line)
        odd ^= line.count('"') % 2 == 1
        if not odd:
            yield "\n".join(held)
            held = []
    if held:
        yield "\n".join(held)


def _delimited_by(delimiter: str, lines: Sequence[str], multiline: bool) -> Format | None:
    rows = rows_of(lines, delimiter)
    width, count = Counter(len(row) for row in rows).most_common(1)[0]
    if not 2 <= width <= MOST_COLUMNS or count < len(rows) * ENOUGH_ROWS:
        return None
    cells = [[cell.strip() for cell in row] for row in rows]
    found = None
    rest = [row for row in cells[1:] if row != cells[0]]
    if is_header(cells[0], rest, width):
        found = _table("table", rest, cells[0], delimiter, header=True)
    elif delimiter in "\t,;" and _plain_cells([row for row in cells if len(row) == width], lines):
        found = _table("table without a header", cells, _column_names(cells, width), delimiter)
    return None if found is None else replace(found, multiline=multiline)


def _spaced(lines: Sequence[str]) -> Format | None:
    """Recognise what programs print for people: a header and columns with spaces between them."""
    head, rest = lines[0], lines[1:]
    if not rest or not re.search(r"[A-Z%]", head):
        return None
    wide = re.split(r" {2,}|\t+", head.strip())
    if len(wide) > 1:
        rows = [re.split(r" {2,}|\t+", line.strip()) for line in rest]
        if sum(len(row) == len(wide) for row in rows) >= len(rows) * ENOUGH_ROWS and _named(wide):
            return _table("columns", rows, wide, "  ", header=True)
    words = head.split()
    for names in (words, [*words[:-2], " ".join(words[-2:])]):
        if len(names) < 3 or not _named(names):
            continue
        rows = [line.split(None, len(names) - 1) for line in rest]
        columns = [[row[at] for row in rows if len(row) == len(names)] for at in range(len(names))]
        full = len(columns[0])
        telling = any(_align.typed(column) for column in columns if column)
        if full >= len(rows) * ENOUGH_ROWS and telling:
            found = _table("columns", rows, names, " ", header=True)
            return None if found is None else replace(found, rest=True)
    return None


def _named(cells: Sequence[str]) -> bool:
    return len(set(cells)) == len(cells) and all(re.fullmatch(r"[^\W\d][\w .%()/-]*|%\w+", cell) for cell in cells)


def rows_of(lines: Sequence[str], delimiter: str) -> list[list[str]]:
    """Cut every line into cells; quotes keep a delimiter inside a cell."""
    return [cells_of(line, delimiter) for line in lines]


def cells_of(line: str, delimiter: str) -> list[str]:
    """Cut one line into cells; one that no table has is a single cell."""
    try:
        return [cell.strip() for cell in next(csv.reader([line], delimiter=delimiter, skipinitialspace=True), [""])]
    except csv.Error:
        return [line]


def is_header(first: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> bool:
    """Whether the first row holds names: all different, none a value, and none seen again in its column."""
    if len(first) != width or not rows or len(set(first)) < max(2, width - 1):
        return False
    if not all(re.fullmatch(r"[^\W\d][^\n]{0,60}|[_@#%€$][\w .%()-]{0,60}", cell) for cell in first):
        return False
    columns = [[row[index] for row in rows if len(row) == width] for index in range(width)]
    if any(cell in column for cell, column in zip(first, columns, strict=True)):
        return False
    telling = sum(
        _align.typed(column) and not _align.typed([cell]) for cell, column in zip(first, columns, strict=True)
    )
    # Names stand once, values come again.
    again = any(len(set(column)) <= len(column) // 2 for column in columns if len(column) > 3)
    return telling > 0 or again or all(re.fullmatch(r"[a-z_][a-z0-9_ ]*", cell) for cell in first)


def _plain_cells(rows: Sequence[Sequence[str]], lines: Sequence[str]) -> bool:
    """Whether cells hold bare values, and enough of them are of a kind to make this a table."""
    columns = list(zip(*rows, strict=True))
    telling = sum(_align.typed(column) for column in columns)
    bare = not any(
        _align._keyed(column, 12) or _align._measured(column, 12) or _align._wrapped(column, 12) for column in columns
    )
    prose = any(len(row[0].split()) > 6 for row in rows)
    return bare and not prose and (telling > 0 or any('"' in line for line in lines) or len(columns) > 2)


def _column_names(rows: Sequence[Sequence[str]], width: int) -> list[str]:
    names: list[str] = []
    for index in range(width):
        texts = [row[index] for row in rows if len(row) == width]
        pieces = [_align.Hole(texts=tuple(texts))]
        _, fields = _naming.name_pieces(pieces, names)
        names.append(fields[0].name if fields else _kinds.identifier("column", names))
    return names


def _learned(lines: Sequence[str]) -> Format | None:
    """Learn the shape of unknown lines, all as one or as up to three shapes, whichever explains more."""
    probe = [line for line in lines if len(line) < 5000][:LEARNED_FROM]
    if not probe:
        return None
    groups = _mask.clusters(probe)
    frequent = [group for group in groups if len(group) >= max(2, len(probe) // 20)][:MOST_SHAPES]
    rivals = [_shapes([probe], lines), _shapes(frequent[:1], lines), _shapes(frequent, lines)]
    if (
        rivals[0]
        and rivals[0].fitted == len(lines)
        and _telling(rivals[0])
        and not _richer(rivals[2], rivals[0], frequent, probe)
    ):
        return rivals[0]
    best = max((rival for rival in rivals if rival), key=_merit, default=None)
    return best if best and best.fitted >= max(1, len(lines) * ENOUGH) and _telling(best) else None


def _richer(several: Format | None, whole: Format, groups: Sequence[Sequence[str]], probe: Sequence[str]) -> bool:
    """Whether a few shapes, each with a good part of the lines, say clearly more about them than one shape does."""
    if several is None or len(several.shapes) < 2 or any(len(group) * 7 < len(probe) for group in groups):
        return False
    return several.fitted >= 0.97 * several.total and len(several.fields) >= len(whole.fields) + 2


def _merit(found: Format) -> float:
    return found.fitted / found.total * (4 + min(len(found.fields), 10)) - 0.5 * len(found.shapes)


def _telling(found: Format) -> bool:
    return len(found.fields) > 1 or any(field.kind != "text" for field in found.fields)


def _shapes(groups: Sequence[Sequence[str]], lines: Sequence[str]) -> Format | None:
    shapes: list[Shape] = []
    fields: dict[str, Field] = {}
    counts: Counter[str] = Counter()
    for group in groups:
        shape, found = _naming.name_pieces(_align.learn(group))
        if shape in shapes or not found:
            continue
        shapes.append(shape)
        for field in found:
            known = fields.setdefault(field.name, field)
            counts[field.name] += 1
            fields[field.name] = _joined(known, field)
    if not shapes:
        return None
    fitted = sum(any(_shape.compiled(shape).fullmatch(line) for shape in shapes) for line in lines)
    whole = tuple(
        replace(field, optional=field.optional or counts[name] < len(shapes)) for name, field in fields.items()
    )
    return Format(
        name="learned lines",
        kind="pattern",
        record="Entry",
        fields=whole,
        shapes=tuple(shapes),
        fitted=fitted,
        total=len(lines),
    )


def _joined(one: Field, other: Field) -> Field:
    """Make one field of two that share a name; where their kinds differ, both are text."""
    kind = one.kind if (one.kind, one.layout) == (other.kind, other.layout) else "text"
    values = tuple(dict.fromkeys((*one.values, *other.values)))
    return replace(
        one,
        kind=kind,
        layout=one.layout if kind == one.kind else "",
        optional=one.optional or other.optional,
        values=values,
    )
