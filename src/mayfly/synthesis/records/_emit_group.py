"""Write answers that put records together: counts, sums, averages, shares, for all or for each group."""

from __future__ import annotations

from mayfly.synthesis.records import _emit_test
from mayfly.synthesis.records._helpers import helper
from mayfly.synthesis.records._model import Field, Format, Operation
from mayfly.synthesis.records._source import Source, block, literal

DIGITS = 6
CUTS = {"second": 19, "minute": 16, "hour": 13, "day": 10, "month": 7, "year": 4}
LABELS = {"sum": "total", "mean": "average", "distinct": "distinct"}


def answer(
    source: Source, found: Format, operation: Operation, fields: dict[str, Field], entry: str, taken: str
) -> None:
    """Add the class whose `invoke` returns the answer."""
    if operation.share:
        tests = [_emit_test.expression(source, one, fields[one.field]) for one in operation.share]
        from mayfly.synthesis.records._emit import wanted

        wanted(source, found, "counted", "Whether a record counts towards the share.", tests)
    if not operation.keys:
        kind, body = _single(source, operation, fields)
    else:
        kind, body = _grouped(source, found, operation, fields)
    head = f"def invoke(self, input: Iterable[{taken}]) -> {kind}:"
    method = block(head, "Return the answer for all of the input.", body, "    ")
    source.helper(entry, f'class {entry}:\n    """{source.title}"""\n\n{method}')


def number_kind(operation: Operation, fields: dict[str, Field]) -> str:
    """Return the type of the measured value."""
    if operation.measure in ("count", "distinct", None):
        return "int"
    if operation.measure in ("mean", "median", "share", "percent"):
        return "float"
    return fields[operation.of].annotation.removesuffix(" | None")


def _values(operation: Operation, fields: dict[str, Field]) -> str:
    held = f"record.{operation.of}"
    return (
        f"[{held} for record in records(input) if {held} is not None]"
        if fields[operation.of].optional
        else f"[{held} for record in records(input)]"
    )


def _single(source: Source, operation: Operation, fields: dict[str, Field]) -> tuple[str, list[str]]:
    measure = operation.measure
    if measure == "count":
        return "int", ["return sum(1 for _ in records(input))"]
    if measure in ("share", "percent"):
        return "float", _share(measure)
    if measure == "distinct":
        held = f"record.{operation.of}"
        return "int", [f"return len({{{held} for record in records(input) if {held} is not None}})"]
    kind = number_kind(operation, fields)
    field = fields[operation.of]
    values = _values(operation, fields)
    stream = f"({values[1:-1]})"
    if field.kind in ("time", "epoch", "text"):
        return f"{kind} | None", _extreme(source, operation, field, stream)
    if measure == "sum":
        total = f"sum{stream}"
        return kind, [f"return {total}" if kind == "int" else f"return round({total}, {DIGITS})"]
    if measure in ("min", "max"):
        return f"{kind} | None", [f"return {measure}({stream}, default=None)"]
    if measure == "median":
        source.helper("median", helper("median"))
        return "float | None", [f"values = {values}", "return median(values) if values else None"]
    body = ["count, total = 0, 0.0", f"for value in {stream}:", "    count, total = count + 1, total + value"]
    return "float | None", [*body, f"return round(total / count, {DIGITS}) if count else None"]


def _extreme(source: Source, operation: Operation, field: Field, stream: str) -> list[str]:
    """Return the earliest or latest value of a field of moments, or the first or last text."""
    if field.kind != "time":
        return [f"return {operation.measure}({stream}, default=None)"]
    number = _emit_test.seconds(source, field)
    taken = field.annotation.removesuffix(" | None")
    body = ["when = moment(value)", f"return {number} if when else 0.0"]
    source.function(f"def seconds(value: {taken}) -> float:", "Return a moment as a number.", body)
    return [f"return {operation.measure}({stream}, key=seconds, default=None)"]


def _share(measure: str) -> list[str]:
    scale = "100 * " if measure == "percent" else ""
    body = ["total = hits = 0", "for record in records(input):", "    total += 1", "    hits += counted(record)"]
    return [*body, f"return round({scale}hits / total, {DIGITS}) if total else 0.0"]


def _grouped(source: Source, found: Format, operation: Operation, fields: dict[str, Field]) -> tuple[str, list[str]]:
    rows = len(operation.keys) > 1 or operation.ranked or bool(operation.order)
    group = _key(source, found, operation, fields, rows)
    value = f"list[{_shown(found)}]" if operation.gather else number_kind(operation, fields)
    _collect(source, found, operation, fields, group, value)
    having = _having(operation)
    if operation.gather and not rows:
        return f"dict[str, {value}]", ["return dict(sorted(collect(records(input)).items()))"]
    if not rows:
        kept = "found = collect(records(input))" if having else ""
        if having:
            return f"dict[str, {value}]", [
                kept,
                f"return {{group: value for group, value in sorted(found.items()) if {having}}}",
            ]
        return f"dict[str, {value}]", ["return dict(sorted(collect(records(input)).items()))"]
    return "list[dict[str, object]]", _rows(source, found, operation, group, value, having)


def _having(operation: Operation) -> str:
    if operation.having is None:
        return ""
    signs = {"eq": "==", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
    return f"value {signs[operation.having.operator]} {literal(operation.having.value)}"


def _shown(found: Format) -> str:
    return "dict[str, object]" if found.kind in ("json", "objects") else found.record


def _key(source: Source, found: Format, operation: Operation, fields: dict[str, Field], rows: bool) -> str:
    """Add `group_of` and return the type of a group."""
    kinds, parts = [], []
    for key in operation.keys:
        field = fields[key.field]
        held = f"record.{key.field}"
        if key.bucket:
            _emit_test.moment(source, field)
            span = "def span(value: " + field.annotation + ") -> str:"
            ending = ' + ":00"' if key.bucket == "hour" else ""
            body = ["when = moment(value)", f'return when.isoformat(" ")[:{CUTS[key.bucket]}]{ending} if when else "-"']
            source.function(span, f"Return the {key.bucket} a moment lies in.", body)
            kinds.append("str")
            parts.append(f"span({held})")
        elif rows:
            kinds.append(field.annotation)
            parts.append(held)
        else:
            kinds.append("str")
            parts.append(_as_text(field, held))
    kind = kinds[0] if len(kinds) == 1 else f"tuple[{', '.join(kinds)}]"
    value = parts[0] if len(parts) == 1 else f"({', '.join(parts)})"
    source.function(
        f"def group_of(record: {found.record}) -> {kind}:", "Return the group a record belongs to.", [f"return {value}"]
    )
    return kind


def _as_text(field: Field, held: str) -> str:
    base = field.annotation.removesuffix(" | None")
    if base == "str":
        return f'"-" if {held} is None else {held}' if field.optional else held
    shown = f'f"{{{held}:g}}"' if base == "float" and field.kind == "float" and not field.optional else f"str({held})"
    if base == "bool":
        shown = f"str({held}).lower()"
    return f'"-" if {held} is None else {shown}' if field.optional else shown


def _collect(
    source: Source, found: Format, operation: Operation, fields: dict[str, Field], group: str, value: str
) -> None:
    """Add `collect`, which goes over the records once and holds one value for each group."""
    optional = bool(operation.of) and fields[operation.of].optional
    steps = _STEPS["gather" if operation.gather else operation.measure or "count"]
    held = (
        "record.data"
        if operation.gather and found.kind in ("json", "objects")
        else "record"
        if operation.gather
        else f"record.{operation.of}"
    )
    if operation.measure == "median":
        source.helper("median", helper("median"))
    if operation.of and not operation.gather:
        kind = fields[operation.of].annotation.removesuffix(" | None")
    else:
        kind = _shown(found)
    fill = {"GROUP": group, "VALUE": value, "ITEM": kind, "DIGITS": str(DIGITS)}
    start, step, end = ([_fill(line, fill) for line in lines] for lines in steps)
    body = [*start, "for record in found:"]
    if operation.of and not operation.gather:
        body.append(f"    value = {held}")
        if optional:
            body += ["    if value is None:", "        continue"]
    elif operation.gather:
        body.append(f"    value = {held}")
    body += ["    group = group_of(record)", *(f"    {line}" for line in step), *end]
    source.function(
        f"def collect(found: Iterable[{found.record}]) -> dict[{group}, {value}]:",
        "Return the value of every group.",
        body,
    )


def _fill(line: str, fill: dict[str, str]) -> str:
    for name, text in fill.items():
        line = line.replace(name, text)
    return line


_STEPS: dict[str, tuple[list[str], list[str], list[str]]] = {
    "count": (["counts: dict[GROUP, int] = {}"], ["counts[group] = counts.get(group, 0) + 1"], ["return counts"]),
    "sum": (
        ["totals: dict[GROUP, VALUE] = {}"],
        ["totals[group] = totals.get(group, 0) + value"],
        ["return {group: round(total, DIGITS) for group, total in totals.items()}"],
    ),
    "mean": (
        ["totals: dict[GROUP, float] = {}", "counts: dict[GROUP, int] = {}"],
        ["totals[group] = totals.get(group, 0.0) + value", "counts[group] = counts.get(group, 0) + 1"],
        ["return {group: round(total / counts[group], DIGITS) for group, total in totals.items()}"],
    ),
    "min": (["best: dict[GROUP, VALUE] = {}"], ["best[group] = min(best.get(group, value), value)"], ["return best"]),
    "max": (["best: dict[GROUP, VALUE] = {}"], ["best[group] = max(best.get(group, value), value)"], ["return best"]),
    "median": (
        ["values: dict[GROUP, list[ITEM]] = {}"],
        ["values.setdefault(group, []).append(value)"],
        ["return {group: median(held) for group, held in values.items()}"],
    ),
    "distinct": (
        ["values: dict[GROUP, set[ITEM]] = {}"],
        ["values.setdefault(group, set()).add(value)"],
        ["return {group: len(held) for group, held in values.items()}"],
    ),
    "share": (
        ["hits: dict[GROUP, int] = {}", "totals: dict[GROUP, int] = {}"],
        ["totals[group] = totals.get(group, 0) + 1", "hits[group] = hits.get(group, 0) + counted(record)"],
        ["return {group: round(hits[group] / total, DIGITS) for group, total in totals.items()}"],
    ),
    "percent": (
        ["hits: dict[GROUP, int] = {}", "totals: dict[GROUP, int] = {}"],
        ["totals[group] = totals.get(group, 0) + 1", "hits[group] = hits.get(group, 0) + counted(record)"],
        ["return {group: round(100 * hits[group] / total, DIGITS) for group, total in totals.items()}"],
    ),
    "gather": (["groups: dict[GROUP, VALUE] = {}"], ["groups.setdefault(group, []).append(value)"], ["return groups"]),
}


def label(operation: Operation) -> str:
    """Return the name of the measured value in a row."""
    if operation.measure in ("count", "share", "percent", None):
        return {"share": "rate", "percent": "percentage"}.get(operation.measure or "", "count")
    return f"{LABELS.get(operation.measure, operation.measure)}_{operation.of}"


def _rows(source: Source, found: Format, operation: Operation, group: str, value: str, having: str) -> list[str]:
    """Add `row`, and return the body that ranks the groups or lists them in order."""
    from mayfly.synthesis.records._emit import shown

    names = [shown(found, key.field) if not key.bucket else literal(key.bucket) for key in operation.keys]
    held = ["group"] if len(names) == 1 else [f"group[{index}]" for index in range(len(names))]
    pairs = ", ".join(f"{name}: {part}" for name, part in zip(names, held, strict=True))
    body = [f"return {{{pairs}, {literal(label(operation))}: value}}"]
    source.function(
        f"def row(group: {group}, value: {value}) -> dict[str, object]:",
        "Return a group and its value as one row.",
        body,
    )
    lines = ["found = sorted(collect(records(input)).items(), key=lambda item: str(item[0]))"]
    if operation.ranked:
        down = ", reverse=True" if operation.descending else ""
        lines.append(f"found.sort(key=lambda item: item[1]{down})")
    cut = f"[:{operation.limit}]" if operation.limit else ""
    if having:
        lines.append(f"found = [(group, value) for group, value in found if {having}]")
    return [*lines, f"return [row(group, value) for group, value in found{cut}]"]
