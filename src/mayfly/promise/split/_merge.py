"""Join the results of the parts of a file. Which way is right for an agent has to be proven before it is used.

A way is a short text: `concat`, `distinct`, `sum`, `min`, `max`, `first` or `last` for whole results; `record WAY
ORDER` joins objects by key, `rows WAY ORDER FIELD` joins lists of rows by the value of one field. Orders that could not
be told apart are all named, as in `key,number`; results for which they differ are not joined.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, TypeVar

from mayfly.core import InputError
from mayfly.forge import Spool, collect, spool

_Item = TypeVar("_Item")
Many = Sequence[object]
ORDERS = ("seen", "key", "key-down", "number", "value", "value-up")
LISTS = (list, tuple, Spool)


class Unmergeable(InputError):
    """Results that cannot be joined this way without changing what they say."""

    code = "UNMERGEABLE"


def merge(kind: str, values: Many) -> object:
    """Return the result for the whole file from those of its parts, in order; `Unmergeable` says why that cannot be."""
    shape, *rest = kind.split(" ", 3)
    if shape == "record" and len(rest) == 2:
        return _records(values, *rest)
    if shape == "rows" and len(rest) == 3:
        return _rows(values, *rest)
    if kind not in WAYS:
        raise Unmergeable(f"there is no way {kind!r} to join the results of parts")
    return WAYS[kind](values)


def candidates(whole: object) -> Iterator[str]:
    """Yield every way in which results like *whole* might be joined."""
    if isinstance(whole, LISTS):
        yield from ("concat", "distinct", "first", "last")
        rows = list(whole)
        if rows and all(isinstance(row, dict) and len(row) > 1 for row in rows):
            for field in dict(rows[0]):
                yield from (f"rows {way} {order} {field}" for way in BY_KEY for order in ORDERS)
    elif isinstance(whole, dict):
        yield from ("first", "last")
        yield from (f"record {way} {order}" for way in BY_KEY for order in ORDERS)
    else:
        yield from ("sum", "min", "max", "first", "last")


def text_of(value: object) -> str:
    """Return the JSON that tells results apart: 1 from 1.0 and from true, and one order of keys from another."""
    return json.dumps(list(value) if isinstance(value, Spool) else value)


def _given(values: Many) -> list[object]:
    """Leave out what a part gives that holds nothing of the kind."""
    return [value for value in values if value is not None and not (isinstance(value, (list, dict)) and not value)]


def _first(values: Many) -> object:
    return next(iter(_given(values)), values[0] if values else None)


def _last(values: Many) -> object:
    given = _given(values)
    return given[-1] if given else (values[-1] if values else None)


def _sum(values: Many) -> object:
    """Add whole numbers; the sum of fractions depends on the order in which they are added."""
    total, found = 0, False
    for value in values:
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, int):
            raise Unmergeable(f"only whole numbers give the same sum in parts, not {str(value)[:50]}")
        total, found = total + value, True
    return total if found else None


def _extreme(choose: Callable[[list[object]], object]) -> Callable[[Many], object]:
    def find(values: Many) -> object:
        given = [value for value in values if value is not None]
        kinds = {str if isinstance(value, str) else type(value) for value in given}
        if not (kinds <= {int, float} or kinds in ({str}, {bool})):
            raise Unmergeable("these results have no order")
        return choose(given) if given else None

    return find


def _lists(values: Many) -> Iterator[object]:
    for value in values:
        if not isinstance(value, LISTS):
            raise Unmergeable(f"the result of a part is not a list but a {type(value).__name__}")
    return chain.from_iterable(value for value in values if isinstance(value, LISTS))


def _concat(values: Many) -> object:
    if any(isinstance(value, Spool) for value in values):
        # What lies on disk goes there again, as the text it is, and never through memory.
        _lists(values)
        return spool([value for value in values if isinstance(value, LISTS)])
    return collect(_lists(values))


def _distinct(values: Many) -> object:
    return collect(_once(_lists(values)))


def _once(items: Iterable[object]) -> Iterator[object]:
    seen: set[str] = set()
    for item in items:
        text = text_of(item)
        if text not in seen:
            seen.add(text)
            yield item


WAYS: dict[str, Callable[[Many], object]] = {
    "concat": _concat,
    "distinct": _distinct,
    "sum": _sum,
    "min": _extreme(lambda given: min(given, key=_comparable)),
    "max": _extreme(lambda given: max(given, key=_comparable)),
    "first": _first,
    "last": _last,
}
BY_KEY = tuple(WAYS)


def _comparable(value: object) -> Any:
    """Return *value* if it is a text or a number; numbers of any size are compared as they are."""
    if isinstance(value, (str, int, float)):
        return value
    raise TypeError(f"a {type(value).__name__} has no order")


def _records(values: Many, way: str, order: str) -> object:
    gathered: dict[str, list[object]] = {}
    for value in values:
        if not isinstance(value, dict):
            raise Unmergeable(f"the result of a part is not an object but a {type(value).__name__}")
        for key, inner in value.items():
            gathered.setdefault(key, []).append(inner)
    joined = [(key, _way(way)(inner)) for key, inner in gathered.items()]
    return dict(_ordered(joined, order, lambda pair: pair[0], lambda pair: pair[1]))


def _rows(values: Many, way: str, order: str, field: str) -> object:
    gathered: dict[str, list[dict[str, object]]] = {}
    for row in _lists(values):
        if not isinstance(row, dict) or field not in row:
            raise Unmergeable(f"a row has no {field}")
        gathered.setdefault(text_of(row[field]), []).append(row)
    joined = [_row(rows, way, field) for rows in gathered.values()]
    return _ordered(
        joined, order, lambda row: row[field], lambda row: next(value for name, value in row.items() if name != field)
    )


def _row(rows: list[dict[str, object]], way: str, field: str) -> dict[str, object]:
    names = list(rows[0])
    if any(list(row) != names for row in rows):
        raise Unmergeable("rows of one key have different fields")
    return {name: rows[0][name] if name == field else _way(way)([row[name] for row in rows]) for name in names}


def _way(name: str) -> Callable[[Many], object]:
    if name not in WAYS:
        raise Unmergeable(f"there is no way {name!r} to join the results of parts")
    return WAYS[name]


def _ordered(
    items: list[_Item], orders: str, key: Callable[[_Item], object], value: Callable[[_Item], object]
) -> list[_Item]:
    """Sort as the agent does: as they come, by key, or by value and then by key."""
    try:
        first, *others = [_sorted(items, order, key, value) for order in orders.split(",")]
    except (TypeError, ValueError, OverflowError):
        raise Unmergeable("these results have no order") from None
    if any(other != first for other in others):
        raise Unmergeable(f"nobody can say in which order these results belong: {orders.replace(',', ' or ')}")
    return first


def _by_size(key: object) -> tuple[bool, float]:
    """Sort numbers by size, and the group of what has none, which is called by a dash, behind them."""
    return (True, 0.0) if key is None or key == "-" else (False, float(str(key)))


def _sorted(
    items: list[_Item], order: str, key: Callable[[_Item], object], value: Callable[[_Item], object]
) -> list[_Item]:
    if order == "seen":
        return items
    if order == "number":
        return sorted(items, key=lambda item: _by_size(key(item)))
    by_key = sorted(items, key=lambda item: str(key(item)), reverse=order == "key-down")
    if order in ("key", "key-down"):
        return by_key
    return sorted(by_key, key=lambda item: _comparable(value(item)), reverse=order == "value")
