"""Write measures as SQL: counts, sums, percentiles, shares, each as one aggregate."""

from __future__ import annotations

from dataclasses import dataclass

from mayfly.language.question import Measure, Query
from mayfly.synthesis.records._evaluate import DIGITS
from mayfly.synthesis.records._sql_text import literal
from mayfly.synthesis.records._sql_values import Sort, Values


@dataclass(frozen=True, kw_only=True)
class Measured:
    """A measure as SQL: what kind of value it has, and whether there may be none."""

    sql: str
    sort: Sort
    nullable: bool
    # Whether it was worked out, so that its last digits are noise.
    worked: bool = False


class Measures:
    """Write the measures of one query."""

    def __init__(self, query: Query, values: Values) -> None:
        self.query, self.values = query, values

    def measured(self, measure: Measure) -> Measured:
        """Return the aggregate of a measure."""
        name = measure.function
        if name == "count":
            return Measured(sql="count(*)", sort="int", nullable=False)
        if name == "share":
            return self._share(measure)
        assert measure.of is not None
        if name == "ratio":
            assert measure.per is not None
            part, whole = (self._sum_of(self.values.value(of)) for of in (measure.of, measure.per))
            return _worked(f"100 * coalesce({part}, 0) / nullif({whole}, 0)")
        if name == "unique":
            return Measured(sql=f"count(DISTINCT {self.values.given(measure.of)})", sort="int", nullable=False)
        if self.values.is_moment(measure.of) and name in ("min", "max", "range"):
            return self._of_moments(measure)
        return self._of_values(measure)

    def _share(self, measure: Measure) -> Measured:
        """Return the share of the rows that pass a condition, or of the different values that such rows have."""
        what = "*" if measure.of is None else f"DISTINCT {self.values.value(measure.of)}"
        test = self.values.condition(measure.where) if measure.where else "false"
        sure = measure.of is None and bool(self.query.keys)
        whole = f"count({what})" if sure else f"nullif(count({what}), 0)"
        found = _worked(f"100 * count({what}) FILTER (WHERE {test}) / {whole}")
        return Measured(sql=found.sql, sort="float", nullable=not sure, worked=True)

    def _of_moments(self, measure: Measure) -> Measured:
        assert measure.of is not None
        moment, shown = self.values.moment(measure.of), self.values.value(measure.of)
        if measure.function == "range":
            return _worked(f"epoch(max({moment})) - epoch(min({moment}))")
        return Measured(
            sql=f"arg_{measure.function}({shown}, {moment})", sort=self.values.sort(measure.of), nullable=True
        )

    def _of_values(self, measure: Measure) -> Measured:
        assert measure.of is not None
        name, of, sort = measure.function, self.values.given(measure.of), self.values.sort(measure.of)
        if name in ("first", "last"):
            return Measured(sql=f"arg_{'min' if name == 'first' else 'max'}({of}, position)", sort=sort, nullable=True)
        if name in ("min", "max"):
            return Measured(sql=f"{name}({of})", sort=sort, nullable=True)
        if name == "mode":
            text = self.key_text(measure)
            return Measured(sql=f"mode({text} ORDER BY {text})", sort="text", nullable=True)
        if name == "sum":
            found = f"sum({of})" if sort == "int" else self._sum_of(of)
            found = found if self.query.keys else f"coalesce({found}, 0)"
            return Measured(sql=found, sort=sort, nullable=bool(self.query.keys), worked=sort == "float")
        if name == "mean":
            return _worked(f"avg({of})" if sort == "int" else f"favg({of})")
        if name == "stdev":
            return _worked(f"CASE count({of}) WHEN 1 THEN 0 ELSE stddev_samp({of}) END")
        if name == "range":
            return Measured(sql=f"max({of}) - min({of})", sort=sort, nullable=True, worked=sort == "float")
        at = 0.5 if name == "median" else measure.at / 100
        return _worked(f"median({of})" if name == "median" else f"quantile_cont({of}, {at:g})")

    def key_text(self, measure: Measure) -> str:
        """Return a value as the evaluator names groups; whole numbers have no fraction."""
        assert measure.of is not None
        text = self.values.given(measure.of) if self.values.sort(measure.of) == "text" else self.values.text(measure.of)
        return f"regexp_replace({text}, '\\.0$', '')" if self.values.sort(measure.of) == "float" else text

    def _sum_of(self, value: str) -> str:
        # The plain sum of floating point numbers depends on the order in which they are added.
        return f"fsum({value})"

    def finished(self, found: Measured) -> str:
        """Return a value as it is shown: in the unit that was asked for, and rounded."""
        query, sql = self.query, found.sql
        if found.sort not in ("int", "float"):
            return sql
        if query.scale:
            sql = f"({sql}) / {literal(query.scale[1])}" if " " in sql else f"{sql} / {literal(query.scale[1])}"
        if query.digits is not None and (found.sort == "float" or query.scale):
            return f"round({sql}, {query.digits})"
        return f"round({sql}, {DIGITS})" if found.worked or query.scale else sql


def _worked(sql: str) -> Measured:
    return Measured(sql=sql, sort="float", nullable=True, worked=True)
