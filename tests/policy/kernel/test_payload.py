"""What a payload says: which of its texts are run, what it costs, which files it changes."""

import pytest

from mayfly.policy.kernel import facts_of_action
from mayfly.policy.kernel.facts import locate


@pytest.mark.parametrize(
    ("target", "payload", "cents"),
    [("tool", "5", 500), ("tool", "0.50", 50), ("2.50", "", 250), ("tool", '"5"', 500), ("tool", " 1,000 ", 100_000)],
)
def test_a_bare_number_is_one_of_dollars(target: str, payload: str, cents: int) -> None:
    facts = facts_of_action("spend", target, payload, id="a", time=0, workspace="/w")
    assert [row for symbol, row in facts if symbol.name == "action_amount"] == [("a", cents)]


def test_a_target_is_no_amount_where_there_is_a_payload() -> None:
    facts = facts_of_action("spend", "5", "a tool", id="a", time=0, workspace="/w")
    assert not [row for symbol, row in facts if symbol.name == "action_amount"]


def _sources(payload: str) -> dict[str, list[str]]:
    facts = facts_of_action("shell_exec", "", payload, id="a", time=0, workspace="/w")
    found: dict[str, list[str]] = {}
    for symbol, row in facts:
        if symbol.name == "shell_call":
            found.setdefault(str(row[1]), []).append(str(row[3]))
    return found


@pytest.mark.parametrize(
    ("payload", "sources"),
    [
        ('{"command": "ls", "description": "List files", "cwd": "src"}', {"/payload": ["ls"]}),
        ('{"description": "List files"}', {"/payload": ["List"]}),
        ('{"command": "ls", "other": "id"}', {"/payload": ["ls"], "/beside": ["id"]}),
        ('{"cmd": ["git", "status"]}', {"/payload": ["git"], "/beside": ["git", "status"]}),
        ('{"commands": ["ls", "id"]}', {"/payload": ["ls", "id", "ls"]}),
        ('{"command": "ls", "description": {"command": "id"}}', {"/payload": ["ls", "id"]}),
        ('{"Command": "ls", "command": "id"}', {"/payload": ["ls", "id"]}),
        ('{"command": "ls", "command": "id"}', {"/payload": ["id", "ls", "id"]}),
    ],
)
def test_what_a_payload_says_is_run(payload: str, sources: dict[str, list[str]]) -> None:
    assert _sources(payload) == sources


def test_an_environment_and_a_directory_stand_beside_every_call() -> None:
    payload = '{"command": "ls", "env": {"LD_PRELOAD": "x"}, "cwd": "/etc"}'
    facts = facts_of_action("shell_exec", "", payload, id="a", time=0, workspace="/w")
    rows = {(symbol.name, *map(str, row[1:])) for symbol, row in facts}
    assert ("shell_sets", "/payload", "0", "LD_PRELOAD") in rows
    assert ("shell_path", "/payload", "0", "/etc", "/system") in rows


def test_a_patch_names_the_files_it_changes() -> None:
    patch = "--- a/src/a.py\n+++ b/src/a.py\n@@ -1 +1 @@\n-a\n+b\n--- /dev/null\n+++ b/../b.py\n"
    facts = facts_of_action("apply_patch", "", patch, id="a", time=0, workspace="/w")
    paths = {(str(row[1]), str(row[2])) for symbol, row in facts if symbol.name == "action_path"}
    assert paths == {("src/a.py", "/inside"), ("../b.py", "/unclear")}


def test_what_is_left_of_a_climb_is_unclear() -> None:
    assert locate("....//....//etc", "/w").where == "/unclear"
    assert locate("./...", "/w").where == "/inside"
