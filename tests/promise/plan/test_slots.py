"""Requests taken apart: what is wrong, where it is, which file that means, and what to look for."""

from pathlib import Path

import pytest

from mayfly.promise.fit import read_request
from mayfly.promise.plan._slots import Files, fill, slots_of

from .helpers import lexicon


def slots(text: str, workspace: Path) -> dict[str, str]:
    files = Files(workspace)
    reading = read_request(text, lexicon(), files.is_directory)
    return slots_of(reading.said[0], reading, files)


@pytest.mark.parametrize(
    ("text", "slot", "expected"),
    [
        ("Fix the bug in auth module", "problem", "bug"),
        ("Fix the bug in auth module", "target", "auth module"),
        ("Fix the bug in auth module", "file", "auth.py"),
        ("Fix a crash in the user-profile module", "file", "user_profile.py"),
        ('Fix the crash in "src/a b.py"', "file", "src/a b.py"),
        ("Fix the crash in src/app.py", "file", "src/app.py"),
        ("Fix the crash in src/app.py", "problem", "crash"),
        ("Fix src/app.py", "target", "src/app.py"),
        ("Debug the crash in `worker`", "topic", "worker"),
        ("Find TODO comments in the sources", "topic", "TODO"),
        ("Rename the class Foo to Bar", "old", "Foo"),
        ("Compare Redis and Memcached", "second", "Memcached"),
        ("Add dark mode to the settings page", "goal", "settings page"),
        ("Read https://example.org/a?b=c", "url", "https://example.org/a?b=c"),
        ("Find *.py in src/", "glob", "*.py"),
        ("Find *.py in src/", "dir", "src/"),
        ('Read "my notes.txt"', "file", "my notes.txt"),
        ("Run the tests", "tests", "tests"),
        ("Sort people.csv", "data_file", "people.csv"),
    ],
)
def test_a_slot_is_filled(text: str, slot: str, expected: str, tmp_path: Path) -> None:
    assert slots(text, tmp_path).get(slot) == expected


@pytest.mark.parametrize(
    ("text", "slot"),
    [
        ("Fix the auth module", "problem"),
        ("Fix src/app.py", "problem"),
        ("Fix the bug in class UserStore", "file"),
        ("Refactor the scheduler", "file"),
        ("Refactor app.py", "data_file"),
    ],
)
def test_a_slot_that_is_not_told_is_left_out(text: str, slot: str, tmp_path: Path) -> None:
    assert slot not in slots(text, tmp_path)


def test_a_package_is_its_first_file(tmp_path: Path) -> None:
    (tmp_path / "src" / "auth").mkdir(parents=True)
    (tmp_path / "src" / "auth" / "__init__.py").touch()
    assert slots("Fix the bug in auth module", tmp_path)["file"] == "src/auth/__init__.py"


def test_a_module_is_never_a_text(tmp_path: Path) -> None:
    (tmp_path / "settings.md").touch()
    assert slots("Fix the bug in settings module", tmp_path)["file"] == "settings.py"
    assert slots("Summarize the settings", tmp_path)["file"] == "settings.md"


def test_a_directory_of_the_workspace_is_known_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "a.py").touch()
    assert slots("Find TODO in lib", tmp_path)["dir"] == "lib"


def test_hidden_and_foreign_directories_are_passed_over(tmp_path: Path) -> None:
    for place in (".git", "node_modules", "__pycache__"):
        (tmp_path / place).mkdir()
        (tmp_path / place / "auth.py").touch()
    assert Files(tmp_path).names == ()


def test_a_workspace_that_is_not_there_has_no_files(tmp_path: Path) -> None:
    assert Files(tmp_path / "none").names == ()


def test_what_is_put_into_a_template_is_no_template() -> None:
    assert fill("Read {file}", {"file": "{intent}", "intent": "x"}, {}) == "Read {intent}"


def test_a_name_takes_no_article() -> None:
    told = [fill("Study the {target}", {"target": target}, {}) for target in ("parser", "a/b.py", "why it fails")]
    assert told == ["Study the parser", "Study a/b.py", "Study why it fails"]


def test_a_slot_without_a_value_has_its_default() -> None:
    assert fill("Diagnose the {problem}", {}, {"problem": "problem"}) == "Diagnose the problem"


def test_a_value_stays_on_one_line(tmp_path: Path) -> None:
    found = slots('Fix the bug in "a\nb"', tmp_path)
    assert all("\n" not in value for name, value in found.items() if name != "intent")
