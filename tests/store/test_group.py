"""Many threads append at once: one transaction for those who wait, and each gets its own answer."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import replace
from typing import Any

import pytest

from mayfly.core import ConflictError, SecretValues, Settings, StoreError
from mayfly.forge._events import RunBegan, RunCollapsed
from mayfly.store import DoctorAttacked, Event, Ledger
from mayfly.store._append import Append
from mayfly.store._database import Connection
from mayfly.store._events import checked
from mayfly.store._group import MOST, GroupCommit, write_group

from .conftest import Plain

BEGAN = RunBegan(intent="count", tier="memo", depth=0, model=None, examples=0, input="nothing")
ENDED = RunCollapsed(
    intent="count",
    depth=0,
    reason="no",
    code="WEAK",
    ground_value=None,
    status="collapsed",
    seconds=1.0,
    model_calls=0,
    input_tokens=0,
    output_tokens=0,
    money=0.0,
)


def entry(number: int) -> DoctorAttacked:
    return DoctorAttacked(level="x", cases=number, contained=0)


def pending(*payloads: Any, subject: str = "s", fence: Any = None) -> Append:
    return Append([checked(payload, subject, SecretValues().now()) for payload in payloads], fence=fence)


class Held:
    """Keep the ledger busy until it is let go, so that whoever appends meanwhile has to wait."""

    def __init__(self, settings: Settings) -> None:
        self._plain = Plain(settings)
        self._plain.run("BEGIN IMMEDIATE" if self._plain.dialect == "sqlite" else "BEGIN")
        if self._plain.dialect != "sqlite":
            self._plain.run("SELECT pg_advisory_xact_lock(hashtextextended('mayfly_events', 0))")

    def close(self) -> None:
        self._plain.run("ROLLBACK")
        self._plain.close()


def waiting(ledger: Ledger, number: int) -> Callable[[], bool]:
    return lambda: len(ledger._appends._waiting) >= number


def until(condition: Callable[[], bool]) -> None:
    pause = threading.Event()
    while not condition():
        pause.wait(0.005)


@pytest.fixture
def transactions(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Count the transactions that write."""
    begun: list[int] = []
    plain = ledger._database.transaction

    @contextmanager
    def counted(**options: Any) -> Iterator[Connection]:
        if options.get("writing"):
            begun.append(1)
        with plain(**options) as connection:
            yield connection

    monkeypatch.setattr(ledger._database, "transaction", counted)
    return begun


def append_together(ledger: Ledger, settings: Settings, entries: Sequence[Sequence[Any]]) -> list[Future[list[Event]]]:
    """Append from as many threads at once: the first waits for the ledger, the others for the first."""
    with ThreadPoolExecutor(len(entries)) as threads:
        with closing(Held(settings)):
            first = threads.submit(ledger.append_many, entries[0], subject="0")
            until(lambda: ledger._appends._busy)
            others = []
            for number, some in enumerate(entries[1:], 1):
                others.append(threads.submit(ledger.append_many, some, subject=str(number)))
                until(waiting(ledger, number))
        return [first, *others]


def test_what_waits_is_written_in_one_transaction_in_the_order_it_came(
    ledger: Ledger, settings: Settings, transactions: list[int]
) -> None:
    entries = [[entry(10 * number), entry(10 * number + 1)] for number in range(9)]
    answers = [future.result() for future in append_together(ledger, settings, entries)]
    assert len(transactions) == 2
    recorded = [event for some in answers for event in some]
    assert recorded == list(ledger.read(kind="doctor.attacked"))
    assert [event.payload["cases"] for event in recorded] == [10 * n + m for n in range(9) for m in range(2)]


def test_each_append_of_a_group_has_a_link_of_its_own_and_the_chain_holds(
    ledger: Ledger, settings: Settings, plain: Plain
) -> None:
    before = len(plain.run("SELECT last FROM mayfly_links"))
    answers = [future.result() for future in append_together(ledger, settings, [[entry(1), entry(2)]] * 5)]
    links = plain.run("SELECT first, last FROM mayfly_links ORDER BY last")[before:]
    assert links == [(some[0].id, some[-1].id) for some in answers]
    assert ledger.verify().ok


def test_an_append_that_is_refused_fails_alone(ledger: Ledger) -> None:
    lost = ledger.claim("r-1").fence
    ledger._begin_generation("r-1", [])
    ledger.append_many([BEGAN, ENDED], subject="r-2")
    group = [pending(entry(1)), pending(entry(2), fence=lost), pending(ENDED, subject="r-2"), pending(entry(3))]
    write_group(group, ledger._writing)
    assert [append.recorded is not None for append in group] == [True, False, False, True]
    assert [type(append.error) for append in group[1:3]] == [ConflictError] * 2
    assert "taken up" in str(group[1].error)
    assert "ended already" in str(group[2].error)
    assert [event.payload["cases"] for event in ledger.read(kind="doctor.attacked")] == [1, 3]
    assert ledger.verify().ok


def test_an_append_is_held_against_what_those_before_it_in_the_group_leave(ledger: Ledger) -> None:
    group = [pending(BEGAN, subject="r-1"), pending(ENDED, subject="r-1"), pending(ENDED, subject="r-1")]
    write_group(group, ledger._writing)
    assert [type(append.error) for append in group] == [type(None), type(None), ConflictError]
    row = ledger.run("r-1")
    assert row is not None
    assert row.status == "collapsed"


def test_what_is_too_much_for_one_transaction_is_written_in_the_next(
    ledger: Ledger, settings: Settings, transactions: list[int]
) -> None:
    entries = [[entry(0)], [entry(1)] * (MOST - 1), [entry(2)], [entry(3)]]
    for future in append_together(ledger, settings, entries):
        future.result()
    # The first alone; then as many as fit, which are the long one and one more; then the last.
    assert len(transactions) == 3
    assert ledger.count(kind="doctor.attacked") == MOST + 2


def test_a_ledger_that_is_busy_tells_everybody_who_waits(settings: Settings) -> None:
    settings = replace(settings, store=replace(settings.store, busy_timeout=0.1))
    with Ledger.open(settings) as ledger, closing(Held(settings)):
        group = [pending(entry(1)), pending(entry(2))]
        write_group(group, ledger._writing)
        assert all("locked by another process" in str(append.error) for append in group)
        assert group[0].error is not group[1].error


class Interrupted:
    """A way to write that is interrupted before or at the commit."""

    def __init__(self, ledger: Ledger, *, at_commit: bool) -> None:
        self._ledger = ledger
        self._at_commit = at_commit

    def __call__(self) -> AbstractContextManager[Connection]:
        return self._begin()

    @contextmanager
    def _begin(self) -> Iterator[Connection]:
        with self._ledger._writing() as connection:
            if not self._at_commit:
                raise KeyboardInterrupt
            yield connection
            raise KeyboardInterrupt


def interrupt_a_group(ledger: Ledger, *, at_commit: bool) -> Append:
    """Have the thread that writes for another one interrupted; return what the other one had to say."""
    queue, other = GroupCommit(), pending(entry(2))
    queue._waiting.append(other)
    with pytest.raises(KeyboardInterrupt):
        queue.record(pending(entry(1)), Interrupted(ledger, at_commit=at_commit))
    if not other.answered:
        queue._waiting.remove(other)
        queue.record(other, ledger._writing)
    assert not queue._busy
    assert not queue._waiting
    return other


def test_who_waits_for_a_thread_that_is_interrupted_is_written_by_another(ledger: Ledger) -> None:
    assert interrupt_a_group(ledger, at_commit=False).recorded is not None
    assert [event.payload["cases"] for event in ledger.read(kind="doctor.attacked")] == [2]


def test_who_waits_for_a_commit_that_is_interrupted_is_told_so(ledger: Ledger) -> None:
    other = interrupt_a_group(ledger, at_commit=True)
    assert isinstance(other.error, StoreError)
    assert "may have been kept" in str(other.error)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_forked_child_appends_although_threads_of_its_parent_wait(ledger: Ledger) -> None:
    ledger._appends._busy = True
    child = os.fork()
    if child == 0:
        try:
            ledger.append(entry(7), subject="child")
            os._exit(0)
        finally:
            os._exit(1)
    ledger._appends._busy = False
    assert os.waitpid(child, 0)[1] == 0
    assert ledger.count(subject="child") == 1
