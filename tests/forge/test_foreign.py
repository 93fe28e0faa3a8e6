"""The program that makes text of tables in binary formats, tried as it is, without the wall it runs behind."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path

import duckdb
import openpyxl
import pytest

from mayfly.forge import _foreign
from mayfly.forge._converting import _unpacked


@pytest.fixture(autouse=True)
def database(tmp_path: Path) -> Iterator[None]:
    """A database of its own, which may write to a directory, as every job about data has it."""
    (tmp_path / "spill").mkdir()
    before = duckdb.default_connection()
    duckdb.set_default_connection(duckdb.connect(config={"temp_directory": str(tmp_path / "spill")}))
    yield
    duckdb.set_default_connection(before)


def read(path: Path, kind: str, table: str = "", most: int | None = None) -> tuple[dict[str, object], str]:
    found, *pieces = _foreign.pieces_of(str(path), kind, table, most)
    assert isinstance(found, dict)
    return found, b"".join(_unpacked(str(piece)) for piece in pieces).decode()


def shop(path: Path, *statements: str) -> Path:
    database = sqlite3.connect(path)
    for statement in statements:
        database.execute(statement)
    database.commit()
    database.close()
    return path


ORDERS = "CREATE TABLE orders (id INTEGER PRIMARY KEY, name TEXT, amount REAL, data BLOB)"


def test_the_one_table_of_a_database_is_read(tmp_path: Path) -> None:
    path = shop(tmp_path / "a b'c.db", ORDERS, "INSERT INTO orders VALUES (1, 'ann, \"x\"', 1.5, x'01ff')")
    shop(path, "INSERT INTO orders VALUES (2, 'two\nlines', NULL, NULL)")
    found, text = read(path, "sqlite")
    assert found == {"form": "csv"}
    assert list(csv.reader(io.StringIO(text, newline=""))) == [
        ["id", "name", "amount", "data"],
        ["1", 'ann, "x"', "1.5", "01ff"],
        ["2", "two\nlines", "", ""],
    ]


def test_of_several_tables_one_is_named(tmp_path: Path) -> None:
    path = shop(tmp_path / "a.db", ORDERS, 'CREATE TABLE "my ""t""" (x)', "CREATE VIEW v AS SELECT 1 AS one")
    names = ["orders", 'my "t"', "v"]
    assert read(path, "sqlite") == ({"tables": names}, "")
    assert read(path, "sqlite", "none") == ({"tables": names}, "")
    assert read(path, "sqlite", "v") == ({"form": "csv"}, "one\n1\n")
    assert read(path, "sqlite", 'my "t"') == ({"form": "csv"}, "x\n")


def test_a_sample_has_no_more_rows_than_asked_for(tmp_path: Path) -> None:
    path = shop(tmp_path / "a.db", "CREATE TABLE t AS SELECT value AS n FROM json_each('[1,2,3]')")
    assert read(path, "sqlite", most=2)[1] == "n\n1\n2\n"


def test_a_sheet_begins_with_the_names_of_its_columns_and_not_with_its_title(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    for row in (
        ["Sales of this year"],
        [],
        ["day", "city", "qty", "sold", None],
        [date(2024, 1, 5), "Rome", 3, datetime(2024, 1, 5, 10, 30), True],
        [],
        [date(2024, 1, 6), None, 2.5],
    ):
        sheet.append(row)
    book.create_sheet("nothing here")
    book.save(tmp_path / "a.xlsx")
    found, text = read(tmp_path / "a.xlsx", "excel")
    assert found == {"form": "csv"}
    assert text.splitlines() == ["day,city,qty,sold", "2024-01-05,Rome,3,2024-01-05 10:30:00", "2024-01-06,,2.5,"]


def test_of_several_sheets_one_is_named(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.append(["a", "b"])
    book.create_sheet("more").append(["x"])
    book.save(tmp_path / "a.xlsx")
    assert read(tmp_path / "a.xlsx", "excel")[0] == {"tables": ["Sheet", "more"]}
    assert read(tmp_path / "a.xlsx", "excel", "more")[1] == "x\n"


def test_arrow_is_read_as_a_file_and_as_a_stream(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    feather = pytest.importorskip("pyarrow.feather")
    table = pa.table(
        {
            "n": [1, None],
            "name": ["a,b", None],
            "at": pa.array([1704067200123456789, None], pa.timestamp("ns", tz="Europe/Rome")),
            "kind": pa.array(["u", "v"]).dictionary_encode(),
            "data": [b"\0\1", None],
        }
    )
    feather.write_feather(table, tmp_path / "a.feather")
    with pa.OSFile(str(tmp_path / "a.arrows"), "wb") as file, pa.ipc.new_stream(file, table.schema) as stream:
        stream.write_table(table)
    expected = ["n,name,at,kind,data", '1,"a,b",2024-01-01 01:00:00.123456+01:00,u,0001', ",,,v,"]
    for name in ("a.feather", "a.arrows"):
        found, text = read(tmp_path / name, "arrow")
        assert (found, text.splitlines()) == ({"form": "csv"}, expected)


def test_values_in_values_become_json(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    rows = [{"a": 1, "tags": ["x", "ü"], "in": {"b": 2}}, {"a": 2, "tags": None, "in": {"b": None}}]
    pytest.importorskip("pyarrow.feather").write_feather(pa.Table.from_pylist(rows), tmp_path / "a.feather")
    found, text = read(tmp_path / "a.feather", "arrow")
    assert found == {"form": "jsonl"}
    assert [json.loads(line) for line in text.splitlines()] == rows


def test_parquet_is_read_with_the_types_of_its_columns(tmp_path: Path) -> None:
    rows = "SELECT i AS n, 'x,' || i AS name, DATE '2024-01-05' AS day, CASE WHEN i > 0 THEN 1.50 END AS price"
    duckdb.execute(f"COPY ({rows} FROM range(3) AS t(i)) TO '{tmp_path}/a.parquet' (FORMAT parquet)")
    found, text = read(tmp_path / "a.parquet", "parquet", most=2)
    columns = [("n", "BIGINT"), ("name", "VARCHAR"), ("day", "DATE"), ("price", "DECIMAL(3,2)")]
    assert found == {"form": "csv", "columns": columns}
    assert text.splitlines() == ["n,name,day,price", '0,"x,0",2024-01-05,', '1,"x,1",2024-01-05,1.50']
    assert list((tmp_path / "spill").iterdir()) == [], "nothing is left behind"


def test_parquet_with_values_in_values_becomes_json(tmp_path: Path) -> None:
    duckdb.execute(f"COPY (SELECT [1, 2] AS l, {{'x': 'é'}} AS s) TO '{tmp_path}/a.parquet' (FORMAT parquet)")
    found, text = read(tmp_path / "a.parquet", "parquet")
    assert (found["form"], json.loads(text)) == ("jsonl", {"l": [1, 2], "s": {"x": "é"}})


@pytest.mark.parametrize("indent", [None, 2])
def test_the_objects_of_a_json_array_get_a_line_each(tmp_path: Path, indent: int | None) -> None:
    rows = [{"n": n, "text": 'a "b"\n\\ é', "in": {"l": [1, None]}} for n in range(3)]
    (tmp_path / "a.json").write_text(json.dumps(rows, indent=indent))
    found, text = read(tmp_path / "a.json", "json", "auto")
    assert found == {"form": "jsonl"}
    assert [json.loads(line) for line in text.splitlines()] == rows


def test_lines_packed_with_zstd_are_lines(tmp_path: Path) -> None:
    lines = ["a,b", '"x', 'y",é', "", "last"]
    rows = ", ".join(f"('{line}')" for line in lines)
    form = "FORMAT csv, COMPRESSION zstd, HEADER false, QUOTE '', ESCAPE '', DELIMITER '\x01'"
    duckdb.execute(f"COPY (SELECT * FROM (VALUES {rows}) AS t(line)) TO '{tmp_path}/a.zst' ({form})")
    assert read(tmp_path / "a.zst", "zstd")[1].split("\n") == [*lines, ""]
    assert read(tmp_path / "a.zst", "zstd", most=2)[1].split("\n") == [*lines[:2], ""]


def test_large_tables_come_in_pieces(tmp_path: Path) -> None:
    text = "x" * 1000
    path = shop(tmp_path / "a.db", f"CREATE TABLE t AS SELECT '{text}' AS x FROM json_each('[{'1,' * 999}1]')")
    pieces = [_unpacked(str(piece)) for piece in list(_foreign.pieces_of(str(path), "sqlite"))[1:]]
    assert len(pieces) > 2
    assert all(len(piece) < 2 * _foreign.PIECE for piece in pieces)
    assert b"".join(pieces).count(b"\n") == 1001
