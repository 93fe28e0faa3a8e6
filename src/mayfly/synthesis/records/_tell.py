"""Say in words what a program does, and what its author noticed."""

from __future__ import annotations

from datetime import datetime

from mayfly.synthesis.records._model import Condition, Format, Operation

_SIGNS = {
    "eq": "is",
    "ne": "is not",
    "lt": "below",
    "le": "at most",
    "gt": "above",
    "ge": "at least",
    "contains": "with",
}
_SIGNS |= {"prefix": "starting with", "suffix": "ending with", "word": "with the word"}
_MEASURES = {
    "sum": "Sum",
    "mean": "Average",
    "min": "Find the smallest",
    "max": "Find the largest",
    "median": "Find the median of",
}


def tell(found: Format, operation: Operation) -> str:
    """Return one sentence that says what the program does."""
    where = " and ".join(_condition(condition) for condition in operation.conditions)
    of = f" of the {found.name}" if found.kind != "plain" else " of the text"
    body = _what(operation) + of + (f" where {where}" if where else "")
    if operation.having is not None:
        body += f", for counts {_SIGNS[operation.having.operator]} {operation.having.value}"
    cut = f", the {'last' if operation.last else 'first'} {operation.limit} only" if operation.limit else ""
    ordered = (
        f", {'highest' if operation.descending else 'lowest'} {operation.order or 'value'} first"
        if operation.order or operation.ranked
        else ""
    )
    return " ".join(f"{body}{ordered}{cut}.".split()).replace('"""', "'").replace("\\", "/")


def _what(operation: Operation) -> str:
    groups = " and ".join(f"{key.field}{' ' + key.bucket if key.bucket else ''}" for key in operation.keys)
    by = f" by {groups}" if groups else ""
    if operation.gather:
        return f"Group the records{by}"
    if operation.measure in ("share", "percent"):
        share = " and ".join(_condition(condition) for condition in operation.share)
        return f"Find the {'percentage' if operation.measure == 'percent' else 'share'} where {share}{by}"
    if operation.measure == "count":
        return f"Count the records{by}"
    if operation.measure == "distinct":
        return f"Count the different values of {operation.of}{by}"
    if operation.measure:
        return f"{_MEASURES[operation.measure]} {operation.of}{by}"
    shown = " and ".join(operation.select) if operation.select else "records"
    return f"List the {'different ' if operation.unique else ''}{shown}"


def _condition(condition: Condition) -> str:
    name = condition.field or "the line"
    no = "not " if condition.negated else ""
    value = condition.value
    if condition.operator in ("during", "clock") and isinstance(value, tuple):
        low, high = (bound.isoformat(" ") if isinstance(bound, datetime) else bound for bound in value)
        since = f"from {low}" if low is not None else ""
        until = f"before {high}" if high is not None else ""
        return f"{name} is {no}{since} {until}"
    if condition.operator == "range" and isinstance(value, tuple):
        return f"{name} is {no}from {value[0]} to {value[1] - 1}"
    if value is None:
        return f"{name} is {no}missing"
    if isinstance(value, tuple):
        return f"{name} is {no}one of {', '.join(map(str, value))}"
    return f"{no}{name} {_SIGNS[condition.operator]} {_clean(value)}"


def _clean(value: object) -> str:
    text = "".join(sign if sign.isprintable() else "?" for sign in str(value))
    return text[:60]


def notes(found: Format) -> list[str]:
    """Return what somebody should know about the sample."""
    said = []
    left = found.total - found.fitted
    if left > 0:
        said.append(f"{left} of {found.total} lines of the sample do not fit and are passed over")
    if found.continued:
        said.append(f"{found.continued} lines continue the one above and are passed over")
    if len(found.shapes) > 1:
        said.append(f"the lines have {len(found.shapes)} shapes")
    return said
