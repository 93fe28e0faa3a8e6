from __future__ import annotations

import math
from typing import Any

import pytest

from mayfly.core import Invocation
from mayfly.library import Committed
from mayfly.promise import Promise, State, result_of, saved, unknown_effects
from mayfly.promise._data import DEEPEST, NotData, copied, handed
from mayfly.promise._events import RunCancelled
from promise.bed import RUN, Bed, tree


def nested(levels: int) -> object:
    value: object = 1
    for _ in range(levels):
        value = [value]
    return value


def itself() -> list[Any]:
    made: list[Any] = []
    made.append(made)
    return made


def of(capability: str, **more: Any) -> Promise[Any]:
    return Promise(capability, ground="ground", capability=capability, **more)


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ({"a": (1, 2), "b": [None, True, 0.5]}, {"a": [1, 2], "b": [None, True, 0.5]}),
        (range(3), [0, 1, 2]),
        ("\ud800\x00", "\ud800\x00"),
        (nested(DEEPEST), nested(DEEPEST)),
    ],
)
def test_plain_data_is_copied_as_it_would_be_read_back(value: object, kept: object) -> None:
    assert copied(value) == kept


@pytest.mark.parametrize(
    "value", [math.nan, -math.inf, b"x", {1: "a"}, {1, 2}, object(), [1 << 20_000], nested(DEEPEST + 1), itself()]
)
def test_what_would_be_read_back_as_something_else_is_no_data(value: object) -> None:
    with pytest.raises(NotData):
        copied(value)
    assert handed(value) is value


def test_nobody_changes_what_another_promise_has_proven(bed: Bed) -> None:
    def spoil(invocation: Invocation) -> object:
        items: Any = invocation.arguments["items"]
        items.append(99)
        return len(items)

    bed.capability("give", lambda invocation: [1, 2, 3], quick=True)
    bed.capability("spoil", spoil, quick=True)
    root = bed.resolve(
        tree("both", of("give", name="a"), of("spoil", name="b", argument={"items": result_of("a")}), combine="record")
    )
    assert root.value == {"a": [1, 2, 3], "b": 4}


def test_nobody_changes_what_all_know(bed: Bed) -> None:
    def spoil(invocation: Invocation) -> object:
        known: Any = invocation.context["known"]
        known.append(99)
        return 1

    bed.capability("spoil", spoil, quick=True)
    bed.capability("tell", lambda invocation: invocation.context["known"], quick=True)
    root = tree("both", of("spoil", name="a"), of("tell", name="b", needs=("a",)), context={"known": [1]})
    assert bed.resolve(root).value == [1]


@pytest.mark.parametrize("value", [{1: "a"}, b"x", math.inf, itself(), nested(5_000)])
def test_a_value_that_cannot_be_kept_is_made_again_and_never_taken_for_another(bed: Bed, value: object) -> None:
    bed.capability("give", lambda invocation: value)
    assert bed.resolve(of("give")).resolved is value
    assert not saved(bed.ledger, RUN).answered
    assert bed.resume().resolved is value


def test_a_record_keeps_the_order_of_its_names(bed: Bed) -> None:
    bed.capability("rank", lambda invocation: {"b": 2, "a": 1})
    bed.resolve(of("rank"))
    assert list(saved(bed.ledger, RUN).tree.value) == ["b", "a"]


def test_a_transactional_effect_whose_value_cannot_be_kept_is_not_recorded(bed: Bed) -> None:
    """It would be called again by whoever goes on, and recorded a second time."""

    def call(invocation: Invocation) -> object:
        return Committed(value={1, 2}, events=(RunCancelled(by="test", reason="as an event"),))

    bed.capability("note", call, effect="transactional")
    root = bed.resolve(of("note"))
    assert (root.state, root.code) == (State.COLLAPSED, "NOT_DATA")
    assert bed.events("run.cancelled") == []


def test_a_once_effect_that_answers_what_cannot_be_kept_waits_for_a_person_at_once(bed: Bed) -> None:
    sent: list[str] = []

    def call(invocation: Invocation) -> object:
        sent.append(invocation.key)
        return object()

    bed.capability("post", call, effect="once")
    assert bed.resolve(of("post")).code == "UNKNOWN"
    (unknown,) = unknown_effects(bed.ledger)
    assert unknown.reason == "it answered, but a object is no plain data"
    assert bed.resume().code == "UNKNOWN"
    assert len(sent) == 1
