"""Several files as one table: the program and the independent reading give the same, with the name of each file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from mayfly.synthesis.records import FileLines, Proposal, one_after_another, propose, suite_of
from mayfly.synthesis.records._several import as_tried

SALES = {"a.csv": ["city,qty", "Rome,1", "Oslo,2"], "b.csv": ["city,qty", "Rome,10"]}
LOGS = {
    "a/app.log": ["2024-01-05 10:00:00 INFO began", "2024-01-05 10:00:01 ERROR failed"],
    "b/app.log": ["2024-01-06 10:00:00 ERROR failed", "2024-01-06 10:00:01 ERROR failed again"],
}
RECORDS = {"a.jsonl": ['{"qty": 1, "file": "x"}', '{"qty": 2, "file": "y"}'], "b.jsonl": ['{"qty": 30, "file": "x"}']}


def files_of(held: Mapping[str, list[str]]) -> list[FileLines]:
    return [FileLines(name, lines) for name, lines in held.items()]


def asked(question: str, held: Mapping[str, list[str]]) -> Proposal:
    found = propose(question, files_of(held))
    assert isinstance(found, Proposal), found
    return found


def answered(found: Proposal, held: Mapping[str, list[str]], folder: Path) -> object:
    """Run a program on files that have those lines."""
    for name, lines in held.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("".join(f"{line}\n" for line in lines))
    space: dict[str, Any] = {}
    exec(found.program.source, space)
    return space["answer"]([str(folder / name) for name in held])


@pytest.mark.parametrize(
    ("question", "held", "expected"),
    [
        ("sum of qty", SALES, 13),
        ("sum of qty by city", SALES, {"Oslo": 2, "Rome": 11}),
        ("sum of qty by file", SALES, {"a.csv": 3, "b.csv": 10}),
        ("sum of qty where file = b.csv", SALES, 10),
        ("count by file", LOGS, {"a/app.log": 2, "b/app.log": 2}),
        ("count where level = ERROR, by file", LOGS, {"a/app.log": 1, "b/app.log": 2}),
        ("count, by file and level", LOGS, None),
        ("lines where level = ERROR", LOGS, [LOGS["a/app.log"][1], *LOGS["b/app.log"]]),
        ("sum of qty, by file", RECORDS, {"x": 31, "y": 2}),
        ("sum of qty, by [input file]", RECORDS, {"a.jsonl": 3, "b.jsonl": 30}),
    ],
)
def test_the_program_and_the_reading_agree(
    question: str, held: Mapping[str, list[str]], expected: object, tmp_path: Path
) -> None:
    found = asked(question, held)
    value = answered(found, held, tmp_path)
    if expected is not None:
        assert value == expected
    assert value == found.answer.value


def test_a_program_for_several_files_says_so() -> None:
    source = asked("sum of qty by file", SALES).program.source
    assert "def answer(path: list[str]) -> dict[" in source
    assert "parse_filename(filename) AS file" in source


def test_names_of_columns_are_counted_in_each_file() -> None:
    found = asked("sum of qty", SALES)
    account = found.account(files_of(SALES))
    assert (account["lines"], account["header"], account["used"]) == (5, 2, 3)
    assert one_after_another(files_of(SALES)) == ["city,qty", "Rome,1", "Oslo,2", "Rome,10"]


@pytest.mark.parametrize(
    ("names", "tried"),
    [
        (("a.csv", "b.csv"), ["a.csv", "b.csv"]),
        (("a.csv.gz", "b.csv"), ["a.csv", "b.csv"]),
        (("a.csv.gz", "a.csv"), ["1-a.csv", "2-a.csv"]),
        (("a/x.log.gz", "b/x.log.ZST"), ["spill/1-x.log", "spill/2-x.log"]),
    ],
)
def test_what_is_tried_has_names_that_files_can_have_in_one_directory(names: tuple[str, ...], tried: list[str]) -> None:
    held = as_tried([FileLines(name, ["a line"]) for name in names])
    assert [one.name for one in held if isinstance(one, FileLines)] == tried


def test_the_tests_of_a_program_are_about_files() -> None:
    found = asked("sum of qty by file", SALES)
    suite = suite_of(found, files_of(SALES))
    assert {test.name for test in suite} >= {"the first lines of each file", "one file", "files without lines"}
    first = suite[0]
    assert first.input == [{"file": name, "lines": lines} for name, lines in SALES.items()]
    assert first.expected == {"a.csv": 3, "b.csv": 10}
