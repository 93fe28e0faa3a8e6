"""Capabilities by name and version."""

import pytest

from mayfly.core import Capability, ConflictError, InputError
from mayfly.library import Registry


def version(number: int) -> Capability:
    return Capability(name="greet", version=number, call=lambda _: number)


def test_the_newest_version_is_served_and_an_older_one_is_still_there() -> None:
    registry = Registry((version(2), version(10), version(1)))
    assert registry.get("greet").version == 10
    assert registry.get("greet", 2).version == 2
    assert [one.version for one in registry] == [10]


def test_who_holds_a_version_keeps_it_when_a_newer_one_comes() -> None:
    registry = Registry((version(1),))
    held = registry.get("greet")
    registry.add(version(2))
    assert (held.version, registry.get("greet").version) == (1, 2)


def test_a_version_of_a_name_is_given_once() -> None:
    with pytest.raises(ConflictError, match="greet of version 1"):
        Registry((version(1), version(1)))


def test_what_is_not_there_is_said() -> None:
    registry = Registry((version(1),))
    with pytest.raises(InputError, match="no capability 'part'"):
        registry.get("part")
    with pytest.raises(InputError, match="no version 3 of greet: known is 1"):
        registry.get("greet", 3)


def test_what_is_held_is_had_without_looking_anywhere_else() -> None:
    def nowhere(name: str, version: int) -> Capability | None:
        raise AssertionError("nobody looks")

    registry = Registry((version(1), version(2)), library=nowhere)
    newest, older = registry.held("greet"), registry.held("greet", 1)
    assert newest is not None
    assert older is not None
    assert (newest.version, older.version) == (2, 1)
    assert registry.held("greet", 3) is None
    assert registry.held("part") is None
