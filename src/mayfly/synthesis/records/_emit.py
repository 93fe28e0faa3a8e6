"""Write a whole program: records are read, the wanted ones kept, and the answer made of them."""

from __future__ import annotations

from collections.abc import Sequence

from mayfly.synthesis.records import _emit_group, _emit_list, _emit_test
from mayfly.synthesis.records._emit_read import OBJECTS, entry_fields, read
from mayfly.synthesis.records._model import Condition, Field, Format, Operation
from mayfly.synthesis.records._source import Source, literal

NUMBERED = ("plain", "trace", "memory")
_STEMS = {"AccessLog": "Access", "LogEntry": "Log", "SyslogEntry": "Syslog", "ErrorLog": "Error", "Row": "Table"}
_STEMS |= {
    "BalancerEntry": "Balancer",
    "MatchedLine": "Line",
    "Entry": "Record",
    "OutOfMemory": "OutOfMemory",
    "Thrown": "Exception",
}


def write(found: Format, operation: Operation, title: str) -> tuple[str, str]:
    """Return the source of the program and the name of the class to call."""
    source = Source(title)
    source.precision = _emit_test.precision(operation)
    whole = found.kind not in OBJECTS and (operation.records or operation.gather)
    needed = None if whole else list(operation.needs)
    read(source, found, needed)
    fields = {field.name: field for field in entry_fields(found, needed)}
    records(source, found, operation.conditions, fields)
    entry = entry_name(found, operation)
    taken = "dict[str, object]" if found.kind == "objects" else "str"
    if operation.measure is None and not operation.keys:
        _emit_list.answer(source, found, operation, fields, entry, taken)
    else:
        _emit_group.answer(source, found, operation, fields, entry, taken)
    return source.text(), entry


def entry_name(found: Format, operation: Operation) -> str:
    """Return a name for the class that says what it does."""
    stem = _STEMS.get(found.record, found.record)
    if operation.keys or operation.measure:
        measure = operation.measure or "count"
        suffix = {"count": "Counts", "sum": "Totals", "share": "Rates", "percent": "Rates", "distinct": "Counts"}
        return f"{stem}{suffix.get(measure, 'Statistics')}" if not operation.gather else f"{stem}Groups"
    if operation.order:
        return f"{stem}Ranking" if operation.limit else f"{stem}Sorter"
    if operation.conditions:
        classes = any(condition.field == "status" for condition in operation.conditions)
        return f"{stem}Errors" if classes and found.record == "AccessLog" else f"{stem}Filter"
    return f"{stem}Reader"


def records(source: Source, found: Format, conditions: Sequence[Condition], fields: dict[str, Field]) -> None:
    """Add `wanted` and `records`, the stream everything else is made of."""
    tests = [_emit_test.expression(source, one, fields[one.field]) for one in conditions if one.field]
    if tests:
        wanted(source, found, "wanted", "Whether a record is one of those asked for.", tests)
    whole = _emit_test.line_tests(source, [one for one in conditions if not one.field])
    condition = "record is not None and wanted(record)" if tests else "record is not None"
    if found.kind == "objects":
        _object_records(source, found, whole, condition)
        return
    body = ["for line in lines:"]
    parse = "parse(line.strip(EDGES))"
    if found.kind in NUMBERED:
        body, parse = ["for number, line in enumerate(lines, start=1):"], "parse(number, line.strip(EDGES))"
    if hint := prefilter(found, conditions):
        whole = [hint, *whole]
    source.constant('EDGES = "\\ufeff\\r\\n"')
    if whole:
        body += [
            f"    if not ({' and '.join(whole)}):"
            if len(whole) > 1 or whole[0].startswith("not")
            else _unless(whole[0]),
            "        continue",
        ]
    body += [f"    record = {parse}", f"    if {condition}:", "        yield record"]
    head = f"def records(lines: Iterable[str]) -> Iterator[{found.record}]:"
    source.function(head, "Yield the records asked for; lines that hold none are passed over.", body)


def _unless(test: str) -> str:
    return f"    if {test.replace(' in line', ' not in line', 1)}:" if " in line" in test else f"    if not ({test}):"


def _object_records(source: Source, found: Format, whole: Sequence[str], condition: str) -> None:
    body = ["for item in items:"]
    if whole:
        source.use("json")
        body += [
            "    line = json.dumps(item, ensure_ascii=False)",
            f"    if not ({' and '.join(whole)}):",
            "        continue",
        ]
    body += ["    record = parse(item)", f"    if {condition}:", "        yield record"]
    head = f"def records(items: Iterable[dict[str, object]]) -> Iterator[{found.record}]:"
    source.function(head, "Yield the records asked for; what is no object is passed over.", body)


def wanted(source: Source, found: Format, name: str, docstring: str, tests: Sequence[str]) -> None:
    """Add a function that puts conditions together."""
    joined = " and ".join(
        f"({test})" if " and " in test and len(tests) > 1 and not test.startswith("not") else test for test in tests
    )
    body = [f"return {joined}"]
    if len(joined) > 100:
        body = ["return (", *(f"    {'and ' if index else ''}({test})" for index, test in enumerate(tests)), ")"]
    source.function(f"def {name}(record: {found.record}) -> bool:", docstring, body)


def prefilter(found: Format, conditions: Sequence[Condition]) -> str:
    """Return a cheap test that every wanted line passes, where one is certain: most lines then cost next to nothing."""
    if found.name != "access log":
        return ""
    bounds = {one.operator: one.value for one in conditions if one.field == "status" and not one.negated}
    between = bounds.get("range")
    if isinstance(between, tuple) and between[1] == between[0] + 100:
        return f"'\" {between[0] // 100}' in line"
    same = bounds.get("eq")
    return f"'\" {same} ' in line" if isinstance(same, int) else ""


def shown(found: Format, name: str) -> str:
    """Return the key under which a field is shown in an answer."""
    field = found.named(name)
    return literal(".".join(field.path)) if found.kind in OBJECTS else literal(name)
