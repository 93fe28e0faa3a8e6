"""Write small parts that lists and groups both have: keys, rounding, and how many are left."""

from __future__ import annotations

from mayfly.language.question import Query
from mayfly.synthesis.records._evaluate import DIGITS, partial_keys
from mayfly.synthesis.records._source import Source, literal
from mayfly.synthesis.records._write_values import ValueWriter


def write_group_of(source: Source, values: ValueWriter, query: Query) -> None:
    """Write `group_of`, which returns the keys of a row."""
    keys = ", ".join(map(values.value, query.keys))
    source.function(
        "def group_of(row: Row) -> list[object]:", "Return the group a row belongs to.", [f"return [{keys}]"]
    )


def pass_elsewhere(query: Query, values: ValueWriter) -> list[str]:
    """Return the lines that pass over rows of another sort, which do not have a key at all."""
    places = partial_keys(query.keys, values.fields)
    missing = " or ".join(f"key[{place}] is None" for place in places)
    return [f"    if {missing}:", "        continue"] if places else []


def write_finished(source: Source, query: Query) -> None:
    """Write `finished`, which rounds numbers and shows them in the unit that was asked for."""
    steps = ["if isinstance(value, bool) or not isinstance(value, (int, float)):", "    return value"]
    scaled = f"value / {literal(query.scale[1])}" if query.scale else "value"
    if query.digits is not None:
        source.use("math")
        unit = 10**query.digits
        steps += [
            f"held = {scaled}",
            f"shown = math.copysign(math.floor(abs(held) * {unit} + 0.5) / {unit}, held)",
            "return shown if isinstance(held, float) else held",
        ]
    elif query.scale:
        steps.append(f"return round({scaled}, {DIGITS})")
    else:
        steps.append(f"return round(value, {DIGITS}) if isinstance(value, float) else value")
    source.function("def finished(value: object) -> object:", "Return a value as it is shown: numbers rounded.", steps)


def slice_of(query: Query) -> str:
    """Return the slice that leaves as many as are wanted; nothing where all are."""
    if query.last is not None:
        return f"[-{query.last}:]" if query.last else "[:0]"
    if query.limit is None:
        return f"[{query.skip}:]" if query.skip else ""
    return f"[{query.skip or ''}:{query.skip + query.limit}]"
