"""After the merge: live in this process, watched for a while, put back where it fails."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mayfly.core import Capability, ConflictError, InputError, Invocation
from mayfly.library.staging import take_up, under_watch, watched

from .bed import NEW, OLD, PATH, TOOL, Bed


def test_s_17_a_start_that_fails_in_the_running_tree_takes_the_change_back(bed: Bed) -> None:
    # Only in the running tree: the worktree has no untracked files.
    (bed.root / "src" / "mayfly" / "sitecustomize.py").write_text("")
    picky = OLD + '\n\nif __import__("os").path.exists("other-tree"):\n    raise OSError("not here")\n'
    (bed.root / "other-tree").touch()
    with bed.staging() as staging:
        report = staging.stage(TOOL, PATH, picky.encode())
        assert report.status == "rolled_back"
        assert "does not start" in report.reason
        seen = bed.seen()
        subjects = [line.split(" ", 1)[1] for line in seen["log"].splitlines()]
        assert subjects == ["agent: take back the change of shout", "agent: change built-in tool shout", "first"]
        assert seen["file"] == OLD
        assert seen["branches"] == "* main\n"
        assert not under_watch(staging.ledger)
        with pytest.raises(ConflictError, match="rests for"):
            staging.stage(TOOL, PATH, NEW.encode())
    assert bed.events()[-2:] == ["rollback_started", "rolled_back"]


@pytest.mark.later
def test_s_17_a_crash_in_the_health_window_takes_the_change_back(bed: Bed) -> None:
    def crash(call: Invocation) -> object:
        if call.arguments.get("wrong"):
            raise InputError("that is no text")
        raise KeyError("oops")

    with bed.staging() as staging:
        assert staging.stage(TOOL, PATH, NEW.encode()).status == "promoted"
        watch = under_watch(staging.ledger)
        assert set(watch) == {TOOL}
        assert not under_watch(staging.ledger, now=staging.clock() + 301)
        (tool,) = watched([Capability(name=TOOL, call=crash)], watch, staging.roll_back)
        with pytest.raises(InputError):
            tool.call(Invocation(arguments={"wrong": True}))
        assert bed.seen()["file"] == NEW
        with pytest.raises(KeyError):
            tool.call(Invocation())
        assert bed.seen()["file"] == OLD
        assert bed.seen()["status"] == ""
        assert "crashed: KeyError" in str(staging.ledger.last("staging.rolled_back"))


@pytest.mark.later
def test_s_17_what_was_changed_again_is_not_taken_back(bed: Bed) -> None:
    with bed.staging() as staging:
        report = staging.stage(TOOL, PATH, NEW.encode())
        (bed.root / PATH).write_text(NEW + "# better\n")
        bed.git("commit", "-qam", "better")
        before = bed.seen()
        with pytest.raises(ConflictError, match="changed again since"):
            staging.roll_back(report.id, "it crashed")
        assert bed.seen() == before
    assert bed.events()[-1] == "rollback_failed"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return a package of two modules, one of which took a function and a constant of the other."""
    place = tmp_path / "livepackage"
    place.mkdir()
    (place / "__init__.py").touch()
    (place / "one.py").write_text("LIMIT = (1, 2)\n\n\ndef say():\n    return 'old'\n")
    (place / "two.py").write_text(
        "from livepackage.one import LIMIT, say as told\n\n\ndef both():\n    return told(), LIMIT\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield place
    for name in [name for name in sys.modules if name.startswith("livepackage")]:
        del sys.modules[name]


def test_s_17_a_changed_file_is_live_without_a_restart(package: Path) -> None:
    two = importlib.import_module("livepackage.two")
    assert two.both() == ("old", (1, 2))
    (package / "one.py").write_text("LIMIT = (3,)\n\n\ndef say():\n    return 'new'\n")
    assert take_up(package / "one.py") == ""
    assert two.both() == ("new", (3,))


@pytest.mark.later
def test_s_17_where_it_cannot_be_live_that_is_said(package: Path) -> None:
    (package / "one.py").write_text("class Kind:\n    pass\n")
    (package / "two.py").write_text("from livepackage.one import Kind\n")
    two = importlib.import_module("livepackage.two")
    before = two.Kind
    assert take_up(package / "one.py") == "livepackage.two holds the class Kind of livepackage.one"
    assert two.Kind is before
    (package / "two.py").write_text("")
    importlib.reload(two)
    del two.Kind
    (package / "one.py").write_text("raise ValueError('bad')\n")
    assert "could not be loaded again: ValueError: bad" in take_up(package / "one.py")
    assert sys.modules["livepackage.one"].Kind is before
    assert take_up(package / "nobody.py") == ""
