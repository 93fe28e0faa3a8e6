"""Formats of data: converted, parsed, judged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mayfly.core import InputError

from .conftest import Checks, Run

CSV = 'name,age\nAda,36\n"Grace, H.",85\n'
ROWS = [{"name": "Ada", "age": "36"}, {"name": "Grace, H.", "age": "85"}]


@pytest.mark.parametrize(
    ("source", "to", "text", "gives"),
    [
        ("csv", "json", CSV, json.dumps(ROWS, indent=2) + "\n"),
        ("json", "csv", json.dumps(ROWS), CSV),
        ("csv", "tsv", CSV, "name\tage\nAda\t36\nGrace, H.\t85\n"),
        ("jsonl", "json", '{"a": 1}\n\n[2]\n', '[\n  {\n    "a": 1\n  },\n  [\n    2\n  ]\n]\n'),
        ("json", "jsonl", "[1, null]", "1\nnull\n"),
        ("toml", "json", "a = 1\n[b]\nc = true\n", '{\n  "a": 1,\n  "b": {\n    "c": true\n  }\n}\n'),
        ("json", "csv", '[{"a": true, "b": null}]', "a,b\ntrue,\n"),
        ("csv", "json", "", "[]\n"),
    ],
)
def test_data_is_converted_and_read_back(run: Run, source: str, to: str, text: str, gives: str) -> None:
    assert run("convert_data", {"text": text, "source": source, "to": to}) == gives


def test_the_name_of_a_file_tells_its_format(run: Run, workspace: Path) -> None:
    (workspace / "p.csv").write_text("\ufeff" + CSV)
    assert run("parse_data", {"path": "p.csv"}) == ROWS
    assert json.loads(str(run("convert_data", {"path": "p.csv", "to": "json"}))) == ROWS


@pytest.mark.parametrize(
    ("source", "text", "reason"),
    [
        ("csv", "a,b\n1\n", "row 2 has 1 cells"),
        ("csv", "a,a\n1,2\n", "the same name"),
        ("csv", 'a\n"x', "line"),
        ("json", "{", "not JSON"),
        ("jsonl", "1\n{\n", "line 2 is not JSON"),
        ("toml", "a =", "not TOML"),
    ],
)
def test_what_is_wrong_with_data_is_said(run: Run, source: str, text: str, reason: str) -> None:
    value = run("validate_data", {"text": text, "source": source})
    assert isinstance(value, dict)
    assert value["valid"] is False
    assert reason in value["reason"]
    with pytest.raises(InputError):
        run("convert_data", {"text": text, "source": source, "to": "json"})


def test_data_that_is_sound_is_valid(run: Run) -> None:
    assert run("validate_data", {"path": "data.json"}) == {"valid": True, "reason": ""}


@pytest.mark.parametrize("text", ['[{"a": 1}, {"b": 2}]', '[{"a": [1]}]', "[1]"])
def test_what_is_no_table_is_not_pressed_into_one(run: Run, text: str) -> None:
    with pytest.raises(InputError):
        run("convert_data", {"text": text, "source": "json", "to": "csv"})


def test_a_format_that_nobody_can_tell_has_to_be_said(run: Run) -> None:
    with pytest.raises(InputError, match="path does not have the form"):
        run("parse_data", {"path": "a.txt"})


def test_a_row_that_is_missing_is_seen(checks: Checks) -> None:
    assert checks("convert_data", {"text": CSV, "source": "csv", "to": "json"}, json.dumps(ROWS)) is True
    assert checks("convert_data", {"text": CSV, "source": "csv", "to": "json"}, json.dumps(ROWS[:1])) is False
