"""F3: a promise with many children costs ten times as much for ten times as many, counted in work and not in time."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

from mayfly.core import Capability
from mayfly.promise import Promise, result_of, saved
from promise.bed import RUN, Bed

FEW, MANY = 60, 600
# Ten times the children is ten times the work and some fixed work; a step that looks over all siblings makes it fifty.
MOST = 12.0


def calls_in(work: Callable[[], object]) -> int:
    """Return how many functions, Python's and C's, *work* calls in this thread: generators count at each step."""
    counted = 0

    def count(frame: Any, event: str, argument: Any) -> None:
        nonlocal counted
        counted += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return counted


class CountedName(str):
    """A name that counts with how many others it was compared, also by C code that walks over a list."""

    compared = 0
    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        CountedName.compared += 1
        return str.__eq__(self, other)


def flat(children: int) -> Promise[Any]:
    root: Promise[Any] = Promise("all", ground=None)
    for number in range(children):
        root.add(Promise(f"one {number}", ground=None, capability="one", argument={"number": number}))
    return root


def test_f3_adding_a_child_does_not_look_over_its_siblings() -> None:
    assert calls_in(lambda: flat(MANY)) < MOST * calls_in(lambda: flat(FEW))


def test_f3_names_of_siblings_are_looked_up_and_not_searched_for() -> None:
    root: Promise[Any] = Promise("all", ground=None)
    names = [CountedName(f"n{number}") for number in range(MANY)]
    for name in names:
        root.add(Promise("one", ground=None, name=name))
    CountedName.compared = 0
    every = [result_of(CountedName(name)) for name in names]
    root.add(Promise("sum", ground=None, name="sum", argument={"all": every}, needs=tuple(names)))
    assert root.children[-1].needs == tuple(names)
    root.order()
    assert CountedName.compared < MOST * MANY


@pytest.mark.parametrize("step", ["resolve", "read back", "resume"])
def test_f3_every_step_of_a_wide_run_is_linear(bed: Bed, step: str) -> None:
    bed.registry.add(Capability(name="one", call=lambda call: call.arguments["number"], quick=True))

    def steps(children: int) -> dict[str, int]:
        run = f"{RUN[:-4]}{children:04}"
        root = flat(children)
        counted = {"resolve": calls_in(lambda: bed.resolve(root, run=run))}
        assert root.value == {str(number + 1): number for number in range(children)}
        counted["read back"] = calls_in(lambda: saved(bed.ledger, run))
        counted["resume"] = calls_in(lambda: bed.resume(run=run))
        return counted

    steps(5)  # what is imported and opened on the first use is no work of a tree
    few, many = steps(FEW), steps(MANY)
    assert many[step] < MOST * few[step]
