"""What `--input` takes: one file, or a pattern for many; what is none of it is one line and nothing on stdout."""

from __future__ import annotations

import gzip
import json
import os
import sqlite3
from pathlib import Path

import duckdb
import openpyxl
import pytest

from mayfly.cli._inputs import files_of, given_inputs
from mayfly.core import InputError

from .conftest import Cli


@pytest.fixture
def logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("logs/b.log", "logs/a.log", "logs/deep/c.log", "odd[1].log"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x 1\n")
    return tmp_path


def test_a_pattern_names_all_files_it_fits_in_order(logs: Path) -> None:
    assert files_of("logs/*.log") == (Path("logs/a.log"), Path("logs/b.log"))
    assert files_of("logs/*") == files_of("logs/*.log"), "directories are no files"
    assert files_of("logs/**/*.log") == (*files_of("logs/*.log"), Path("logs/deep/c.log"))
    assert files_of("logs/[a].log") == (Path("logs/a.log"),)


def test_a_file_may_be_called_like_a_pattern(logs: Path) -> None:
    assert files_of("odd[1].log") == (Path("odd[1].log"),)


def test_many_files_are_one_input(logs: Path) -> None:
    with given_inputs(["logs/*.log"]) as given:
        assert given.first.options() == {
            "input": given.first.value,
            "lines": Path("logs/a.log"),
            "more": (Path("logs/b.log"),),
            "name": "logs/*.log",
        }
        assert given.second is None


def test_a_pattern_that_fits_one_file_is_that_file(logs: Path) -> None:
    with given_inputs(["logs/a*"]) as given:
        assert (given.first.lines, given.first.more, given.first.name) == (Path("logs/a.log"), (), "a.log")


def test_a_pattern_that_fits_nothing_is_refused(logs: Path) -> None:
    with pytest.raises(InputError, match="no file fits this pattern"), given_inputs(["none/*.log"]):
        pass


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--input", "logs"], "--input logs is a directory; name its files, in quotes: --input 'logs/*'"),
        (["--input", "none.log"], "--input: cannot read none.log: No such file or directory"),
        (["--input", "pipe"], "--input pipe is a pipe; pipe it in: --input -"),
        (["--input", "a.bz2"], "--input a.bz2 is packed with bzip2; bzip2 -dc a.bz2 | mayfly run"),
        (["--input", "logs/*.log", "--input", "odd[1].log"], "two inputs are joined, and each is one file"),
        (["--input", "a", "--input", "b", "--input", "c"], "one table are a pattern in quotes: --input 'logs/*.log'"),
        (["--input", "logs/a.log", "logs/b.log"], "put a pattern in quotes: --input 'logs/*.log'"),
        (["--input", "logs/a.log", "no-file"], "unexpected extra argument"),
    ],
)
def test_an_input_that_is_none_is_one_line(cli: Cli, logs: Path, options: list[str], words: str) -> None:
    os.mkfifo("pipe")
    Path("a.bz2").write_bytes(b"BZh91AY")
    ran = cli("run", "count lines", *options)
    assert (ran.status, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert words in ran.err


TABLE = "city,qty\nZürich,2\nOslo,3\nZürich,4\n"
SUMS = {"Oslo": 3, "Zürich": 6}


def test_one_question_is_asked_of_a_table_whatever_it_lies_in(cli: Cli, tmp_path: Path) -> None:
    """The first is written and proven; all others look alike, so that the agent is known."""
    rows = [line.split(",") for line in TABLE.splitlines()]
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append([int(cell) if cell.isdigit() else cell for cell in row])
    book.save(tmp_path / "a.xlsx")
    database = sqlite3.connect(tmp_path / "a.db")
    database.execute("CREATE TABLE sales (city TEXT, qty INTEGER)")
    database.executemany("INSERT INTO sales VALUES (?, ?)", rows[1:])
    database.commit()
    database.close()
    texts = {
        "a.csv": TABLE.encode(),
        "bom.csv": TABLE.encode("utf-8-sig"),
        "wide.csv": TABLE.encode("utf-16"),
        "latin.csv": TABLE.encode("latin-1"),
        "a.csv.gz": gzip.compress(TABLE.encode()),
        "named otherwise": gzip.compress(TABLE.encode()),
        "wide.csv.gz": gzip.compress(TABLE.encode("utf-16-be")),
    }
    for name, data in texts.items():
        (tmp_path / name).write_bytes(data)
    sales = duckdb.connect().from_csv_auto(str(tmp_path / "a.csv"))
    sales.write_parquet(str(tmp_path / "a.parquet"))
    sales.write_csv(str(tmp_path / "a.csv.zst"), compression="zstd")
    notes = {
        "wide.csv": "read as UTF-16",
        "latin.csv": "read as Windows-1252 (Latin-1)",
        "wide.csv.gz": "read as UTF-16",
    }
    notes |= {"a.db:sales": "read as an SQLite database, sales", "a.parquet": "read as a Parquet file"}
    for name in (*texts, "a.csv.zst", "a.db:sales", "a.xlsx", "a.parquet"):
        ran = cli("run", "sum of qty by city", "--input", name)
        assert (name, ran.status, json.loads(ran.out)) == (name, 0, SUMS)
        assert (
            ("input     " + notes[name] in ran.err) if name in notes else ("input " not in ran.err or name == "a.xlsx")
        )
        assert "lines     4: 3 used, 1 header\n" in ran.err
        assert name == "a.csv" or ", cached, " in ran.err


def test_several_files_are_asked_at_once(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("city,qty\nRome,2\n")
    (tmp_path / "b.csv.gz").write_bytes(gzip.compress(b"city,qty\nOslo,3\nbroken\n"))
    ran = cli("run", "sum of qty by file", "--input", "[ab].csv*", "--bad-lines", "skip")
    assert (ran.status, json.loads(ran.out)) == (0, {"a.csv": 2, "b.csv.gz": 3})
    assert "lines     5: 2 used, 2 header, 1 not understood (first: line 3 of b.csv.gz)\n" in ran.err
    (tmp_path / "a.csv").write_text("qty,city\n2,Rome\n")
    ran = cli("run", "sum of qty by file", "--input", "[ab].csv*")
    assert (ran.status, ran.out) == (2, "")
    assert "b.csv.gz does not begin with the columns of a.csv: city,qty" in ran.err


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("a.bin", bytes(range(256)) * 10, "a.bin is not text in UTF-8, UTF-16 or Latin-1"),
        (
            "a.csv.gz",
            gzip.compress(TABLE.encode(), mtime=0)[:-9],
            "a.csv.gz is cut off: its gzip stream ends too early",
        ),
        ("a.db", b"SQLite format 3\0" + b"x" * 5000, "a.db cannot be read as an SQLite database"),
        ("a.parquet", b"PAR1 and nothing else", "a.parquet cannot be read as a Parquet file"),
    ],
)
def test_a_file_that_cannot_be_read_gives_no_half_of_an_answer(
    cli: Cli, tmp_path: Path, name: str, data: bytes, words: str
) -> None:
    (tmp_path / name).write_bytes(data)
    ran = cli("run", "sum of qty by city", "--input", name)
    assert (ran.status, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert words in ran.err
