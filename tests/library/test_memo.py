"""The memo: found again by what was asked, refused when it was changed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from mayfly.core import Artifact, Proof, Settings, StoreError
from mayfly.library import Memo, Question, Remembered, Tampered
from mayfly.store import Cache, Ledger, Seal
from mayfly.testing import FakeClock

AGENT = Remembered(
    artifact=Artifact(kind="agent", source="def f(x: int) -> int:\n    return x\n", entry="f", author="examples"),
    proof=Proof(strength="strong", tests=3, mutants=4, mutants_killed=4),
    versions={"syntax": 1, "criteria": "abc"},
    intent="hand it back",
    spread=True,
)


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.open(Settings(state_dir=str(tmp_path / "state"))) as opened:
        yield opened


@pytest.fixture
def clock() -> FakeClock[float]:
    return FakeClock(1_000_000.0)


@pytest.fixture
def memo(ledger: Ledger, tmp_path: Path, clock: FakeClock[float]) -> Memo:
    return Memo(Cache(ledger, size=100, ttl=3600), Seal.open(tmp_path / "state"), clock=clock)


def test_an_agent_comes_back_as_it_was_put(memo: Memo) -> None:
    memo.put("k", AGENT)
    assert memo.get("k", versions=AGENT.versions) == AGENT


def test_an_hour_later_it_is_written_anew(memo: Memo, clock: FakeClock[float]) -> None:
    memo.put("k", AGENT)
    clock.now += 3599
    assert memo.get("k", versions=AGENT.versions) is not None
    clock.now += 2
    assert memo.get("k", versions=AGENT.versions) is None


def test_what_an_older_gate_admitted_is_not_found(memo: Memo) -> None:
    memo.put("k", AGENT)
    assert memo.get("k", versions={**AGENT.versions, "syntax": 2}) is None


@pytest.mark.parametrize(
    "change",
    [
        lambda entry: {**entry, "body": entry["body"].replace("return x", "return 0")},
        lambda entry: {**entry, "seal": "0" * 64},
        lambda entry: {"body": entry["body"]},
        lambda entry: [],
        lambda entry: {**entry, "body": 7},
    ],
)
def test_a_changed_entry_is_refused(memo: Memo, ledger: Ledger, change: object) -> None:
    memo.put("k", AGENT)
    cache = Cache(ledger, size=100, ttl=3600)
    entry = cache.get("k", now=1_000_000.0)
    assert entry is not None
    cache.put("k", json.dumps(change(json.loads(entry.value))), now=1_000_000.0)  # type: ignore[operator]
    with pytest.raises(Tampered):
        memo.get("k", versions=AGENT.versions)


def test_an_entry_moved_to_another_key_is_refused(memo: Memo, ledger: Ledger) -> None:
    memo.put("k", AGENT)
    cache = Cache(ledger, size=100, ttl=3600)
    entry = cache.get("k", now=1_000_000.0)
    assert entry is not None
    cache.put("other", entry.value, now=1_000_000.0)
    with pytest.raises(Tampered):
        memo.get("other", versions=AGENT.versions)


def test_another_machines_seal_is_refused(memo: Memo, ledger: Ledger, tmp_path: Path, clock: FakeClock[float]) -> None:
    memo.put("k", AGENT)
    foreign = Memo(Cache(ledger, size=100, ttl=3600), Seal.open(tmp_path / "elsewhere"), clock=clock)
    with pytest.raises(Tampered):
        foreign.get("k", versions=AGENT.versions)
    assert foreign.entries() == []


def test_the_key_file_belongs_to_its_owner_alone(tmp_path: Path) -> None:
    Seal.open(tmp_path)
    assert (tmp_path / "seal.key").stat().st_mode & 0o777 == 0o600
    os.chmod(tmp_path / "seal.key", 0o644)
    with pytest.raises(StoreError, match="read by others"):
        Seal.open(tmp_path)


def test_a_damaged_key_file_is_said(tmp_path: Path) -> None:
    Seal.open(tmp_path)
    (tmp_path / "seal.key").write_bytes(b"short")
    with pytest.raises(StoreError, match="damaged"):
        Seal.open(tmp_path)


def test_the_key_file_may_not_be_a_link(tmp_path: Path) -> None:
    Seal.open(tmp_path / "real")
    (tmp_path / "seal.key").symlink_to(tmp_path / "real" / "seal.key")
    with pytest.raises(StoreError):
        Seal.open(tmp_path)


QUESTION = Question(intent="do it", context={"a": 1, "b": [2]}, constraints={"depth": 1}, tier="memo")


def test_the_order_of_keys_does_not_matter() -> None:
    assert QUESTION.key == replace(QUESTION, context={"b": [2], "a": 1}).key


@pytest.mark.parametrize(
    "other",
    [
        replace(QUESTION, intent="do that"),
        replace(QUESTION, tier="ephemeral"),
        replace(QUESTION, context={"a": 2}),
        replace(QUESTION, constraints={"depth": 2}),
        replace(QUESTION, author="openai:x"),
        replace(QUESTION, versions={"criteria": "new"}),
        replace(QUESTION, language="javascript"),
    ],
)
def test_anything_that_could_change_the_answer_changes_the_key(other: Question) -> None:
    assert other.key != QUESTION.key


@pytest.mark.parametrize("seed", ["0", "1"])
def test_the_key_is_the_same_in_every_process(seed: str) -> None:
    script = (
        "from mayfly.library import Question;"
        "print(Question(intent='do it', context={'b': [2], 'a': 1}, constraints={'depth': 1}, tier='memo').key)"
    )
    env = {**os.environ, "PYTHONHASHSEED": seed}
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=env, check=True)
    assert ran.stdout.strip() == QUESTION.key


COMPILER = """
import sys
from pathlib import Path
from mayfly.core import Settings
from mayfly.runtime import Runtime

examples = [{"input": name, "output": name.split(" ")[1]} for name in ("Ada Lovelace", "Alan Turing", "Grace Hopper")]
with Runtime(Settings(state_dir=sys.argv[1])) as runtime:
    outcome = runtime.run("the last name", input="Emmy Noether", examples=examples, accept_weak=True)
    checked = len(runtime.parts.again._seen)
    print(outcome.value, outcome.cached, checked, runtime.ledger.count(kind="forge.wrote"))
"""


def test_j_39_what_one_process_compiled_another_one_finds_and_the_gates_look_at_it_again(tmp_path: Path) -> None:
    state = tmp_path / "state"
    said = []
    for _ in range(2):
        command = [sys.executable, "-c", COMPILER, str(state)]
        ran = subprocess.run(command, capture_output=True, text=True, env=os.environ, check=True, timeout=300)
        said.append(ran.stdout.split())
    assert said[0][:2] == ["Noether", "False"]
    # Found, not written again; syntax and stability have looked at what came out of the store.
    assert said[1] == ["Noether", "True", "1", said[0][3]]
