"""Generations: whoever lost a claim appends nothing more, and the end of a run is written once."""

from __future__ import annotations

import shutil
from collections.abc import Callable

import pytest

from mayfly.core import ConflictError, Settings
from mayfly.forge._events import RunBegan, RunCollapsed, RunResolved
from mayfly.promise._events import Planned, RunCancelled, RunResumed
from mayfly.store import Claim, DoctorAttacked, Ledger

from .test_claim import end_sessions

BEGAN = RunBegan(intent="count", tier="memo", depth=0, model=None, examples=0, input="nothing")
SPENT = {"seconds": 1.5, "model_calls": 2, "input_tokens": 3, "output_tokens": 4, "money": 0.25}
RESOLVED = RunResolved(reason="done", cached=False, source_hash=None, **SPENT)  # type: ignore[arg-type]
COLLAPSED = RunCollapsed(
    intent="count",
    depth=0,
    reason="no",
    code="CONFLICT",
    ground_value=None,
    status="collapsed",
    **SPENT,  # type: ignore[arg-type]
)
ENTRY = DoctorAttacked(level="x", cases=1, contained=1)


@pytest.fixture
def lose(settings: Settings) -> Callable[[], None]:
    """Return what takes every lock away behind the backs of those who have it."""
    if settings.store.database_url:
        return lambda: end_sessions(settings)
    return lambda: shutil.rmtree(settings.state / "claims")


def taken(ledger: Ledger, lose: Callable[[], None]) -> tuple[Claim, Claim]:
    """Return the claim of somebody who lost the lock, and that of the one who has it now."""
    first = ledger.claim("r-1")
    lose()
    return first, ledger.claim("r-1")


def test_f1_every_claim_is_a_new_generation_and_an_event(ledger: Ledger) -> None:
    for number in (1, 2, 3):
        with ledger.claim("r-1") as claim:
            assert claim.fence == ("r-1", number)
    told = [(event.kind, event.payload["generation"]) for event in ledger.read(subject="r-1")]
    assert told == [("run.claimed", 1), ("run.claimed", 2), ("run.claimed", 3)]


def test_f1_who_lost_the_claim_appends_nothing_in_any_of_its_appends(ledger: Ledger, lose: Callable[[], None]) -> None:
    first, second = taken(ledger, lose)
    lost, held = ledger.fenced(first.fence), ledger.fenced(second.fence)
    before = ledger.count()
    for subject in ("r-1", "r-1/0.2", "anything"):
        with pytest.raises(ConflictError, match=r"r-1 was taken up by process \d+ on .* \(generation 2\)"):
            lost.append_many([ENTRY, ENTRY], subject=subject)
    with pytest.raises(ConflictError):
        lost.check_fence()
    assert ledger.count() == before
    held.check_fence()
    held.append(BEGAN, subject="r-1")
    second.close()


def test_f1_a_lock_that_was_merely_lost_keeps_its_generation(ledger: Ledger, lose: Callable[[], None]) -> None:
    with ledger.claim("r-1") as claim:
        lose()
        ledger.fenced(claim.fence).append(ENTRY, subject="r-1")
        claim.check()
        assert claim.fence.generation == 1
        with pytest.raises(ConflictError, match="is being run by"):
            ledger.claim("r-1")


def test_f1_a_lock_that_another_had_in_between_is_lost_for_good(ledger: Ledger, lose: Callable[[], None]) -> None:
    first, second = taken(ledger, lose)
    second.close()
    for _ in range(2):
        with pytest.raises(ConflictError):
            first.check()
    ledger.claim("r-1").close()


def test_f2_the_end_of_a_run_is_never_rewritten(ledger: Ledger, lose: Callable[[], None]) -> None:
    first, second = taken(ledger, lose)
    held = ledger.fenced(second.fence)
    held.append_many([BEGAN, RESOLVED], subject="r-1")
    for late in (ledger.fenced(first.fence), held, ledger):
        with pytest.raises(ConflictError):
            late.append_many([ENTRY, COLLAPSED], subject="r-1")
    second.close()
    row = ledger.run("r-1")
    assert row is not None
    assert (row.status, row.generation, ledger.count(kind="run.collapsed")) == ("resolved", 2, 0)


def test_f2_a_run_that_is_taken_up_again_has_another_end(ledger: Ledger) -> None:
    with ledger.claim("r-1"):
        ledger.append_many([BEGAN, COLLAPSED, RunResumed(by="b", proven=0, kept=0), RESOLVED], subject="r-1")
    row = ledger.run("r-1")
    assert row is not None
    assert (row.status, row.seconds, row.model_calls, row.micros) == ("resolved", 3.0, 2, 250_000)


def test_f4_looking_at_a_run_takes_no_lock_and_leaves_its_owner_alone(settings: Settings, ledger: Ledger) -> None:
    claim = ledger.claim("r-1")
    ledger.append(BEGAN, subject="r-1")
    with Ledger.open(settings) as other:
        for _ in range(20):
            assert [row.status for row in other.runs()] == ["running"]
            # Somebody who looks has nothing that the next one would have to wait for.
            claim.close()
            assert [row.status for row in other.runs()] == ["interrupted"]
            claim = ledger.claim("r-1")
    claim.close()


def test_f4_a_cancelled_run_that_nobody_is_at_is_told_apart(ledger: Ledger) -> None:
    with ledger.claim("r-1"):
        planned = Planned(intent="count", tree="t", nodes=7, by="hand", seq=0, options={})
        ledger.append_many([BEGAN, planned, RunCancelled(by="ada", reason="")], subject="r-1")
        assert [row.status for row in ledger.runs(status=["running"])] == ["running"]
    assert [(row.status, row.nodes) for row in ledger.runs()] == [("cancelled", 7)]
    assert [row.id for row in ledger.runs(status=["cancelled"])] == ["r-1"]
    assert list(ledger.runs(status=["interrupted", "running"])) == []


def test_f4_runs_have_pages_and_filters(ledger: Ledger) -> None:
    for number in range(250):
        end = RESOLVED if number % 2 else COLLAPSED
        ledger.append_many([BEGAN, end], subject=f"r-{number}")
    every = list(ledger.runs())
    assert [row.id for row in every] == [f"r-{number}" for number in reversed(range(250))]
    assert [row.id for row in ledger.runs(limit=3, before=every[9].began)] == ["r-239", "r-238", "r-237"]
    assert [row.id for row in ledger.runs(status=["resolved"], limit=2)] == ["r-249", "r-247"]
    assert [row.id for row in ledger.runs(since=every[4].at)] == ["r-249", "r-248", "r-247", "r-246", "r-245"]
    assert len(list(ledger.runs(status=["resolved", "collapsed"]))) == 250
