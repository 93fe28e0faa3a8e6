"""An input file is one value, a list, or stays where it is; packed and large ones are no exception."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from mayfly.core import UNSET, InputError, InputFile, Order, read_input_file
from mayfly.core._input_file import LARGEST_VALUE


def test_packed_json_is_a_value_like_any_other(tmp_path: Path) -> None:
    path = tmp_path / "rows.json.gz"
    path.write_bytes(gzip.compress(b'[{"a": 1}]'))
    assert read_input_file(path, "--input") == InputFile(value=[{"a": 1}], name="rows.json.gz")


def test_json_in_utf_16_is_a_value_like_any_other(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes('{"a": "é"}'.encode("utf-16"))
    assert read_input_file(tmp_path / "a.json", "--input").value == {"a": "é"}
    (tmp_path / "a.jsonl").write_bytes('{"a": "é"}\n'.encode("utf-8-sig"))
    assert read_input_file(tmp_path / "a.jsonl", "--input").value == [{"a": "é"}]


def test_json_that_is_cut_off_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "a.json.gz").write_bytes(gzip.compress(json.dumps(list(range(1000))).encode())[:-9])
    with pytest.raises(InputError, match=r"a\.json\.gz is damaged"):
        read_input_file(tmp_path / "a.json.gz", "--input")


def test_json_that_is_too_large_for_a_value_stays_in_its_file(tmp_path: Path) -> None:
    path = tmp_path / "large.json"
    path.write_bytes(b"[" + b" " * LARGEST_VALUE + b"]")
    assert read_input_file(path, "--input") == InputFile(value=UNSET, lines=path, name="large.json")


def test_a_table_of_a_database_stays_in_it(tmp_path: Path) -> None:
    (tmp_path / "shop.db").write_bytes(b"SQLite format 3\0")
    path = tmp_path / "shop.db:orders"
    assert read_input_file(path, "--input") == InputFile(lines=path, name="shop.db:orders")


def test_several_files_are_one_order() -> None:
    order = Order.of("count", lines=["a.log", Path("b.log")])
    assert (order.lines, order.more, order.files) == (Path("a.log"), (Path("b.log"),), (Path("a.log"), Path("b.log")))
    given = InputFile(lines=Path("a.log"), more=(Path("b.log"),), name="*.log")
    assert Order.of("count", **given.options()).files == order.files
    with pytest.raises(InputError, match="empty list"):
        Order.of("count", lines=[])
