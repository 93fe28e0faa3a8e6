"""Write the input of a statement: how its file is read, and a table of rows with the columns that are used."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from mayfly.synthesis.records import _kinds
from mayfly.synthesis.records._model import Field, Format, Kind
from mayfly.synthesis.records._several import of_one_file
from mayfly.synthesis.records._sql_cells import typed
from mayfly.synthesis.records._sql_lines import Cut, cut_lines
from mayfly.synthesis.records._sql_text import INDENT, call, clause, free_name, identifier, joined, literal

OBJECTS = ("json", "objects")
# So long may a line be: as long as what the host reads of a file to learn its format.
LONGEST_LINE = 16_777_216
# The types that DuckDB gives cells by itself; it refuses lines with other cells.
_NATIVE = {"int": "BIGINT", "float": "DOUBLE", "epoch": "DOUBLE", "bool": "BOOLEAN"}
_MOMENTS = {"%Y-%m-%d": "DATE", "%Y-%m-%d %H:%M:%S": "TIMESTAMP"}
_MOMENTS |= {"%Y-%m-%dT%H:%M:%S": "TIMESTAMP", "%Y-%m-%dT%H:%M:%SZ": "TIMESTAMP"}
_LINES = (
    "auto_detect = false", "hive_partitioning = false", "header = false", "delim = chr(10)", "quote = ''",
    "escape = ''", "strict_mode = false", f"max_line_size = {LONGEST_LINE}", "store_rejects = true",
    "force_not_null = ['line']", "columns = {'line': 'VARCHAR'}",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Held:
    """One column as a statement sees it.

    *value* is compared, grouped and worked with; *moment* is that of a column of moments, *json* what is shown of one
    that holds more than texts. Texts of objects may be *empty*; elsewhere these are NULL.
    """

    value: str
    kind: Kind
    moment: str = ""
    json: str = ""
    empty: bool = False


@dataclass(kw_only=True)
class Source:
    """The rows of one input, with the columns of some *titles*; of some the moments are needed, some are *shown*.

    *table* stands behind FROM, and of its rows those that pass *where* are understood; *tables* are those before the
    statement. *base* holds every line or row, of which *fits* tells the understood ones and *heading* the header.
    """

    found: Format
    titles: Collection[str]
    moments: Collection[str] = ()
    shown: Collection[str] = ()
    path: str = "$path"
    suffix: str = ""
    # Only cells of these columns have to be what their columns hold.
    asked: Collection[str] = ()
    # Whether the line and its place are needed, and a name for the rows.
    line: bool = False
    position: bool = False
    named: bool = False
    columns: dict[str, Held] = field(default_factory=dict)
    tables: list[str] = field(default_factory=list)
    fits: list[str] = field(default_factory=list)
    # The columns whose cells *fits* asks about, and those that DuckDB types itself.
    checked: list[str] = field(default_factory=list)
    native: list[str] = field(default_factory=list)
    heading: str = ""
    # Whether it is several files.
    several: bool = False

    def __post_init__(self) -> None:
        self._taken = ["line", "position", "data", "request"]
        self.names: dict[str, str] = {}
        for one in self.found.fields:
            self.names[one.title] = self._free(one.title) if one.title else "line"
        self._files = self._name_files() if self.found.files else ("", "")
        self.used = [one for one in self.found.fields if one.title and one.title in self.titles]
        self.base, cut = self._read_table() if self.found.kind == "delimited" else self._read_lines()
        self.fits += cut.fits
        for number, layer in enumerate(cut.layers, start=1):
            self._add_layer(number, layer, line=self.line or cut.line)
        self._select(cut)

    def _select(self, cut: Cut) -> None:
        """Put what the statement needs of each record into a common table, where that is more than the cells it has."""
        items = [item for one in self.used for item in self._items(one, cut)]
        items += [self._files[1]] if self._files[1] else []
        # An empty line is no line without a value.
        items += [] if not self.line else ["coalesce(line, '') AS line"] if self.found.spooled else ["line"]
        items += ["row_number() OVER () AS position"] if self.position else []
        row = [self.heading.replace(" IS NOT DISTINCT ", " IS DISTINCT ")] if self.heading else []
        self.table, self.where = self.base, [*row, *self.fits]
        if self.named or any(" AS " in item for item in items) or (items and self.where):
            items = items or ["1 AS one"]
            self.table, self.where = self._with("records", select(items, self.base, self.where)), []

    def _name_files(self) -> tuple[str, str]:
        """Take the column for the file out of the format; return that for its path, and the item made of it if used."""
        self.several = True
        found, title = of_one_file(self.found)
        parts, self.found = self.found.files, found
        path, name = identifier(self._free("filename")), identifier(self.names[title])
        last = f"parse_filename({path})" if parts == 1 else f"array_to_string(parse_path({path})[-{parts}:], '/')"
        if title not in self.titles:
            return path, ""
        self.columns[title] = Held(value=name, kind="text")
        return path, f"{last} AS {name}"

    def _free(self, text: str) -> str:
        self._taken.append(free_name(text, self._taken))
        return self._taken[-1]

    def _with(self, name: str, sql: str) -> str:
        """Put a common table before the statement, and return its name."""
        self.tables.append(f"{name}{self.suffix} AS (\n{textwrap.indent(sql, INDENT)}\n)")
        return f"{name}{self.suffix}"

    def _add_layer(self, number: int, layer: Sequence[str], *, line: bool) -> None:
        """Put columns beside those that are there; of the line itself what is needed later."""
        path = [self._files[0]] if self._files[1] else []
        before = [*(["line"] if line else []), *path] if number == 1 else [] if layer[0][0] == "*" else ["*"]
        name = "cells" if number == 1 else f"cells_{number}"
        self.base = self._with(name, select([*before, *layer], self.base, []))

    # Columns.

    def _items(self, one: Field, cut: Cut) -> list[str]:
        """Return what is selected of a column, and remember how the statement sees it."""
        name, cell = identifier(self.names[one.title]), cut.cells[one.title]
        if self.found.kind == "delimited" and self._native(one) != "VARCHAR":
            moment = name if one.kind == "time" else _epoch(one, name)
            value = _shown_moment(one, name) if one.kind == "time" else name
            self.columns[one.title] = Held(value=value, kind=_kind(one), moment=moment)
            self.native.append(name)
            return [name]
        if one.kind in ("text", "list") and (one.kind == "list" or one.numeral.bare):
            shown = cut.json.get(one.title, "") if one.title in self.shown else ""
            json = identifier(self._free(f"{one.title} json")) if shown else ""
            self.columns[one.title] = Held(value=name, kind=one.kind, json=json, empty=self.found.kind in OBJECTS)
            return [_as(self._present(one, cell), name), *([f"{shown} AS {json}"] if shown else [])]
        value, fits = typed(one, cell)
        sure = one.title in cut.sure and (
            one.kind != "time" or one.title not in self.moments or bool(self.found.spooled)
        )
        if one.title in self.asked and not sure:
            self.checked.append(one.title)
            self.fits.append(f"({self._is_absent(one, cell)} OR {fits})")
        if one.kind != "time":
            self.columns[one.title] = Held(value=name, kind=_kind(one), moment=_epoch(one, name))
            return [_as(value, name)]
        moment = identifier(self._free(f"{one.title} time")) if one.title in self.moments else ""
        self.columns[one.title] = Held(value=name, kind="time", moment=moment)
        shown = cell if one.title in cut.sure else self._present(one, cell)
        return [_as(shown, name), *([f"{value} AS {moment}"] if moment else [])]

    def _is_absent(self, one: Field, cell: str) -> str:
        """Return the condition that a cell holds nothing."""
        words = f"{cell} IN ({', '.join(map(literal, one.absent))})" if one.absent else ""
        # Of a long list after IN DuckDB makes a join, and rows come out of that in any order.
        listed = f"list_position($absent, {cell}) IS NOT NULL" if self._may_have_words(one) else ""
        null = "" if self.found.kind in ("pattern", "plain") else f"{cell} IS NULL"
        return " OR ".join(filter(None, (null, listed, words)))

    def _present(self, one: Field, cell: str) -> str:
        """Return a text; NULL where a word in its place stands for nothing."""
        if one.meanings:
            cases = " ".join(f"WHEN {literal(sign)} THEN {literal(word)}" for sign, word in one.meanings)
            return f"CASE {cell} {cases} ELSE {cell} END"
        if one.kind == "list" or (self.found.kind in OBJECTS and one.kind == "text"):
            return cell
        if one.nothing:
            for word in (*one.nothing, *one.absent):
                cell = f"nullif({cell}, {literal(word)})"
            return cell
        listed = f"list_position($absent, {cell}) IS NULL" if self._may_have_words(one) else ""
        words = f"{cell} NOT IN ({', '.join(map(literal, one.absent))})" if one.absent else ""
        test = " AND ".join(filter(None, (listed, words)))
        return f"CASE WHEN {test} THEN {cell} END" if test else cell

    def _may_have_words(self, one: Field) -> bool:
        """Say whether the words that stand for nothing anywhere may still be in a cell."""
        if self.found.kind == "delimited":
            return bool(self.found.padding)  # Words without blanks around them are NULL by `nullstr`.
        return self.found.kind not in OBJECTS or one.quoted or one.kind == "time"

    # Files.

    def _read_lines(self) -> tuple[str, Cut]:
        return call("read_csv", [self.path, *self._named(), *_LINES]), cut_lines(self.found, self.used, self.names)

    def _read_table(self) -> tuple[str, Cut]:
        """Read delimited text; cells with blanks around them are trimmed."""
        columns = self._columns()
        types = {columns[one.columns[0]]: self._native(one) for one in self.used if len(one.columns) == 1}
        described = [f"{literal(name)}: {literal(types.get(name, 'VARCHAR'))}" for name in columns]
        cells = {one.title: self._joined_cells(one, columns) for one in self.used}
        if self.found.again and set(types.values()) <= {"VARCHAR"}:
            self._leave_headings(columns)
        lists = {one.title: f"TRY_CAST({cells[one.title]} AS JSON)" for one in self.used if one.kind == "list"}
        cells |= {title: f"TRY_CAST({cell} AS VARCHAR[])" for title, cell in lists.items()}
        options = [self.path, *self._named(), *self._options(), clause("columns = {", described) + "}"]
        # What we wrote ourselves fits.
        sure = self.titles if self.found.spooled else ()
        return call("read_csv", options).replace("columns = { ", "columns = {"), Cut(cells=cells, json=lists, sure=sure)

    def _named(self) -> list[str]:
        """Return the option that makes a column of the path of each line's file, where that is asked for."""
        return [f"filename = {literal(self._files[0].strip(chr(34)))}"] if self._files[1] else []

    def _columns(self) -> list[str]:
        """Return the names of the columns as they stand in the file."""
        named = {one.columns: self.names[one.title] for one in self.found.fields}
        return [named.get((at,)) or self._free(f"column {at + 1}") for at in range(self.found.width)]

    def _joined_cells(self, one: Field, columns: Sequence[str]) -> str:
        cells = [identifier(columns[at]) for at in one.columns]
        if self.found.padding:
            signs = "" if self.found.padding == " " else f", {literal(self.found.padding)}"
            cells = [f"trim({cell}{signs})" for cell in cells]
        return " || ' ' || ".join(cells)

    def _options(self) -> Sequence[str]:
        found = self.found
        nothing = [""] if found.spooled else _kinds.ABSENT
        return (
            "auto_detect = false", "hive_partitioning = false", f"header = {literal(bool(found.header))}",
            *([f"skip = {found.skip}"] if found.skip else []), f"delim = {literal(found.delimiter)}",
            *(("quote = '\"'", "escape = '\"'") if found.quoted else ("quote = ''", "escape = ''")),
            "store_rejects = true", f"nullstr = [{', '.join(map(literal, nothing))}]",
        )  # fmt: skip

    def _native(self, one: Field) -> str:
        """Return the type that DuckDB gives the cells of a column by itself."""
        if self.found.padding or one.absent or not one.numeral.bare or len(one.columns) != 1:
            return "VARCHAR"
        return _MOMENTS.get(one.layout, "VARCHAR") if one.kind == "time" else _NATIVE.get(_kind(one), "VARCHAR")

    def _leave_headings(self, columns: Sequence[str]) -> None:
        """Leave out rows that are the header again; where cells are typed, none of these is a row."""
        names = ", ".join(map(identifier, columns))
        texts = ", ".join("NULL" if cell in _kinds.ABSENT else literal(cell) for cell in self.found.header)
        self.heading = f"({names}) IS NOT DISTINCT FROM ({texts})"


def _as(value: str, name: str) -> str:
    return value if value == name else f"{value} AS {name}"


def _shown_moment(one: Field, name: str) -> str:
    """Return a moment as it stands in its column."""
    return f"strftime({name}, '{one.layout}')" if "T" in one.layout else f"CAST({name} AS VARCHAR)"


def _kind(one: Field) -> Kind:
    """Return the kind of the values of a column; seconds since 1970 are whole numbers or not."""
    return "int" if one.kind == "epoch" and one.numeral.whole else one.kind


def _epoch(one: Field, number: str) -> str:
    if one.kind != "epoch":
        return ""
    return f"make_timestamp(CAST({number} * {1000 if one.layout == 'milliseconds' else 1_000_000} AS BIGINT))"


def select(items: Sequence[str], table: str, where: Sequence[str]) -> str:
    """Return the start of a statement."""
    found = [clause("SELECT", items), f"FROM {table}"]
    return "\n".join([*found, *([f"WHERE {joined('AND', where)}"] if where else [])])
