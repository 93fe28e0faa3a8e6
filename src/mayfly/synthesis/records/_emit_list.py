"""Write answers that are records or values of their fields, one after the other."""

from __future__ import annotations

from mayfly.synthesis.records import _emit_test
from mayfly.synthesis.records._emit_read import OBJECTS
from mayfly.synthesis.records._model import Field, Format, Operation
from mayfly.synthesis.records._source import Source, block

_ZERO = {"int": "0", "float": "0.0", "bool": "False", "epoch": "0.0"}


def answer(
    source: Source, found: Format, operation: Operation, fields: dict[str, Field], entry: str, taken: str
) -> None:
    """Add the class whose `invoke` yields the answer."""
    stream = "records(input)"
    if operation.order:
        rank(source, found, fields[operation.order])
        ordered(source, found, operation)
        stream = "ordered(records(input))"
    elif operation.last and operation.limit:
        last(source, found, operation.limit)
        stream = "latest(records(input))"
    value, kind, test = _value(found, operation, fields)
    body = _body(found, operation, stream, value, test)
    head = f"def invoke(self, input: Iterable[{taken}]) -> Iterator[{kind}]:"
    method = block(
        head,
        "Yield the answer, in the order of the input." if not operation.order else "Yield the answer in order.",
        body,
        "    ",
    )
    source.helper(entry, f'class {entry}:\n    """{source.title}"""\n\n{method}')


def _value(found: Format, operation: Operation, fields: dict[str, Field]) -> tuple[str, str, str]:
    """Return the expression for one item of the answer, its type, and the test it has to pass."""
    if not operation.select:
        return ("record.data", "dict[str, object]", "") if found.kind in OBJECTS else ("record", found.record, "")
    if len(operation.select) == 1:
        field = fields[operation.select[0]]
        held = f"record.{field.name}"
        return held, field.annotation.removesuffix(" | None"), f"{held} is not None" if field.optional else ""
    from mayfly.synthesis.records._emit import shown

    pairs = ", ".join(f"{shown(found, name)}: record.{name}" for name in operation.select)
    return f"{{{pairs}}}", "dict[str, object]", ""


def _body(found: Format, operation: Operation, stream: str, value: str, test: str) -> list[str]:
    counted = operation.limit if operation.limit and not operation.last and not operation.order else None
    if not (test or operation.unique or counted) and value == "record":
        return [f"yield from {stream}"]
    if not (operation.unique or counted):
        guard = [f"    if {test}:", f"        yield {value}"] if test else [f"    yield {value}"]
        return [f"for record in {stream}:", *guard]
    return _guarded(found, operation, stream, value, test, counted)


def _guarded(found: Format, operation: Operation, stream: str, value: str, test: str, counted: int | None) -> list[str]:
    """Write the loop that leaves repetitions out or stops after some items."""
    lines: list[str] = []
    tests = [test] if test else []
    inner = [f"yield {value}"]
    if operation.unique:
        key = _identity(found, operation, value)
        lines.append("seen: set[object] = set()")
        tests.append(f"{key} not in seen")
        inner = [f"seen.add({key})", *inner]
    if counted:
        lines.append("given = 0")
        inner = [*inner, "given += 1"]
    lines.append(f"for record in {stream}:")
    if counted:
        lines += [f"    if given == {counted}:", "        return"]
    if tests:
        return [*lines, f"    if {' and '.join(tests)}:", *(f"        {line}" for line in inner)]
    return [*lines, *(f"    {line}" for line in inner)]


def _identity(found: Format, operation: Operation, value: str) -> str:
    if len(operation.select) > 1:
        return f"({', '.join(f'record.{name}' for name in operation.select)})"
    return "str(record.data)" if value == "record.data" else value


def rank(source: Source, found: Format, field: Field) -> None:
    """Add `rank`, by which records are sorted; where a value may be missing, also whether it is."""
    held = f"record.{field.name}"
    timed = field.kind in ("time", "epoch")
    kind = "float" if timed else field.annotation.removesuffix(" | None")
    if timed:
        number = _emit_test.seconds(source, field)
        body = [f"when = moment({held})", f"return (when is None, {number} if when else 0.0)"]
    elif field.optional:
        zero = _ZERO.get(field.kind, '""')
        body = [f"return ({held} is None, {held} or {zero})"]
    else:
        head = f"def rank(record: {found.record}) -> {kind}:"
        source.function(head, "Return what records are sorted by.", [f"return {held}"])
        return
    head = f"def rank(record: {found.record}) -> tuple[bool, {kind}]:"
    source.function(head, "Return what records are sorted by; those without a value are marked.", body)


def ordered(source: Source, found: Format, operation: Operation) -> None:
    """Add `ordered`: known values first and in order, at most as many as were asked for."""
    record = found.record
    down = ", reverse=True" if operation.descending else ""
    sort = [f"return sorted(found, key=rank{down})"]
    field = found.named(operation.order)
    some = field.optional or field.kind in ("time", "epoch") or found.kind in OBJECTS
    if some and down:
        sort = [
            "known = [record for record in found if not rank(record)[0]]",
            "missing = [record for record in found if rank(record)[0]]",
            f"return sorted(known, key=rank{down}) + missing",
        ]
    head = f"def in_order(found: Iterable[{record}]) -> list[{record}]:"
    if some and down:
        head = f"def in_order(found: list[{record}]) -> list[{record}]:"
    source.function(head, "Sort records; those without a value come last." if some else "Sort records.", sort)
    head = f"def ordered(found: Iterable[{record}]) -> list[{record}]:"
    if operation.limit is None:
        source.function(head, "Return all records in order.", ["return in_order(list(found))"])
        return
    source.constant(f"LIMIT = {operation.limit}")
    source.constant(f"ROOM = {room(operation.limit)}")
    body = [f"best: list[{record}] = []", "for record in found:", "    best.append(record)", "    if len(best) > ROOM:"]
    body += ["        best = in_order(best)[:LIMIT]", "return in_order(best)[:LIMIT]"]
    source.function(head, "Return the first records in order; no more are held than there is room for.", body)


def room(limit: int) -> int:
    """Return how many records a ranking holds before it throws the lowest away."""
    return 4 * limit + 20


def last(source: Source, found: Format, limit: int) -> None:
    """Add `latest`, which keeps the last records only."""
    source.constant(f"LIMIT = {limit}")
    body = [
        f"kept: list[{found.record}] = []",
        "for record in found:",
        "    kept.append(record)",
        "    if len(kept) > LIMIT:",
    ]
    body += ["        del kept[0]", "return kept"]
    source.function(
        f"def latest(found: Iterable[{found.record}]) -> list[{found.record}]:", "Return the last records.", body
    )
