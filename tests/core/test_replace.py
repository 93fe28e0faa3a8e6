"""`replace` does what the one of the standard library does."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from functools import cached_property

import pytest

from mayfly.core import replace


@dataclass(frozen=True, kw_only=True)
class Plain:
    name: str
    parts: tuple[int, ...] = ()
    more: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Slots:
    name: str


@dataclass(frozen=True)
class Checking:
    name: str

    def __post_init__(self) -> None:
        if not self.name:
            raise ValueError("no name")


@dataclass(frozen=True)
class Keeping:
    name: str

    @cached_property
    def long(self) -> str:
        return self.name * 3


def test_the_copy_has_the_other_fields_and_the_value_keeps_its_own() -> None:
    value = Plain(name="a", parts=(1,))
    changed = replace(value, name="b")
    assert changed == dataclasses.replace(value, name="b")
    assert value == Plain(name="a", parts=(1,))
    assert hash(type(changed)) == hash(Plain)
    with pytest.raises(dataclasses.FrozenInstanceError):
        changed.name = "c"  # type: ignore[misc]


def test_a_class_with_slots_is_copied_too() -> None:
    assert replace(Slots("a"), name="b") == Slots("b")


def test_a_class_that_checks_is_asked() -> None:
    with pytest.raises(ValueError, match="no name"):
        replace(Checking("a"), name="")


def test_what_was_worked_out_of_the_old_fields_is_not_kept() -> None:
    value = Keeping("a")
    assert value.long == "aaa"
    assert replace(value, name="b").long == "bbb"


def test_a_field_that_there_is_not_is_refused() -> None:
    with pytest.raises(TypeError):
        replace(Plain(name="a"), nmae="b")  # type: ignore[call-arg]
