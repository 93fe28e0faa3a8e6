"""What a payload says: what it costs, and which files it changes."""

import pytest

from mayfly.policy.kernel.facts import facts_of_action, locate


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


def test_a_patch_names_the_files_it_changes() -> None:
    patch = "--- a/src/a.py\n+++ b/src/a.py\n@@ -1 +1 @@\n-a\n+b\n--- /dev/null\n+++ b/../b.py\n"
    facts = facts_of_action("apply_patch", "", patch, id="a", time=0, workspace="/w")
    paths = {(str(row[1]), str(row[2])) for symbol, row in facts if symbol.name == "action_path"}
    assert paths == {("src/a.py", "/inside"), ("../b.py", "/unclear")}


def test_what_is_left_of_a_climb_is_unclear() -> None:
    assert locate("....//....//etc", "/w").where == "/unclear"
    assert locate("./...", "/w").where == "/inside"
