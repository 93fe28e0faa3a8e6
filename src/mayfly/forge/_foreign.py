"""Tables in binary formats as text: a program that runs behind the wall, since such files are parsed nowhere else.

It stands by itself: its source is what the sandbox is given. Rows without anything nested in them become CSV under the
names of their columns, all others JSON, a line each.
"""

import base64
import csv
import io
import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, datetime, time
from itertools import islice, zip_longest
from typing import Any

# Characters that are handed over at once: much below the size of a result, and worth a frame of its own.
PIECE = 256 * 1024
# Rows of a sheet among which the one with the names of the columns is looked for.
FIRST_ROWS = 20
# Rows that are fetched at once.
ROWS = 1000
# Bytes of a line: more than that is no line of text.
LONGEST_LINE = 16_777_216


def pieces_of(paths: str | list[str], kind: str, table: str = "", most: int | None = None) -> Iterator[object]:
    """Yield for each file what was found, as an object, and then its rows as pieces of text, *most* rows at most.

    Where there are several tables and none of them is named, nothing but their names follows. Pieces are packed: what
    leaves a job is JSON, and takes longer to be written and read than it takes to pack it.
    """
    for path in [paths] if isinstance(paths, str) else paths:
        for found in READERS[kind](path, table, most):
            yield _packed(found) if isinstance(found, str) else found


def _packed(text: str) -> str:
    return base64.b64encode(zlib.compress(text.encode("utf-8", "replace"), 1)).decode("ascii")


def from_sqlite(path: str, table: str, most: int | None) -> Iterator[object]:
    """Read one table of an SQLite database, which nobody writes to."""
    import sqlite3
    from urllib.parse import quote

    connection = sqlite3.connect(f"file:{quote(path)}?mode=ro&immutable=1", uri=True)
    connection.text_factory = lambda data: data.decode("utf-8", "replace")
    found = connection.execute(
        "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite~_%' ESCAPE '~'"
    )
    names = [name for (name,) in found]
    chosen = _chosen(names, table)
    if chosen is None:
        yield {"tables": names}
        return
    cursor = connection.execute('SELECT * FROM "{}"'.format(chosen.replace('"', '""')))
    yield {"form": "csv"}
    yield from _csv([one[0] for one in cursor.description], islice(cursor, most))


def from_excel(path: str, table: str, most: int | None) -> Iterator[object]:
    """Read one sheet of a workbook, with the values that Excel has worked out for its formulas."""
    import mimetypes

    # Lists of this machine, which a job cannot read, and a workbook does not need.
    mimetypes.knownfiles.clear()
    import openpyxl

    book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    sheets = {sheet.title: sheet for sheet in book.worksheets}
    names = [name for name in sheets if name == table or any(_filled(row) for row in _cells(sheets[name]))]
    chosen = _chosen(names, table)
    if chosen is None:
        yield {"tables": names}
        return
    rows = (row for row in _cells(sheets[chosen]) if _filled(row))
    first = list(islice(rows, FIRST_ROWS))
    # Above a table there may be its title; the names of its columns are the first row that is filled like a row of it.
    width = max(map(_filled, first), default=0)
    start = next((place for place, row in enumerate(first) if 2 * _filled(row) >= width), 0)
    heads = [_cell(value) for value in first[start]] if first else []
    while heads and not heads[-1]:
        heads.pop()
    named = [head or f"column {place}" for place, head in enumerate(heads, 1)]
    yield {"form": "csv"}
    body = (row for part in (first[start + 1 :], rows) for row in part)
    yield from _csv(named, ([*row, *[None] * len(named)][: len(named)] for row in islice(body, most)))


def _cells(sheet: Any) -> Iterator[list[object]]:
    """Yield the values of each row; a moment whose format shows no time is a day."""
    for row in sheet.iter_rows():
        yield [
            cell.value.date()
            if isinstance(cell.value, datetime) and "h" not in str(cell.number_format).lower()
            else cell.value
            for cell in row
        ]


def _filled(row: Sequence[object]) -> int:
    return sum(value is not None for value in row)


def from_arrow(path: str, table: str, most: int | None) -> Iterator[object]:
    """Read a file or a stream of Arrow's, which is what Feather writes, too."""
    try:
        import pyarrow as pa
        import pyarrow.ipc
    except ImportError:
        raise RuntimeError("this wall (see mayfly doctor) lets no pyarrow in; as Parquet it could be read") from None

    with pa.OSFile(path) as file:
        start = file.read(6)
        file.seek(0)
        if start == b"ARROW1":
            stored = pa.ipc.open_file(file)
            schema, batches = stored.schema, (stored.get_batch(n) for n in range(stored.num_record_batches))
        elif start.startswith(b"FEA1"):
            import pyarrow.feather

            whole = pyarrow.feather.read_table(path, memory_map=False)
            schema, batches = whole.schema, iter(whole.to_batches())
        else:
            stream = pa.ipc.open_stream(file)
            schema, batches = stream.schema, iter(stream)
        nested = any(pa.types.is_nested(field.type) for field in schema)
        yield {"form": "jsonl" if nested else "csv"}
        rows = (row for batch in batches for row in zip(*map(_plain, batch.columns), strict=True))
        yield from (_json_lines if nested else _csv)(schema.names, islice(rows, most))


def _plain(column: Any) -> list[object]:
    """Return the values of a column; moments are cut to the millionths of a second that Python knows."""
    import pyarrow as pa

    kind = column.type
    if pa.types.is_timestamp(kind) and kind.unit == "ns":
        column = column.cast(pa.timestamp("us", kind.tz), safe=False)
    if (pa.types.is_time64(kind) or pa.types.is_duration(kind)) and kind.unit == "ns":
        column = column.cast(pa.time64("us") if pa.types.is_time64(kind) else pa.duration("us"), safe=False)
    values: list[object] = column.to_pylist()
    return values


def from_parquet(path: str, table: str, most: int | None) -> Iterator[object]:
    """Read a Parquet file, with the types of its columns as DuckDB names them; its values are the texts DuckDB has."""
    import duckdb

    described = duckdb.execute("DESCRIBE SELECT * FROM read_parquet($path)", {"path": path}).fetchall()
    columns = [(name, kind) for name, kind, *_ in described]
    nested = any(kind.endswith("]") or kind.startswith(("STRUCT", "MAP", "UNION", "VARIANT")) for _, kind in columns)
    yield {"form": "jsonl" if nested else "csv", "columns": columns}
    what = "to_json(t)" if nested else "CAST(COLUMNS(*) AS VARCHAR)"
    rows = _rows(f"SELECT {what} FROM (SELECT * FROM read_parquet($path){_limit(most)}) AS t", path)
    yield from _lines(rows) if nested else _csv([name for name, _ in columns], rows)


def from_json(path: str, table: str, most: int | None) -> Iterator[object]:
    """Read the objects of a JSON array, each on a line of its own."""
    yield {"form": "jsonl"}
    objects = f"read_json_objects($path, compression = '{table}')"
    yield from _lines(_rows(f"SELECT to_json(json) FROM {objects}{_limit(most)}", path))


def from_zstd(path: str, table: str, most: int | None) -> Iterator[object]:
    """Read lines of text that is packed with zstd."""
    yield {"form": "lines"}
    lines = (
        "read_csv($path, auto_detect = false, header = false, columns = {'line': 'VARCHAR'}, compression = 'zstd', "
        f"delim = chr(10), quote = '', escape = '', strict_mode = false, max_line_size = {LONGEST_LINE})"
    )
    yield from _lines(_rows(f"SELECT coalesce(line, '') FROM {lines}{_limit(most)}", path))


def _limit(most: int | None) -> str:
    return "" if most is None else f" LIMIT {most}"


def _rows(query: str, path: str) -> Iterator[tuple[str | None, ...]]:
    """Yield the rows of a query as they come: however many there are, few are in memory."""
    import duckdb

    found = duckdb.execute(query, {"path": path})
    while rows := found.fetchmany(ROWS):
        yield from rows


def _lines(rows: Iterator[tuple[str | None, ...]]) -> Iterator[str]:
    """Yield the texts of single columns as pieces of lines."""
    while lines := [f"{row[0]}\n" for row in islice(rows, ROWS)]:
        yield "".join(lines)


def _chosen(names: Sequence[str], table: str) -> str | None:
    """Return the table that is read: the one that is named, or the only one."""
    if table:
        return table if table in names else None
    return names[0] if len(names) == 1 else None


def _csv(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(heads)
    for row in rows:
        writer.writerow(map(_cell, row))
        if text.tell() > PIECE:
            yield text.getvalue()
            text.seek(0)
            text.truncate()
    yield text.getvalue()


def _json_lines(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    held: list[str] = []
    for row in rows:
        record = dict(zip_longest(heads, row))
        held.append(json.dumps(record, default=_cell, ensure_ascii=False) + "\n")
        if len(held) * len(held[0]) > PIECE:
            yield "".join(held)
            held = []
    yield "".join(held)


def _cell(value: object) -> str:
    """Return the text of a cell: nothing for none, days and moments as ISO has them, bytes as hexadecimal digits."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    return value.isoformat() if isinstance(value, (date, time)) else str(value)


READERS: dict[str, Callable[[str, str, int | None], Iterator[object]]] = {
    "sqlite": from_sqlite,
    "excel": from_excel,
    "arrow": from_arrow,
    "parquet": from_parquet,
    "json": from_json,
    "zstd": from_zstd,
}
