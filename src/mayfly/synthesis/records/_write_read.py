"""Write the part of a program that turns lines into rows, and accounts for every one of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mayfly.synthesis.records import _blocks, _cells, _java, _kinds, _numbers, _shape, _times
from mayfly.synthesis.records._helpers import helper
from mayfly.synthesis.records._model import Field, Format, Shape, Slot
from mayfly.synthesis.records._rows import LOGFMT, PAIR
from mayfly.synthesis.records._source import Source, literal, raw

OBJECTS = ("json", "objects")
_NUMBERED = ("memory", "trace")


def write_reader(source: Source, found: Format, fields: Sequence[Field], *, line: bool, name: str = "read") -> None:
    """Write `read`, which makes a row of a line: *fields* of it, and with *line* the whole under an empty name."""
    source.kind = found.kind
    if found.kind in _NUMBERED:
        body = _java.row_body(source, found, [field.name for field in fields], line=line)
    else:
        body = _Reader(source, found, name).body(fields, line=line)
    taken = {"objects": "item: object", "memory": "number: int, line: str", "trace": "number: int, line: str"}
    doc = "Return the row that a line holds; None for one that holds none, an error for one of another shape."
    source.function(f"def {name}({taken.get(found.kind, 'line: str')}) -> Row | None:", doc, body)


def write_rows(source: Source, found: Format, *, wanted: bool, name: str = "rows", read: str = "read") -> None:
    """Write `rows`, the stream that everything else is made of."""
    source.helper("Account", helper("Account"))
    kind = "object" if found.kind == "objects" else "str"
    head = f"def {name}(lines: Iterable[{kind}], account: Account) -> Iterator[Row]:"
    constants = _prefix(read)
    if found.kind == "objects":
        body = [
            "for number, item in enumerate(lines, start=1):",
            "    account.lines += 1",
            '    line = f"{item!s:.200}"',
        ]
        call = f"{read}(item)"
    else:
        source.constant('EDGES = "\\ufeff\\r\\n"')
        stream = _logical(source, found, constants)
        body = [f"for number, line in {stream}:", "    account.lines += 1"]
        if stream == "enumerate(lines, start=1)":
            body = [
                f"for number, whole_line in {stream}:",
                "    account.lines += 1",
                "    line = whole_line.strip(EDGES)",
            ]
        call = f"{read}(number, line)" if found.kind in _NUMBERED else f"{read}(line)"
        if found.kind not in ("plain", *_NUMBERED):
            body += ["    if not line.strip():", "        account.empty += 1", "        continue"]
    body += [
        "    try:",
        f"        row = {call}",
        "    except ValueError:",
        "        account.refuse(number, line)",
        "        continue",
        "    if row is None:",
        *(["        account.header += 1"] if found.header or found.passed else []),
        "        continue",
    ]
    if wanted:
        body += ["    if not wanted(row):", "        account.filtered += 1", "        continue"]
    body += ["    account.used += 1", "    yield row"]
    source.function(head, "Yield the rows asked for, and account for every line.", body)


def _prefix(read: str) -> str:
    """Return what the names of constants begin with: nothing for the first input."""
    return f"{read.upper()}_" if read != "read" else ""


def _logical(source: Source, found: Format, constants: str) -> str:
    """Write what puts the lines together that one record goes over, if there is such a thing, and return its call."""
    if found.multiline:
        source.use("re")
        opened = _cells.open_pattern(found.delimiter)
        source.constant(f"{constants}OPEN = re.compile({raw(opened)})")
        text = helper("join_quoted")
        text = text.replace("STOP", literal(found.delimiter)).replace("OPEN", f"{constants}OPEN")
        rule = f"inside and '\"' not in line and line.count({literal(found.delimiter)}) == {found.width - 1}"
        text = text.replace("ROW_INSIDE", rule if found.width >= _cells.TELLING_WIDTH else "False")
        name = f"{constants.lower()}join_quoted"
        source.helper(name, text.replace("def join_quoted", f"def {name}"))
        return f"{name}(lines)"
    if found.blocks:
        source.use("re")
        source.constant(f"BLOCK_START = re.compile({raw(_blocks.BLOCK_START)})")
        source.constant(f"COMMENT = re.compile({raw(_blocks.COMMENT)})")
        source.constant(f"BLOCK_RULE = re.compile({raw(_blocks.BLOCK_RULE)})")
        source.helper("join_blocks", helper("join_blocks"))
        return "join_blocks(lines)"
    if found.continued:
        source.use("re")
        pattern = _cells.CONTINUED
        half = pattern.index("|During")
        source.constant(f"CONTINUED = re.compile(\n    {raw(pattern[:half])}\n    {raw(pattern[half:])}\n)")
        source.helper("goes_on", helper("goes_on").replace("MOST_LINES", str(_cells.MOST_LINES)))
        for name in ("ended", "join_continued"):
            source.helper(name, helper(name))
        return "join_continued(lines)"
    return "enumerate(lines, start=1)"


class _Cell(NamedTuple):
    """How one value is read: the title of its column, and the expression."""

    title: str
    value: str


class _Reader:
    """Write the body of `read` for one format."""

    def __init__(self, source: Source, found: Format, name: str) -> None:
        self.source, self.found, self.constants = source, found, _prefix(name)

    def body(self, fields: Sequence[Field], *, line: bool) -> list[str]:
        """Return the lines of the body: a line is passed over, refused, or made a row."""
        writers = {"pattern": self._pattern, "delimited": self._delimited, "pairs": self._pairs, "plain": self._plain}
        whole = [_Cell("", "data" if self.found.kind in OBJECTS else "line")] if line else []
        if self.found.kind in OBJECTS:
            body, cells = self._objects(fields)
        else:
            body, cells = writers[self.found.kind](fields)
            body = [*self._passed(), *body]
        return [*body, *_row([*whole, *cells])]

    def _passed(self) -> list[str]:
        if not self.found.passed:
            return []
        self._pattern_constant("PASSED", self.found.passed)
        return [f"if {self.constants}PASSED.fullmatch(line):", "    return None"]

    def _pattern_constant(self, name: str, pattern: str) -> str:
        self.source.use("re")
        self.source.constant(f"{self.constants}{name} = re.compile({raw(pattern)})")
        return f"{self.constants}{name}"

    # Formats.

    def _pattern(self, fields: Sequence[Field]) -> tuple[list[str], list[_Cell]]:
        source, found = self.source, self.found
        source.use("re")
        names = [field.name for field in fields if field.origin == "own"]
        names += [field.within for field in fields if field.within and field.within not in names]
        for number, shape in enumerate(found.shapes, start=1):
            pieces = list(_shape.pattern_lines(_closed(shape), _wanted(shape, names)))
            lines = "".join(f"    {raw(piece)}\n" for piece in pieces)
            source.constant(f"{self.constants}LINE_{number} = re.compile(\n{lines})")
        head = 'line.partition("\\n")[0]' if found.continued else "line"
        tries = [f"{self.constants}LINE_{at}.{_method(shape)}(head)" for at, shape in enumerate(found.shapes, start=1)]
        body = [f"head = {head}", f"match = {' or '.join(tries)}", "if match is None:", "    raise ValueError(line)"]
        if names:
            body.append("held: dict[str, str | None] = match.groupdict()")
        requests = any("request" in _shape.groups(shape) for shape in found.shapes)
        split = [name for name in names if name in _shape.REQUEST_FIELDS] if requests else []
        if split:
            self._absent()
            source.helper("present", helper("present"))
            source.helper("request_parts", helper("request_parts"))
            targets = [name if name in split else "_" for name in _shape.REQUEST_FIELDS]
            body.append(f'{", ".join(targets)} = request_parts(held.get("request") or "")')
        texts = {name: name if name in split else f"held.get({literal(name)})" for name in names}
        more, cells = self._cells(fields, texts)
        return [*body, *more], cells

    def _delimited(self, fields: Sequence[Field]) -> tuple[list[str], list[_Cell]]:
        found = self.found
        body = [f"row = {self._cut()}"]
        if found.header:
            self.source.constant(f"{self.constants}HEADER = {literal(list(found.header))}")
            body += [f"if row == {self.constants}HEADER:", "    return None"]
        gaps = (
            f" or any(line[stop - 1 : stop] not in ('', ' ') for stop in {self.constants}STOPS[1:])"
            if found.stops
            else ""
        )
        body += [f"if len(row) != {found.width}{gaps}:", "    raise ValueError(line)"]
        texts = {}
        for field in fields:
            held = [f"row[{at}]" for at in field.columns]
            if len(held) > 1:
                self._absent()
                self.source.helper("together", helper("together"))
            texts[field.name] = held[0] if len(held) == 1 else f"together({', '.join(held)})"
        more, cells = self._cells(fields, texts)
        return [*body, *more], cells

    def _cut(self) -> str:
        found = self.found
        if found.stops:
            self.source.constant(f"{self.constants}STOPS = {literal(found.stops)}")
            stops = f"zip({self.constants}STOPS, [*{self.constants}STOPS[1:], None])"
            return f"[line[start:stop].strip() for start, stop in {stops}]"
        if found.delimiter == " ":
            return f"line.split(None, {found.width - 1})" if found.rest else "line.split()"
        if found.delimiter == "  ":
            self.source.use("re")
            self.source.constant(f"GAP = re.compile({raw(_cells.GAP)})")
            return "GAP.split(line.strip())"
        cell = self._pattern_constant("CELL", _cells.cell_pattern(found.delimiter))
        name = f"{self.constants.lower()}cells"
        text = helper("cells").replace("STOP", literal(found.delimiter)).replace("CELL", cell)
        text = text if found.padding else text.replace("cell.strip()", "cell").replace(".strip()", "")
        self.source.helper(name, text.replace("def cells", f"def {name}"))
        return f"{name}(line)"

    def _pairs(self, fields: Sequence[Field]) -> tuple[list[str], list[_Cell]]:
        keys = frozenset(field.path[0] for field in self.found.fields if field.origin == "own")
        self.source.constant(f"{self.constants}KEYS = {literal(keys)}")
        name, pattern = ("BLOCK_PAIR", _blocks.BLOCK_PAIR) if self.found.blocks else ("LOGFMT", LOGFMT)
        body = [f"held = {self._pairs_in('line', name, pattern)}"]
        body += [f"if {self.constants}KEYS.isdisjoint(held):", "    raise ValueError(line)"]
        texts = {field.name: f"held.get({literal(field.path[0])})" for field in fields if field.origin == "own"}
        more, cells = self._cells(fields, texts)
        return [*body, *more], cells

    def _pairs_in(self, text: str, name: str, pattern: str) -> str:
        self.source.use("re")
        self.source.constant(f"{name} = re.compile({raw(pattern)})")
        self.source.constant('ESCAPED = re.compile(r"\\\\(.)")')
        self.source.helper("pairs", helper("pairs"))
        return f"pairs({text}, {name})"

    def _plain(self, fields: Sequence[Field]) -> tuple[list[str], list[_Cell]]:
        return self._cells(fields, {field.name: "line" for field in fields if field.origin == "own"})

    def _objects(self, fields: Sequence[Field]) -> tuple[list[str], list[_Cell]]:
        cells = []
        for field in fields:
            self.source.helper("at", helper("at"))
            held = f"at(data, {', '.join(map(literal, field.path))})"
            cells.append(_Cell(field.title, self._object_value(field, held)))
        if self.found.kind == "objects":
            return ["data = item", "if not isinstance(data, dict):", "    raise ValueError(item)"], cells
        self.source.use("json")
        body = [
            "try:",
            "    data = json.loads(line, parse_constant=str)",
            "except RecursionError as error:",
            "    raise ValueError(line) from error",
            "if not isinstance(data, dict):",
            "    raise ValueError(line)",
        ]
        return body, cells

    def _object_value(self, field: Field, held: str) -> str:
        if field.kind in ("text", "list"):
            return held
        name = {"bool": "truth_in", "time": "moment_in"}.get(field.kind, "number_in")
        self.source.helper(name, helper(name))
        if name == "truth_in":
            return f"truth_in({held})"
        if name == "moment_in":
            self._absent()
            self.source.helper("unless_in", helper("unless_in"))
            held = f"unless_in({held}, {literal(tuple(sorted(field.absent)))})" if field.absent else held
            return f"moment_in({held}, {literal(_times.outline(field.layout))})"
        self.source.typing.add("Callable")
        read = "no_number"
        if field.quoted:
            self._absent()
            read = "numeral" if field.numeral.bare else self._function(field)
        if read in ("numeral", "no_number"):
            self.source.helper(read, helper(read))
        if field.absent:
            self.source.helper("unless_in", helper("unless_in"))
            held = f"unless_in({held}, {literal(tuple(sorted(field.absent)))})"
        return f"number_in({held}, {read})"

    # Values.

    def _cells(self, fields: Sequence[Field], texts: dict[str, str]) -> tuple[list[str], list[_Cell]]:
        """Return what has to be worked out first, and every field's value."""
        before: list[str] = []
        cells = []
        for field in fields:
            if field.origin == "own":
                cells.append(_Cell(field.title, self._value(field, texts[field.name])))
                continue
            text = f"held.get({literal(field.within)})" if field.within else "line"
            if field.origin == "pair":
                name = f"pairs_in_{field.within or 'line'}"
                step = f"{name} = {self._pairs_in(f'{text} or ' + chr(34) * 2, 'PAIR', PAIR)}"
                before += [] if step in before else [step]
                cells.append(_Cell(field.title, self._value(field, f"{name}.get({literal(field.pattern)})")))
                continue
            pattern = self._pattern_constant(f"IN_{field.name.upper()}", field.pattern)
            if field.origin == "search":
                self.source.helper("found_in", helper("found_in"))
                cells.append(_Cell(field.title, self._value(field, f"found_in({text}, {pattern})")))
                continue
            self.source.helper("all_in", helper("all_in"))
            each = self._value(field, "one")
            cells.append(_Cell(field.title, f"[{each} for one in all_in({text}, {pattern})]"))
        return before, cells

    def _absent(self) -> None:
        self.source.constant(f"ABSENT = {literal(_kinds.ABSENT)}")

    def _value(self, field: Field, held: str) -> str:
        """Return the expression that checks and reads one cell."""
        self._absent()
        if field.absent:
            self.source.helper("unless", helper("unless"))
            held = f"unless({held}, {literal(tuple(sorted(field.absent)))})"
        function = self._function(field)
        if function.startswith("lambda cell: "):
            return function.removeprefix("lambda cell: ").replace("(cell", f"({held}", 1)
        return f"{function}({held})"

    def _function(self, field: Field) -> str:
        """Return what makes a value of the text of a cell: a name, or a lambda where it needs more than the cell."""
        self._absent()
        numeral = field.numeral
        if field.kind == "time":
            self.source.helper("dated", helper("dated"))
            shape = self._pattern_constant(f"{field.name.upper()}_SHAPE", _times.regex(field.layout))
            return f"lambda cell: dated(cell, {shape})"
        if field.kind in ("int", "float", "epoch") or not numeral.bare:
            return self._number(field)
        name = "truth" if field.kind == "bool" else "present"
        self.source.helper("present", helper("present"))
        self.source.helper(name, helper(name))
        if field.meanings:
            self.source.helper("meaning", helper("meaning"))
            return f"lambda cell: meaning(cell, {literal(dict(field.meanings))})"
        return name

    def _number(self, field: Field) -> str:
        numeral = field.numeral
        self.source.use("re")
        if numeral.scales == _numbers.CLOCKED:
            self.source.constant(f"CLOCK = re.compile({raw(_numbers.CLOCK)})")
            self.source.helper("clocked", helper("clocked"))
            return "clocked"
        if numeral.scales:
            self.source.constant(f"SPAN = re.compile({raw(_numbers.SPAN)})")
            self.source.helper("scaled", helper("scaled"))
            return f"lambda cell: scaled(cell, {literal(dict(numeral.scales))})"
        name = "whole" if field.kind == "int" else "decimal"
        pattern = _numbers.INTEGER if name == "whole" else _numbers.NUMBER
        self.source.constant(f"{name.upper()} = re.compile({raw(pattern)})")
        self.source.helper(name, helper(name))
        if numeral.bare:
            return name
        self.source.helper("undressed", helper("undressed"))
        shape = self._pattern_constant(f"{field.name.upper()}_SHAPE", _numbers.pattern_of(numeral))
        marks = f"{literal(numeral.thousands)}, {literal(numeral.decimal)}"
        return f"lambda cell: {name}(undressed(cell, {shape}, {marks}))"


def _row(cells: Sequence[_Cell]) -> list[str]:
    whole = ", ".join(f"{literal(cell.title)}: {cell.value}" for cell in cells)
    if len(whole) < 90 or not cells:
        return [f"return {{{whole}}}"]
    return ["return {", *(f"    {literal(cell.title)}: {cell.value}," for cell in cells), "}"]


def _wanted(shape: Shape, names: Sequence[str]) -> list[str]:
    asked = ["request"] if set(names) & set(_shape.REQUEST_FIELDS) and "request" in _shape.groups(shape) else []
    return [*names, *asked]


def _method(shape: Shape) -> str:
    """Return how a line is matched: whole, or only its beginning where anything may follow."""
    return "fullmatch" if _closed(shape) is shape else "match"


def _closed(shape: Shape) -> Shape:
    """Leave out a last part that takes whatever is left and tells nothing."""
    last = shape.parts[-1]
    open_ended = isinstance(last, Slot) and last.style == "rest" and not last.name
    return Shape(shape.parts[:-1]) if open_ended else shape
