"""Say whether a query makes sense for a table: numbers are added, moments have hours, lists have items."""

from __future__ import annotations

from collections.abc import Mapping

from mayfly.language.question import (
    TIME_PARTS,
    Arithmetic,
    Column,
    Compare,
    Constant,
    Expression,
    Measure,
    PartOf,
    Query,
    Recent,
    walk,
)
from mayfly.synthesis.records._model import Field
from mayfly.synthesis.records._values import is_number

_NUMBERS = ("int", "float")
_OF_NUMBERS = ("sum", "mean", "median", "percentile", "stdev", "ratio")


def misfit_of(query: Query, fields: Mapping[str, Field]) -> str:
    """Return why a query cannot be asked of columns like these; nothing where it can."""
    for part in walk(query):
        told = ""
        if isinstance(part, Measure) and part.function in _OF_NUMBERS and part.of is not None:
            told = _not_a_number(part.of, fields) or (_not_a_number(part.per, fields) if part.per is not None else "")
        elif isinstance(part, Arithmetic):
            told = _not_workable(part, fields)
        elif isinstance(part, PartOf) and part.part in TIME_PARTS:
            told = _not_a_moment(part.of, fields)
        elif isinstance(part, Recent) or (isinstance(part, Compare) and part.operator == "during"):
            told = _not_a_moment(part.of if isinstance(part, Recent) else part.left, fields)
        elif isinstance(part, Compare) and is_number(part.value) and part.operator in ("<", "<=", ">", ">="):
            told = _not_a_number(part.left, fields)
        if told:
            return told
    return ""


def _not_a_number(of: Expression, fields: Mapping[str, Field]) -> str:
    if not isinstance(of, Column):
        return ""
    field = fields.get(of.name)
    if field is None or field.kind in _NUMBERS or field.kind == "epoch" or _holds_list(field):
        return ""
    return f"{of.name} holds no numbers" + (f": {field.trouble}" if field.trouble else "")


def _holds_list(field: Field) -> bool:
    """Say whether values may be lists, whose items may be numbers; only the rows tell."""
    return field.kind == "text" and not field.values and bool(field.path) and not field.trouble


def _not_a_moment(of: Expression, fields: Mapping[str, Field]) -> str:
    field = fields.get(of.name) if isinstance(of, Column) else None
    return "" if field is None or field.kind in ("time", "epoch") else f"{field.title} holds no moments"


def _not_workable(part: Arithmetic, fields: Mapping[str, Field]) -> str:
    moments = [
        isinstance(side, Column) and side.name in fields and fields[side.name].kind in ("time", "epoch")
        for side in (part.left, part.right)
    ]
    if all(moments):
        return "" if part.sign == "-" else "moments can only be taken from each other"
    sides = [side for side in (part.left, part.right) if not isinstance(side, Constant)]
    return next((told for side in sides if (told := _not_a_number(side, fields))), "")
