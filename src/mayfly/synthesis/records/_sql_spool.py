"""Write rows that were made on the host as plain delimited text, for formats that DuckDB cannot read by itself."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

from mayfly.synthesis.records._model import Field, Format, Numeral
from mayfly.synthesis.records._table import Table


def rows_of(table: Table) -> list[str]:
    """Return the rows of a table as lines of delimited text, the header first.

    The table has to be narrowed to what is asked for before; its account stays that of the table, but for how many
    rows a condition leaves.
    """
    columns = _columns(table.format)
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([one.title or "line" for one in columns])
    writer.writerows([_cell(row.get(one.title)) for one in columns] for row in table.rows)
    return file.getvalue().split("\n")[:-1]


def header_of(found: Format) -> str:
    """Return the header of the rows that are made of an input."""
    return rows_of(Table(format=found, rows=(), lines=0))[0]


def written(found: Format) -> Format:
    """Return the format of the rows that are made of an input."""
    columns = _columns(found)
    return Format(
        name=found.name,
        kind="delimited",
        record=found.record,
        fields=tuple(_own_field(one, at) for at, one in enumerate(columns)),
        header=tuple(one.title or "line" for one in columns),
        width=len(columns),
        multiline=True,
        spooled=found.kind,
        words=found.words,
    )


def _columns(found: Format) -> list[Field]:
    """Return the fields of the rows; the whole line stands in a column of its own, whose field has no name."""
    return [*found.fields, *([] if found.kind in ("objects", "joined") else [Field(name="")])]


def _cell(value: object) -> object:
    if isinstance(value, bool):
        return str(value).lower()
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (list, dict)) else value


def _own_field(one: Field, at: int) -> Field:
    """Return a field as it stands in the file: in a column of its own, with bare numbers."""
    whole = one.kind == "int" or (one.kind == "epoch" and one.numeral.whole)
    bare = Numeral(whole=whole)
    return replace(
        one,
        columns=(at,),
        heading=one.title,
        origin="own",
        numeral=bare,
        absent=(),
        nothing=(),
        meanings=(),
        quoted=False,
        mixed=False,
    )
