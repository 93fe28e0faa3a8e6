"""`mayfly stage` as it is typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from library.staging.bed import NEW, PATH, make_bed
from mayfly.cli import _app
from mayfly.library.staging import Repository
from mayfly.session import _staging

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def own_state(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAYFLY_STATE_DIR", str(state))


def test_the_built_in_tools_are_listed_with_the_files_they_are_in(capsys: pytest.CaptureFixture[str]) -> None:
    assert _app.run(["stage", "--list", "--json"]) == 0
    listed = {row["tool"]: row["files"] for row in json.loads(capsys.readouterr().out)}
    assert listed["count_lines"] == ["src/mayfly/world/_read.py"]
    assert listed["shell_exec"] == ["src/mayfly/world/_programs.py"]
    assert listed["builtin_modify"] == ["src/mayfly/session/tools/_library.py"]
    assert all((ROOT / file).is_file() for files in listed.values() for file in files)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["stage"], "name a tool and a file"),
        (["stage", "count_lines"], "name a tool and a file"),
        (["stage", "count_lines", "none.py"], "cannot read none.py"),
        (["stage", "roman", __file__], "no built-in tool is called roman; see: mayfly stage --list"),
        (["stage", "git_log", __file__], "add --path src/mayfly/world/_git.py"),
        (["stage", "count_lines", __file__, "--path", "x.py"], "count_lines is not written in x.py"),
    ],
)
def test_bad_input_is_one_line_with_what_to_do(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert _app.run(words) == 2
    err = capsys.readouterr().err
    assert said in err
    assert len(err.splitlines()) == 1


def test_doctor_names_what_a_killed_staging_left(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    bed = make_bed(tmp_path)
    monkeypatch.setattr(_staging, "PACKAGE", bed.root / "src" / "mayfly")
    _app.run(["doctor", "--json"])
    assert json.loads(capsys.readouterr().out)["left_by_staging"] == []
    repository = Repository(bed.root)
    commit = repository.commit_file(PATH, NEW.encode(), parent=repository.head().commit, message="agent: cut off")
    repository.add_branch("agent/builtin-mod/shout-1", commit)
    _app.run(["doctor", "--json"])
    assert json.loads(capsys.readouterr().out)["left_by_staging"] == ["branch agent/builtin-mod/shout-1"]
