"""Promotion: runs and votes lift a program into git, failures bring it down, and no kill leaves anything between."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from mayfly.core import ConflictError, GateSettings, InputError, PromotionSettings, Settings, Tier
from mayfly.library.promotion import PromotedShelf, Promotion
from mayfly.runtime import Runtime

from .test_tools import beside, workshop
from .tools_bench import quick_settings

__all__ = ["workshop"]
HERE = Path(__file__).parent
INTENT = "initials of a name"
EXAMPLES = [
    {"input": "anna lee", "output": "A.L."},
    {"input": "bob stone", "output": "B.S."},
    {"input": "carl von ossi", "output": "C.V.O."},
    {"input": "d e", "output": "D.E."},
]
SCALED = '''
def scaled(value: int, by: int) -> int:
    """Return a number times another; one above a thousand is refused."""
    if value > 1000:
        raise ValueError("too large")
    return value * by
'''.lstrip()
TESTS = """
import pytest
from tool import scaled


def test_product() -> None:
    assert scaled(3, 4) == 12


def test_zero() -> None:
    assert scaled(0, 4) == 0


def test_negative() -> None:
    assert scaled(-3, 4) == -12


def test_limit() -> None:
    assert scaled(1000, 2) == 2000


def test_too_large() -> None:
    with pytest.raises(ValueError):
        scaled(1001, 1)
""".lstrip()


def settings_of(state: Path, **promotion: object) -> Settings:
    made = PromotionSettings(**{"runs": 3, "quorum": 2, "failures": 2, **promotion})  # type: ignore[arg-type]
    return replace(quick_settings(state), promotion=made)


@pytest.fixture
def shared(tmp_path: Path, workshop: Runtime) -> Iterator[Runtime]:
    with beside(workshop, settings_of(tmp_path / "state")) as runtime:
        yield runtime


def with_voters(promotion: Promotion, *names: str) -> None:
    for name in names:
        promotion.identities.new(name)


def run_agent(runtime: Runtime, times: int) -> str:
    """Run an agent so often, and return the hash of its source."""
    for _ in range(times):
        outcome = runtime.run(INTENT, examples=EXAMPLES, input="kim poe")
        assert (outcome.status, outcome.value) == ("resolved", "K.P.")
    return str(outcome.source_hash)


def test_j_40_the_101st_run_proposes_and_what_is_promoted_outlives_the_cache(tmp_path: Path, workshop: Runtime) -> None:
    defaults = replace(quick_settings(tmp_path / "state"), promotion=PromotionSettings())
    with beside(workshop, defaults) as runtime:
        hash = run_agent(runtime, 100)
        promotion = runtime.promotion
        first = promotion.standing(hash)
        assert (first.state, first.candidate.runs) == ("blocked", 100)
        assert "it has too few proven runs" in first.reasons
        run_agent(runtime, 1)
        assert promotion.standing(hash).state == "proposed"
        with_voters(promotion, "ann", "bob", "eve")
        states = [promotion.vote(hash, "for", identity=name).state for name in ("ann", "bob", "eve")]
        assert states == ["proposed", "proposed", "promoted"]
        place = next(iter(promotion.shelf.entries())).place
        assert {path.name for path in (tmp_path / "state" / "promoted" / place).iterdir()} == {
            "tool.py",
            "test_tool.py",
            "tests.json",
            "provenance.json",
        }
    with beside(workshop, defaults) as runtime:
        runtime.parts.memo.clear()
        told: list[str] = []
        runtime._observer = lambda what, about: told.append(what)
        outcome = runtime.run(INTENT, examples=EXAMPLES, input="kim poe")
        assert (outcome.value, outcome.reason, outcome.source_hash) == ("K.P.", "promoted, proof strong", hash)
        assert "wrote" not in told
        assert runtime.run(INTENT, examples=EXAMPLES, input="al bo").reason == "cached, proof strong"
        assert runtime.ledger.verify().ok


@pytest.mark.later
def test_the_tests_beside_a_promoted_program_can_be_run_by_anybody(shared: Runtime) -> None:
    hash = run_agent(shared, 4)
    with_voters(shared.promotion, "ann", "bob")
    for name in ("ann", "bob"):
        shared.promotion.vote(hash, "for", identity=name)
    place = shared.promotion.shelf.folder / next(iter(shared.promotion.shelf.entries())).place
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_tool.py"],
        cwd=place,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "4 passed" in ran.stdout, ran.stdout


def test_j_41_a_double_vote_is_refused_and_a_majority_against_stops_it(shared: Runtime) -> None:
    promotion, hash = shared.promotion, run_agent(shared, 4)
    with_voters(promotion, "ann", "bob", "eve", "joe")
    promotion.vote(hash, "against", identity="joe")
    promotion.vote(hash, "against", identity="eve")
    promotion.vote(hash, "for", identity="ann")
    for choice in ("for", "against"):
        with pytest.raises(ConflictError, match="ann has voted"):
            promotion.vote(hash, choice, identity="ann")
    now = promotion.vote(hash, "for", identity="bob")
    assert (now.state, now.candidate.count("for"), now.candidate.count("against")) == ("proposed", 2, 2)
    with pytest.raises(ConflictError, match="too many against it"):
        promotion.promote(hash)
    assert promotion.shelf.entries() == ()


def test_votes_of_strangers_do_not_count(tmp_path: Path, shared: Runtime) -> None:
    promotion, hash = shared.promotion, run_agent(shared, 4)
    with_voters(promotion, "ann", "bob")
    promotion.vote(hash, "for", identity="ann")
    promotion.identities.remove("ann")
    now = promotion.vote(hash, "for", identity="bob")
    assert (now.state, now.candidate.count("for"), now.candidate.uncounted) == ("proposed", 1, 1)


def test_what_is_not_known_or_not_clear_is_refused(shared: Runtime) -> None:
    with_voters(shared.promotion, "ann")
    for wanted in ("nothing", "", "abc", "0" * 64):
        with pytest.raises(InputError, match="no tool and no remembered agent"):
            shared.promotion.vote(wanted, "for")


def test_a_promoted_program_whose_voters_are_unknown_is_not_used(tmp_path: Path, workshop: Runtime) -> None:
    with beside(workshop, settings_of(tmp_path / "a")) as runtime:
        hash = run_agent(runtime, 4)
        with_voters(runtime.promotion, "ann", "bob")
        for name in ("ann", "bob"):
            runtime.promotion.vote(hash, "for", identity=name)
        keys = {one.name: one.key for one in runtime.promotion.identities.all()}
    shutil.copytree(tmp_path / "a" / "promoted", tmp_path / "b" / "promoted")
    with beside(workshop, settings_of(tmp_path / "b")) as runtime:
        assert not runtime.promotion.is_promoted(hash)
        assert "identities known here" in runtime.promotion.problems()[0]
        for name, key in keys.items():
            runtime.promotion.identities.add(name, key)
        assert runtime.promotion.is_promoted(hash)
        outcome = runtime.run(INTENT, examples=EXAMPLES, input="kim poe")
        assert outcome.reason == "promoted, proof strong"


def make_scaled(runtime: Runtime) -> str:
    """Make a tool that somebody else's tests prove, and use it so often that it can be voted on."""
    tools = runtime.tools
    hands = {"by": "ann", "tests_by": "bob"}
    made = tools.write("scale a number", name="scaled", source=SCALED, tests=TESTS, grants=(), **hands)
    assert made.accepted, made.reason
    assert made.proof is not None
    assert made.proof.strength == "strong", made.proof
    for _ in range(4):
        assert tools.call("scaled", {"value": 5, "by": 5}).value == 25
    return made.card.source_hash if made.card else ""


@pytest.fixture
def proving(tmp_path: Path, workshop: Runtime) -> Iterator[Runtime]:
    """A runtime with all of the proof, for tools that are promoted."""
    with beside(workshop, replace(settings_of(tmp_path / "state"), gates=GateSettings())) as runtime:
        yield runtime


def test_a_tool_is_promoted_comes_down_when_it_fails_and_is_voted_on_anew(proving: Runtime) -> None:
    promotion, tools = proving.promotion, proving.tools
    hash = make_scaled(proving)
    with_voters(promotion, "ann", "bob")
    assert promotion.vote("scaled", "for", identity="ann").state == "proposed"
    assert promotion.vote(hash[:12], "for", identity="bob").state == "promoted"
    found = tools.capability("scaled")
    assert found is not None
    assert found.tier is Tier.PROMOTED
    for _ in range(2):
        assert promotion.is_promoted(hash)
        assert tools.call("scaled", {"value": 5000, "by": 0}).status == "error"
    assert not promotion.is_promoted(hash)
    found = tools.capability("scaled")
    assert found is not None
    assert found.tier is Tier.AUTHORED
    now = promotion.standing("scaled")
    assert (now.state, now.candidate.votes) == ("proposed", {})
    assert "a failure is outstanding" in now.reasons
    assert promotion.settle("scaled", why="too large is refused by contract", by="ann") == 2
    promotion.vote("scaled", "for", identity="ann")
    assert promotion.vote("scaled", "for", identity="bob").state == "promoted"
    kinds = [one.kind for one in proving.ledger.read(subject=f"capability:{hash}")]
    assert kinds == [
        *("capability.voted", "capability.voted", "capability.promoted", "capability.demoted", "capability.settled"),
        *("capability.voted", "capability.voted", "capability.promoted"),
    ]


def test_a_fresh_store_takes_promoted_tools_in(tmp_path: Path, proving: Runtime, workshop: Runtime) -> None:
    make_scaled(proving)
    with_voters(proving.promotion, "ann", "bob")
    for name in ("ann", "bob"):
        proving.promotion.vote("scaled", "for", identity=name)
    for part in ("promoted", "identities"):
        shutil.copytree(tmp_path / "state" / part, tmp_path / "fresh" / part)
    with beside(workshop, replace(settings_of(tmp_path / "fresh"), gates=GateSettings())) as runtime:
        assert runtime.tools.call("scaled", {"value": 3, "by": 3}).status == "unknown"
        assert "serves as scaled" in runtime.tools.refresh()[0]
        assert runtime.tools.refresh() == ()
        assert runtime.tools.call("scaled", {"value": 3, "by": 3}).value == 9
        assert runtime.tools.problems() == ()
        runtime.tools.delete("scaled")
        assert runtime.tools.refresh() == ()  # what was deleted here is not brought back


def test_wider_grants_beside_a_promoted_tool_void_its_votes(proving: Runtime) -> None:
    hash = make_scaled(proving)
    with_voters(proving.promotion, "ann", "bob")
    for name in ("ann", "bob"):
        proving.promotion.vote("scaled", "for", identity=name)
    place = proving.promotion.shelf.folder / next(iter(proving.promotion.shelf.entries())).place / "provenance.json"
    record = json.loads(place.read_text())
    record["about"]["card"]["opened"] = ["net:*"]
    place.write_text(json.dumps(record))
    shelf = PromotedShelf(proving.promotion.shelf.folder, own=True)
    assert [one.name for one in shelf.entries()] == ["scaled"]
    proving.promotion.shelf = shelf
    assert not proving.promotion.is_promoted(hash)
    assert list(proving.promotion.tools()) == []


def test_a_damaged_key_makes_nothing_promoted_and_breaks_nothing(shared: Runtime) -> None:
    promotion, hash = shared.promotion, run_agent(shared, 4)
    with_voters(promotion, "ann", "bob")
    for name in ("ann", "bob"):
        promotion.vote(hash, "for", identity=name)
    (promotion.identities.folder / "eve.pub").write_text("nonsense")
    assert not promotion.is_promoted(hash)
    assert "eve.pub is damaged" in promotion.problems()[0]
    shared.parts.memo.clear()
    assert run_agent(shared, 1) == hash


def test_demoting_by_hand_takes_it_out_of_git_and_says_why(shared: Runtime) -> None:
    promotion, hash = shared.promotion, run_agent(shared, 4)
    with_voters(promotion, "ann", "bob")
    for name in ("ann", "bob"):
        promotion.vote(hash, "for", identity=name)
    promotion.demote(hash, reason="there is a better one", by="ann")
    assert promotion.shelf.entries() == ()
    last = shared.ledger.last(kind="capability.demoted")
    assert last is not None
    assert (last.payload["reason"], last.payload["by"]) == ("there is a better one", "ann")
    with pytest.raises(InputError, match="nothing that is promoted"):
        promotion.demote(hash, reason="again", by="ann")


@pytest.mark.later
@pytest.mark.parametrize("operation", ["promote", "demote"])
def test_kill_at_every_step_leaves_it_promoted_or_not(tmp_path: Path, workshop: Runtime, operation: str) -> None:
    origin = tmp_path / "origin"
    with beside(workshop, settings_of(origin)) as runtime:
        hash = run_agent(runtime, 4)
        with_voters(runtime.promotion, "ann", "bob")
        runtime.promotion.vote(hash, "for", identity="ann")
        if operation == "demote":
            runtime.promotion.vote(hash, "for", identity="bob")
    seen, step, code = set(), 0, -9
    while code == -9:
        step += 1
        state = tmp_path / f"{operation}-{step}"
        shutil.copytree(origin, state, symlinks=True)
        command = [sys.executable, str(HERE / "promotion_child.py"), str(state), operation, hash, str(step)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, env={**os.environ})
        code = done.returncode
        with beside(workshop, settings_of(state)) as runtime:
            promotion = runtime.promotion
            promotion.mend()
            promoted = promotion.is_promoted(hash)
            seen.add(promoted)
            assert promotion.problems() == ()
            assert runtime.ledger.verify().ok
            folder = promotion.shelf.folder
            if (folder / ".git").exists():
                left = subprocess.run(
                    ["git", "status", "--porcelain"], cwd=folder, capture_output=True, text=True, check=True
                )
                assert left.stdout == "", (step, left.stdout)
            told = [
                one.kind
                for one in runtime.ledger.read(subject=f"capability:{hash}")
                if one.kind in ("capability.promoted", "capability.demoted")
            ]
            assert (told[-1:] == ["capability.promoted"]) == promoted, (step, told)
    assert code == 0, done.stderr
    assert seen == {True, False}
