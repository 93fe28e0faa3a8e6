"""What the gates say of changed files, by name, by diff and by what git says."""

from __future__ import annotations

import os
import sys

import pytest

from mayfly.core import InputError, Invocation
from mayfly.world._changes import change_of, unquoted
from mayfly.world._code import code_tools
from mayfly.world._hypotheses import Hypothesis, judged_by_rules

from .places import Here, call

KEY = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
OLD = '''"""Doc."""


def limit(x: int) -> bool:
    assert x is not None
    return x < 10


def gone() -> int:
    return 1
'''
NEW = '''"""Doc."""


def limit(x: int, y: int) -> bool:
    return x <= 10
'''
USER = '"""Doc."""\n\nfrom a import gone, limit\n\nprint(limit(3), gone())\n'


@pytest.fixture
def repository(here: Here) -> Here:
    here.write("a.py", OLD)
    here.write("user.py", USER)
    here.git("init", "-q", "-b", "main")
    here.git("add", ".")
    here.git("commit", "-qm", "first")
    return here


def preflight(place: Here, **arguments: object) -> str:
    return call(code_tools(place), "preflight", **{"types": False, **arguments})


def test_nothing_changed_is_said(repository: Here) -> None:
    assert preflight(repository).startswith("nothing is changed")


def test_syntax_secrets_and_conflicts_stop_a_commit(repository: Here) -> None:
    repository.write("a.py", OLD + "def (:\n")
    repository.write("größe.txt", f"one\ntoken {KEY}\n")
    repository.write("b.txt", "<<<<<<< ours\n=======\n>>>>>>> theirs\n")
    repository.write("c.json", '{\n "a": }\n')
    said = preflight(repository)
    assert said.startswith("4 files")
    assert "refuse a.py:11: syntax SYNTAX" in said
    assert "refuse größe.txt:2: secrets KEY: a key of the form of" in said
    assert "refuse b.txt:1: syntax CONFLICT" in said
    assert "refuse c.json:2: syntax DATA" in said
    assert KEY not in said
    assert KEY[:12] not in said


def test_only_lines_of_the_change_count_as_new(repository: Here) -> None:
    repository.write("old.txt", f"{KEY}\n")
    repository.git("add", ".")
    repository.git("commit", "-qm", "oops")
    repository.write("old.txt", f"{KEY}\nmore\n")
    assert "0 to refuse" in preflight(repository)
    assert "1 to refuse" in preflight(repository, paths=["old.txt"])


def test_a_diff_that_is_too_long_to_be_known_whole_counts_every_line(repository: Here) -> None:
    repository.write("old.txt", f"{KEY}\n")
    repository.git("add", ".")
    repository.git("commit", "-qm", "oops")
    repository.write("old.txt", f"{KEY}\n" + "more\n" * 1000)
    repository.most = 2000
    assert "1 to refuse" in preflight(repository)


def test_complexity_and_hidden_errors_with_their_lines(here: Here) -> None:
    branches = "".join(f"    if x == {number}:\n        x += 1\n" for number in range(25))
    here.write(
        "a.py",
        f'"""Doc."""\n\n\ndef f(x):\n{branches}    try:\n        f(1)\n    except:\n        pass\n    return x\n',
    )
    said = preflight(here, paths=["a.py"])
    assert "a.py:4: stability COMPLEXITY: cyclomatic" in said
    assert "judge HIDDEN_ERRORS: a bare except hides every error" in said
    assert "IMPORT" not in said


def test_imports_and_prints_of_a_project_are_its_own_affair(here: Here) -> None:
    here.write("a.py", '"""Doc."""\n\nimport os\nimport socket\n\nprint(os.name, socket.gethostname())\n')
    assert preflight(here, paths=["a.py"]).startswith("1 files (1 files): 0 to refuse, 0 to mend")


def test_types_by_mypy_where_it_is(here: Here) -> None:
    here.write("a.py", '"""Doc."""\n\nx: int = "a"\n')
    said = call(code_tools(here), "preflight", paths=["a.py"])
    assert "refuse a.py:3: types MYPY: Incompatible types" in said
    assert here.ran[-1][4:6] == ["-m", "mypy"]


def test_types_without_mypy_are_said_to_be_unchecked(here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    here.write("a.py", '"""Doc."""\n')
    here.write("bin/python3", "#!/bin/sh\necho No module named mypy >&2\nexit 3\n")
    (here.workspace / "bin/python3").chmod(0o755)
    monkeypatch.setenv("PATH", f"{here.workspace}/bin:{os.environ['PATH']}")
    monkeypatch.setattr(sys, "executable", f"{here.workspace}/bin/python3")
    assert "[types were not checked: No module named mypy]" in call(code_tools(here), "preflight", paths=["a.py"])


def test_mypy_is_found_where_the_environment_of_the_project_lacks_it(here: Here) -> None:
    here.write("a.py", '"""Doc."""\n\nx: int = "a"\n')
    here.write(".venv/bin/python", "#!/bin/sh\necho No module named mypy >&2\nexit 3\n")
    (here.workspace / ".venv/bin/python").chmod(0o755)
    assert "types MYPY: Incompatible types" in call(code_tools(here), "preflight", paths=["a.py"])


def test_a_diff_that_is_done_and_one_that_is_not_say_the_same(repository: Here) -> None:
    repository.write("a.py", OLD + "def (:\n")
    diff = "--- a/a.py\n+++ b/a.py\n@@ -9,2 +9,3 @@\n def gone() -> int:\n     return 1\n+def (:\n"
    done = preflight(repository, diff=diff)
    repository.write("a.py", OLD)
    assert preflight(repository, diff=diff) == done
    assert "refuse a.py:11: syntax" in done


def test_a_diff_that_fits_nowhere_is_looked_at_by_its_new_lines(here: Here) -> None:
    said = preflight(here, diff=f"--- a/x.txt\n+++ b/x.txt\n@@ -1 +1 @@\n-old\n+{KEY}\n")
    assert "secrets KEY" in said
    assert "only its new lines were looked at" in said


def test_a_repository_without_a_commit_and_a_directory_without_a_repository(here: Here) -> None:
    here.write("a.txt", KEY)
    with pytest.raises(InputError, match="no git repository"):
        preflight(here)
    here.git("init", "-q")
    assert "1 to refuse" in preflight(here)
    with pytest.raises(InputError, match="knows no commit other"):
        preflight(here, base="other")


def test_a_workspace_below_the_repository(repository: Here) -> None:
    repository.write("sub/x.py", "a = 1\n")
    repository.git("add", ".")
    repository.git("commit", "-qm", "sub")
    repository.write("sub/x.py", "a = (\n")
    repository.write("a.py", "b = (\n")
    below = Here(repository.workspace / "sub")
    assert preflight(below).startswith("1 files")


@pytest.mark.parametrize(
    "given", [{"base": "--output=x"}, {"paths": ["../x"]}, {"paths": ["a"], "diff": "x"}, {"diff": "x"}]
)
def test_what_cannot_be_meant(repository: Here, given: dict[str, object]) -> None:
    with pytest.raises(InputError):
        preflight(repository, **given)


def test_names_as_git_writes_them() -> None:
    assert unquoted('"gr\\303\\266\\303\\237e \\"a\\"\\n.txt"') == 'größe "a"\n.txt'
    assert unquoted("plain.txt") == "plain.txt"


def test_hypotheses_of_a_change(repository: Here) -> None:
    repository.write("a.py", NEW)
    said = call(code_tools(repository), "hypothesis_gen")
    assert "supported a.py:1: gone is gone and still used: user.py:3" in said
    assert (
        "open      a.py:4: limit takes (x: int, y: int) instead of (x: int), and callers are as before: user.py:5"
        in said
    )
    assert "open      a.py:4: limit checks less: an assert is gone" in said
    assert "limit compares x and 10 by LtE instead of Lt: look at the value on the edge" in said


def test_hypotheses_of_a_diff_that_is_not_done(repository: Here) -> None:
    diff = "--- a/a.py\n+++ b/a.py\n@@ -6 +6 @@\n-    return x < 10\n+    return x <= 10\n"
    assert "a.py:6: limit compares x and 10 by LtE instead of Lt" in call(
        code_tools(repository), "hypothesis_gen", diff=diff
    )


def test_a_test_that_is_gone(repository: Here) -> None:
    repository.write("test_a.py", '"""Doc."""\n\n\ndef test_x() -> None:\n    assert True\n')
    repository.git("add", ".")
    repository.git("commit", "-qm", "test")
    repository.write("test_a.py", '"""Doc."""\n')
    assert "the test test_x is gone" in call(code_tools(repository), "hypothesis_gen")


def test_a_change_with_nothing_to_suspect(repository: Here) -> None:
    repository.write("notes.txt", "hello\n")
    assert call(code_tools(repository), "hypothesis_gen").startswith("nothing suspicious")


def test_the_shipped_rules_say_what_is_supported(here: Here) -> None:
    shown = Hypothesis("a.py", 1, 'it "leaks"', "a.py:1")
    open_one = Hypothesis("a.py", 2, "it is slow")
    assert judged_by_rules(here, [shown, open_one]) == {shown: "supported", open_one: "open"}
    here.policies = ("hypothesis_rules.mg",)
    assert judged_by_rules(here, [shown, open_one]) == {shown: "supported", open_one: "open"}
    here.facts.append('counter_evidence("a.py", "it \\"leaks\\"")')
    assert judged_by_rules(here, [shown, open_one]) == {shown: "open", open_one: "open"}


def test_what_is_asked_for_names_the_change(here: Here) -> None:
    tools = {tool.name: tool for tool in code_tools(here)}
    asked = tools["preflight"].asks(Invocation(arguments={"paths": ["a.py", "b.py"]}))
    assert asked[0][:2] == ("preflight", "a.py, b.py")
    assert tools["impact_analysis"].asks(Invocation(arguments={"target": "x"}))[0][:2] == ("impact_analysis", ".")
    with pytest.raises(InputError):
        change_of(here, Invocation(arguments={"paths": ["nowhere.py"]}))
