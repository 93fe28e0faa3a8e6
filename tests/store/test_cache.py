"""The cache: what is too old or too many is forgotten, on both databases."""

from __future__ import annotations

import json
import signal

import pytest

from mayfly.core import Settings
from mayfly.store import Cache, DoctorAttacked, Ledger, _migrate
from mayfly.store._migrate import known

from .conftest import FRESH, append_as_before
from .worker import finish, finish_together, start

NOW = 1_000_000.0


def cache(ledger: Ledger, *, size: int = 100, ttl: float = 3600.0) -> Cache:
    return Cache(ledger, size=size, ttl=ttl)


def test_what_was_put_is_found_again(ledger: Ledger) -> None:
    cache(ledger).put("k", "text", now=NOW)
    found = cache(ledger).get("k", now=NOW)
    assert found is not None
    assert found.value == "text"


def test_an_entry_lives_as_long_as_it_may_and_no_longer(ledger: Ledger) -> None:
    kept = cache(ledger)
    kept.put("k", "text", now=NOW)
    assert kept.get("k", now=NOW + 3599) is not None
    assert kept.get("k", now=NOW + 3601) is None


def test_the_oldest_of_too_many_is_forgotten(ledger: Ledger) -> None:
    kept = cache(ledger)
    for number in range(101):
        kept.put(f"k{number}", "text", now=NOW + number)
    assert kept.get("k0", now=NOW + 101) is None
    assert len(kept.entries(now=NOW + 101)) == 100


def test_what_was_of_use_lately_stays(ledger: Ledger) -> None:
    kept = cache(ledger, size=2)
    kept.put("a", "1", now=NOW)
    kept.put("b", "2", now=NOW + 1)
    entry = kept.get("a", now=NOW + 2)
    assert entry is not None
    kept.touch(entry, now=NOW + 2)
    kept.put("c", "3", now=NOW + 3)
    assert [entry.key for entry in kept.entries(now=NOW + 3)] == ["c", "a"]


def test_a_size_of_zero_keeps_nothing(ledger: Ledger) -> None:
    kept = cache(ledger, size=0)
    kept.put("k", "text", now=NOW)
    assert kept.get("k", now=NOW) is None


def test_putting_a_key_again_replaces_it(ledger: Ledger) -> None:
    kept = cache(ledger)
    kept.put("k", "old", now=NOW)
    kept.put("k", "new", now=NOW + 1)
    assert [entry.value for entry in kept.entries(now=NOW + 1)] == ["new"]


def test_clearing_says_how_many_there_were(ledger: Ledger) -> None:
    kept = cache(ledger)
    kept.put("a", "1", now=NOW)
    kept.put("b", "2", now=NOW)
    kept.remove("a")
    assert kept.clear() == 1
    assert kept.entries(now=NOW) == []


def test_two_processes_putting_at_once_keep_the_limit(settings: Settings, ledger: Ledger) -> None:
    workers = [start("put", name, 100, 100, 10, store=settings) for name in "ab"]
    assert finish_together(workers) == [["10"], ["10"]]
    last = [f"{name}-{number}" for number in (99, 98, 97, 96, 95) for name in "ab"]
    assert [entry.key for entry in cache(ledger).entries(now=99.0)] == last


def test_two_processes_putting_the_same_key_at_once_keep_one_entry(settings: Settings, ledger: Ledger) -> None:
    workers = [start("put", "same", 100, 1, 10, store=settings) for _ in range(2)]
    assert finish_together(workers) == [["1"], ["1"]]
    assert [entry.key for entry in cache(ledger).entries(now=99.0)] == ["same-0"]


def test_a_put_killed_after_any_of_its_statements_leaves_everything_as_it_was(
    settings: Settings, ledger: Ledger
) -> None:
    cache(ledger).put("k", "old", now=1.0)
    cache(ledger).put("other", "old", now=2.0)
    *killed, last = [json.loads(line) for line in finish(start("put_killed", store=settings))]
    assert len(killed) >= 3
    assert killed == [[-signal.SIGKILL, {"k": "old", "other": "old"}]] * len(killed)
    assert last == [0, {"k": "new"}]


def test_a_put_killed_at_any_moment_leaves_the_old_entry_or_the_new_one(settings: Settings, ledger: Ledger) -> None:
    for _ in range(3):
        worker = start("put_for_ever", store=settings)
        assert worker.stdout is not None
        acknowledged = [int(worker.stdout.readline()) for _ in range(20)]
        worker.kill()
        acknowledged += [int(line) for line in worker.stdout.read().splitlines() if line]
        worker.communicate()
        [left] = cache(ledger).entries(now=0.0)
        assert left.key == f"k-{left.value}"
        assert int(left.value) - acknowledged[-1] in (0, 1)
        assert cache(ledger).clear() == 1


def test_a_store_from_before_the_cache_is_brought_up_with_nothing_lost(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as before:
        before.setattr(_migrate, "known", lambda dialect: known(dialect)[:1])
        with Ledger.open(settings) as old:
            append_as_before(old, [DoctorAttacked(level="x", cases=n, contained=n) for n in range(3)], subject="s")
            blob = old.put_blob(b"precious")
            kept = list(old.read())
    assert [event.payload.get("number") for event in kept] == [1, None, None, None]
    with Ledger.open(settings) as new:
        events = list(new.read())
        assert events[:4] == kept
        assert [event.payload["number"] for event in events[4:]] == list(range(2, FRESH + 1))
        assert new.get_blob(blob) == b"precious"
        cache(new).put("k", "text", now=NOW)
        assert [entry.value for entry in cache(new).entries(now=NOW)] == ["text"]
