"""The tools for code in a real room: what they run, runs on the workbench, and nothing of it is kept."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from mayfly.core import InputError
from mayfly.policy import Kernel
from mayfly.sandbox.workbench import Workbench
from mayfly.world import History
from mayfly.world._code import code_tools
from mayfly.world._documents import document_tools
from mayfly.world._git import GitView
from mayfly.world._room import Room, file_change

from .places import Here, call


@pytest.fixture
def room(here: Here, tmp_path: Path) -> Iterator[Room]:
    here.write("a.py", '"""Doc."""\n\n\ndef f(x: int) -> int:\n    return x\n')
    here.write("test_a.py", '"""Doc."""\n\nfrom a import f\n\n\ndef test_f() -> None:\n    assert f(1) == 1\n')
    here.write(".env", "TOKEN=abc\n")
    here.git("init", "-q")
    here.git("add", "a.py", "test_a.py")
    here.git("commit", "-qm", "first")
    with Workbench(here.workspace, state=tmp_path / "state") as bench:
        yield Room(
            session="s-1",
            workspace=here.workspace,
            state=tmp_path / "state",
            bench=bench,
            kernel=lambda: Kernel(workspace=here.workspace, session=["asked_by(/person)"]),
            approvals=cast("Any", None),
            history=History(here.workspace),
        )


def test_preflight_and_hypotheses_by_git_on_the_workbench(room: Room, here: Here) -> None:
    here.write("a.py", '"""Doc."""\n\n\ndef f(x: int, y: int) -> int:\n    return (x\n')
    before = sorted(path for path in here.workspace.rglob("*") if path.is_file())
    said = call(code_tools(room), "preflight", types=False)
    assert "refuse a.py:5: syntax SYNTAX" in said
    here.write("a.py", '"""Doc."""\n\n\ndef f(x: int, y: int) -> int:\n    return x\n')
    said = call(code_tools(room), "hypothesis_gen")
    assert "a.py:4: f takes (x: int, y: int) instead of (x: int), and callers are as before: test_a.py:7" in said
    assert sorted(path for path in here.workspace.rglob("*") if path.is_file()) == before


def test_impact_in_a_room(room: Room) -> None:
    assert "test_a.py:7 called in test_f" in call(code_tools(room), "impact_analysis", target="a.f")


def test_a_secret_file_is_not_read(room: Room) -> None:
    with pytest.raises(InputError):
        call(document_tools(room), "doc_parse", path=".env")
    with pytest.raises(InputError):
        call(code_tools(room), "preflight", paths=[".env"], types=False)


LOCK = 'version = 3\n\n[[package]]\nname = "calc"\nversion = "0.1.0"\n'


@pytest.mark.parametrize(
    ("after", "same"),
    [
        (f"# made by a tool\n{LOCK}".replace("version = 3", "version = 4"), True),
        (f"{LOCK}\n[[package]]\nname = 'evil'\nversion = '1.0.0'\nsource = 'registry+https://evil'\n", False),
        (LOCK.replace("0.1.0", "0.1.1"), False),
        (LOCK.replace('"calc"', '"carc"'), False),
    ],
)
def test_a_file_of_versions_in_another_form_names_the_same_code(room: Room, here: Here, after: str, same: bool) -> None:
    here.write("Cargo.lock", LOCK)
    ran = room.bench.run(["tee", "Cargo.lock"], stdin=after.encode())
    (change,) = ran.changes
    assert file_change(change, GitView()).same_code is same
