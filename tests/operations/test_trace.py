"""A trace and its reasons as data, out of a ledger whose run was interrupted."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.trees import RUN, interrupted
from mayfly.core import InputError, Settings
from mayfly.operations import Reasons, Trace, event_words, has_tree, runs, tell
from mayfly.store import Ledger


@pytest.fixture
def ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ledger]:
    monkeypatch.setenv("MAYFLY_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)
    interrupted()
    with Ledger.open(Settings.load()) as opened:
        yield opened


def test_a_run_with_a_tree_is_known_as_one(ledger: Ledger) -> None:
    assert has_tree(ledger, RUN)
    assert not has_tree(ledger, "r-00000000")
    assert not has_tree(ledger, "")


def test_a_trace_has_costs_and_events_in_order(ledger: Ledger) -> None:
    trace = Trace(ledger, RUN)
    assert trace.costs() == {"0.1.1": {"model_calls": 2, "money": 0.01}}
    assert [event.id for event in trace.events] == sorted(event.id for event in trace.events)
    assert "effect.unknown" in [event.kind for event in trace.events]


def test_a_trace_of_one_promise_has_nothing_of_its_siblings(ledger: Ledger) -> None:
    trace = Trace(ledger, RUN, "0.1.1")
    assert {event.payload.get("node") for event in trace.events} == {"0.1.1"}
    assert trace.to_json()["id"] == f"{RUN}/0.1.1"


def test_a_promise_that_is_not_there_is_named_as_it_was_asked_for(ledger: Ledger) -> None:
    with pytest.raises(InputError, match=r"has no promise 0\.9"):
        Trace(ledger, RUN, "0.9")


def test_an_event_is_said_in_the_words_it_was_recorded_with(ledger: Ledger) -> None:
    planned = next(event for event in Trace(ledger, RUN).events if event.kind == "promise.planned")
    assert event_words(planned) == "6 promises, by somebody"


def test_reasons_lead_to_the_ground_and_to_the_effect(ledger: Ledger) -> None:
    reasons = Reasons(ledger, RUN)
    assert reasons.chain[0].id == "0"
    assert [promise.id for promise in reasons.proven] == ["0.1.1"]
    assert [effect["state"] for effect in reasons.sent()] == ["unknown"]
    assert reasons.status == "interrupted"


def test_runs_are_counted_by_how_their_promises_stand(ledger: Ledger) -> None:
    [line] = runs(ledger)
    assert (line.id, line.status, line.nodes, line.resolved, line.collapsed) == (RUN, "interrupted", 6, 1, 1)
    assert line.to_json()["at"] == line.at.isoformat()


def test_a_story_is_told_a_line_for_each_thing(ledger: Ledger) -> None:
    began = ledger.last(kind="run.began", subject=RUN)
    assert began is not None
    assert list(tell([began])) == [
        "asked: Fix the bug in auth module",
        "  tier memo, depth 0, 0 examples, no model: programs by example",
    ]
