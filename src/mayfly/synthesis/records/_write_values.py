"""Write the expressions of a program: values of columns, parts of them, numbers, moments."""

from __future__ import annotations

from collections.abc import Mapping

from mayfly.language.question import Arithmetic, Column, Constant, Expression, PartOf
from mayfly.synthesis.records import _times
from mayfly.synthesis.records._helpers import helper
from mayfly.synthesis.records._model import Field
from mayfly.synthesis.records._source import Source, literal
from mayfly.synthesis.records._values import CUTS, WEEKDAYS

# Helpers that a helper uses itself.
_NEEDS = {"Percentile": ("Numbers",), "Deviation": ("Numbers",), "Extreme": ("sort_key",), "Commonest": ("key_text",)}
_NEEDS |= {"SharedValues": ("key_text",), "key_text": ("number_text",)}


class ValueWriter:
    """Write expressions over `row`, and add the helpers they use to the program."""

    def __init__(self, source: Source, fields: Mapping[str, Field]) -> None:
        self.source, self.fields = source, fields

    def use(self, name: str) -> None:
        """Add a helper with those it uses itself."""
        for other in _NEEDS.get(name, ()):
            self.use(other)
        text = helper(name)
        if text.startswith((f"class {name}(Gauge)", f"class {name}(Numbers)")):
            self.source.helper("Gauge", helper("Gauge"))
        if name == "week":
            self.source.datetime.add("datetime")
        self.source.helper(name, text)

    def value(self, of: Expression) -> str:
        """Return the expression for a value of any kind."""
        if isinstance(of, Column):
            return f"row.get({literal(of.name)})"
        if isinstance(of, PartOf) and of.part not in ("length", "items"):
            return self._part(of)
        return self.number(of)

    def number(self, of: Expression) -> str:
        """Return the expression for a number or None."""
        if isinstance(of, Constant):
            return literal(of.value)
        if isinstance(of, Column):
            self.use("number")
            return f"number(row, {literal(of.name)})"
        if isinstance(of, Arithmetic):
            self.use("work")
            if self.is_moment(of.left) and self.is_moment(of.right):
                return f'work({self.seconds(of.left)}, "-", {self.seconds(of.right)})'
            return f'work({self.number(of.left)}, "{of.sign}", {self.number(of.right)})'
        return self._length(of) if of.part in ("length", "items") else self._part(of)

    def _length(self, of: PartOf) -> str:
        """Return the expression for the length of a text or of a list; a whole line is always there."""
        assert isinstance(of.of, Column)
        name = literal(of.of.name)
        if of.part == "items":
            self.use("items")
            return f"(len(items(row, {name})) if isinstance(row.get({name}), list) else None)"
        self.use("text")
        held = f"len(text(row, {name}))"
        return f"({held} if row.get({name}) is not None else None)" if of.of.name else held

    def _part(self, of: PartOf) -> str:
        assert isinstance(of.of, Column)
        name = literal(of.of.name)
        if of.part == "domain":
            self.use("domain")
            self.use("text")
            return f"domain(text(row, {name}))"
        if of.part == "small letters":
            self.use("text")
            return f"(text(row, {name}).lower() if row.get({name}) is not None else None)"
        moment = self.moment(of.of)
        field = self.fields[of.of.name]
        yearless = field.kind == "time" and not _times.has_year(field.layout)
        return f"{self._write_span(of.part, yearless)}({moment})"

    def _write_span(self, part: str, yearless: bool) -> str:
        """Write the function that names the span a moment lies in."""
        name = part.replace(" ", "_") + "_of"
        kind = "int" if part in ("hour of day", "day of month", "month of year") else "str"
        numbers = {"hour of day": "when.hour", "day of month": "when.day", "month of year": "when.month"}
        if part == "weekday":
            self.source.constant(f"WEEKDAYS = {literal(WEEKDAYS)}")
            value = "WEEKDAYS[when.weekday()]"
        elif part in numbers:
            value = numbers[part]
        elif part == "clock time":
            value = 'when.strftime("%H:%M:%S")'
        elif part == "week":
            self.use("week")
            value = "week(when)"
        elif part == "quarter":
            value = 'f"{when.year}-Q{(when.month + 2) // 3}"'
        else:
            start = "5" if yearless and part != "year" else ""
            value = f'when.isoformat(" ", "seconds")[{start}:{CUTS[part]}]' + (' + ":00"' if part == "hour" else "")
        self.source.datetime.add("datetime")
        head = f"def {name}(when: datetime | None) -> {kind} | None:"
        self.source.function(head, f"Return the {part} a moment lies in.", [f"return {value} if when else None"])
        return name

    def moment(self, of: Column) -> str:
        """Write the function that reads the moments of a column, and return its call."""
        field = self.fields[of.name]
        self.source.datetime.add("datetime")
        name = f"moment_of_{field.name.lower().strip('_') or 'it'}"
        if field.kind == "epoch":
            self.source.datetime.add("timedelta")
            self.use("number")
            body = [
                f"value = number(row, {literal(of.name)})",
                f"return None if value is None else datetime(1970, 1, 1) + timedelta({field.layout}=value)",
            ]
        else:
            self.use("text")
            body = [
                f"value = text(row, {literal(of.name)})",
                "try:",
                f"    return {self._reading(field)}.replace(tzinfo=None)",
                "except ValueError:",
                "    return None",
            ]
        head = f"def {name}(row: Row) -> datetime | None:"
        self.source.function(
            head, "Return the moment as the clock on the wall showed it; None where there is none.", body
        )
        return f"{name}(row)"

    def _reading(self, field: Field) -> str:
        if _times.is_iso(field.layout):
            return "datetime.fromisoformat(value)"
        shown, layout = "value", _times.strptime_format(field.layout)
        if "%F" in field.layout:
            self.source.use("re")
            self.source.constant('FRACTION = re.compile(r"(?<=:[0-9]{2})[.,][0-9]+")')
            shown = 'FRACTION.sub("", value)'
        if not _times.has_year(field.layout) and _times.has_date(field.layout):
            return f'datetime.strptime("2000 " + {shown}, "%Y {layout}")'
        return f'datetime.strptime({shown}, "{layout}")'

    def is_moment(self, of: Expression) -> bool:
        """Say whether an expression is a column of moments."""
        return isinstance(of, Column) and bool(of.name) and self.fields[of.name].kind in ("time", "epoch")

    def rank(self, of: Expression) -> str:
        """Return the expression that rows are sorted by: moments in a form that sorts as they do."""
        if self.is_moment(of):
            assert isinstance(of, Column)
            return f"instant({self._instant(of)})"
        return self.value(of)

    def _instant(self, of: Column) -> str:
        head = "def instant(when: datetime | None) -> str | None:"
        self.source.datetime.add("datetime")
        self.source.function(
            head,
            "Return a moment as text that sorts as moments do.",
            ['return when.isoformat(" ", "microseconds") if when else None'],
        )
        return self.moment(of)

    def text(self, of: Expression) -> str:
        """Return the expression for a text, empty where there is none."""
        assert isinstance(of, Column)
        self.use("text")
        return f"text(row, {literal(of.name)})"

    def seconds(self, of: Expression) -> str:
        """Return the expression for a moment in seconds, so that one can be taken from another."""
        assert isinstance(of, Column)
        self.source.datetime.add("datetime")
        body = ["return (when - datetime(1970, 1, 1)).total_seconds() if when else None"]
        self.source.function("def seconds(when: datetime | None) -> float | None:", "Return a moment in seconds.", body)
        return f"seconds({self.moment(of)})"
