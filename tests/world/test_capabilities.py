"""What every built-in capability declares, and what the rules say of each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mayfly.core import Capability, Invocation
from mayfly.policy import Kernel
from mayfly.world import builtins

from .conftest import fill, get


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return one workspace for all: here everything is only asked about, and nothing done."""
    return fill(tmp_path_factory.mktemp("asked") / "workspace")


@pytest.fixture(scope="module")
def kernel(workspace: Path) -> Kernel:
    return Kernel(workspace=workspace, session=['allowed_host("example.org").'])


def decided(kernel: Kernel, workspace: Path, name: str, arguments: dict[str, Any]) -> set[str]:
    call = Invocation(arguments=arguments, key="run/node", workspace=workspace)
    return {kernel.permitted(*asked).decision for asked in get(name).asks(call)}


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
    assert decided(kernel, workspace, name, {"path": path}) == {decision}


@pytest.mark.parametrize(
    ("name", "arguments", "decision"),
    [
        ("list_directory", {"path": "src"}, "permit"),
        ("list_directory", {"path": "/etc"}, "deny"),
        ("find_files", {"path": "."}, "permit"),
        ("find_files", {"path": ".."}, "deny"),
        ("find_files", {"pattern": "*.py"}, "permit"),
        ("search_lines", {"text": "rm -rf /", "path": "src"}, "permit"),
        ("search_lines", {"text": "root", "path": "/etc"}, "deny"),
        ("write_file", {"path": "new/b.txt", "content": "see /etc/passwd"}, "permit"),
        ("write_file", {"path": "/etc/cron.d/x", "content": ""}, "deny"),
        ("write_file", {"path": ".git/hooks/pre-commit", "content": ""}, "approval"),
        ("write_file", {"path": "mayfly.toml", "content": ""}, "approval"),
        ("append_file", {"path": "new/b.txt", "content": "x"}, "permit"),
        ("append_file", {"path": ".bashrc", "content": "x"}, "approval"),
        ("copy_file", {"path": "a.txt", "target": "b.txt"}, "permit"),
        ("move_file", {"path": "a.txt", "target": "b.txt"}, "permit"),
        ("delete_file", {"path": "a.txt"}, "permit"),
        ("make_directory", {"path": "new"}, "permit"),
        ("make_directory", {"path": "/etc/new"}, "deny"),
        ("run_tests", {}, "permit"),
        ("run_tests", {"paths": ["tests/test_a.py::test_b[x; rm -rf /]"]}, "permit"),
        ("find_failing_tests", {"paths": ["tests"]}, "permit"),
        ("git_status", {}, "permit"),
        ("git_log", {}, "permit"),
        ("http_get", {"url": "http://example.org/x"}, "permit"),
        ("http_get", {"url": "http://other.org/x"}, "approval"),
        ("http_get", {"url": "http://127.0.0.1:8080/"}, "deny"),
        ("http_send", {"url": "http://example.org/", "content": {}, "honours_keys": True}, "approval"),
        ("http_send_once", {"url": "http://example.org/", "content": "x"}, "approval"),
        ("http_send_once", {"url": "http://10.0.0.1/", "content": "x"}, "deny"),
    ],
)
def test_the_rules_decide_everything_that_reaches_out(
    kernel: Kernel, workspace: Path, name: str, arguments: dict[str, Any], decision: str
) -> None:
    assert decided(kernel, workspace, name, arguments) == {decision}


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("copy_file", {"path": "a.txt", "target": "/etc/b"}),
        ("copy_file", {"path": ".env", "target": "b.txt"}),
        ("copy_file", {"path": "a.txt", "target": "deploy/id_rsa"}),
        ("move_file", {"path": "a.txt", "target": "../b"}),
        ("move_file", {"path": ".env", "target": "b.txt"}),
        ("join_files", {"paths": ["a.txt", ".env"]}),
    ],
)
def test_every_file_that_a_call_names_is_asked_for(
    kernel: Kernel, workspace: Path, name: str, arguments: dict[str, Any]
) -> None:
    assert "deny" in decided(kernel, workspace, name, arguments)


def test_only_what_reaches_nothing_is_not_asked_for() -> None:
    free = {capability.name for capability in builtins() if not capability.reaches_out}
    assert free == {"parse_json", "format_json", "return_constant", "calculate", "count_items", "get_value"}


def test_a_text_that_is_given_needs_nobodys_leave(workspace: Path) -> None:
    for name in ("hash_file", "count_lines", "count_words", "parse_data", "validate_data"):
        assert get(name).asks(Invocation(arguments={"text": "x"}, workspace=workspace)) == ()


def test_effects_are_declared() -> None:
    effects = {one.name: one.effect for one in builtins() if one.effect != "none"}
    assert effects == {
        "write_file": "idempotent",
        "append_file": "once",
        "copy_file": "idempotent",
        "move_file": "once",
        "delete_file": "once",
        "make_directory": "idempotent",
        "http_send": "idempotent",
        "http_send_once": "once",
    }


@pytest.mark.parametrize("capability", builtins(), ids=lambda one: one.name)
def test_each_says_what_it_does_takes_and_proves(capability: Capability) -> None:
    assert capability.summary.count(".") in (1, 2)
    assert capability.does
    assert capability.has_test
    assert capability.proves != "there is a value"
    assert capability.input_schema["additionalProperties"] is False
    assert bool(capability.grants) is capability.reaches_out
