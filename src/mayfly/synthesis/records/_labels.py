"""What the columns of an answer are called."""

from __future__ import annotations

from mayfly.language.question import Column, Expression, PartOf, Query, tell

_NAMES = {
    "mean": "average",
    "stdev": "standard deviation",
    "unique": "unique",
    "share": "percent",
    "mode": "most common",
}


def labels(query: Query) -> list[str]:
    """Return what the measures of a query are called in its answer, each once."""
    found: list[str] = []
    for measure in query.measures:
        name = _NAMES.get(measure.function, measure.function)
        if measure.function == "percentile":
            name = f"p{measure.at:g}"
        if measure.function == "ratio":
            name = "percent"
        elif measure.of is not None and (len(query.measures) > 1 or query.keys):
            name = f"{name} {title_of(measure.of)}"
        found.append(name if not query.of_total else "percent")
    return found


def title_of(expression: Expression) -> str:
    """Return what the column of an answer is called."""
    if isinstance(expression, Column):
        return expression.name or "line"
    if isinstance(expression, PartOf):
        return expression.part
    return tell(Query(columns=(expression,))).removeprefix("columns ")
