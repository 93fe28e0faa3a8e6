"""A plan does all that its request says, or asks for somebody who can."""

from pathlib import Path
from typing import Any

import pytest

from mayfly.promise._promise import Promise
from mayfly.promise.plan import served_by

from .helpers import NOTHING, leaves, make


def planned(text: str, workspace: Path) -> Promise[Any]:
    (workspace / "docs").mkdir()
    (workspace / "docs" / "index.md").write_text("x")
    (workspace / "tests" / "unit").mkdir(parents=True)
    (workspace / "tests" / "unit" / "test_a.py").write_text("x")
    for name in ("notes.txt", "todo.txt", "main.py", "orders.csv"):
        (workspace / name).write_text("x")
    return make(workspace).plan(text, ground=None)


def served(tree: Promise[Any]) -> list[str]:
    return [served_by(leaf) for leaf in leaves(tree)]


@pytest.mark.parametrize(
    "text",
    [
        "download https://example.org/data.csv to data/",
        "download the latest release of the editor",
        "search the web for cheap flights",
        "search main.py for print statements",
        "read the first 5 lines of notes.txt",
        "read notes.txt backwards",
        "read notes.txt puis count lines",
        "read me a bedtime story",
        "fetch https://example.org/api twice",
        "fetch https://example.org with my cookies",
        "run the tests twice",
        "run only the slow tests",
        "run all tests except the slow ones",
        "either read notes.txt or read todo.txt",
        "read notes.txt or read todo.txt",
        "open the bay doors",
        'print "hello"',
        "calculate 5!",
        "calculate 2 + 3!",
        "extract the third column of orders.csv into column.txt",
    ],
)
def test_what_capabilities_leave_out_is_not_taken_for_done(text: str, tmp_path: Path) -> None:
    tree = planned(text, tmp_path)
    assert NOTHING in served(tree)
    assert any(text.removesuffix("!") in leaf.intent for leaf in leaves(tree))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("search docs for uses of parse_config", ["search_lines"]),
        ("run the unit tests in tests/unit", ["run_tests"]),
        ("do not deploy, just run the tests", ["run_tests"]),
        ("read notes.txt, not todo.txt", ["read_file"]),
    ],
)
def test_what_capabilities_do_whole_needs_nobody_else(text: str, expected: list[str], tmp_path: Path) -> None:
    assert served(planned(text, tmp_path)) == expected


def test_tests_are_run_where_they_are_said_to_be(tmp_path: Path) -> None:
    (leaf,) = leaves(planned("run the unit tests in tests/unit", tmp_path))
    assert leaf.argument == {"paths": ["tests/unit"]}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("hash notes.txt, todo.txt and main.py", ["hash notes.txt", "hash todo.txt", "hash main.py"]),
        (
            "count the lines of both notes.txt and todo.txt",
            ["count the lines of notes.txt", "count the lines of todo.txt"],
        ),
        ("read the files notes.txt and todo.txt", ["read the file notes.txt", "read the file todo.txt"]),
        (
            "fetch https://example.org/a and https://example.org/b",
            ["fetch https://example.org/a", "fetch https://example.org/b"],
        ),
        ("write 'ok' to notes.txt and todo.txt", ["write 'ok' to notes.txt", "write 'ok' to todo.txt"]),
    ],
)
def test_what_is_asked_of_several_things_is_done_to_each(text: str, expected: list[str], tmp_path: Path) -> None:
    tree = planned(text, tmp_path)
    assert [child.intent for child in tree.children] == expected
    assert NOTHING not in served(tree)
    assert tree.combine == "record"


def test_two_things_that_are_worked_on_together_stay_together(tmp_path: Path) -> None:
    tree = planned("compare notes.txt and todo.txt", tmp_path)
    assert tree.children[-1].intent == "compare notes.txt and todo.txt"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("fix main.py. Hash notes.txt.", ["fix main.py", "Hash notes.txt"]),
        ("hash notes.txt. Then fix main.py.", ["hash notes.txt", "fix main.py"]),
        ("frobnicate the config, then deploy the app", ["frobnicate the config", "deploy the app"]),
        ("After fixing the login bug, deploy the app", ["fix the login bug", "deploy the app"]),
        ("After reading notes.txt, hash it", ["read notes.txt", "hash it (notes.txt)"]),
        ("once you have read notes.txt, hash it", ["read notes.txt", "hash it (notes.txt)"]),
        (
            "read notes.txt and if it is empty, delete it",
            ["read notes.txt", "if it is empty, delete it"],
        ),
        (
            "hash notes.txt, but only if it has more than 10 lines, and then delete it",
            ["hash notes.txt, but only if it has more than 10 lines", "delete it (notes.txt)"],
        ),
    ],
)
def test_no_clause_of_several_is_lost(text: str, expected: list[str], tmp_path: Path) -> None:
    assert [child.intent for child in planned(text, tmp_path).children] == expected


def test_what_comes_after_waits_for_what_comes_before(tmp_path: Path) -> None:
    tree = planned("After fixing the login bug, deploy the app", tmp_path)
    assert (tree.children[1].needs, tree.children[1].after) == ((), (tree.children[0].name,))


@pytest.mark.parametrize(
    "text",
    [
        "if config.json is missing, create it",
        "deploy unless the tests fail",
        "if the tests pass then deploy to staging",
        "If notes.txt is empty, delete it, otherwise hash it",
        'save "x" to out.txt unless it exists',
        "deploy only if all tests pass",
    ],
)
def test_nothing_is_done_before_it_is_known_whether_it_is_to_be_done(text: str, tmp_path: Path) -> None:
    *before, last = leaves(planned(text, tmp_path))
    assert last.intent == text
    assert {served_by(leaf) for leaf in before} <= {"read_file", "search_lines", "run_tests"}


@pytest.mark.parametrize("text", ["check if notes.txt is empty", "fix the crash if the list is empty"])
def test_a_condition_that_is_asked_about_is_no_condition(text: str, tmp_path: Path) -> None:
    assert "do" not in [child.name for child in planned(text, tmp_path).children]


@pytest.mark.parametrize("text", ["don't read notes.txt", "Do not delete anything.", "never touch main.py"])
def test_where_something_is_only_forbidden_nothing_is_done(text: str, tmp_path: Path) -> None:
    tree = planned(text, tmp_path)
    assert served_by(tree) == "ground"
    assert tree.reality is not None
    assert tree.reality.reasoning == "it only says what not to do"


def test_a_text_is_looked_for_in_the_file_that_is_named(tmp_path: Path) -> None:
    tree = planned('search "one" in notes.txt', tmp_path)
    assert (served_by(tree), tree.argument) == ("search_lines", {"path": "notes.txt", "text": "one"})


def test_the_name_of_a_file_that_is_looked_for_is_not_where_to_look(tmp_path: Path) -> None:
    (leaf,) = leaves(planned('search for "notes.txt" in docs', tmp_path))
    assert (served_by(leaf), leaf.argument) == ("search_lines", {"path": "docs", "text": "notes.txt"})


def test_the_result_of_one_request_is_written_by_the_next(tmp_path: Path) -> None:
    tree = planned('find "TODO" in docs and write the result to todo.txt', tmp_path)
    assert served(tree) == ["search_lines", "write_file"]
    assert tree.children[1].needs == (tree.children[0].name,)


def test_of_an_answer_only_its_text_flows_on(tmp_path: Path) -> None:
    tree = planned("download https://example.org/a.csv and count its lines", tmp_path)
    assert served(tree) == ["http_get", "count_lines"]
    assert tree.children[1].argument == {"text": {"result of": "download", "at": "text"}}


@pytest.mark.parametrize("text", ["run the tests again", "read notes.txt again", "quickly run the tests"])
def test_a_word_that_changes_nothing_asks_for_nobody(text: str, tmp_path: Path) -> None:
    assert NOTHING not in served(planned(text, tmp_path))
