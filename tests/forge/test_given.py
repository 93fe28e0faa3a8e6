"""What an input becomes before a question is asked of it: files that DuckDB reads, samples, and words to the user."""

from __future__ import annotations

import gc
import gzip
import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import duckdb
import openpyxl
import pytest

from mayfly.core import InputError, Order, Settings, distinct_names
from mayfly.forge._converting import OpenBox
from mayfly.forge._given import look_at
from mayfly.forge._request import CannotWrite
from mayfly.forge._task import Task
from mayfly.sandbox import Result, Sandbox

TABLE = "city,qty\nZürich,1\n"


class Stream:
    """The items of a generator, and how it ended."""

    def __init__(self, items: Iterator[object]) -> None:
        self._items = items
        self.result: Result | None = None

    def __iter__(self) -> Iterator[object]:
        try:
            yield from self._items
        except Exception as error:
            self.result = Result(status="error", error=f"{type(error).__name__}: {error}")
        else:
            self.result = Result(status="ok")


class Here:
    """Runs what is for the sandbox in this process, and notes what was granted."""

    def __init__(self) -> None:
        self.grants: list[tuple[str, ...]] = []

    @contextmanager
    def stream(self, source: str, entry: str, *, data: tuple[Path, ...], grants: tuple[str, ...]) -> Iterator[Stream]:
        self.grants.append(grants)
        space: dict[str, Any] = {"__name__": "job"}
        exec(source, space)
        names = [str(path) for path in data]
        yield Stream(space[entry](names if len(names) > 1 else names[0]))


@pytest.fixture
def here() -> Here:
    return Here()


@pytest.fixture
def box(here: Here, tmp_path: Path) -> Iterator[OpenBox]:
    (tmp_path / "spill").mkdir()
    before = duckdb.default_connection()
    duckdb.set_default_connection(duckdb.connect(config={"temp_directory": str(tmp_path / "spill")}))
    yield lambda: cast("Sandbox", here)
    duckdb.set_default_connection(before)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    database = sqlite3.connect(tmp_path / "shop.db")
    database.execute("CREATE TABLE orders AS SELECT 'Rome' AS city, 2 AS qty")
    database.commit()
    database.close()
    return tmp_path / "shop.db"


def put(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def test_text_is_read_where_it_lies(tmp_path: Path) -> None:
    path = put(tmp_path / "a.csv", TABLE.encode("utf-8-sig"))
    given = look_at((path,))
    assert (given.files, given.names, given.notes) == ((path,), ("a.csv",), ())
    assert given.sample.lines == ("city,qty", "Zürich,1")
    assert given.is_plain
    packed = put(tmp_path / "b.csv.gz", gzip.compress(TABLE.encode()))
    given = look_at((packed,))
    assert (given.files, given.sample.packing, given.is_plain) == ((packed,), "gzip", False)


@pytest.mark.parametrize(
    ("codec", "note"),
    [
        ("utf-16", "read as UTF-16"),
        ("utf-16-be", "read as UTF-16"),
        ("utf-32", "read as UTF-32"),
        ("latin-1", "read as Windows-1252 (Latin-1)"),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_text_of_another_encoding_is_written_anew_and_said(tmp_path: Path, codec: str, note: str, packed: bool) -> None:
    data = TABLE.encode(codec)
    given = look_at((put(tmp_path / "a", gzip.compress(data) if packed else data),))
    [file] = given.files
    assert (file.read_bytes(), given.notes, given.is_plain) == (TABLE.encode(), (note,), True)
    del given
    gc.collect()
    assert not file.exists(), "what was made is gone with what it was made for"


def test_characters_that_are_broken_are_said(tmp_path: Path) -> None:
    given = look_at((put(tmp_path / "a", TABLE.encode() + b"\xffber,2\n"),))
    assert given.notes == ("some characters are no UTF-8 and read as \ufffd",)
    assert given.sample.lines == ("city,qty", "Zürich,1", "\ufffdber,2")


def test_text_that_is_not_what_it_began_as_is_refused(tmp_path: Path) -> None:
    path = put(tmp_path / "a", ("a,b\n" * 1_000_000).encode("utf-16") + b"\x00\xdc")
    with pytest.raises(InputError, match="began as UTF-16 and is not so behind byte 8,000,002"):
        look_at((path,))


def test_a_table_of_a_database_becomes_text(shop: Path, box: OpenBox, here: Here) -> None:
    given = look_at((shop,), box)
    assert given.files[0].read_text() == "city,qty\nRome,2\n"
    assert given.notes == ("read as an SQLite database",)
    assert here.grants == [("data",)]
    assert look_at((Path(f"{shop}:orders"),), box).notes == ("read as an SQLite database, orders",)


def test_of_several_tables_one_is_asked_for(shop: Path, box: OpenBox) -> None:
    with sqlite3.connect(shop) as database:
        database.execute("CREATE TABLE people (name)")
    with pytest.raises(CannotWrite, match=r"shop\.db has 2 tables; .*--input 'shop.db:orders'") as caught:
        look_at((shop,), box)
    assert caught.value.question == "which table is meant: orders, people?"
    with pytest.raises(InputError, match="has no table folks: there are orders, people"):
        look_at((Path(f"{shop}:folks"),), box)


def test_a_database_without_its_last_changes_is_refused(shop: Path, box: OpenBox) -> None:
    put(shop.with_name("shop.db-wal"), b"something")
    with pytest.raises(InputError, match=r"has changes that are not in it yet, but in shop\.db-wal"):
        look_at((shop,), box)


def test_a_file_that_is_no_table_of_its_kind_is_one_line(tmp_path: Path, box: OpenBox, shop: Path) -> None:
    torn = put(tmp_path / "torn.db", shop.read_bytes()[:1000])
    with pytest.raises(
        InputError, match=r"torn\.db cannot be read as an SQLite database: database disk image is malformed"
    ):
        look_at((torn,), box)
    torn = put(tmp_path / "torn.parquet", b"PAR1" + b"x" * 100)
    with pytest.raises(InputError, match=r"torn\.parquet cannot be read as a Parquet file: "):
        look_at((torn,), box)


def test_formats_of_libraries_need_their_extra(tmp_path: Path, box: OpenBox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mayfly.forge._converting.find_spec", lambda name: None)
    for name, start, extra in (("a.xlsx", b"PK\x03\x04", "excel"), ("a.arrow", b"ARROW1", "arrow")):
        path = put(tmp_path / name, start)
        with pytest.raises(InputError, match=rf"needs \w+ to be read; pip install 'mayfly-agents\[{extra}\]'"):
            look_at((path,), box)


def test_parquet_becomes_text_or_stays_with_its_columns(tmp_path: Path, box: OpenBox) -> None:
    path = tmp_path / "a.parquet"
    duckdb.execute(f"COPY (SELECT 'Rome' AS city, 2 AS qty) TO '{path}' (FORMAT parquet)")
    given = look_at((path,), box)
    assert given.files[0].read_text() == "city,qty\nRome,2\n"
    given = look_at((path,), box, parquet=True)
    assert (given.files, given.sample.lines) == ((path,), ("city,qty", "Rome,2"))
    assert (given.sample.columns, given.is_plain) == ((("city", "VARCHAR"), ("qty", "INTEGER")), False)


def test_lines_packed_with_zstd_are_sampled_behind_the_wall(tmp_path: Path, box: OpenBox) -> None:
    path = tmp_path / "a.csv.zst"
    rows = "SELECT i AS n, 'é' AS s FROM range(20000) AS t(i)"
    duckdb.execute(f"COPY ({rows}) TO '{path}' (FORMAT csv, COMPRESSION zstd)")
    sample = look_at((path,), box).sample
    assert (sample.lines[:2], sample.complete, sample.packing) == (("n,s", "0,é"), False, "zstd")
    assert len(sample.lines) == 10_000
    small = f"COPY (SELECT 1 AS n) TO '{path}' (FORMAT csv, COMPRESSION zstd)"
    duckdb.execute(small)
    assert look_at((path,), box).sample.complete


@pytest.mark.parametrize("name", ["a.json", "a.json.gz"])
def test_a_json_array_becomes_lines(tmp_path: Path, box: OpenBox, name: str) -> None:
    rows = [{"city": "Zürich", "qty": n} for n in range(3)]
    data = json.dumps(rows, indent=1).encode()
    given = look_at((put(tmp_path / name, gzip.compress(data) if name.endswith("gz") else data),), box)
    assert [json.loads(line) for line in given.sample.lines] == rows
    assert given.notes == ()
    with pytest.raises(InputError, match=r"cannot be read as one JSON value: .*Malformed JSON"):
        look_at((put(tmp_path / "torn.json", data.removesuffix(b"]")[:-5]),), box)


def test_lines_of_json_are_lines_whatever_their_file_is_called(tmp_path: Path) -> None:
    path = put(tmp_path / "a.json", b'{"a": 1}\n{"a": 2}\n')
    assert look_at((path,)).files == (path,)


def test_several_files_are_one_table(tmp_path: Path) -> None:
    paths = [put(tmp_path / "a.csv", TABLE.encode()), put(tmp_path / "b.csv", TABLE.encode("utf-16"))]
    given = look_at(paths)
    assert (given.names, given.notes, len(given.files)) == (("a.csv", "b.csv"), ("read as UTF-16 (1 of 2 files)",), 2)
    assert not given.is_plain


def test_what_is_made_of_a_file_is_called_like_it(tmp_path: Path) -> None:
    paths = [tmp_path / folder / "a.csv.gz" for folder in ("one", "two")]
    for path, codec in zip(paths, ("utf-8", "utf-16"), strict=True):
        path.parent.mkdir()
        put(path, gzip.compress(TABLE.encode(codec)))
    given = look_at(paths)
    assert given.names == ("one/a.csv.gz", "two/a.csv")
    assert [str(path).endswith(name) for path, name in zip(given.files, given.names, strict=True)] == [True, True]


@pytest.mark.parametrize(
    ("name", "data", "ending"),
    [
        ("a.log.gz.1", gzip.compress(TABLE.encode(), mtime=0), "a.log.gz.1.gz"),
        ("a.gz", TABLE.encode(), "/a"),
        ("a.zst", TABLE.encode(), "/a"),
    ],
)
def test_a_packed_file_ends_as_duckdb_knows_it(tmp_path: Path, name: str, data: bytes, ending: str) -> None:
    given = look_at((put(tmp_path / name, data),))
    [file] = given.files
    assert (str(file).endswith(ending), file.resolve(), given.sample.lines[0]) == (True, tmp_path / name, "city,qty")


def test_files_of_one_name_are_told_apart_by_their_directories() -> None:
    assert distinct_names([Path("logs/a/access.log"), Path("logs/b/access.log")]) == ("a/access.log", "b/access.log")
    assert distinct_names([Path("x/a.log"), Path("y/b.log")]) == ("a.log", "b.log")
    assert distinct_names([Path("a.log"), Path("a.log")]) == ("a.log", "a.log")


def test_a_task_has_its_files_and_a_program_for_lines_one_of_plain_text(tmp_path: Path) -> None:
    plain = put(tmp_path / "a.csv", TABLE.encode("latin-1"))
    task = Task.of(Order.of("x", lines=plain), Settings.load())
    assert task.sample == ("city,qty", "Zürich,1")
    assert task.plain == task.bound[0] == task.given.files[0] != plain
    several = Task.of(Order.of("x", lines=[plain, plain]), Settings.load())
    with pytest.raises(InputError, match="one file of plain text, and these are 2 files"):
        _ = several.plain


def test_two_inputs_are_read_whatever_they_are_packed_in(tmp_path: Path, shop: Path, box: OpenBox) -> None:
    first = put(tmp_path / "a.csv.gz", gzip.compress(TABLE.encode("utf-16")))
    task = Task.of(Order.of("x", lines=first, second=shop), Settings.load(), box=box)
    assert task.order.input == [["city,qty", "Zürich,1"], ["city,qty", "Rome,2"]]
    assert task.given.notes == ("read as UTF-16", "read as an SQLite database")


def test_foreign_formats_are_read_behind_the_wall(tmp_path: Path, shop: Path) -> None:
    book = openpyxl.Workbook()
    for row in (["city", "qty"], ["Rome", 2]):
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    here = duckdb.connect()
    for form, name in (
        ("parquet", "a.parquet"),
        ("csv, COMPRESSION zstd", "a.csv.zst"),
        ("json, ARRAY true", "a.json"),
    ):
        here.execute(f"COPY (SELECT 'Rome' AS city, 2 AS qty) TO '{tmp_path}/{name}' (FORMAT {form})")
    with Sandbox() as sandbox:
        for path in (shop, *(tmp_path / name for name in ("a.xlsx", "a.parquet", "a.csv.zst"))):
            assert look_at((path,), lambda: sandbox).sample.lines == ("city,qty", "Rome,2")
        assert look_at((tmp_path / "a.json",), lambda: sandbox).sample.lines == ('{"city":"Rome","qty":2}',)
        with pytest.raises(InputError, match=r"a\.db cannot be read as an SQLite database: file is not a database"):
            look_at((put(tmp_path / "a.db", b"SQLite format 3\0" + b"x" * 5000),), lambda: sandbox)


def test_a_file_that_grows_is_told_from_one_that_is_another_now(tmp_path: Path) -> None:
    path = put(tmp_path / "a.csv", b"a,b\n1,2\n")
    given = look_at((path,))
    assert not given.check_unchanged()
    with path.open("ab") as file:
        file.write(b"3,4\n")
    assert given.check_unchanged()
    path.write_bytes(b"a,b\n")
    with pytest.raises(InputError, match=r"a\.csv changed while it was read"):
        given.check_unchanged()
    path.unlink()
    with pytest.raises(InputError, match=r"cannot read .*a\.csv: No such file"):
        given.check_unchanged()
