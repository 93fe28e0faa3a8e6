"""The order in which siblings can be worked on: each after what it needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from graphlib import CycleError, TopologicalSorter

from mayfly.core import InputError


class Cycle(InputError):
    """Promises need each other in a circle, so none of them can begin."""

    code = "CYCLE"


def ordered(needs: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the names so that each comes after those it needs, otherwise in the order given."""
    for name, needed in needs.items():
        for other in needed:
            if other not in needs:
                raise InputError(f"{name!r} needs {other!r}, and there is no such sibling")
    sorter: TopologicalSorter[str] = TopologicalSorter(needs)
    try:
        sorter.prepare()
    except CycleError as error:
        raise Cycle("cycle: " + " needs ".join(repr(name) for name in reversed(error.args[1]))) from None
    place = {name: number for number, name in enumerate(needs)}
    found: list[str] = []
    while sorter.is_active():
        ready = sorted(sorter.get_ready(), key=place.__getitem__)
        found += ready
        sorter.done(*ready)
    return found
