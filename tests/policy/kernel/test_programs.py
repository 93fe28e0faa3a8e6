"""Compiled rules are kept for the next process, and nothing but what was compiled here is ever used."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mayfly.mangle import Program
from mayfly.policy import Kernel, Programs, Rulebook, RuleFile, Snapshot
from mayfly.policy.kernel import _snapshot
from mayfly.store import SealedFiles

from .conftest import CONSTITUTION, constitution

ALLOW_FLYING = "policy_allows(/fly, Target, Payload) :- pending_action(_, /fly, Target, Payload, _).\n"


def programs(state: Path) -> Programs:
    return Programs(SealedFiles(state, "rules-cache"))


def book(state: Path, *extra: Path, text: str = CONSTITUTION, workspace: Path | None = None) -> Rulebook:
    return Rulebook(extra=extra, base=constitution(text), kept=programs(state), workspace=workspace)


def ask(rules: Rulebook, action: str = "file_read") -> tuple[str, tuple[str, ...]]:
    found = Kernel(rules.snapshot, workspace="/w").permitted(action, "a.txt")
    return found.decision, found.because


@pytest.fixture
def no_compiler(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Let a test say from when on nothing may be compiled."""
    return monkeypatch


def forbid(patch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("compiled again")

    patch.setattr(Snapshot, "_compile", refuse)
    patch.setattr(RuleFile, "unit", property(refuse))


def test_rules_are_compiled_once_for_all_processes(tmp_path: Path, no_compiler: pytest.MonkeyPatch) -> None:
    first = book(tmp_path)
    expected = ask(first)
    first.snapshot.keep()
    forbid(no_compiler)
    assert ask(book(tmp_path)) == expected


def test_shipped_rules_are_compiled_once_in_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"{CONSTITUTION}# Compiled once.\n"
    first = Rulebook(base=constitution(text)).snapshot
    monkeypatch.setattr(_snapshot, "_compiled", lambda files: pytest.fail("compiled again"))
    assert Rulebook(base=constitution(text)).snapshot.program() is first.program()


def test_rules_that_are_not_shipped_are_compiled_for_each_that_asks(tmp_path: Path) -> None:
    (tmp_path / "fly.mg").write_text(ALLOW_FLYING)
    one, other = (Rulebook(base=constitution(), extra=[tmp_path / "fly.mg"]).snapshot.program() for _ in range(2))
    assert one is not other


def test_rules_of_the_operator_that_passed_their_trial_are_not_read_again(
    tmp_path: Path, no_compiler: pytest.MonkeyPatch
) -> None:
    from mayfly.core import Settings
    from mayfly.store import Ledger

    extra = tmp_path / "fly.mg"
    extra.write_text(ALLOW_FLYING)
    with Ledger.open(Settings(state_dir=str(tmp_path / "state"))) as ledger:
        first = Rulebook(extra=[extra], base=constitution(), kept=programs(tmp_path), ledger=ledger)
        assert ask(first, "fly")[0] == "permit"
        first.snapshot.keep()
        forbid(no_compiler)
        again = Rulebook(extra=[extra], base=constitution(), kept=programs(tmp_path), ledger=ledger)
        assert ask(again, "fly") == ask(first, "fly")
        assert again.snapshot.hash == first.snapshot.hash


def test_a_changed_rule_is_in_force_at_once(tmp_path: Path) -> None:
    extra = tmp_path / "fly.mg"
    extra.write_text(ALLOW_FLYING)
    first = book(tmp_path, extra)
    assert ask(first, "fly")[0] == "permit"
    first.snapshot.keep()
    extra.write_text(ALLOW_FLYING.replace("/fly", "/swim"))
    assert ask(book(tmp_path, extra), "fly")[0] == "deny"
    extra.unlink()
    assert ask(book(tmp_path), "fly")[0] == "deny"


def test_a_file_that_moves_into_the_workspace_loses_what_it_gave(tmp_path: Path) -> None:
    extra = tmp_path / "fly.mg"
    extra.write_text(ALLOW_FLYING)
    outside = book(tmp_path, extra, workspace=tmp_path / "elsewhere")
    assert ask(outside, "fly")[0] == "permit"
    outside.snapshot.keep()
    inside = book(tmp_path, extra, workspace=tmp_path)
    assert ask(inside, "fly")[0] == "deny"
    assert "such files may only take away" in str(inside.snapshot.problems[0])


def test_another_version_of_the_engine_compiles_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = book(tmp_path)
    first.snapshot.keep()
    assert programs(tmp_path).load(first.snapshot.rules) is not None
    monkeypatch.setattr(_snapshot, "_makers", lambda: "another")
    assert programs(tmp_path).load(first.snapshot.rules) is None
    monkeypatch.undo()
    monkeypatch.setattr(sys, "version", "another Python")
    assert programs(tmp_path).load(first.snapshot.rules) is None


def test_the_version_is_that_of_every_source_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "inner").mkdir()
    monkeypatch.setattr(_snapshot, "_MAKERS", (tmp_path,))
    seen = set()
    for name, text in (("a.py", "1"), ("inner/b.py", "1"), ("inner/b.py", "2")):
        (tmp_path / name).write_text(text)
        seen.add(_snapshot._makers.__wrapped__())
    assert len(seen) == 3


class _Planted:
    """Bytes that make a file when they are read back."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return (os.mkdir, (str(self._path),))


def test_planted_bytes_are_never_read(tmp_path: Path) -> None:
    first = book(tmp_path)
    first.snapshot.keep()
    [path] = (tmp_path / "rules-cache").iterdir()
    planted = pickle.dumps(_Planted(tmp_path / "read"))
    for content in (planted, path.read_bytes()[:32] + planted):
        path.write_bytes(content)
        assert ask(book(tmp_path))[0] == ask(first)[0]
    assert not (tmp_path / "read").exists()


def test_what_is_sealed_and_yet_no_program_is_compiled_again(tmp_path: Path) -> None:
    files = SealedFiles(tmp_path, "rules-cache")
    first = book(tmp_path)
    files.put(_snapshot._key(first.snapshot.rules), b"sealed nonsense")
    assert ask(book(tmp_path)) == ask(first)


def test_it_works_where_nothing_can_be_kept(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file")
    rules = book(tmp_path / "state")
    rules.snapshot.keep()
    assert ask(rules)[0] == ask(book(tmp_path))[0]


def test_it_is_written_again_only_when_there_is_more_to_keep(tmp_path: Path) -> None:
    # No other test asks these rules, so nothing of them is there yet: a process compiles shipped rules once for all.
    text = f"{CONSTITUTION}# Asked here alone.\n"
    first = book(tmp_path, text=text)
    ask(first)
    first.snapshot.keep()
    [path] = (tmp_path / "rules-cache").iterdir()
    written = path.stat().st_mtime_ns
    again = book(tmp_path, text=text)
    ask(again)
    again.snapshot.keep()
    assert path.stat().st_mtime_ns == written
    ask(again, "shell_exec")
    Kernel(again.snapshot, workspace="/w").route(['user_intent("i", /command, /fix, "x", /none)'])
    again.snapshot.keep()
    assert path.stat().st_mtime_ns > written


def test_reasons_and_gaps_are_the_same_from_what_was_kept(tmp_path: Path) -> None:
    told = []
    for _ in range(2):
        rules = Rulebook(kept=programs(tmp_path))
        kernel = Kernel(rules.snapshot, workspace="/w")
        found = [kernel.permitted(*action) for action in (("file_read", "a"), ("shell_exec", "rm -rf /"), ("x", "y"))]
        told.append([(one.decision, one.because, len(one.trees()), one.remedies()) for one in found])
        rules.snapshot.keep()
    assert told[0] == told[1]


def test_a_decision_from_what_was_kept_loads_neither_parser_nor_checks(tmp_path: Path) -> None:
    environ = {**os.environ, "MAYFLY_STATE_DIR": str(tmp_path), "MAYFLY_DATABASE_URL": ""}
    script = (
        "import sys; from mayfly.cli._app import run; run(['permit', 'file_read', 'a.txt', '--json']);"
        "print(*[name for name in sys.modules if name.startswith(('mayfly.mangle._parser', 'mayfly.mangle._ast',"
        " 'mayfly.mangle.check', 'mayfly.mangle.explain', 'mayfly.mangle.engine._emit', 'mayfly.language._',"
        " 'asyncio', 'rich', 'mypy', 'ssl'))])"
    )
    for _ in range(2):
        ran = subprocess.run([sys.executable, "-c", script], env=environ, capture_output=True, text=True, check=True)
    decision, loaded = ran.stdout.splitlines()
    assert '"decision": "permit"' in decision
    assert loaded == ""


def test_nothing_of_what_was_asked_is_kept(tmp_path: Path) -> None:
    rules = Rulebook(kept=programs(tmp_path))
    secret = "c0ffee-do-not-keep"
    Kernel(rules.snapshot, workspace="/w").permitted("shell_exec", f"echo {secret}", {"token": secret})
    rules.snapshot.keep()
    [path] = (tmp_path / "rules-cache").iterdir()
    assert secret.encode() not in path.read_bytes()


def test_a_kernel_without_a_place_keeps_nothing() -> None:
    rules = Rulebook(base=constitution())
    rules.snapshot.keep()
    assert isinstance(rules.snapshot.program(), Program)
    assert _snapshot.Snapshot is Snapshot
