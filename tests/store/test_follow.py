"""Following: what any process appends arrives within a second, in order, and nothing is missed."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from mayfly.core import Settings
from mayfly.store import Event, Ledger

from .test_fencing import ENTRY
from .worker import finish, start


@contextmanager
def following(ledger: Ledger, **wanted: object) -> Iterator[list[tuple[float, Event]]]:
    """Follow in a thread; yield what has come, each with the moment at which it came."""
    come: list[tuple[float, Event]] = []
    stop, ready = threading.Event(), threading.Event()

    def collect() -> None:
        ready.set()
        for event in ledger.follow(stop=stop, **wanted):  # type: ignore[arg-type]
            come.append((time.monotonic(), event))

    thread = threading.Thread(target=collect)
    thread.start()
    assert ready.wait(10)
    try:
        yield come
    finally:
        stop.set()
        thread.join(10)
        assert not thread.is_alive()


def wait_for(come: list[tuple[float, Event]], number: int) -> None:
    deadline = time.monotonic() + 60
    while len(come) < number and time.monotonic() < deadline:
        time.sleep(0.01)


def test_f7_events_of_another_process_arrive_in_order(settings: Settings, ledger: Ledger) -> None:
    with following(ledger, after=ledger.before_last(0)) as come:
        finish(start("append", 20, store=settings), "go\n")
        wait_for(come, 20)
    assert [event.payload["cases"] for _, event in come] == list(range(20))
    assert {event.writer.split(":")[1] for _, event in come} != {str(os.getpid())}


def test_f7_only_what_is_wanted_is_told(ledger: Ledger) -> None:
    with following(ledger, after=0, subject="b", kind="doctor.attacked") as come:
        for subject in ("a", "b", "c", "b"):
            ledger.append(ENTRY, subject=subject)
        wait_for(come, 2)
    assert [event.subject for _, event in come] == ["b", "b"]


def test_f7_what_was_there_before_is_told_where_that_is_asked_for(ledger: Ledger) -> None:
    kept = ledger.append(ENTRY, subject="a")
    with following(ledger, after=kept.id - 1) as come:
        wait_for(come, 1)
    assert [event for _, event in come] == [kept]


def test_f7_a_follower_leaves_no_connection_behind_and_survives_a_fork(settings: Settings, ledger: Ledger) -> None:
    with following(ledger, after=ledger.before_last(0)) as come:
        ledger.append(ENTRY, subject="a")
        wait_for(come, 1)
        child = os.fork()
        if child == 0:
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        ledger.append(ENTRY, subject="b")
        wait_for(come, 2)
    assert [event.subject for _, event in come] == ["a", "b"]
    assert list(ledger._database._ears) == [] or all(ear._driver is None for ear in ledger._database._ears)
