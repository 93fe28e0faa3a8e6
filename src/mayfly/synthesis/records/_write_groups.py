"""Write what makes measures of rows, of all of them or for each group."""

from __future__ import annotations

from mayfly.language.question import Measure, Query
from mayfly.synthesis.records._helpers import helper
from mayfly.synthesis.records._labels import labels, title_of
from mayfly.synthesis.records._source import Source, literal
from mayfly.synthesis.records._write_conditions import ConditionWriter
from mayfly.synthesis.records._write_parts import pass_elsewhere, slice_of, write_finished, write_group_of
from mayfly.synthesis.records._write_values import ValueWriter

_GAUGES = {"count": "Count()", "share": "Share()", "mean": "Average()", "unique": "Distinct()"}
_GAUGES |= {"min": "Extreme(greatest=False)", "max": "Extreme(greatest=True)", "first": "Edge(last=False)"}
_GAUGES |= {"last": "Edge(last=True)", "median": "Percentile(50)", "stdev": "Deviation()", "mode": "Commonest()"}
_GAUGES |= {"range": "Range()", "ratio": "Ratio()"}


class GroupWriter:
    """Write the measures of one query."""

    def __init__(self, query: Query, source: Source, values: ValueWriter, conditions: ConditionWriter) -> None:
        self.query, self.source, self.values, self.conditions = query, source, values, conditions

    def measured(self, stream: str) -> list[str]:
        """Write what makes the measures of a stream of rows, and return the body of the entry."""
        query = self.query
        for measure in query.measures:
            self._gauge(measure)
        gauges = ", ".join(self._new_gauge(one) for one in query.measures)
        self.source.function(
            "def gauges() -> list[Gauge]:", "Return what makes values of the rows of one group.", [f"return [{gauges}]"]
        )
        values = ", ".join(self._measured_value(one, at) for at, one in enumerate(query.measures))
        self.source.function(
            "def values(row: Row) -> list[object]:", "Return what each gauge takes of a row.", [f"return [{values}]"]
        )
        write_finished(self.source, query)
        if not query.keys:
            result = (
                "finished(found[0].value())"
                if len(query.measures) == 1
                else "[finished(gauge.value()) for gauge in found]"
            )
            return [
                "found = gauges()",
                f"for row in {stream}:",
                "    for gauge, value in zip(found, values(row)):",
                "        gauge.add(value)",
                f'return {{"value": {result}, "account": account.told()}}',
            ]
        return self._grouped(stream)

    def _gauge(self, measure: Measure) -> None:
        self.source.helper("Gauge", helper("Gauge"))
        self.values.use(self._new_gauge(measure).partition("(")[0])

    def _new_gauge(self, measure: Measure) -> str:
        if measure.function == "percentile":
            return f"Percentile({measure.at:g})"
        if measure.function == "share" and measure.of is not None:
            return "SharedValues()"
        if measure.function == "sum":
            return f"Total({None if self.query.keys else 0})"
        return _GAUGES[measure.function]

    def _measured_value(self, measure: Measure, place: int) -> str:
        if measure.function == "count":
            return "True"
        if measure.function == "share":
            assert measure.where is not None
            self.conditions.write(f"counted_{place + 1}", measure.where, "Whether a row counts towards the share.")
            counted = f"counted_{place + 1}(row)"
            return counted if measure.of is None else f"({self.values.value(measure.of)}, {counted})"
        assert measure.of is not None
        if measure.per is not None:
            return f"({self.values.number(measure.of)}, {self.values.number(measure.per)})"
        if self.values.is_moment(measure.of) and measure.function in ("min", "max"):
            return f"({self.values.rank(measure.of)}, {self.values.value(measure.of)})"
        if self.values.is_moment(measure.of) and measure.function == "range":
            return self.values.seconds(measure.of)
        if measure.function in ("unique", "first", "last", "mode", "min", "max"):
            return self.values.value(measure.of)
        return self.values.number(measure.of)

    def _grouped(self, stream: str) -> list[str]:
        query = self.query
        self._collect()
        lines = [f"found = collect({stream})"]
        if query.of_total:
            self._write_of_total()
            lines.append("found = of_total(found)")
        if query.having:
            self.values.use("compare")
            operator, number = query.having
            test = f'isinstance(group[1][0], (int, float)) and compare(group[1][0], "{operator}", {literal(number)})'
            lines.append(f"found = [group for group in found if {test}]")
        if query.tally:
            return [*lines, 'return {"value": len(found), "account": account.told()}']
        for order in reversed(query.order):
            by = order.by
            part, place = (1, by) if isinstance(by, int) else (0, query.keys.index(by))
            down = ", reverse=True" if order.descending else ""
            lines += [
                f"rest = [group for group in found if group[{part}][{place}] is None]",
                f"found = [group for group in found if group[{part}][{place}] is not None]",
                f"found.sort(key=lambda group: sort_key(group[{part}][{place}]){down})",
                "found += rest",
            ]
        if cut := slice_of(query):
            lines.append(f"found = found{cut}")
        return [*lines, *self._shaped()]

    def _collect(self) -> None:
        """Write `collect`, which returns the groups of all rows with their values."""
        self.values.use("sort_key")
        write_group_of(self.source, self.values, self.query)
        self.source.constant("Group = tuple[list[object], list[object]]")
        body = [
            "groups: dict[str, tuple[list[object], list[Gauge]]] = {}",
            "for row in found:",
            "    key = group_of(row)",
            *pass_elsewhere(self.query, self.values),
            "    held = groups.setdefault(repr(key), (key, gauges()))[1]",
            "    for gauge, value in zip(held, values(row)):",
            "        gauge.add(value)",
            "made = filter(is_known, map(group_made, groups.values()))",
            "return sorted(made, key=lambda group: [sort_key(part) for part in group[0]])",
        ]
        self.source.function(
            "def group_made(group: tuple[list[object], list[Gauge]]) -> Group:",
            "Return a group with the values of its gauges.",
            ["return group[0], [gauge.value() for gauge in group[1]]"],
        )
        # A group of which nothing is known is none: nobody's average is asked for.
        self.source.function(
            "def is_known(group: Group) -> bool:",
            "Whether there is anything to tell about a group.",
            ["return any(value is not None for value in group[1])"],
        )
        self.source.function(
            "def collect(found: Iterable[Row]) -> list[Group]:", "Return every group with its values.", body
        )

    def _write_of_total(self) -> None:
        """Write `of_total`, which makes shares of the values of all groups."""
        total = [
            "total = sum(held[0] for _, held in found if isinstance(held[0], (int, float)))",
            "return [(key, [share_of(held[0], total)]) for key, held in found]",
        ]
        self.source.function(
            "def share_of(value: object, total: float) -> float | None:",
            "Return how many of a hundred a value is; None of what is no number.",
            ["return 100 * value / total if total and isinstance(value, (int, float)) else None"],
        )
        self.source.function(
            "def of_total(found: list[Group]) -> list[Group]:",
            "Return each value as a share of all, in percent.",
            total,
        )

    def _shaped(self) -> list[str]:
        query = self.query
        names = labels(query)
        plain = len(query.keys) == 1 and not query.order and query.limit is None and query.last is None
        if plain:
            self.values.use("key_text")
            held = (
                "finished(held[0])"
                if len(names) == 1
                else "{" + ", ".join(f"{literal(name)}: finished(held[{at}])" for at, name in enumerate(names)) + "}"
            )
            return [
                f"value = {{key_text(key[0]): {held} for key, held in found}}",
                'return {"value": value, "account": account.told()}',
            ]
        titles = [title_of(of) for of in query.keys]
        pairs = [f"{literal(title)}: key[{at}]" for at, title in enumerate(titles)]
        pairs += [f"{literal(name)}: finished(held[{at}])" for at, name in enumerate(names)]
        return [
            f"value = [{{{', '.join(pairs)}}} for key, held in found]",
            'return {"value": value, "account": account.told()}',
        ]
