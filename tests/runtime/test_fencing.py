"""A driver that lost its claim in the middle of a slow effect, and a second one that goes on with the run at once."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
import pytest

from mayfly.core import Capability, ConflictError, Invocation, Outcome, PromiseSettings, Settings, StoreSettings
from mayfly.operations import runs
from mayfly.promise import Promise, unknown_effects
from mayfly.runtime import Runtime
from mayfly.store import Ledger

SESSIONS = "FROM pg_stat_activity WHERE application_name LIKE 'mayfly%' AND datname = current_database()"


@pytest.fixture(params=["sqlite", "postgres"])
def settings(request: pytest.FixtureRequest, state: Path) -> Settings:
    url = request.getfixturevalue("postgres_url") if request.param == "postgres" else ""
    quick = PromiseSettings(retries=3, retry_delay=0.05)
    return Settings(state_dir=str(state), store=StoreSettings(database_url=url), promise=quick)


def lose_claims(settings: Settings) -> None:
    """Take every lock away behind the backs of those who have it, as a lost session of the database does."""
    if not settings.store.database_url:
        shutil.rmtree(settings.state / "claims", ignore_errors=True)
        return
    with psycopg.connect(settings.store.database_url, autocommit=True) as plain:
        # Who lost a session may open another meanwhile, so those that are there are ended until there is none.
        while plain.execute(f"SELECT pg_terminate_backend(pid) {SESSIONS}".encode()).fetchone():
            time.sleep(0.01)


def claim_away(settings: Settings, run: str) -> int:
    """Claim a run whose driver loses its claim, however quick that is to take it again; return what was recorded."""
    for _ in range(50):
        lose_claims(settings)
        with Ledger.open(settings) as other:
            try:
                other.claim(run).close()
            except ConflictError:
                continue
            return other.count()
    raise AssertionError("the driver was always quicker")


@dataclass
class Receiver:
    """Count what arrives by key; the first thing that arrives is received slowly, and *meanwhile* something happens."""

    meanwhile: Callable[[str], None]
    calls: list[str] = field(default_factory=list)
    happened: threading.Event = field(default_factory=threading.Event)

    def __call__(self, asked: Invocation) -> object:
        self.calls.append(asked.key)
        if len(self.calls) == 1:
            try:
                self.meanwhile(asked.key.partition("/")[0])
            finally:
                self.happened.set()
        return {"received": asked.key.partition("/")[2]}


def first_then_second() -> Promise[Any]:
    root: Promise[Any] = Promise("send both", ground="not sent")
    root.add(Promise("send the first", ground=None, name="a", capability="send"))
    root.add(Promise("send the second", ground=None, name="b", after=("a",), capability="send"))
    return root


@pytest.fixture
def drive(settings: Settings) -> Callable[[str, Receiver], Outcome[Any]]:
    def resolve(effect: Any, receiver: Receiver) -> Outcome[Any]:
        send = Capability(name="send", summary="send", call=receiver, effect=effect)
        with Runtime(settings, capabilities=[send]) as runtime:
            outcome = runtime.resolve(first_then_second())
        # A driver that finds its claim taken stops at once and leaves the slow effect to its own thread.
        assert receiver.happened.wait(60)
        return outcome

    return resolve


def ends(settings: Settings, run: str) -> list[str]:
    """Return the ends of a run in the ledger, each with its code."""
    with Ledger.open(settings) as ledger:
        found = [event for event in ledger.read(subject=run) if event.kind in ("run.resolved", "run.collapsed")]
        return [str(event.payload.get("code", "resolved")) for event in found]


def resume(settings: Settings, effect: Any, receiver: Receiver, run: str) -> Outcome[Any]:
    send = Capability(name="send", summary="send", call=receiver, effect=effect)
    with Runtime(settings, capabilities=[send]) as other:
        return other.resume(run)


def take_up(settings: Settings, effect: Any, receiver: Receiver, run: str) -> Outcome[Any]:
    """Take a run up whose driver has lost its claim; the driver may find out first and take it again, so try again."""
    for _ in range(50):
        lose_claims(settings)
        try:
            outcome = resume(settings, effect, receiver, run)
        except ConflictError:
            continue
        if outcome.code != "CONFLICT":
            return outcome
    raise AssertionError("the driver was always quicker")


@pytest.mark.parametrize("effect", ["once", "idempotent"])
def test_f1_a_driver_that_lost_its_claim_sends_and_records_nothing_more(
    settings: Settings, drive: Callable[[str, Receiver], Outcome[Any]], effect: str
) -> None:
    seen: list[int] = []

    def taken_up(run: str) -> None:
        seen.append(claim_away(settings, run))

    receiver = Receiver(taken_up)
    outcome = drive(effect, receiver)
    assert (outcome.code, outcome.value) == ("CONFLICT", "not sent")
    # Which of the two it is told depends on whether it looks while the other one still holds the claim.
    assert any(f"{outcome.id} {words} " in outcome.reason for words in ("was taken up by", "is being run by"))
    assert receiver.calls == [f"{outcome.id}/0.1"]
    with Ledger.open(settings) as ledger:
        assert [ledger.count()] == seen
        (line,) = runs(ledger)
        assert (line.status, line.generation) == ("interrupted", 2)


def test_f1_a_once_effect_that_is_under_way_is_not_sent_by_whoever_takes_the_run_up(
    settings: Settings, drive: Callable[[str, Receiver], Outcome[Any]]
) -> None:
    others: list[Outcome[Any]] = []

    def eager(run: str) -> None:
        others.append(take_up(settings, "once", receiver, run))

    receiver = Receiver(eager)
    outcome = drive("once", receiver)
    assert (outcome.code, [other.code for other in others]) == ("CONFLICT", ["UNKNOWN"])
    assert receiver.calls == [f"{outcome.id}/0.1"]
    with Ledger.open(settings) as ledger:
        assert [effect.id for effect in unknown_effects(ledger)] == [f"{outcome.id}/0.1"]
    assert ends(settings, outcome.id) == ["UNKNOWN"]


def test_f2_the_end_that_the_second_driver_wrote_stays_the_end(
    settings: Settings, drive: Callable[[str, Receiver], Outcome[Any]]
) -> None:
    others: list[Outcome[Any]] = []

    def eager(run: str) -> None:
        others.append(take_up(settings, "idempotent", receiver, run))

    receiver = Receiver(eager)
    outcome = drive("idempotent", receiver)
    assert (outcome.code, [other.status for other in others]) == ("CONFLICT", ["resolved"])
    keys = [f"{outcome.id}/{node}" for node in ("0.1", "0.1", "0.2")]
    assert (receiver.calls, ends(settings, outcome.id)) == (keys, ["resolved"])
    with Ledger.open(settings) as ledger:
        (line,) = runs(ledger)
        assert (line.status, line.resolved, line.nodes, line.generation) == ("resolved", 3, 3, 2)


def test_f1_a_claim_that_was_merely_lost_is_taken_again_and_the_run_goes_on(
    settings: Settings, drive: Callable[[str, Receiver], Outcome[Any]]
) -> None:
    receiver = Receiver(lambda run: lose_claims(settings))
    outcome = drive("once", receiver)
    assert (outcome.status, len(receiver.calls)) == ("resolved", 2)
    assert ends(settings, outcome.id) == ["resolved"]


def test_f1_an_effect_that_was_under_way_is_told_although_its_promise_is_not_reached_again(settings: Settings) -> None:
    broken: list[str] = []

    def first(asked: Invocation) -> object:
        if broken:
            raise OSError("broken")
        return "fine"

    def taken_up(run: str) -> None:
        claim_away(settings, run)

    receiver = Receiver(taken_up)
    capabilities = [
        # Without a value that is kept, the first one is tried again when the run is taken up.
        Capability(name="first", summary="first", call=lambda asked: first(asked) and object()),
        Capability(name="send", summary="send", call=receiver, effect="once"),
    ]
    root: Promise[Any] = Promise("both", ground="ground")
    root.add(Promise("first", ground=None, name="a", capability="first"))
    root.add(Promise("send", ground=None, name="b", after=("a",), capability="send"))
    with Runtime(settings, capabilities=capabilities) as runtime:
        run = runtime.resolve(root).id
        broken.append("now")
        assert not runtime.resume(run).resolved
        assert [effect.id for effect in unknown_effects(runtime.ledger)] == [f"{run}/0.2"]
    assert len(receiver.calls) == 1
