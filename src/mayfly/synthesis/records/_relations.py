"""Write relations between input and output that hold for every right answer, as the source of a check."""

from __future__ import annotations

from mayfly.synthesis.records._emit_read import OBJECTS
from mayfly.synthesis.records._model import Condition, Format, Operation

_HEAD = "def check(input, output):\n"


def check(found: Format, operation: Operation) -> str:
    """Return the source of a check, or nothing where no relation is known."""
    lines = _grouped(operation) if operation.keys or operation.measure else _listed(found, operation)
    return _HEAD + "".join(f"    {line}\n" for line in lines) if lines else ""


def _listed(found: Format, operation: Operation) -> list[str]:
    """Answers that are lists: no longer than the input, all of it from the input, each item as asked, in order."""
    lines = ["if not isinstance(output, list) or len(output) > len(input):", "    return False"]
    if operation.limit:
        lines += [f"if len(output) > {operation.limit}:", "    return False"]
    if operation.unique:
        lines += ["shown = [repr(item) for item in output]", "if len(set(shown)) != len(shown):", "    return False"]
    if found.kind in OBJECTS:
        return [*lines, "return True"]
    if len(operation.select) != 1:
        return [*lines, *_items(found, operation)]
    field = found.named(operation.select[0])
    if field.kind in ("text", "time") and found.kind == "pattern":
        lines += ["for item in output:", "    if not any(item in line for line in input):", "        return False"]
    return [*lines, "return True"]


def _items(found: Format, operation: Operation) -> list[str]:
    names = operation.select or tuple(field.name for field in found.fields)
    fields = [field for field in found.fields if field.name in names]
    texts = [field.name for field in fields if field.kind in ("text", "time") and field.name not in ("heap_type",)]
    lines = ["for item in output:", f"    if sorted(item) != {sorted(names)!r}:", "        return False"]
    if found.kind in ("pattern", "memory", "trace", "plain"):
        lines += [f"    for name in {texts!r}:", "        text = item[name]"]
        lines += [
            "        if text is not None and not any(text in line for line in input):",
            "            return False",
        ]
    for condition in operation.conditions:
        test = _test(condition) if condition.field in names else ""
        if test:
            lines += [f"    if {'' if condition.negated else 'not '}({test}):", "        return False"]
    if operation.order in names and found.named(operation.order).numeric:
        sign = ">=" if operation.descending else "<="
        lines += [f"known = [item[{operation.order!r}] for item in output if item[{operation.order!r}] is not None]"]
        lines += [f"if not all(one {sign} other for one, other in zip(known, known[1:])):", "    return False"]
    return [*lines, "return True"]


def _test(condition: Condition) -> str:
    held = f"item[{condition.field!r}]"
    if condition.value is None:
        return f"{held} is None"
    signs = {"eq": "==", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
    if condition.operator in signs and not isinstance(condition.value, bool):
        return f"{held} is not None and {held} {signs[condition.operator]} {condition.value!r}"
    if condition.operator == "range" and isinstance(condition.value, tuple):
        return f"{held} is not None and {condition.value[0]} <= {held} < {condition.value[1]}"
    return f"{held} in {condition.value!r}" if condition.operator == "in" else ""


def _grouped(operation: Operation) -> list[str]:
    """Answers that are measures: of the right type, and counts no larger than the input."""
    if operation.gather:
        return ["return isinstance(output, dict) and sum(map(len, output.values())) <= len(input)"]
    counted = operation.measure == "count"
    if not operation.keys:
        return ["return isinstance(output, int) and 0 <= output <= len(input)"] if counted else []
    rows = len(operation.keys) > 1 or operation.ranked
    if not rows:
        total = (
            "sum(output.values()) <= len(input) and all(value > 0 for value in output.values())" if counted else "True"
        )
        return [f"return isinstance(output, dict) and {total}"]
    if not counted:
        return ["return isinstance(output, list)"]
    lines = [
        "counts = [row['count'] for row in output]",
        "if sum(counts) > len(input) or 0 in counts:",
        "    return False",
    ]
    if operation.ranked:
        lines += [f"if counts != sorted(counts, reverse={operation.descending}):", "    return False"]
    if operation.limit:
        lines += [f"if len(counts) > {operation.limit}:", "    return False"]
    return [*lines, "return True"]
