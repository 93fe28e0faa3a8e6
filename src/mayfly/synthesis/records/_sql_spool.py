"""Write rows that were made on the host as plain delimited text, for formats that DuckDB cannot read by itself."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from typing import TextIO

from mayfly.synthesis.records._model import Field, Format, Numeral
from mayfly.synthesis.records._table import Table


def rows_as_csv(table: Table, file: TextIO) -> Format:
    """Write the rows of a table to a file that was opened with newline="", and return the format of that file.

    The table has to be narrowed to what is asked for before; its account stays that of the table, but for how many
    rows a condition leaves. The whole line stands in a column of its own, whose field has no name.
    """
    lines = any(isinstance(row.get(""), str) for row in table.rows)
    fields = [*table.format.fields, *([Field(name="")] if lines else [])]
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([one.title or "line" for one in fields])
    writer.writerows([_cell(row.get(one.title)) for one in fields] for row in table.rows)
    return Format(
        name=table.format.name,
        kind="delimited",
        record=table.format.record,
        fields=tuple(_own_field(one, at) for at, one in enumerate(fields)),
        header=tuple(one.title or "line" for one in fields),
        width=len(fields),
        multiline=True,
        spooled=table.format.kind,
        words=table.format.words,
    )


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
        meanings=(),
        quoted=False,
        mixed=False,
    )
