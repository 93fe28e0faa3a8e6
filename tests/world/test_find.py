"""List, find and search."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mayfly.core import InputError, LimitError
from mayfly.world import _find, _paths, _search
from mayfly.world._paths import Glob

from .conftest import Checks, Run


def test_a_directory_is_listed_with_kinds_and_sizes(run: Run, workspace: Path) -> None:
    os.mkfifo(workspace / "src" / "pipe")
    (workspace / "src" / "up").symlink_to("..")
    assert run("list_directory", {"path": "src"}) == [
        {"name": "deep", "kind": "directory", "size": (workspace / "src" / "deep").stat().st_size},
        {"name": "main.py", "kind": "file", "size": 28},
        {"name": "pipe", "kind": "special", "size": 0},
        {"name": "up", "kind": "link", "size": 2},
    ]


def test_the_workspace_itself_is_listed_where_nothing_is_named(run: Run) -> None:
    found = run("list_directory")
    assert isinstance(found, list)
    assert [entry["name"] for entry in found] == [".env", "a.txt", "data.json", "src"]


def test_a_list_with_something_else_in_it_is_not_accepted(checks: Checks) -> None:
    assert checks("list_directory", {"path": "src/deep"}, [{"name": "more.py", "kind": "file", "size": 14}]) is True
    assert checks("list_directory", {"path": "src/deep"}, [{"name": "other.py", "kind": "file", "size": 14}]) is False
    assert checks("list_directory", {"path": "src/deep"}, []) is False


@pytest.mark.parametrize("argument", ["a.txt", "missing", "../workspace/.."])
def test_what_is_no_directory_of_the_workspace_cannot_be_listed(run: Run, argument: str) -> None:
    with pytest.raises(InputError):
        run("list_directory", {"path": argument})


@pytest.mark.parametrize(
    ("argument", "found"),
    [
        ({"pattern": "*.py"}, ["src/deep/more.py", "src/main.py"]),
        ({"pattern": "more.py"}, ["src/deep/more.py"]),
        ({"path": "src"}, ["src/deep/more.py", "src/main.py"]),
        ({"pattern": "src/*.py"}, ["src/main.py"]),
        ({"pattern": "src/**/*.py"}, ["src/deep/more.py", "src/main.py"]),
        ({"pattern": "*.py", "path": "src/deep"}, ["src/deep/more.py"]),
        ({"pattern": "deep/*", "path": "src"}, ["src/deep/more.py"]),
        ({"pattern": "*", "path": "."}, ["a.txt", "data.json", "src/deep/more.py", "src/main.py"]),
        ({"pattern": ".env"}, [".env"]),
        ({"pattern": "*", "hidden": True, "path": "."}, [".env", "a.txt", "data.json"]),
        ({"pattern": "nothing*"}, []),
    ],
)
def test_files_are_found_by_pattern_name_and_directory(run: Run, argument: object, found: list[str]) -> None:
    value = run("find_files", argument)
    assert isinstance(value, list)
    assert value[: len(found)] == found
    assert set(value) - set(found) <= {"src/deep/more.py", "src/main.py"}


@pytest.mark.parametrize("pattern", ["../*", "/etc/*", "~/x", "a/../../b"])
def test_a_pattern_cannot_lead_out(run: Run, pattern: str) -> None:
    with pytest.raises(InputError, match="not a pattern"):
        run("find_files", {"pattern": pattern})


def test_links_are_neither_followed_nor_found(run: Run, workspace: Path) -> None:
    (workspace / "src" / "loop").symlink_to("..")
    (workspace / "etc").symlink_to("/etc")
    assert run("find_files", {"pattern": "*.py", "path": "."}) == ["src/deep/more.py", "src/main.py"]
    with pytest.raises(InputError, match="outside the workspace"):
        run("find_files", {"path": "etc"})


def test_a_name_that_is_no_text_is_left_out(run: Run, workspace: Path) -> None:
    (workspace / "src" / os.fsdecode(b"\xff.py")).write_text("x")
    assert run("find_files", {"pattern": "src/*.py"}) == ["src/main.py"]


def test_too_many_files_are_a_limit(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_find, "MOST_FOUND", 1)
    with pytest.raises(LimitError, match="files found: 2"):
        run("find_files", {"pattern": "*.py"})


def test_too_many_levels_are_a_limit(run: Run, workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_paths, "DEEPEST", 3)
    (workspace / "a/b/c/d/e").mkdir(parents=True)
    with pytest.raises(LimitError, match="levels"):
        run("find_files", {"pattern": "*.py"})


def test_a_file_too_many_or_too_few_is_not_accepted(checks: Checks) -> None:
    assert checks("find_files", {"pattern": "*.py"}, ["src/main.py"]) is False
    assert checks("find_files", {"pattern": "*.py"}, ["src/main.py", "src/deep/more.py", "a.txt"]) is False
    assert checks("find_files", {"pattern": "*.py"}, "src/main.py") is False


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("**/*.py", "a.py", True),
        ("**/*.py", "x/y/a.py", True),
        ("x/**", "x/y/a.py", True),
        ("x/**/y/*.py", "x/y/a.py", True),
        ("x/*.py", "x/y/a.py", False),
        ("?.py", "x/ab.py", False),
        ("[ab].py", "x/b.py", True),
        ("**", "x/y", True),
    ],
)
def test_patterns_mean_what_they_mean_in_a_shell(pattern: str, path: str, fits: bool) -> None:
    assert Glob(pattern).fits(path) is fits


def test_no_pattern_takes_long(run: Run, workspace: Path) -> None:
    (workspace / ("a" * 200)).write_text("")
    assert run("find_files", {"pattern": "*a" * 60 + "*b"}) == []
    assert not Glob("**/" * 60 + "b").fits("/".join("a" * 60))


HITS = [
    {"path": "src/main.py", "line": 1, "text": "# TODO: more"},
    {"path": "src/deep/more.py", "line": 1, "text": "x = 1  # TODO"},
]


@pytest.mark.parametrize(
    "argument",
    [{"text": "TODO", "path": "src"}, {"text": "TODO", "path": "src", "pattern": "*.py"}],
)
def test_lines_with_a_text_are_found(run: Run, argument: object) -> None:
    assert run("search_lines", argument) == HITS


def test_a_file_with_secrets_is_not_looked_into(run: Run) -> None:
    assert run("search_lines", {"text": "secret", "hidden": True}) == []


def test_one_file_can_be_searched(run: Run) -> None:
    assert run("search_lines", {"text": "tw", "path": "a.txt"}) == [{"path": "a.txt", "line": 2, "text": "two"}]


def test_a_place_that_is_not_there_is_an_error_and_not_an_empty_result(run: Run) -> None:
    with pytest.raises(InputError, match="No such file"):
        run("search_lines", {"text": "x", "path": "missing"})


def test_case_can_be_ignored(run: Run) -> None:
    assert run("search_lines", {"text": "todo", "path": "src", "ignore_case": True}) == HITS
    assert run("search_lines", {"text": "todo", "path": "src"}) == []


def test_a_regular_expression_is_matched(run: Run) -> None:
    found = run("search_lines", {"text": r"^x\s*=\s*\d", "path": ".", "regex": True})
    assert found == [{"path": "src/deep/more.py", "line": 1, "text": "x = 1  # TODO"}]


def test_a_regular_expression_that_is_none_is_an_error(run: Run) -> None:
    with pytest.raises(InputError, match=r"the regular expression '\(' fails"):
        run("search_lines", {"text": "(", "regex": True})


def test_a_regular_expression_without_end_is_stopped(
    run: Run, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_search, "_SECONDS", 0.5)
    (workspace / "a.txt").write_text("a" * 60 + "!")
    with pytest.raises(InputError, match="timeout"):
        run("search_lines", {"text": "(a+)+$", "regex": True, "path": "a.txt"})


def test_binary_files_and_broken_text_do_no_harm(run: Run, workspace: Path) -> None:
    (workspace / "src" / "b.bin").write_bytes(b"TODO\0")
    (workspace / "src" / "c.txt").write_bytes(b"\xff TODO\n")
    found = run("search_lines", {"text": "TODO", "path": "src", "pattern": "*.txt"})
    assert found == [{"path": "src/c.txt", "line": 1, "text": "\ufffd TODO"}]
    assert run("search_lines", {"text": "TODO", "path": "src", "pattern": "*.bin"}) == []


def test_hits_that_are_not_there_or_not_all_are_not_accepted(checks: Checks) -> None:
    argument = {"text": "TODO", "path": "src"}
    assert checks("search_lines", argument, HITS) is True
    assert checks("search_lines", argument, HITS[:1]) is False
    assert checks("search_lines", argument, [*HITS, {"path": "a.txt", "line": 1, "text": "one"}]) is False
    assert checks("search_lines", argument, [HITS[0], {**HITS[1], "line": 2}]) is False


def test_too_many_hits_are_a_limit(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_search, "MOST_HITS", 1)
    with pytest.raises(LimitError, match="lines found"):
        run("search_lines", {"text": "TODO", "path": "src"})


@pytest.mark.parametrize(
    "argument", [{}, {"text": ""}, {"path": "src"}, {"text": "a\nb"}, {"text": "x", "regex": "yes"}]
)
def test_a_wrong_question_is_one_clear_error(run: Run, argument: object) -> None:
    with pytest.raises(InputError):
        run("search_lines", argument)
