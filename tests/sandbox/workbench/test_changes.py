"""What a command changed is listed whole, whatever way it took."""

import os
from pathlib import Path

import pytest

from mayfly.sandbox.workbench import Workbench


def listed(bench: Workbench, script: str) -> set[tuple[str, str, str]]:
    ran = bench.run(script)
    assert ran.status == "ok", ran.output
    return {(change.kind, change.path, change.old_path) for change in ran.changes}


def test_nothing_changed_is_an_empty_list(each: Workbench) -> None:
    assert listed(each, "cat a.txt; touch b.txt; chmod 644 a.txt") == set()


def test_created_changed_and_deleted_files(each: Workbench, workspace: Path) -> None:
    assert listed(each, "echo more >> a.txt; rm b.txt; echo new > c.txt") == {
        ("changed", "a.txt", ""),
        ("deleted", "b.txt", ""),
        ("created", "c.txt", ""),
    }
    assert (workspace / "a.txt").read_text() == "one\n"
    assert (workspace / "b.txt").exists()


def test_a_rename_is_inferred_from_the_contents(each: Workbench) -> None:
    assert listed(each, "mv a.txt z.txt") == {("renamed", "z.txt", "a.txt")}


def test_a_renamed_directory_and_what_is_in_it(each: Workbench) -> None:
    assert listed(each, "mv src lib") == {
        ("deleted", "src", ""),
        ("created", "lib", ""),
        ("renamed", "lib/main.py", "src/main.py"),
    }


def test_rename_of_a_directory_by_the_system_call_itself(each: Workbench) -> None:
    assert ("renamed", "lib/main.py", "src/main.py") in listed(
        each, 'python3 -c \'import os; os.rename("src", "lib")\''
    )


def test_a_directory_renamed_twice_and_changed(each: Workbench) -> None:
    assert listed(each, "mv src x; mkdir y; mv x y/z; echo 1 > y/z/new; rm y/z/main.py") == {
        ("deleted", "src", ""),
        ("deleted", "src/main.py", ""),
        ("created", "y", ""),
        ("created", "y/z", ""),
        ("created", "y/z/new", ""),
    }


def test_modes_and_links(each: Workbench) -> None:
    assert listed(each, "chmod 755 a.txt; ln -sf b.txt link; ln -s /etc/passwd out") == {
        ("mode", "a.txt", ""),
        ("link", "link", ""),
        ("created", "out", ""),
    }


def test_of_a_directory_that_is_closed_to_its_own_user_nothing_is_kept(bench: Workbench) -> None:
    ran = bench.run("mkdir d && touch d/x && chmod 000 d")
    if os.geteuid() == 0:
        assert (ran.status, len(ran.changes)) == ("ok", 2)
        return
    assert (ran.status, len(ran.changes)) == ("refused", 0)
    assert ran.reason == "d may not be read by its owner, so nothing that was changed is kept; chmod u+rwX"
    assert bench.run("test ! -e d").ok


def test_one_kind_replaced_by_another(each: Workbench) -> None:
    script = "rm a.txt; mkdir a.txt; touch a.txt/in; rm -r src; echo file > src; rm link; echo x > link"
    assert listed(each, script) == {
        ("replaced", "a.txt", ""),
        ("created", "a.txt/in", ""),
        ("replaced", "src", ""),
        ("deleted", "src/main.py", ""),
        ("replaced", "link", ""),
    }


def test_a_directory_made_anew_hides_what_was_in_it(each: Workbench) -> None:
    assert listed(each, "rm -r src; mkdir src; echo 1 > src/other.py") == {
        ("deleted", "src/main.py", ""),
        ("created", "src/other.py", ""),
    }


def test_special_files_and_set_user_ids_are_shown_as_such(each: Workbench) -> None:
    ran = each.run("mkfifo pipe; cp /bin/true tool; chmod 4755 tool")
    entries = {change.path: change.after for change in ran.changes}
    assert entries["pipe"] is not None
    assert entries["pipe"].kind == "special"
    assert entries["tool"] is not None
    assert entries["tool"].mode == 0o4755


@pytest.mark.parametrize(
    "name", ["new\nline", "caf\udce9", "A.txt", " ", "-rf", "a\\b", "trusted.overlay", ".wh.a.txt"]
)
def test_odd_names(each: Workbench, name: str, workspace: Path) -> None:
    ran = each.run(["sh", "-c", 'echo odd > "$1"', "sh", f"./{name}"])
    assert [(change.kind, change.path) for change in ran.changes] == [("created", name)]
    each.commit()
    assert (workspace / name).read_text() == "odd\n"


def test_a_case_only_rename(each: Workbench, workspace: Path) -> None:
    assert listed(each, "mv a.txt A.TXT") == {("renamed", "A.TXT", "a.txt")}
    each.commit()
    assert (workspace / "A.TXT").read_text() == "one\n"
    assert not (workspace / "a.txt").exists()


def test_changes_add_up_over_commands_and_can_cancel_out(each: Workbench) -> None:
    listed(each, "echo 1 > c.txt; echo 2 >> a.txt")
    assert listed(each, "cat c.txt && rm c.txt; printf 'one\\n' > a.txt") == set()


def test_hard_links_split_and_say_so(each: Workbench, workspace: Path) -> None:
    (workspace / "second.txt").hardlink_to(workspace / "a.txt")
    assert listed(each, "echo more >> a.txt") == {("changed", "a.txt", "")}


def test_diffs_of_text_and_one_line_for_the_rest(each: Workbench) -> None:
    ran = each.run("echo more >> a.txt; head -c 100 /dev/zero > zero; rm link; printf 'x\\033[31m' > b.txt")
    text = ran.changes.diff()
    assert "+more\n" in text
    assert "created zero (file, 100 bytes, mode 0644)\n" in text
    assert "deleted link (link to a.txt)\n" in text
    assert "\033" not in text
    assert ran.changes.summary() == "2 changed, 1 deleted, 1 created"


def test_the_digest_is_that_of_exactly_these_changes(each: Workbench) -> None:
    first = each.run("echo 1 > c.txt").changes
    assert first.digest == each.changes().digest
    assert first.digest != each.run("echo 2 > c.txt").changes.digest
