"""The kill switch: seen by every process, off only where the ledger says so."""

from __future__ import annotations

from contextlib import closing

import pytest

from mayfly.core import InputError, Settings, StoreError
from mayfly.store import Killed, KillSwitch, KillSwitched, Ledger, Switch
from mayfly.testing import FakeClock

from .conftest import FRESH, Plain


def test_a_switch_nobody_touched_is_off(ledger: Ledger) -> None:
    switch = KillSwitch(ledger)
    assert switch.state() == Switch(on=False)
    switch.check()
    assert ledger.count() == FRESH


def test_a_switch_that_was_turned_without_a_reason_says_by_whom(ledger: Ledger) -> None:
    switch = KillSwitch(ledger)
    switch.turn_on(by="ada", reason="")
    with pytest.raises(Killed, match=r"^killed by ada; mayfly kill off$"):
        switch.check()


def test_turning_it_on_stops_and_off_lets_go(ledger: Ledger) -> None:
    switch = KillSwitch(ledger)
    switch.check()
    turned = switch.turn_on(by="ada", reason="odd payments")
    assert (turned.on, turned.by, turned.reason) == (True, "ada", "odd payments")
    assert switch.state() == turned
    with pytest.raises(Killed, match="killed by ada: odd payments; mayfly kill off") as caught:
        switch.check()
    assert caught.value.code == "KILLED"
    assert not switch.turn_off(by="ada", reason="explained").on
    switch.check()
    told = [event.data for event in ledger.read(kind="kill.switched")]
    assert told == [
        KillSwitched(on=True, by="ada", reason="odd payments"),
        KillSwitched(on=False, by="ada", reason="explained"),
    ]


def test_another_process_and_the_next_start_see_it(settings: Settings, ledger: Ledger) -> None:
    KillSwitch(ledger).turn_on(by="ada", reason="stop")
    with Ledger.open(settings) as other, pytest.raises(Killed):
        KillSwitch(other).check()


def test_off_is_remembered_for_as_long_as_was_said_and_no_longer(settings: Settings, ledger: Ledger) -> None:
    clock = FakeClock(100.0)
    with Ledger.open(settings) as other:
        switch = KillSwitch(ledger, cache=1.0, clock=clock)
        switch.check()
        KillSwitch(other).turn_on(by="ada", reason="stop")
        clock.now += 0.9
        switch.check()
        clock.now += 0.1
        with pytest.raises(Killed):
            switch.check()


def test_a_clock_that_is_set_back_makes_no_look_younger(settings: Settings, ledger: Ledger) -> None:
    clock = FakeClock(100.0)
    switch = KillSwitch(ledger, cache=1.0, clock=clock)
    switch.check()
    KillSwitch(ledger).turn_on(by="ada", reason="stop")
    clock.now -= 50
    with pytest.raises(Killed):
        switch.check()


def test_on_is_never_remembered(settings: Settings, ledger: Ledger) -> None:
    switch = KillSwitch(ledger, cache=1000, clock=FakeClock(100.0))
    with Ledger.open(settings) as other:
        KillSwitch(other).turn_on(by="ada", reason="stop")
        with pytest.raises(Killed):
            switch.check()
        KillSwitch(other).turn_off(by="ada", reason="go")
        switch.check()


def test_without_a_cache_every_look_is_fresh(settings: Settings, ledger: Ledger) -> None:
    switch = KillSwitch(ledger, cache=0, clock=FakeClock(100.0))
    switch.check()
    with Ledger.open(settings) as other:
        KillSwitch(other).turn_on(by="ada", reason="stop")
    with pytest.raises(Killed):
        switch.check()


def test_ones_own_turn_is_felt_at_once(ledger: Ledger) -> None:
    switch = KillSwitch(ledger, cache=1000, clock=FakeClock(100.0))
    switch.check()
    switch.turn_on(by="ada", reason="stop")
    with pytest.raises(Killed):
        switch.check()


def test_a_look_that_was_overtaken_is_not_remembered(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    switch = KillSwitch(ledger, cache=1000, clock=FakeClock(100.0))
    seen = switch.state()

    def overtaken() -> Switch:
        monkeypatch.undo()
        switch.turn_on(by="ada", reason="stop")
        return seen

    monkeypatch.setattr(switch, "state", overtaken)
    switch.check()
    with pytest.raises(Killed):
        switch.check()


def test_a_ledger_that_is_closed_means_killed(settings: Settings) -> None:
    ledger = Ledger.open(settings)
    switch = KillSwitch(ledger, cache=0)
    switch.check()
    ledger.close()
    with pytest.raises(Killed, match="cannot be read: the ledger is closed"):
        switch.check()
    with pytest.raises(StoreError):
        switch.turn_off(by="ada", reason="go")


def test_a_database_that_fails_means_killed_once_the_last_look_is_old(ledger: Ledger, plain: Plain) -> None:
    clock = FakeClock(100.0)
    switch = KillSwitch(ledger, cache=1.0, clock=clock)
    switch.check()
    plain.unguard("mayfly_events")
    plain.run("ALTER TABLE mayfly_events RENAME TO mayfly_away")
    clock.now += 1
    with pytest.raises(Killed, match="the kill switch cannot be read"):
        switch.check()
    assert switch.state().on
    plain.run("ALTER TABLE mayfly_away RENAME TO mayfly_events")
    switch.check()


@pytest.mark.parametrize(
    "payload", ["{}", '{"on": 0}', '{"on": "false"}', '{"on": null}', '{"by": 3}', "[]", "no JSON"]
)
def test_only_a_plain_false_is_off(settings: Settings, ledger: Ledger, payload: str) -> None:
    with closing(Plain(settings)) as plain:
        row = f"{FRESH + 1}, '2040-01-01T00:00:00+00:00', 'w', 'kill.switched', 'kill', '{payload}'"
        plain.run(f"INSERT INTO mayfly_events VALUES ({row})")
    with pytest.raises(Killed):
        KillSwitch(ledger).check()


@pytest.mark.parametrize("cache", [-1, float("nan"), float("inf")])
def test_a_cache_that_could_last_for_ever_is_a_mistake(ledger: Ledger, cache: float) -> None:
    with pytest.raises(InputError):
        KillSwitch(ledger, cache=cache)


def test_somebody_turns_it(ledger: Ledger) -> None:
    with pytest.raises(InputError, match="by whom"):
        KillSwitch(ledger).turn_on(by=" ", reason="stop")
    assert not KillSwitch(ledger).state().on
