"""Work out by hand what a program has to answer: records are scanned, not matched, and the rest is done plainly."""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta

from mayfly.synthesis.records import _emit_group, _emit_test, _times
from mayfly.synthesis.records._emit_read import OBJECTS
from mayfly.synthesis.records._model import Condition, Format, Key, Operation
from mayfly.synthesis.records._scan import Row, row_of
from mayfly.synthesis.records._text import clean

_CUTS = {"day": 10, "hour": 13, "minute": 16, "second": 19, "instant": 26}
_DOES: dict[str, Callable[[float, float], bool]] = {
    "lt": lambda value, bound: value < bound,
    "le": lambda value, bound: value <= bound,
    "gt": lambda value, bound: value > bound,
    "ge": lambda value, bound: value >= bound,
}


def evaluate(found: Format, operation: Operation, items: Sequence[object]) -> object:
    """Return the answer for *items*, as the data a program gives back."""
    whole = operation.records or operation.gather
    rows = list(_wanted(found, operation, items, None if whole else operation.needs))
    if operation.keys:
        return _grouped(found, operation, rows)
    if operation.measure is not None:
        return _measure(found, operation, rows)
    return _listed(found, operation, rows)


def _wanted(found: Format, operation: Operation, items: Sequence[object], names: Sequence[str] | None) -> Iterable[Row]:
    precision = _emit_test.precision(operation)
    for number, item in enumerate(items, start=1):
        row = row_of(found, item, number, names)
        text = clean(item) if isinstance(item, str) else json.dumps(item, ensure_ascii=False)
        if row is not None and all(holds(found, one, row, text, precision) for one in operation.conditions):
            yield row


def holds(found: Format, condition: Condition, row: Row, line: str = "", precision: str = "second") -> bool:
    """Whether a row satisfies a condition."""
    value = row[condition.field] if condition.field else line
    return _holds(found, condition, value, precision) != condition.negated


def _holds(found: Format, condition: Condition, value: object, precision: str) -> bool:
    operator, wanted = condition.operator, condition.value
    if operator in ("during", "clock"):
        return _in_time(found, condition, value, precision)
    if operator in _DOES:
        return isinstance(value, (int, float)) and isinstance(wanted, (int, float)) and _DOES[operator](value, wanted)
    if operator == "range" and isinstance(wanted, tuple):
        return isinstance(value, (int, float)) and wanted[0] <= value < wanted[1]
    if operator == "in" and isinstance(wanted, tuple):
        return any(value == one for one in wanted)
    if operator in ("eq", "ne"):
        return (value == wanted) == (operator == "eq")
    return _speaks(condition, "" if value is None else str(value))


def _speaks(condition: Condition, text: str) -> bool:
    wanted = str(condition.value)
    if condition.operator == "prefix":
        return text[: len(wanted)] == wanted
    if condition.operator == "suffix":
        return len(wanted) <= len(text) and text[len(text) - len(wanted) :] == wanted
    if condition.operator == "contains":
        return text.count(wanted) > 0 if condition.exact else text.lower().count(wanted.lower()) > 0
    lowered, word, at = text.lower(), wanted.lower(), -1
    while (at := lowered.find(word, at + 1)) >= 0:
        around = lowered[at - 1 : at] if at else "", lowered[at + len(word) : at + len(word) + 1]
        if not any(sign and sign.isascii() and (sign.isalnum() or sign == "_") for sign in around):
            return True
    return False


def wall(found: Format, name: str, value: object, precision: str = "second") -> str | None:
    """Return the time on the wall that a value names, as a text that sorts; None if it names none.

    What is finer than the *precision* may be wrong where a program does not look at it either.
    """
    field = found.named(name)
    if field.kind == "epoch":
        scale = 1 if field.layout == "seconds" else 1000
        moment = _since_epoch(value, scale) if isinstance(value, (int, float)) else None
        return moment.isoformat(" ", "microseconds") if moment else None
    scanned = _times.scan(field.layout, value) if isinstance(value, str) else None
    if not isinstance(value, str) or scanned is None or scanned[0] != len(value):
        return _loose(found, field.layout, str(value)) if value is not None else None
    text = _times.wall(scanned[1], "1900" if not _times.has_date(field.layout) else str(_emit_test.ASSUMED_YEAR))
    sliced = bool(_times.places(field.layout)) and precision != "instant" and found.kind == "pattern"
    if not _exists(text[: _CUTS[precision]] if sliced else text) or not (sliced or _zone_exists(scanned[1])):
        return None
    return text if "F" not in scanned[1] or _times.is_iso(field.layout) else text[:19] + ".000000"


def _loose(found: Format, layout: str, text: str) -> str | None:
    """Read a moment that is written in a way close to the layout, which only cells and objects may do."""
    moment = _times.moment(layout, text) if found.kind != "pattern" else None
    return moment.replace(tzinfo=None).isoformat(" ", "microseconds") if moment else None


def _exists(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def _zone_exists(parts: dict[str, str]) -> bool:
    zone = parts.get("z") or parts.get("Z") or "+0000"
    return int(zone[1:3]) < 24 and int(zone[3:5]) < 60


def _since_epoch(value: float, scale: int) -> datetime | None:
    seconds = value / scale
    return datetime(1970, 1, 1) + timedelta(seconds=seconds) if -62_135_596_800 <= seconds < 253_402_300_800 else None


def _in_time(found: Format, condition: Condition, value: object, precision: str) -> bool:
    text = wall(found, condition.field, value, precision)
    low, high = condition.value if isinstance(condition.value, tuple) else (None, None)
    if text is None:
        return False
    if condition.operator == "clock":
        return (low is None or text[11:19] >= str(low)) and (high is None or text[11:19] < str(high))
    start, end = (
        bound.isoformat(" ", "microseconds") if isinstance(bound, datetime) else None for bound in (low, high)
    )
    return (start is None or text >= start) and (end is None or text < end)


def _instant(found: Format, name: str, value: object) -> float | None:
    """Return a moment as seconds, its offset taken into account."""
    text = wall(found, name, value, "instant")
    if text is None:
        return None
    if found.named(name).kind == "epoch":
        return (datetime.fromisoformat(text) - datetime(1970, 1, 1)).total_seconds()
    scanned = _times.scan(found.named(name).layout, str(value))
    if scanned is None or scanned[0] != len(str(value)):
        loose = _times.moment(found.named(name).layout, str(value))
        return (loose if loose.tzinfo else loose.replace(tzinfo=UTC)).timestamp() if loose else None
    zone = scanned[1].get("z") or scanned[1].get("Z") or ""
    offset = (int(zone[1:3]) * 3600 + int(zone[3:5]) * 60) * (-1 if zone[0] == "-" else 1) if zone else 0
    return (datetime.fromisoformat(text) - datetime(1970, 1, 1)).total_seconds() - offset


def _listed(found: Format, operation: Operation, rows: list[Row]) -> list[object]:
    if operation.order:
        rows = _sorted(found, operation, rows)[: operation.limit]
    elif operation.last and operation.limit:
        rows = rows[-operation.limit :]
    shown = [_shown(found, operation, row) for row in rows]
    shown = [one for one in shown if one is not None] if len(operation.select) == 1 else shown
    if operation.unique:
        seen: list[object] = []
        for one in shown:
            if one not in seen:
                seen.append(one)
        shown = seen
    return shown[: operation.limit] if operation.limit else shown


def _sorted(found: Format, operation: Operation, rows: list[Row]) -> list[Row]:
    name = operation.order

    def rank(row: Row) -> object:
        timed = found.named(name).kind in ("time", "epoch")
        return _instant(found, name, row[name]) if timed else row[name]

    known = [row for row in rows if rank(row) is not None]
    known.sort(key=rank, reverse=operation.descending)  # type: ignore[arg-type]
    return known + [row for row in rows if rank(row) is None]


def _shown(found: Format, operation: Operation, row: Row) -> object:
    if not operation.select:
        return row[""] if found.kind in OBJECTS else {field.name: row[field.name] for field in found.fields}
    if len(operation.select) == 1:
        return row[operation.select[0]]
    return {_label(found, name): row[name] for name in operation.select}


def _label(found: Format, name: str) -> str:
    return ".".join(found.named(name).path) if found.kind in OBJECTS else name


def _measure(found: Format, operation: Operation, rows: list[Row]) -> object:
    """Measure all rows together."""
    if operation.measure == "count":
        return len(rows)
    if operation.measure in ("share", "percent"):
        hits = sum(
            all(holds(found, one, row, "", _emit_test.precision(operation)) for one in operation.share) for row in rows
        )
        scale = 100 if operation.measure == "percent" else 1
        return round(scale * hits / len(rows), _emit_group.DIGITS) if rows else 0.0
    held = [row[operation.of] for row in rows if row[operation.of] is not None]
    if operation.measure == "distinct":
        return len({json.dumps(value) for value in held})
    if found.named(operation.of).kind == "time" and held:
        moments = {str(value): _instant(found, operation.of, value) or 0.0 for value in reversed(held)}
        return (min if operation.measure == "min" else max)(held, key=lambda value: moments[str(value)])
    numbers = [value for value in held if isinstance(value, (int, float))]
    return _number(operation, numbers) if held and len(numbers) == len(held) else _texts(operation, held)


def _texts(operation: Operation, held: list[object]) -> object:
    if operation.measure == "sum":
        return 0
    texts = sorted(str(value) for value in held)
    return (texts[0] if operation.measure == "min" else texts[-1]) if texts else None


def _number(operation: Operation, numbers: list[int | float]) -> float:
    if operation.measure == "sum":
        return round(sum(numbers), _emit_group.DIGITS)
    if operation.measure in ("mean", "median"):
        reckon = statistics.fmean if operation.measure == "mean" else statistics.median
        return round(float(reckon(numbers)), _emit_group.DIGITS)
    return sorted(numbers)[0 if operation.measure == "min" else -1]


def _grouped(found: Format, operation: Operation, rows: list[Row]) -> object:
    buckets: dict[str, tuple[tuple[object, ...], list[Row]]] = {}
    for row in rows:
        key = tuple(_key(found, one, row, _emit_test.precision(operation)) for one in operation.keys)
        buckets.setdefault(json.dumps(key), (key, []))[1].append(row)
    single = len(operation.keys) == 1 and not operation.ranked and not operation.order
    if operation.gather:
        plain = Operation()
        return {_text(key[0]): [_shown(found, plain, row) for row in held] for key, held in buckets.values()}
    values = [(key, _measure(found, operation, held)) for key, held in buckets.values() if _has_value(operation, held)]
    if operation.having is not None:
        bound, does = operation.having.value, operation.having.operator
        values = [
            (key, value)
            for key, value in values
            if isinstance(value, int) and isinstance(bound, int) and _DOES[does](value, bound)
        ]
    if single:
        return {_text(key[0]): value for key, value in values}
    values.sort(key=lambda item: str(item[0][0]) if len(item[0]) == 1 else str(item[0]))
    if operation.ranked:
        values.sort(key=lambda item: item[1], reverse=operation.descending)  # type: ignore[arg-type, return-value]
    names = [key.bucket or _label(found, key.field) for key in operation.keys]
    label = _emit_group.label(operation)
    return [{**dict(zip(names, key, strict=True)), label: value} for key, value in values[: operation.limit]]


def _has_value(operation: Operation, rows: list[Row]) -> bool:
    return not operation.of or any(row[operation.of] is not None for row in rows)


def _key(found: Format, key: Key, row: Row, precision: str) -> object:
    if not key.bucket:
        return row[key.field]
    text = wall(found, key.field, row[key.field], precision)
    if text is None:
        return "-"
    return text[: _emit_group.CUTS[key.bucket]] + (":00" if key.bucket == "hour" else "")


def _text(key: object) -> str:
    if key is None or key == "":
        return "-" if key is None else ""
    return str(key).lower() if isinstance(key, bool) else str(key)
