"""Which intents one capability alone serves, and what the rules say of each."""

from __future__ import annotations

from pathlib import Path

import pytest

from mayfly.library import Invocation
from mayfly.library.builtin import builtins
from mayfly.policy.kernel import Kernel
from mayfly.promise import Kind, classify

from .conftest import REGISTRY, get

SERVED = {
    "read_file": ["Read config.yaml", "Read auth.py", "Show the file a.txt", "Get the contents of a.txt"],
    "hash_file": ["Hash a.txt", "Hash the file a.txt", "Compute the hash of a.txt", "Compute the checksum of a.txt"],
    "count_lines": ["Count lines in a.txt", "Count the lines of a.txt"],
    "list_directory": ["List src/", "List the entries in src"],
    "find_files": ["List the files in src", "List all files", "Find files named *.py", "Find *.py", "Locate setup.cfg"],
    "search_lines": ["Search for TODO in src/", 'Search for "def main" in src', "Find occurrences of foo"],
    "read_json": ["Load JSON from data.json"],
    "parse_json": ["Parse JSON", "Parse this JSON", "Parse JSON and extract name"],
    "format_json": ["Format this JSON", "Pretty-print JSON"],
    "return_constant": ["Return 42", "Return true", "Return 'ok'", "Return the constant 5"],
    "calculate": ["Add 2 + 2", "Calculate 3*4", "Compute (2+3)*4", "Multiply 6 by 7"],
    "write_file": ["Write 'hello' to a.txt", "Save this to out.txt"],
    "http_get": ["GET http://example.org/x", "Fetch https://example.org", "Download the page http://example.org/"],
    "http_send": ["Send idempotently to http://example.org/"],
    "http_send_once": ['POST {"a": 1} to http://example.org/', "POST to http://example.org/hook"],
    "run_tests": ["Run the tests", "Run all tests", "Run pytest", "Run the test suite"],
    "find_failing_tests": ["Find failing test", "Find the failing tests", "List failing tests"],
}
UNSERVED = [
    "Write a parser for logs",
    "Write unit tests for auth.py",
    "Find the bug",
    "Fix failing test",
    "Find failing test and fix it",
    "Read a.txt and count words",
    "Read all files in src",
    "Hash every file in src",
    "Parse CSV",
    "Parse JSON and sort by name",
    "Convert JSON to CSV",
    "Format the code",
    "Count errors in a.log",
    "Add a feature",
    "Add logging to a.py",
    "Run the server",
    "Return the largest number",
    "Search the web for cats",
    "Delete a.txt",
    "Send an email to the team",
    "Refactor the auth module",
]


@pytest.mark.parametrize(("name", "intent"), [(name, intent) for name, found in SERVED.items() for intent in found])
def test_an_intent_is_served_by_exactly_one_capability(name: str, intent: str) -> None:
    reality = classify(intent, capabilities=REGISTRY.pairs())
    assert (reality.kind, reality.reasoning) == (Kind.DETERMINISTIC, f"one capability does it: {name}")


@pytest.mark.parametrize("intent", UNSERVED)
def test_an_intent_that_needs_more_is_served_by_none(intent: str) -> None:
    assert classify(intent, capabilities=REGISTRY.pairs()).kind is not Kind.DETERMINISTIC


def test_every_capability_serves_something() -> None:
    assert {builtin.name for builtin in builtins()} == set(SERVED)


@pytest.fixture
def kernel(workspace: Path) -> Kernel:
    return Kernel(workspace=workspace, session=['allowed_host("example.org").'])


def decided(kernel: Kernel, workspace: Path, name: str, argument: object) -> str:
    builtin = get(name)
    invocation = Invocation(argument=argument, key="run/node", workspace=workspace)
    return kernel.permitted(builtin.action, builtin.target(invocation), builtin.payload(invocation)).decision


@pytest.mark.parametrize("name", ["read_file", "hash_file", "count_lines", "read_json"])
@pytest.mark.parametrize(
    ("path", "decision"),
    [
        ("a.txt", "permit"),
        ("src/main.py", "permit"),
        (".env", "deny"),
        ("../x", "deny"),
        ("/etc/shadow", "deny"),
        ("~/.ssh/id_rsa", "deny"),
        ("deploy.pem", "deny"),
    ],
)
def test_the_rules_decide_which_file_is_read(
    kernel: Kernel, workspace: Path, name: str, path: str, decision: str
) -> None:
    assert decided(kernel, workspace, name, path) == decision


@pytest.mark.parametrize(
    ("name", "argument", "decision"),
    [
        ("list_directory", "src", "permit"),
        ("list_directory", "/etc", "deny"),
        ("find_files", {"path": "."}, "permit"),
        ("find_files", {"path": ".."}, "deny"),
        ("find_files", "*.py", "permit"),
        ("search_lines", {"text": "rm -rf /", "path": "src"}, "permit"),
        ("search_lines", {"text": "root", "path": "/etc"}, "deny"),
        ("write_file", {"path": "new/b.txt", "content": "see /etc/passwd"}, "permit"),
        ("write_file", {"path": "/etc/cron.d/x", "content": ""}, "deny"),
        ("write_file", {"path": ".git/hooks/pre-commit", "content": ""}, "deny"),
        ("write_file", {"path": "mayfly.toml", "content": ""}, "approval"),
        ("run_tests", None, "permit"),
        ("run_tests", "tests/test_a.py::test_b[x; rm -rf /]", "permit"),
        ("find_failing_tests", "tests", "permit"),
        ("find_failing_tests", "../other", "approval"),
        ("http_get", "http://example.org/x", "permit"),
        ("http_get", "http://other.org/x", "approval"),
        ("http_get", "http://127.0.0.1:8080/", "deny"),
        ("http_send", {"url": "http://example.org/", "json": {}, "honours_keys": True}, "approval"),
        ("http_send_once", {"url": "http://example.org/", "content": "x"}, "approval"),
        ("http_send_once", {"url": "http://10.0.0.1/", "content": "x"}, "deny"),
    ],
)
def test_the_rules_decide_everything_that_reaches_out(
    kernel: Kernel, workspace: Path, name: str, argument: object, decision: str
) -> None:
    assert decided(kernel, workspace, name, argument) == decision


def test_only_what_reaches_nothing_is_not_asked_for() -> None:
    free = {builtin.name for builtin in builtins() if not builtin.action}
    assert free == {"parse_json", "format_json", "return_constant", "calculate"}


def test_effects_are_declared() -> None:
    effects = {builtin.name: builtin.effect for builtin in builtins() if builtin.effect != "none"}
    assert effects == {"write_file": "idempotent", "http_send": "idempotent", "http_send_once": "once"}


def test_each_is_described_in_one_or_two_sentences_and_says_what_it_proves() -> None:
    for builtin in builtins():
        assert 1 <= builtin.description.count(".") <= 2
        assert builtin.proves != "there is a value"
