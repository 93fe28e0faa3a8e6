"""What follows from a pending action, computed the same way every time and hard to deceive."""

import json
from collections import defaultdict
from pathlib import Path

import pytest

from mayfly.core import InputError
from mayfly.mangle import LARGEST_NUMBER, Name, Row, Time
from mayfly.policy.kernel.facts import facts_of_action, locate


@pytest.fixture
def workspace(tmp_path: Path) -> str:
    home = tmp_path / "work"
    (home / ".git").mkdir(parents=True)
    (home / "src").mkdir()
    (home / "out").symlink_to("/etc")
    (home / "hidden").symlink_to(".git")
    return str(home)


def facts(target: str, payload: str = "", *, workspace: str = "/w", action: str = "act") -> dict[str, list[Row]]:
    """Group the facts of an action by predicate, the id left out."""
    found: dict[str, list[Row]] = defaultdict(list)
    for symbol, row in facts_of_action(action, target, payload, id="d1", time=7, workspace=workspace):
        found[symbol.name].append(row[1:])
    return found


def test_the_action_itself_is_given_exactly() -> None:
    assert facts("x", "y", action="file_read")["pending_action"] == [(Name("/file_read"), "x", "y", Time(7))]


def test_a_slash_before_the_action_changes_nothing() -> None:
    assert facts("x", action="/file_read") == facts("x", action="file_read")


@pytest.mark.parametrize("action", ["", "/", "a b", "a(b)", "a.b).", "é", "a//b", "x" * 300])
def test_what_is_no_name_of_an_action_is_refused(action: str) -> None:
    with pytest.raises(InputError, match="not the name of an action"):
        facts("x", action=action)


def test_half_a_character_is_refused() -> None:
    with pytest.raises(InputError, match="surrogate"):
        facts("\ud800")


@pytest.mark.parametrize(
    ("text", "path", "where"),
    [
        ("src/a.py", "src/a.py", "/inside"),
        ("./src//a.py", "src/a.py", "/inside"),
        ("src/../b.py", "b.py", "/inside"),
        (".", ".", "/inside"),
        ("café.txt", "café.txt", "/inside"),
        ("100%.txt", "100%.txt", "/inside"),
        ("$id.tsx", "$id.tsx", "/inside"),
        ("hidden/config", "hidden/config", "/inside"),
        ("/tmp/elsewhere", "/tmp/elsewhere", "/outside"),
        ("/etc/passwd", "/etc/passwd", "/system"),
        ("//etc/passwd", "/etc/passwd", "/system"),
        ("/tmp/../etc/passwd", "/etc/passwd", "/system"),
        ("file:///etc/passwd", "/etc/passwd", "/system"),
        ("/", "/", "/system"),
        ("/proc/self/cwd/x", "/proc/self/cwd/x", "/system"),
    ],
)
def test_a_path_is_normalised_and_placed(workspace: str, text: str, path: str, where: str) -> None:
    assert locate(text, workspace)[:2] == (path, where)


@pytest.mark.parametrize(
    "text",
    [
        "../x",
        "src/../../x",
        "src/../../work/x",
        "out/passwd",
        "out/../x",
        "a\0b",
        "a\nb",
        "~root/x",
        "$HOME/x",
        "${X}/x",
        "$(x)",
        "..%2fx",
        "%2e%2e/x",
        "%252e%252e%252fx",
        "..\\x",
        "C:\\x",
        "\\\\server\\share",
        "..\u2215x",
        "..\uff0fx",
        "\uff0e\uff0e/x",
        "\u2025/x",
        " /etc/passwd",
        "a\u202etxt.exe",
        "file://elsewhere/x",
        "x" * 5000,
    ],
)
def test_a_path_that_some_program_reads_otherwise_is_unclear(workspace: str, text: str) -> None:
    assert locate(text, workspace).where == "/unclear"


def test_an_absolute_path_into_the_workspace_is_inside(workspace: str) -> None:
    assert locate(f"{workspace}/src/a.py", workspace)[:2] == ("src/a.py", "/inside")


def test_the_home_directory_is_outside_the_workspace(workspace: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/somebody")
    assert locate("~/.ssh/id", workspace)[:2] == ("/home/somebody/.ssh/id", "/outside")


def test_a_neighbour_with_the_same_beginning_is_not_inside(workspace: str) -> None:
    assert locate(f"{workspace}-other/x", workspace).where != "/inside"


def test_parts_are_lower_case_and_follow_links(workspace: str) -> None:
    parts = {row[0] for row in facts("Hidden/../hidden/Config.YAML", workspace=workspace)["action_path_part"]}
    assert {"hidden", "config.yaml", ".git"} <= parts


def test_a_part_is_also_given_without_its_trailing_dots() -> None:
    assert (".git",) in facts(".GIT. /config")["action_path_part"]


def test_suffixes_are_given_from_the_longest_to_the_shortest() -> None:
    assert facts("a/B.tar.GZ")["action_path_suffix"] == [(".tar.gz",), (".gz",)]


def test_an_address_is_no_path() -> None:
    assert "action_path" not in facts("https://example.org/etc/passwd")


@pytest.mark.parametrize(
    "payload",
    [
        '{"path": "/etc/passwd"}',
        '{"a": [{"file": "/etc/passwd"}]}',
        '["/etc/passwd"]',
        '{"arguments": "{\\"path\\": \\"/etc/passwd\\"}"}',
        '{"path": "src/a.py", "path": "/etc/passwd"}',
        '{"path": "/etc/passwd", "path": "src/a.py"}',
    ],
)
def test_paths_in_a_json_payload_are_found(payload: str) -> None:
    assert ("/etc/passwd", Name("/system")) in facts("x", payload)["action_path"]


def test_what_is_written_is_not_where_it_is_written() -> None:
    assert facts("x", '{"content": "//comment"}')["action_path"] == [("x", Name("/inside"))]


def test_a_host_lies_within_its_domains() -> None:
    found = facts("https://a.b.example.org/")
    assert found["action_host_within"] == [("a.b.example.org",), ("b.example.org",), ("example.org",), ("org",)]


def test_a_host_in_the_payload_is_told_apart_from_the_target() -> None:
    found = facts("https://example.org", '{"callback": "http://127.1/"}')
    assert found["payload_host"] == [("127.0.0.1", Name("/loopback"))]
    assert found["action_host"] == [("example.org", Name("/public"))]


@pytest.mark.parametrize(
    ("target", "payload", "words"),
    [
        ("x", "dRoP TABLE users", ["drop"]),
        ("x", '{"sql": "DROP/**/TABLE users"}', ["drop"]),
        ("x", "delete -- all of them\n FROM users", ["delete from"]),
        ("Truncate users", "", ["truncate"]),
        ("x", "gRaNt all on users to public", ["grant"]),
        ("x", "CREATE TABLE drops (dropped int, id int REFERENCES a ON DELETE CASCADE)", []),
    ],
)
def test_words_with_which_sql_removes_are_found_in_any_letters(target: str, payload: str, words: list[str]) -> None:
    assert [row[0] for row in facts(target, payload)["action_word"]] == words


def test_what_a_request_would_do_is_told() -> None:
    found = facts("https://example.org", '{"Method": "post", "body": "x"}')
    assert found["action_method"] == [("POST",)]
    assert found["action_body"] == [()]
    assert "action_body" not in facts("https://example.org", '{"method": "GET", "body": ""}')


@pytest.mark.parametrize(
    "payload",
    [
        {"remote": ["origin", "other"], "ref": "main"},
        {"remote": "origin", "ref": ["a", "b"]},
        {"remote": "ext::sh -c id", "ref": "main"},
        {"remote": "--receive-pack=sh", "ref": "main"},
        {"remote": "origin", "ref": "--mirror"},
        {"remote": "origin", "ref": "+main"},
        {"remote": "origin", "ref": ":main"},
        {"remote": "origin", "ref": "refs/heads/*"},
        {"remote": "origin", "ref": "main --force"},
    ],
)
def test_a_push_that_is_more_than_one_is_told(payload: dict[str, object]) -> None:
    assert facts("origin", json.dumps(payload))["push_fault"]


def test_a_push_of_one_ref_to_one_remote_has_no_fault() -> None:
    for remote in ("origin", "git@example.org:a/b.git", "https://example.org/a/b.git"):
        assert "push_fault" not in facts("origin", json.dumps({"remote": remote, "ref": "HEAD:refs/heads/fix"}))


def test_a_secret_is_told_of_every_reading_of_a_path(workspace: str) -> None:
    for text in (".env", "src/../.ENV", "a\\.env", "deploy/id_rsa"):
        assert facts(text, workspace=workspace)["path_secret"], text
    assert "path_secret" not in facts("src/app.py", workspace=workspace)


def test_a_path_in_a_git_directory_is_told_with_its_place(workspace: str) -> None:
    assert facts(".git/refs/heads/x", workspace=workspace)["git_file"] == [("refs", "x")]
    assert facts(".git", workspace=workspace)["git_file"] == [("", "")]
    assert facts("hidden/config", workspace=workspace)["git_file"] == [("config", "config")]
    assert facts(".git/objects/.git/config", workspace=workspace)["git_file"] == [(".git", "config")]


def test_where_something_is_moved_is_a_path_of_the_action() -> None:
    assert ("/etc/x", Name("/system")) in facts("a.txt", "/etc/x", action="file_move")["action_path"]
    assert facts("a.txt", "/etc/x", action="file_write")["action_path"] == [("a.txt", Name("/inside"))]


@pytest.mark.parametrize(
    ("target", "payload", "cents"),
    [
        ("x", '{"amount": 5}', [500]),
        ("x", '{"amount": "0.015"}', [2]),
        ("x", '{"cents": 7}', [7]),
        ("x", '{"amount": 7, "unit": "cents"}', [7]),
        ("x", '{"price": "$1,000.50"}', [100_050]),
        ("x", '{"price": 2, "quantity": 10}', [2000]),
        ("x", '{"maxAmountRequired": "10000"}', [1]),
        ("x", '{"amount": 5, "currency": "EUR"}', []),
        ("x", '{"amount": -5}', [LARGEST_NUMBER]),
        ("x", '{"amount": 1e60}', [LARGEST_NUMBER]),
        ("x", '{"amount": NaN}', []),
        ("x", "pay $0.01", [1]),
        ("spend 20 cents", "", [20]),
        ("x", "12 USDC", [1200]),
        ("x", '{"a": [{"amount": 1}], "amount": 2, "amount": 3}', [300, 100, 200]),
    ],
)
def test_amounts_are_whole_cents_rounded_up(target: str, payload: str, cents: list[int]) -> None:
    assert sorted(row[0] for row in facts(target, payload)["action_amount"]) == sorted(cents)  # type: ignore[type-var]


def test_a_huge_payload_is_bounded_and_said_to_be_unclear() -> None:
    found = facts("x", json.dumps([f"echo {number}" for number in range(40_000)]))
    assert ("the payload is too large to be looked at", Name("/unclear")) in found["action_path"]
    assert sum(map(len, found.values())) < 10_000


def test_deep_json_is_bounded() -> None:
    assert len(facts("x", "[" * 100_000 + "]" * 100_000)["pending_action"]) == 1
    assert len(facts("x", "[" * 50 + '"a/b"' + "]" * 50)["action_path"]) == 2


def test_the_same_action_has_the_same_facts_twice() -> None:
    first = facts_of_action("a", "ls | rm", '{"b": [1, "c/d"]}', id="d", time=1, workspace="/w")
    assert first == facts_of_action("a", "ls | rm", '{"b": [1, "c/d"]}', id="d", time=1, workspace="/w")
