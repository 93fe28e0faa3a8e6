"""Put together the rows that a query is asked of: those of one input or of two, or one for each item of a list."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from mayfly.language.question import Column, Compare, Join, Measure, Missing, Query, Recent, Repeated, columns_of, walk
from mayfly.synthesis.records._model import Field, Format
from mayfly.synthesis.records._sql_source import OBJECTS, Held, Source, select
from mayfly.synthesis.records._sql_text import INDENT, free_name, identifier
from mayfly.synthesis.records._sql_values import TIMES, Values

_EITHER_END = ("first", "last")
# Measures that look at values as they are shown; of moments all others need the moment itself.
_SHOWN = (*_EITHER_END, "mode", "unique", "share")


@dataclass(kw_only=True)
class Rows:
    """Rows as SQL: the tables before the statement, and the conditions of what is understood."""

    sources: tuple[Source, ...]
    fields: Sequence[Field]
    values: Values
    tables: list[str]
    where: list[str]
    # Of two inputs the columns that make DuckDB read every cell of both.
    native: Sequence[str] = ()

    def add(self, name: str, sql: str) -> None:
        """Put one more table before the statement, whose rows take the place of those that are there."""
        self.tables.append(f"{name} AS (\n{textwrap.indent(sql, INDENT)}\n)")
        self.values.table, self.where = name, []


def rows_of(found: Format, query: Query, second: Format | None = None) -> Rows:
    """Return the rows that a query is asked of."""
    if query.join is not None and second is not None:
        rows = _rows_of_two(found, second, query.join, query)
    else:
        source = _source(found, query, needed_titles(found, query), moments_of(query))
        fields = {one.title: one for one in found.fields}
        values = Values(source.columns, fields, source.table, plain=is_plain(found))
        rows = Rows(
            sources=(source,), fields=found.fields, values=values, tables=[*source.tables], where=[*source.where]
        )
    for part in walk(query):
        if isinstance(part, Repeated):
            _count(rows, part)
    if query.items is not None:
        _unfold(rows, query, query.items)
    return rows


def needed_titles(found: Format, query: Query) -> frozenset[str]:
    """Return the columns that a query reads: a line with something else in one of them is not understood."""
    if (shows_records(found, query) and found.kind not in OBJECTS) or _counts_whole_rows(query):
        return frozenset(field.title for field in found.fields)
    return frozenset(columns_of(query))


def shows_records(found: Format, query: Query) -> bool:
    """Say whether whole records are the answer."""
    return not query.measures and not query.columns and not query.lines and not is_plain(found)


def is_plain(found: Format) -> bool:
    """Say whether records are lines of which nothing is known."""
    return "plain" in (found.kind, found.spooled)


def _counts_whole_rows(query: Query) -> bool:
    return any(isinstance(part, Repeated) and not part.of for part in walk(query))


def moments_of(query: Query) -> frozenset[str]:
    """Return the columns that are asked for what they tell of time, and not only for how they are written."""
    shown = [*query.columns, *query.keys]
    shown += [part.of for part in walk(query) if isinstance(part, Missing)]
    shown += [part.of for part in walk(query) if isinstance(part, Measure) and part.of and part.function in _SHOWN]
    shown += [one for part in walk(query) if isinstance(part, Repeated) for one in part.of]
    for part in walk(query):
        if isinstance(part, Compare) and part.operator != "during" and not isinstance(part.value, Column):
            shown.append(part.left)
    counts = Counter(part.name for part in walk(query) if isinstance(part, Column))
    counts.subtract(one.name for one in shown if isinstance(one, Column))
    return frozenset(name for name, number in counts.items() if name and number > 0)


def needs_line(found: Format, query: Query) -> bool:
    """Say whether a query asks for whole lines, or shows them."""
    if any(isinstance(part, Column) and not part.name for part in walk(query)) or query.lines:
        return True
    whole = shows_records(found, query) and found.kind in OBJECTS and not _is_changed(query)
    plain = is_plain(found) and (_counts_whole_rows(query) or not (query.measures or query.columns))
    return whole or plain


def _is_changed(query: Query) -> bool:
    return bool(query.renamed or query.dropped or query.added)


def needs_position(query: Query) -> bool:
    """Say whether the order in which records stand in their file decides about something."""
    if any(measure.function in _EITHER_END for measure in query.measures) or query.pick:
        return True
    return not query.measures and bool(query.order or query.unique or query.last is not None or is_shuffled(query))


def is_shuffled(query: Query) -> bool:
    """Say whether rows do not come in the order of their file any more."""
    return query.join is not None or any(isinstance(part, Repeated) for part in walk(query))


def _source(
    found: Format,
    query: Query,
    titles: Collection[str],
    moments: Collection[str],
    *,
    path: str = "$path",
    suffix: str = "",
) -> Source:
    """Return one input; records of objects are shown with all their fields, whatever these hold."""
    asked = titles
    named = bool(suffix) or any(isinstance(part, (Recent, Repeated)) for part in walk(query)) or query.items is not None
    if shows_records(found, query) and found.kind in OBJECTS and _is_changed(query):
        asked, titles = titles, {one.title for one in found.fields}
    return Source(
        found=found,
        titles=titles,
        asked=asked,
        moments=moments,
        shown=()
        if query.measures
        else titles
        if not query.columns
        else {one.name for one in query.columns if isinstance(one, Column)},
        path=path,
        suffix=suffix,
        line=needs_line(found, query) and not suffix,
        position=bool(suffix) or needs_position(query),
        named=named,
    )


def _count(rows: Rows, part: Repeated) -> None:
    """Count how often the same values are there, in rows that have everything else too."""
    values = [rows.values.value(of) for of in part.of]
    if not part.of:
        plain = is_plain(rows.sources[0].found)
        values = ["line"] if plain else [held.value for held in rows.values.columns.values()]
    times = f"count(*) OVER (PARTITION BY {', '.join(values)}) AS {TIMES}"
    rows.add("counted", select(["*", times], rows.values.table, rows.where))


def _unfold(rows: Rows, query: Query, column: Column) -> None:
    """Make a row of each item of a list."""
    name = rows.values.held(column).value
    where = [*rows.where, *([rows.values.condition(query.where)] if query.where else [])]
    rows.add("items", select([f"* REPLACE (unnest({name}) AS {name})"], rows.values.table, where))
    rows.values.columns[column.name] = Held(value=name, kind="text")


# Two inputs.


def titles_of_second(first: Format, second: Format, join: Join) -> Mapping[str, str]:
    """Return the titles of the second input by what they are called beside those of the first."""
    taken = {one.title for one in first.fields}
    titles = [one.title for one in second.fields if one.title != join.right]
    return {f"{title} 2" if title in taken else title: title for title in titles}


def _rows_of_two(found: Format, second: Format, join: Join, query: Query) -> Rows:
    """Put the rows of two inputs side by side, in the order of the first."""
    renamed = titles_of_second(found, second, join) if join.kind != "anti" else {}
    both = replace(found, kind="joined", fields=(*found.fields, *_fields_of_second(second, renamed)))
    needed, moments = needed_titles(both, query), moments_of(query)
    own = {one.title for one in found.fields}
    beside = {new: old for new, old in renamed.items() if new in needed}
    one = _source(found, query, (needed & own) | {join.left}, moments, path="$first", suffix="_1")
    wanted = {join.right, *beside.values()}
    two = _source(
        second, query, wanted, {old for new, old in beside.items() if new in moments}, path="$second", suffix="_2"
    )
    columns: dict[str, Held] = {}
    items: list[str] = []
    taken: list[str] = ["position"]
    for source, titles in ((one, {title: title for title in one.columns}), (two, beside)):
        for new, old in titles.items():
            columns[new] = _beside(source.table, source.columns[old], new, items, taken)
    items.append(f"row_number() OVER (ORDER BY {one.table}.position, {two.table}.position) AS position")
    if join.kind == "anti":
        items[-1] = f"{one.table}.position"
    kind = {"inner": "JOIN", "left": "LEFT JOIN", "anti": "ANTI JOIN"}[join.kind]
    left, right = _keys(one, join.left, two, join.right)
    table = f"{one.table}\n{kind} {two.table} ON {left} = {right}"
    rows = Rows(
        sources=(one, two),
        fields=both.fields,
        values=Values(columns, {field.title: field for field in both.fields}, ""),
        tables=[*one.tables, *two.tables],
        where=[],
        native=[held.value for held in columns.values()],
    )
    rows.add("joined", select(items, table, []))
    return rows


def _fields_of_second(second: Format, renamed: Mapping[str, str]) -> list[Field]:
    by_title = {one.title: one for one in second.fields}
    return [replace(by_title[old], heading=new) for new, old in renamed.items()]


def _beside(table: str, held: Held, title: str, items: list[str], taken: list[str]) -> Held:
    """Select a column of one of two inputs under a name of its own."""
    found: dict[str, str] = {}
    for what, value in (("value", held.value), ("moment", held.moment), ("json", held.json)):
        if not value:
            continue
        taken.append(free_name(title if what == "value" else f"{title} {what}", taken))
        found[what] = identifier(taken[-1])
        plain = value.startswith('"') or value.isidentifier()
        items.append(f"{f'{table}.{value}' if plain else value} AS {found[what]}")
    return Held(value=found["value"], kind=held.kind, moment=found.get("moment", ""), json=found.get("json", ""))


def _keys(one: Source, left: str, two: Source, right: str) -> tuple[str, str]:
    """Return the columns by which two inputs are joined; where only one has numbers, both are compared as texts."""
    held = [(source.table, source.columns[title]) for source, title in ((one, left), (two, right))]
    numbers = [column.kind in ("int", "float", "epoch") for _, column in held]
    texts = []
    for (table, column), number in zip(held, numbers, strict=True):
        value = column.value if "(" in column.value else f"{table}.{column.value}"
        mixed = numbers[0] != numbers[1] or (column.kind == "bool" and held[0][1].kind != held[1][1].kind)
        text = f"regexp_replace(CAST({value} AS VARCHAR), '\\.0$', '')" if number else f"CAST({value} AS VARCHAR)"
        texts.append(text if mixed else value)
    return texts[0], texts[1]
