"""Many results: a list while they are few, on disk beyond that, and the same either way."""

import pytest

from mayfly.forge import Spool, collect

ITEMS = [{"n": n, "text": "ä" * 50} for n in range(300)]


def test_few_results_are_a_list() -> None:
    assert collect(iter(ITEMS)) == ITEMS
    assert isinstance(collect(iter(ITEMS)), list)


def test_many_results_are_on_disk_and_read_the_same() -> None:
    found = collect(iter(ITEMS), limit=1000)
    assert isinstance(found, Spool)
    assert len(found) == 300
    assert list(found) == ITEMS
    assert found == ITEMS
    assert found != ITEMS[1:]
    assert (found[0], found[-1], found[10:13]) == (ITEMS[0], ITEMS[-1], ITEMS[10:13])
    assert "300 results" in repr(found)


def test_two_readers_do_not_disturb_each_other() -> None:
    found = collect(iter(ITEMS), limit=1000)
    assert [(a, b) for a, b in zip(found, found, strict=True)] == [(item, item) for item in ITEMS]


def test_an_index_beyond_the_end_is_an_error() -> None:
    found = collect(iter(ITEMS), limit=1000)
    with pytest.raises(IndexError):
        _ = found[300]
