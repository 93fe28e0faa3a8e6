"""Write a whole program for a query: rows are read, the wanted ones kept, the answer made of them and accounted for."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple, cast

from mayfly.language.question import (
    And,
    Arithmetic,
    Column,
    Compare,
    Condition,
    Constant,
    Expression,
    Measure,
    Missing,
    Not,
    Or,
    PartOf,
    Query,
    Recent,
    Repeated,
    columns_of,
    tell,
)
from mayfly.synthesis.records import _times
from mayfly.synthesis.records._evaluate import DIGITS, labels, partial_keys, title_of
from mayfly.synthesis.records._helpers import helper
from mayfly.synthesis.records._join import Joined
from mayfly.synthesis.records._model import Field, Format
from mayfly.synthesis.records._source import Source, block, literal
from mayfly.synthesis.records._values import CUTS, WEEKDAYS
from mayfly.synthesis.records._write_read import OBJECTS, write_reader, write_rows

ENTRY = "Answer"
_GAUGES = {"count": "Count()", "share": "Share()", "sum": "Total()", "mean": "Average()", "unique": "Distinct()"}
_GAUGES |= {"min": "Extreme(greatest=False)", "max": "Extreme(greatest=True)", "first": "Edge(last=False)"}
_GAUGES |= {"last": "Edge(last=True)", "median": "Percentile(50)", "stdev": "Deviation()", "mode": "Commonest()"}
_GAUGES |= {"range": "Range()", "ratio": "Ratio()"}
# Helpers that a helper uses itself.
_NEEDS = {"Percentile": ("Numbers",), "Deviation": ("Numbers",), "Extreme": ("sort_key",), "Commonest": ("key_text",)}
_NEEDS |= {"SharedValues": ("key_text",)}
_NEEDS |= {"key_text": ("number_text",)}


class Written(NamedTuple):
    """A program, the name of what is called in it, and whether it yields its answer piece by piece."""

    source: str
    entry: str
    streams: bool


def write_program(found: Format, query: Query) -> Written:
    """Return a program that answers *query* for input of the format."""
    return _Writer(found, query).write()


def write_join(joined: Joined, query: Query) -> Written:
    """Return a program that answers *query* for two inputs, given as a list of both."""
    return _JoinWriter(joined, query).write()


def _shows_records(found: Format, query: Query) -> bool:
    return not query.measures and not query.columns and not query.lines and found.kind != "plain"


def needed_titles(found: Format, query: Query) -> frozenset[str]:
    """Return the columns that a query reads: a line with something else in one of them is not understood."""
    if _shows_records(found, query) and found.kind not in OBJECTS:
        return frozenset(field.title for field in found.fields)
    return frozenset(columns_of(query))


class _Writer:
    """Hold a program while it is being written."""

    def __init__(self, found: Format, query: Query) -> None:
        self.found, self.query = found, query
        self.fields = {field.title: field for field in found.fields}
        self.source = Source(tell(query))
        self.whole = _shows_records(found, query)

    def write(self) -> Written:
        query = self.query
        line = (
            query.lines
            or self.found.kind == "plain"
            or self._looks_at_lines()
            or (self.whole and self.found.kind in OBJECTS)
        )
        needed = self._needed()
        write_reader(self.source, self.found, needed, line=line)
        later = self._needs_all(query.where)
        if query.where is not None and not later:
            self._function("wanted", query.where, "Whether a row is one of those asked for.")
        write_rows(self.source, self.found, wanted=query.where is not None and not later)
        stream = "rows(input, account)"
        if query.items is not None:
            stream = self._items(stream)
        if later:
            stream = self._later(stream)
        if query.measures:
            body, streams = self._measured(stream), False
        elif query.pick:
            body, streams = self._picked(stream), False
        else:
            body, streams = self._listed(stream)
        return self._finish(body, streams)

    def _finish(self, body: list[str], streams: bool) -> Written:
        kind = "object" if self.found.kind == "objects" else "str"
        returned = "Iterator[object]" if streams else "dict[str, object]"
        head = f"def invoke(self, input: Iterable[{kind}]) -> {returned}:"
        said = (
            "Yield the answer piece by piece, and last of all the account."
            if streams
            else "Return the answer and the account of every line."
        )
        method = block(head, said, ["account = Account()", *body], "    ")
        self.source.helper(ENTRY, f'class {ENTRY}:\n    """Answer the question above."""\n\n{method}')
        return Written(self.source.text(), ENTRY, streams)

    # What of a line is needed.

    def _looks_at_lines(self) -> bool:
        from mayfly.language.question import walk

        return any(isinstance(part, Column) and not part.name for part in walk(self.query)) or (
            isinstance(self.query.where, Repeated) and not self.query.where.of
        )

    def _needed(self) -> list[Field]:
        names = needed_titles(self.found, self.query)
        return [field for field in self.found.fields if field.title in names]

    def _use(self, name: str) -> None:
        for other in _NEEDS.get(name, ()):
            self._use(other)
        if name == "written":
            self._use_written()
            return
        text = helper(name)
        if text.startswith((f"class {name}(Gauge)", f"class {name}(Numbers)")):
            self.source.helper("Gauge", helper("Gauge"))
        if name == "week":
            self.source.datetime.add("datetime")
        self.source.helper(name, text)

    def _use_written(self) -> None:
        """Add what shows values as JSON: only objects need the module for that, and every import counts as a risk."""
        if self._holds_objects():
            self.source.use("json")
            self.source.helper("written", helper("written_object"))
            return
        self.source.helper("written_one", helper("written_one"))
        self.source.helper("written", helper("written"))

    def _holds_objects(self) -> bool:
        return self.found.kind in OBJECTS

    # Expressions.

    def _value(self, of: Expression) -> str:
        """Return the expression for a value of any kind."""
        if isinstance(of, Column):
            return f"row.get({literal(of.name)})"
        if isinstance(of, PartOf) and of.part not in ("length", "items"):
            return self._part(of)
        return self._number(of)

    def _number(self, of: Expression) -> str:
        """Return the expression for a number or None."""
        if isinstance(of, Constant):
            return literal(of.value)
        if isinstance(of, Column):
            self._use("number")
            return f"number(row, {literal(of.name)})"
        if isinstance(of, Arithmetic):
            self._use("work")
            if self._is_moment(of.left) and self._is_moment(of.right):
                return f'work({self._seconds(of.left)}, "-", {self._seconds(of.right)})'
            return f'work({self._number(of.left)}, "{of.sign}", {self._number(of.right)})'
        if of.part == "length":
            inner = of.of
            assert isinstance(inner, Column)
            self._use("text")
            held = f"text(row, {literal(inner.name)})"
            return (
                f"len({held})"
                if not inner.name
                else f"(len({held}) if row.get({literal(inner.name)}) is not None else None)"
            )
        if of.part == "items":
            assert isinstance(of.of, Column)
            self._use("items")
            held = f"row.get({literal(of.of.name)})"
            return f"(len(items(row, {literal(of.of.name)})) if isinstance({held}, list) else None)"
        # A part of a moment that is a number.
        return self._part(of)

    def _part(self, of: PartOf) -> str:
        assert isinstance(of.of, Column)
        name = literal(of.of.name)
        if of.part == "domain":
            self._use("domain")
            self._use("text")
            return f"domain(text(row, {name}))"
        moment = self._moment(of.of)
        field = self.fields[of.of.name]
        yearless = field.kind == "time" and not _times.has_year(field.layout)
        return f"{self._span(of.part, yearless)}({moment})"

    def _span(self, part: str, yearless: bool) -> str:
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
            self._use("week")
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

    def _moment(self, of: Column) -> str:
        """Write the function that reads the moments of a column, and return its call."""
        field = self.fields[of.name]
        self.source.datetime.add("datetime")
        name = f"moment_of_{field.name.lower().strip('_') or 'it'}"
        if field.kind == "epoch":
            self.source.datetime.add("timedelta")
            self._use("number")
            body = [
                f"value = number(row, {literal(of.name)})",
                f"return None if value is None else datetime(1970, 1, 1) + timedelta({field.layout}=value)",
            ]
        else:
            self._use("text")
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

    def _is_moment(self, of: Expression) -> bool:
        return isinstance(of, Column) and bool(of.name) and self.fields[of.name].kind in ("time", "epoch")

    def _rank(self, of: Expression) -> str:
        """Return the expression that rows are sorted by: moments in a form that sorts as they do."""
        if self._is_moment(of):
            assert isinstance(of, Column)
            return f"instant({self._instant(of)})"
        return self._value(of)

    def _instant(self, of: Column) -> str:
        head = "def instant(when: datetime | None) -> str | None:"
        self.source.datetime.add("datetime")
        self.source.function(
            head,
            "Return a moment as text that sorts as moments do.",
            ['return when.isoformat(" ", "microseconds") if when else None'],
        )
        return self._moment(of)

    # Conditions.

    def _needs_all(self, condition: Condition | None) -> bool:
        """Say whether a condition can be told only when all rows are there."""
        from mayfly.language.question import walk

        return any(isinstance(part, (Recent, Repeated)) for part in walk(condition))

    def _function(self, name: str, condition: Condition, docstring: str, *more: str) -> None:
        text = self._test(condition)
        parameters = ", ".join(("row: Row", *more))
        body = [f"return {text}"]
        if len(text) > 100 and isinstance(condition, (And, Or)):
            joint = "and" if isinstance(condition, And) else "or"
            body = [
                "return (",
                *(f"    {joint + ' ' if at else ''}{self._inner(one)}" for at, one in enumerate(condition.of)),
                ")",
            ]
        self.source.function(f"def {name}({parameters}) -> bool:", docstring, body)

    def _inner(self, condition: Condition) -> str:
        text = self._test(condition)
        return f"({text})" if isinstance(condition, (And, Or)) or " and " in text else text

    def _test(self, condition: Condition) -> str:
        if isinstance(condition, And):
            return " and ".join(map(self._inner, condition.of))
        if isinstance(condition, Or):
            return " or ".join(map(self._inner, condition.of))
        if isinstance(condition, Not):
            return f"not ({self._test(condition.of)})"
        if isinstance(condition, Missing):
            self._use("missing")
            return f"missing({self._value(condition.of)})"
        if isinstance(condition, Recent):
            assert isinstance(condition.of, Column)
            return f"((when := {self._moment(condition.of)}) is not None and when >= since)"
        if isinstance(condition, Repeated):
            given = condition.of or (Column(name=""),)
            return "counts[identity(row)] > 1" + "".join(f" and not missing({self._value(of)})" for of in given)
        return self._comparison(condition)

    def _comparison(self, condition: Compare) -> str:
        left, operator, value = condition.left, condition.operator, condition.value
        if operator == "during":
            return self._during(condition)
        if isinstance(value, Column):
            return self._two_columns(left, operator, value)
        if operator in ("contains", "has word"):
            self._use("contains")
            held = self._text(left) if isinstance(left, Column) and not left.name else self._value(left)
            return f"contains({held}, {literal(str(value).lower())})"
        if operator in ("starts with", "ends with"):
            method = "startswith" if operator == "starts with" else "endswith"
            return f"{self._text(left)}.{method}({literal(str(value))})"
        if operator == "between" and isinstance(value, tuple):
            self._use("compare")
            held = self._number(left)
            return f'compare({held}, ">=", {literal(value[0])}) and compare({held}, "<=", {literal(value[1])})'
        if operator == "in" and isinstance(value, tuple):
            return f"{self._value(left)} in {literal(value)}"
        if isinstance(value, bool):
            return f"{self._value(left)} is {value}" if operator == "=" else f"{self._value(left)} is not {value}"
        if operator in ("=", "!="):
            return f"{self._value(left)} {'==' if operator == '=' else '!='} {literal(value)}"
        if isinstance(value, str):
            # Texts that sort as what they stand for; nothing comes before all of them and is none of them.
            held = f'({self._value(left)} or "")'
            return f"{'' if operator.startswith('>') else chr(34) * 2 + ' < '}{held} {operator} {literal(value)}"
        self._use("compare")
        return f'compare({self._number(left)}, "{operator}", {literal(value)})'

    def _text(self, of: Expression) -> str:
        assert isinstance(of, Column)
        self._use("text")
        return f"text(row, {literal(of.name)})"

    def _two_columns(self, left: Expression, operator: str, right: Column) -> str:
        sign = {"=": "==", "!=": "!="}.get(operator, operator)
        if self._is_moment(left):
            held = self._rank(left), self._rank(right)
            return (
                f'({held[0]} or "") {sign} ({held[1]} or "")'
                if sign in ("==", "!=")
                else f'"" < ({held[0]} or "") {sign} ({held[1]} or "")'
                if operator.startswith("<")
                else f'({held[0]} or "") {sign} ({held[1]} or "") > ""'
            )
        self._use("compare")
        return f'compare({self._number(left)}, "{operator}", {self._number(right)})'

    def _during(self, condition: Compare) -> str:
        assert isinstance(condition.left, Column)
        start, end = cast("tuple[datetime, datetime]", condition.value)
        tests = []
        moment = self._moment(condition.left)
        for sign, bound in ((">=", start), ("<", end)):
            if 1 < bound.year < 9999:
                tests.append(f"when {sign} {_moment_literal(bound)}")
        return f"((when := {moment}) is not None and {' and '.join(tests)})"

    # Rows that need all the others.

    def _items(self, stream: str) -> str:
        assert self.query.items is not None
        name = literal(self.query.items.name)
        self._use("items")
        body = ["for row in found:", f"    for item in items(row, {name}):", f"        yield {{**row, {name}: item}}"]
        self.source.function(
            "def single(found: Iterable[Row]) -> Iterator[Row]:", "Yield a row for each item of a list.", body
        )
        return f"single({stream})"

    def _later(self, stream: str) -> str:
        """Write `chosen`, which decides about rows when all of them are there."""
        from mayfly.language.question import walk

        where = self.query.where
        assert where is not None
        parts = list(walk(where))
        body = ["held = list(found)"]
        more: list[str] = []
        given: list[str] = []
        for part in parts:
            if isinstance(part, Recent):
                self.source.datetime.add("timedelta")
                self.source.datetime.add("datetime")
                moment = self._moment(part.of)  # type: ignore[arg-type]
                body += [
                    f"moments = [when for row in held if (when := {moment}) is not None]",
                    f"since = max(moments) - timedelta(seconds={part.seconds}) if moments else datetime.max",
                ]
                more, given = [*more, "since: datetime"], [*given, "since"]
            elif isinstance(part, Repeated):
                self._identity(part)
                body += [
                    "counts: dict[str, int] = {}",
                    "for row in held:",
                    "    name = identity(row)",
                    "    counts[name] = counts.get(name, 0) + 1",
                ]
                more, given = [*more, "counts: dict[str, int]"], [*given, "counts"]
                self._use("missing")
        self._function("wanted", where, "Whether a row is one of those asked for.", *dict.fromkeys(more))
        call = ", ".join(("row", *dict.fromkeys(given)))
        body += [
            f"kept = [row for row in held if wanted({call})]",
            "account.used -= len(held) - len(kept)",
            "account.filtered += len(held) - len(kept)",
            "return kept",
        ]
        self.source.function(
            "def chosen(found: Iterable[Row], account: Account) -> list[Row]:",
            "Return the rows asked for, which only all of them together tell.",
            body,
        )
        return f"chosen({stream}, account)"

    def _identity(self, part: Repeated) -> None:
        held = ", ".join(map(self._value, part.of)) if part.of else 'row.get("")'
        body = [f"return repr([{held}])"]
        self.source.function("def identity(row: Row) -> str:", "Return what has to be the same in two rows.", body)

    # Measures.

    def _measured(self, stream: str) -> list[str]:
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
        self._finished()
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
        self._use(self._new_gauge(measure).partition("(")[0])

    def _new_gauge(self, measure: Measure) -> str:
        if measure.function == "percentile":
            return f"Percentile({measure.at:g})"
        if measure.function == "share" and measure.of is not None:
            return "SharedValues()"
        if measure.function == "sum":
            return f"Total({None if self.query.keys else 0})"
        if measure.function == "range" and measure.of is not None and self._is_moment(measure.of):
            return "Range()"
        return _GAUGES[measure.function]

    def _measured_value(self, measure: Measure, place: int) -> str:
        if measure.function == "count":
            return "True"
        if measure.function == "share":
            assert measure.where is not None
            self._function(f"counted_{place + 1}", measure.where, "Whether a row counts towards the share.")
            counted = f"counted_{place + 1}(row)"
            return counted if measure.of is None else f"({self._value(measure.of)}, {counted})"
        assert measure.of is not None
        if measure.per is not None:
            return f"({self._number(measure.of)}, {self._number(measure.per)})"
        if self._is_moment(measure.of) and measure.function in ("min", "max"):
            return f"({self._rank(measure.of)}, {self._value(measure.of)})"
        if self._is_moment(measure.of) and measure.function == "range":
            return self._seconds(measure.of)
        if measure.function in ("unique", "first", "last", "mode", "min", "max"):
            return self._value(measure.of)
        return self._number(measure.of)

    def _seconds(self, of: Expression) -> str:
        assert isinstance(of, Column)
        self.source.datetime.add("datetime")
        body = ["return (when - datetime(1970, 1, 1)).total_seconds() if when else None"]
        self.source.function("def seconds(when: datetime | None) -> float | None:", "Return a moment in seconds.", body)
        return f"seconds({self._moment(of)})"

    def _finished(self) -> None:
        query = self.query
        steps = []
        scaled = "value"
        if query.scale:
            scaled = f"value / {literal(query.scale[1])}"
        digits = query.digits if query.digits is not None else DIGITS
        steps += ["if isinstance(value, bool) or not isinstance(value, (int, float)):", "    return value"]
        if query.digits is not None or query.scale:
            steps.append(f"return round({scaled}, {digits})")
        else:
            steps.append(f"return round(value, {digits}) if isinstance(value, float) else value")
        self.source.function(
            "def finished(value: object) -> object:", "Return a value as it is shown: numbers rounded.", steps
        )

    def _grouped(self, stream: str) -> list[str]:
        query = self.query
        self._use("sort_key")
        keys = ", ".join(map(self._value, query.keys))
        self.source.function(
            "def group_of(row: Row) -> list[object]:", "Return the group a row belongs to.", [f"return [{keys}]"]
        )
        self.source.constant("Group = tuple[list[object], list[object]]")
        body = [
            "groups: dict[str, tuple[list[object], list[Gauge]]] = {}",
            "for row in found:",
            "    key = group_of(row)",
            *self._elsewhere(),
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
        lines = [f"found = collect({stream})"]
        if query.of_total:
            total = [
                "total = sum(held[0] for _, held in found if isinstance(held[0], (int, float)))",
                "return [(key, [share_of(held[0], total)]) for key, held in found]",
            ]
            share = "100 * value / total if total and isinstance(value, (int, float)) else None"
            self.source.function(
                "def share_of(value: object, total: float) -> float | None:",
                "Return how many of a hundred a value is; None of what is no number.",
                [f"return {share}"],
            )
            self.source.function(
                "def of_total(found: list[Group]) -> list[Group]:",
                "Return each value as a share of all, in percent.",
                total,
            )
            lines.append("found = of_total(found)")
        if query.having:
            self._use("compare")
            operator, number = query.having
            test = f'isinstance(group[1][0], (int, float)) and compare(group[1][0], "{operator}", {literal(number)})'
            lines.append(f"found = [group for group in found if {test}]")
        if query.tally:
            return [*lines, 'return {"value": len(found), "account": account.told()}']
        for order in reversed(query.order):
            by = order.by
            part, place = (1, by) if isinstance(by, int) else (0, query.keys.index(by))
            down = ", reverse=True" if order.descending else ""
            lines.append(f"found.sort(key=lambda group: sort_key(group[{part}][{place}]){down})")
        if cut := _slice(query):
            lines.append(f"found = found{cut}")
        return [*lines, *self._shaped()]

    def _elsewhere(self) -> list[str]:
        """Return the lines that pass over rows of another sort, which do not have a key at all."""
        places = partial_keys(self.query.keys, self.fields)
        missing = " or ".join(f"key[{place}] is None" for place in places)
        return [f"    if {missing}:", "        continue"] if places else []

    def _shaped(self) -> list[str]:
        query = self.query
        names = labels(query)
        plain = len(query.keys) == 1 and not query.order and query.limit is None and query.last is None
        if plain:
            self._use("key_text")
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

    # Records.

    def _shown(self) -> str:
        """Write `shown`, which makes a piece of the answer of a row, and return its call."""
        query = self.query
        if query.columns:
            value = self._value(query.columns[0])
            if len(query.columns) > 1 or query.added:
                value = "{" + ", ".join(f"{literal(title_of(of))}: {self._value(of)}" for of in query.columns) + "}"
        elif query.lines or (self.found.kind == "plain" and not query.added):
            value = 'row.get("")'
        else:
            value = self._record()
        self.source.function("def shown(row: Row) -> object:", "Return what is shown of a row.", [f"return {value}"])
        return "shown(row)"

    def _record(self) -> str:
        query = self.query
        names = dict(query.renamed)
        kept = [field.title for field in self.found.fields if field.title not in query.dropped]
        if self.found.kind in OBJECTS and not (query.renamed or query.dropped or query.added):
            return 'row.get("")'
        if self.found.kind in OBJECTS:
            held = {field.title for field in self._needed()}
            assert held is not None
        pairs = [f"{literal(names.get(title, title))}: {self._value(Column(name=title))}" for title in kept]
        if query.added:
            self._finished()
        pairs += [f"{literal(one.name)}: finished({self._value(one.of)})" for one in query.added]
        return "{" + ", ".join(pairs) + "}"

    def _listed(self, stream: str) -> tuple[list[str], bool]:
        query = self.query
        call = self._shown()
        held = stream
        for order in reversed(query.order):
            held = self._ordered(held, order.by, order.descending)  # type: ignore[arg-type]
        single = query.unique and len(query.columns) == 1
        if query.unique:
            unless = ["    if value is None:", "        continue"] if single else []
            body = [
                "seen: set[str] = set()",
                "for row in found:",
                f"    value = {call}",
                *unless,
                "    name = repr(value)",
                "    if name not in seen:",
                "        seen.add(name)",
                "        yield value",
            ]
            self.source.function(
                "def once(found: Iterable[Row]) -> Iterator[object]:",
                "Yield what is shown of the rows, each once.",
                body,
            )
        pieces = f"once({held})" if query.unique else f"(shown(row) for row in {held})"
        cut = _slice(query)
        if query.tally:
            return [f"value = list({pieces}){cut}", 'return {"value": len(value), "account": account.told()}'], False
        if cut and (query.order or query.last is not None):
            return [f"yield from list({pieces}){cut}", 'yield {"account": account.told()}'], True
        if cut:
            # The rest is read too: what follows is part of the account.
            stop = "" if query.limit is None else f" and place < {query.skip + query.limit}"
            test = f"place >= {query.skip}{stop}" if query.skip else f"place < {query.limit}"
            body = [f"for place, value in enumerate({pieces}):", f"    if {test}:", "        yield value"]
            return [*body, 'yield {"account": account.told()}'], True
        return [f"yield from {pieces}", 'yield {"account": account.told()}'], True

    def _ordered(self, stream: str, by: Expression, descending: bool) -> str:
        self._use("sort_key")
        number = sum(name.startswith("def ordered") for name in self.source.blocks) + 1
        name = "ordered" if number == 1 else f"ordered_{number}"
        down = ", reverse=True" if descending else ""
        body = [
            "held = list(found)",
            f"given = [row for row in held if {self._rank(by)} is not None]",
            f"rest = [row for row in held if {self._rank(by)} is None]",
            f"return sorted(given, key=lambda row: sort_key({self._rank(by)}){down}) + rest",
        ]
        self.source.function(
            f"def {name}(found: Iterable[Row]) -> list[Row]:", "Sort rows; those without a value come last.", body
        )
        return f"{name}({stream})"

    def _picked(self, stream: str) -> list[str]:
        query, pick = self.query, self.query.pick
        assert pick is not None
        self._use("key_text")
        keys = ", ".join(map(self._value, query.keys))
        self.source.function(
            "def group_of(row: Row) -> list[object]:", "Return the group a row belongs to.", [f"return [{keys}]"]
        )
        self._shown()
        taken = f"held[-{pick.number} :]" if pick.last else f"held[:{pick.number}]"
        if pick.by is not None:
            self._use("sort_key")
            down = ", reverse=True" if pick.descending else ""
            rank = self._rank(pick.by)
            body = [
                f"given = [row for row in held if {rank} is not None]",
                f"return sorted(given, key=lambda row: sort_key({rank}){down})[:{pick.number}]",
            ]
            self.source.function(
                "def first_of(held: list[Row]) -> list[Row]:", "Return the rows of a group that are wanted.", body
            )
            taken = "first_of(held)"
        lines = [
            "groups: dict[str, tuple[list[object], list[Row]]] = {}",
            f"for row in {stream}:",
            "    key = group_of(row)",
            *self._elsewhere(),
            "    groups.setdefault(repr(key), (key, []))[1].append(row)",
            "found: dict[str, list[object]] = {}",
            "for key, held in groups.values():",
            f"    taken = {taken}",
            "    if taken:",
            '        found.setdefault(" / ".join(map(key_text, key)), []).extend(map(shown, taken))',
        ]
        if query.unique or len(query.keys) != 1:
            value = "[one for held in found.values() for one in held]"
            return (
                [
                    *lines[:6],
                    *[line.replace("taken", "picked") for line in lines[6:]],
                    "value = [one for many in found.values() for one in many]",
                    'return {"value": value, "account": account.told()}',
                ]
                if value
                else []
            )
        shown = "many[0]" if pick.number == 1 else "many"
        return [
            *lines,
            f"value = {{name: {shown} for name, many in sorted(found.items())}}",
            'return {"value": value, "account": account.told()}',
        ]


class _JoinWriter(_Writer):
    """Write a program for two inputs: each is read by itself, then their rows are put side by side."""

    def __init__(self, joined: Joined, query: Query) -> None:
        super().__init__(joined.table.format, query)
        self.joined = joined

    def _holds_objects(self) -> bool:
        return any(one.format.kind in OBJECTS for one in (self.joined.first, self.joined.second))

    def write(self) -> Written:
        query, joined = self.query, self.joined
        names = set(self.fields) if self.whole else set(columns_of(query))
        first = [one for one in joined.first.format.fields if one.title in names | {joined.join.left}]
        wanted = {joined.join.right, *(old for new, old in joined.renamed.items() if new in names)}
        second = [one for one in joined.second.format.fields if one.title in wanted]
        write_reader(self.source, joined.first.format, first, line=False)
        write_rows(self.source, joined.first.format, wanted=False)
        write_reader(self.source, joined.second.format, second, line=False, name="read_second")
        write_rows(self.source, joined.second.format, wanted=False, name="rows_second", read="read_second")
        self._side_by_side(names)
        stream = self._filtered(self._items(_SIDES) if query.items is not None else _SIDES)
        if query.measures:
            body, streams = self._measured(stream), False
        elif query.pick:
            body, streams = self._picked(stream), False
        else:
            body, streams = self._listed(stream)
        return self._finish(body, streams)

    def _side_by_side(self, names: set[str]) -> None:
        joined, join = self.joined, self.joined.join
        self._use("key_text")
        shown = {new: old for new, old in joined.renamed.items() if new in names}
        beside = ", ".join(f"{literal(new)}: one.get({literal(old)})" for new, old in shown.items())
        body = [
            "partners: dict[str, list[Row]] = {}",
            "for one in second:",
            f"    if one.get({literal(join.right)}) is not None:",
            f"        partners.setdefault(key_text(one[{literal(join.right)}]), []).append(one)",
            "for row in first:",
            f"    held = row.get({literal(join.left)})",
            "    found = [] if held is None else partners.get(key_text(held), [])",
        ]
        if join.kind == "anti":
            body += ["    if not found:", "        yield row"]
        else:
            body += [
                "    for one in found:",
                f"        yield {{**row, {beside}}}" if beside else "        yield {**row}",
            ]
        if join.kind == "left":
            empty = ", ".join(f"{literal(new)}: None" for new in shown)
            body += ["    if not found:", f"        yield {{**row, {empty}}}" if empty else "        yield {**row}"]
        head = "def side_by_side(first: Iterable[Row], second: Iterable[Row]) -> Iterator[Row]:"
        self.source.function(head, "Yield rows of the first input with those of the second that belong to them.", body)

    def _filtered(self, stream: str) -> str:
        """Write `counted`, which filters the joined rows and counts those instead of the first input's."""
        where = self.query.where
        if where is not None and self._needs_all(where):
            return self._later(f"counted({stream}, account)") if self._count_all() else ""
        if where is None:
            self._count_all()
            return f"counted({stream}, account)"
        self._function("wanted", where, "Whether a row is one of those asked for.")
        body = [
            "kept = left = 0",
            "for row in found:",
            "    if wanted(row):",
            "        kept += 1",
            "        yield row",
            "    else:",
            "        left += 1",
            "account.used, account.filtered = kept, left",
        ]
        self.source.function(_COUNTED, "Yield the rows asked for, and count them instead of those of one input.", body)
        return f"counted({stream}, account)"

    def _count_all(self) -> bool:
        body = ["kept = 0", "for row in found:", "    kept += 1", "    yield row", "account.used = kept"]
        self.source.function(_COUNTED, "Count the joined rows instead of those of one input.", body)
        return True

    def _finish(self, body: list[str], streams: bool) -> Written:
        kinds = {"object" if one.format.kind == "objects" else "str" for one in (self.joined.first, self.joined.second)}
        returned = "Iterator[object]" if streams else "dict[str, object]"
        taken = "object" if len(kinds) > 1 or kinds == {"object"} else "str"
        said = "Return the answer for two inputs, and the account of every line of both."
        told = [line.replace("account.told()", '{**account.told(), "second": other.told()}') for line in body]
        ready = ["account, other = Account(), Account()"]
        first, second = (
            ("[str(one) for one in input[0]]", "[str(one) for one in input[1]]") if taken == "object" else ("", "")
        )
        sides = [
            first if first and self.joined.first.format.kind != "objects" else "input[0]",
            second if second and self.joined.second.format.kind != "objects" else "input[1]",
        ]
        told = [line.replace("FIRST", sides[0]).replace("SECOND", sides[1]) for line in told]
        method = block(f"def invoke(self, input: list[list[{taken}]]) -> {returned}:", said, [*ready, *told], "    ")
        self.source.helper(ENTRY, f'class {ENTRY}:\n    """Answer the question above."""\n\n{method}')
        return Written(self.source.text(), ENTRY, streams)


_SIDES = "side_by_side(rows(FIRST, account), rows_second(SECOND, other))"
_COUNTED = "def counted(found: Iterable[Row], account: Account) -> Iterator[Row]:"


def _slice(query: Query) -> str:
    if query.last is not None:
        return f"[-{query.last}:]" if query.last else "[:0]"
    if query.limit is None:
        return f"[{query.skip}:]" if query.skip else ""
    return f"[{query.skip or ''}:{query.skip + query.limit}]"


def _moment_literal(when: datetime) -> str:
    parts: Sequence[int] = (when.year, when.month, when.day, when.hour, when.minute, when.second)
    held = list(parts)
    while len(held) > 3 and not held[-1]:
        held.pop()
    return f"datetime({', '.join(map(str, held))})"
