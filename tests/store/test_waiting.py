"""What waits for somebody is told by the indices: what was ended is not read."""

from __future__ import annotations

from mayfly.forge import Inbox
from mayfly.forge._events import RunBegan
from mayfly.store import DoctorAttacked, Ledger, SandboxRan

ASKED = DoctorAttacked(level="x", cases=0, contained=0)
ENDED = SandboxRan(status="ok", level="landlock", lane="one-shot", milliseconds=1.0, source_hash="")
BEGAN = RunBegan(intent="count", tier="memo", depth=0, model=None, examples=0, input="nothing")


def subjects(ledger: Ledger, *, later: bool = False) -> list[str]:
    found = ledger.waiting("doctor.attacked", ended_by=["sandbox.ran", "run.began"], later=later)
    return [event.subject for event in found]


def test_what_was_ended_by_any_of_the_kinds_does_not_wait(ledger: Ledger) -> None:
    for subject in ("a", "b", "c"):
        ledger.append(ASKED, subject=subject)
    ledger.append(ENDED, subject="a")
    ledger.append(BEGAN, subject="c")
    assert subjects(ledger) == ["b"]


def test_what_is_asked_once_more_waits_where_only_a_later_end_counts(ledger: Ledger) -> None:
    for event in (ASKED, ENDED, ASKED):
        ledger.append(event, subject="a")
    assert subjects(ledger) == []
    assert subjects(ledger, later=True) == ["a"]
    ledger.append(ENDED, subject="a")
    assert subjects(ledger, later=True) == []


def test_more_than_a_page_waits_in_order(ledger: Ledger) -> None:
    from mayfly.store import Event

    named = [f"s-{number}" for number in range(250)]
    ledger.append_many([Event.of(ASKED, subject=name) for name in named])
    ledger.append_many([Event.of(ENDED, subject=name) for name in named[::10]])
    assert subjects(ledger) == [name for place, name in enumerate(named) if place % 10]


def test_an_inbox_of_a_fresh_ledger_is_empty(ledger: Ledger) -> None:
    assert Inbox(ledger).list() == []


def test_sums_are_those_of_the_last_append_whoever_made_it(ledger: Ledger) -> None:
    from mayfly.promise._events import Planned

    planned = Planned(intent="x", tree="", nodes=3, by="hand", seq=0, options={})
    assert ledger.totals().nodes == 0
    ledger.append(planned, subject="r-1")
    first = ledger.totals()
    assert first.nodes == 3
    first.codes["made up"] = 1
    assert ledger.totals().codes == {}
    with Ledger.open(ledger._settings) as other:
        other.append(planned, subject="r-2")
    assert ledger.totals().nodes == 6
