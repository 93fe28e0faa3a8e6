from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from pathlib import Path
from typing import Any

import pytest

from mayfly.core import Settings, StoreError
from mayfly.promise import Journal
from mayfly.promise._events import Began, DeadLetter
from mayfly.store import Event, Ledger

RUN = "r-00000001"


def began(journal: Journal, node: str = "0") -> Began:
    return Began(node=node, by="test", seq=journal.next())


class Flaky(Ledger):
    """A ledger whose appends fail as often as a test says, before or after they were made."""

    before: int = 0
    after: int = 0
    batches: int = 0

    def append_many(self, entries: Iterable[Any], *, subject: str | None = None) -> list[Event]:
        self.batches += 1
        if self.before:
            self.before -= 1
            raise StoreError("the server is away")
        kept = super().append_many(entries, subject=subject)
        if self.after:
            self.after -= 1
            raise StoreError("the connection was lost")
        return kept


@pytest.fixture
def ledger(tmp_path: Path) -> Any:
    with Flaky.open(Settings(state_dir=str(tmp_path))) as opened:
        yield opened


def kept(ledger: Ledger) -> list[Any]:
    return [event.payload["node"] for event in ledger.read(subject=RUN)]


def with_journal(
    ledger: Ledger, work: Callable[[Journal], Coroutine[Any, Any, Any]], delays: tuple[float, ...] = ()
) -> list[float]:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    async def run() -> None:
        journal = Journal(ledger, RUN, delays=delays, sleep=sleep)
        try:
            await work(journal)
        finally:
            await journal.aclose()

    asyncio.run(run())
    return slept


def test_what_is_settled_is_on_disk(ledger: Flaky) -> None:
    async def work(journal: Journal) -> None:
        journal.note(began(journal, "0"), began(journal, "0.1"))
        await journal.settled()
        assert kept(ledger) == ["0", "0.1"]

    with_journal(ledger, work)


def test_many_notes_are_written_in_few_groups_and_in_order(ledger: Flaky) -> None:
    async def work(journal: Journal) -> None:
        for number in range(500):
            journal.note(began(journal, f"0.{number}"))
            await asyncio.sleep(0)
        await journal.settled()

    with_journal(ledger, work)
    assert kept(ledger) == [f"0.{number}" for number in range(500)]
    assert ledger.batches < 100


def test_closing_writes_what_is_left(ledger: Flaky) -> None:
    async def work(journal: Journal) -> None:
        journal.note(began(journal))

    with_journal(ledger, work)
    assert kept(ledger) == ["0"]


def test_a_store_that_is_away_is_tried_again_after_longer_and_longer_waits(ledger: Flaky) -> None:
    async def work(journal: Journal) -> None:
        journal.note(began(journal))
        await journal.settled()

    ledger.before = 3
    assert with_journal(ledger, work, delays=(1, 2, 4, 8, 16)) == [1, 2, 4]
    assert kept(ledger) == ["0"]


def test_a_write_that_was_kept_after_all_is_not_made_twice(ledger: Flaky) -> None:
    async def work(journal: Journal) -> None:
        journal.note(began(journal))
        await journal.settled()
        journal.note(began(journal, "0.1"), (DeadLetter(node="0.1", intent="x", attempts=1, reason="y"), "other"))
        await journal.settled()

    ledger.after = 1
    with_journal(ledger, work, delays=(1, 2))
    assert kept(ledger) == ["0", "0.1"]
    assert ledger.count(subject="other") == 1


def test_a_store_that_stays_away_breaks_the_journal_for_everybody(ledger: Flaky) -> None:
    async def work(journal: Journal) -> None:
        journal.note(began(journal))
        with pytest.raises(StoreError, match="away"):
            await journal.settled()
        with pytest.raises(StoreError, match="away"):
            journal.note(began(journal))

    ledger.before = 99
    with_journal(ledger, work, delays=(1,))
    assert kept(ledger) == []


def test_large_values_are_kept_as_blobs_and_small_ones_inline(ledger: Flaky) -> None:
    async def work(journal: Journal) -> None:
        assert await journal.keep({"a": None}) == ({"a": None}, None)
        inline, blob = await journal.keep(["x" * 10_000])
        assert inline is None
        assert blob is not None
        assert ledger.get_blob(blob) == b'["' + b"x" * 10_000 + b'"]'

    with_journal(ledger, work)


@pytest.mark.parametrize("value", [float("nan"), {1, 2}, object()])
def test_what_is_not_json_is_not_kept(ledger: Flaky, value: object) -> None:
    async def work(journal: Journal) -> None:
        with pytest.raises((TypeError, ValueError)):
            await journal.keep(value)

    with_journal(ledger, work)


def test_a_record_whose_names_are_not_sorted_is_kept_as_it_is(ledger: Flaky) -> None:
    """An event has its names sorted, and the order may be what was asked for."""

    async def work(journal: Journal) -> None:
        inline, blob = await journal.keep({"b": 2, "a": 1})
        assert (inline, ledger.get_blob(str(blob))) == (None, b'{"b":2,"a":1}')

    with_journal(ledger, work)


def test_a_writer_that_was_stopped_leaves_nobody_waiting(ledger: Flaky) -> None:
    """As when a second Ctrl-C stops everything at once."""

    async def work(journal: Journal) -> None:
        journal.note(began(journal))
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()
        with pytest.raises(StoreError, match="stopped"):
            await asyncio.wait_for(journal.settled(), 10)

    with_journal(ledger, work)
