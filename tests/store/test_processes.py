"""Many processes, killed processes, forked processes: the order holds and nothing acknowledged is lost."""

from __future__ import annotations

import json
import threading
from collections import defaultdict
from contextlib import closing

import pytest

from mayfly.core import Settings
from mayfly.store import DoctorAttacked, Event, Ledger

from .conftest import FRESH, Plain
from .worker import finish, finish_together, start

ENTRY = DoctorAttacked(level="test", cases=0, contained=0)


def by_writer(events: list[Event]) -> dict[str, list[object]]:
    found: dict[str, list[object]] = defaultdict(list)
    for event in events:
        found[event.writer].append(event.payload["cases"])
    return found


@pytest.mark.timeout(900)
def test_eight_processes_append_at_once_and_each_in_order(settings: Settings, ledger: Ledger) -> None:
    # So many that all of them are at it together for most of the time, and few enough for every run of the tests.
    number = 300
    workers = [start("append", number, store=settings) for _ in range(8)]
    assert finish_together(workers) == [["done"]] * 8
    events = list(ledger.read(subject="many"))
    assert [e.id for e in events] == list(range(FRESH + 1, FRESH + 8 * number + 1))
    assert [e.at for e in events] == sorted(e.at for e in events)
    assert list(by_writer(events).values()) == [list(range(number))] * 8


def test_a_tail_reader_misses_nothing_while_others_append(settings: Settings, ledger: Ledger) -> None:
    workers = [start("append", 200, store=settings) for _ in range(3)]
    threads = [threading.Thread(target=finish, args=(worker, "go\n")) for worker in workers]
    for thread in threads:
        thread.start()
    seen, last = [], FRESH
    while last < FRESH + 600:
        for event in ledger.read(after=last):
            seen.append(event)
            last = event.id
    for thread in threads:
        thread.join()
    assert seen == list(ledger.read(subject="many"))


def test_an_append_waits_for_one_numbered_before_it_and_not_yet_visible(settings: Settings, ledger: Ledger) -> None:
    with closing(Plain(settings)) as other:
        other.run("BEGIN IMMEDIATE" if other.dialect == "sqlite" else "BEGIN")
        row = f"{FRESH + 1}, '2040-01-01T00:00:00+00:00', 'w', 'other.happened', 's', '{{}}'"
        other.run(f"INSERT INTO mayfly_events VALUES ({row})")
        second = threading.Thread(target=ledger.append, args=(ENTRY,), kwargs={"subject": "s"})
        second.start()
        second.join(0.3)
        assert second.is_alive()
        assert list(ledger.read(after=FRESH)) == []
        other.run("COMMIT")
        second.join()
    assert [e.kind for e in ledger.read(after=FRESH)] == ["other.happened", "doctor.attacked"]


def test_a_killed_writer_loses_nothing_acknowledged_and_leaves_nothing_half(settings: Settings, ledger: Ledger) -> None:
    for _ in range(3):
        worker = start("append_for_ever", 7, store=settings)
        assert worker.stdout is not None
        acknowledged = [int(worker.stdout.readline()) for _ in range(40)]
        worker.kill()
        acknowledged += [int(line) for line in worker.stdout.read().splitlines() if line]
        worker.communicate()
        last = ledger.append(ENTRY, subject="after")
        events = list(ledger.read())
        assert [e.id for e in events] == list(range(1, last.id + 1))
        assert set(acknowledged) <= {e.id for e in events}
        groups: dict[tuple[str, str], int] = defaultdict(int)
        for event in events[FRESH:]:
            groups[event.writer, event.subject] += event.subject.startswith("group-")
        assert set(groups.values()) <= {0, 7}


def test_fork_beside_threads_and_open_connections_is_safe(settings: Settings, ledger: Ledger) -> None:
    assert json.loads(finish(start("fork", 30, store=settings))[-1]) == [0] * 5
    events = list(ledger.read(kind="doctor.attacked"))
    for subject in ("parent", "thread-0", "thread-1", *(f"child-{n}" for n in range(5))):
        assert [e.payload["cases"] for e in events if e.subject == subject] == list(range(30))
    assert len(by_writer(events)) == 6
    assert [e.id for e in events] == list(range(FRESH + 1, FRESH + 241))
