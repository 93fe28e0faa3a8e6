"""Results that are obviously wrong, to find out whether a test would notice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from mayfly.core import UNSET, Unset, is_sequence, same

KILLED = 0.6
ALIEN: dict[object, object] = {"mayfly": "☃ nobody asked for this"}
_LONG = 1000


class Wrong(NamedTuple):
    """One wrong result; *gross* ones have to be noticed by any test that is worth something."""

    name: str
    value: object
    gross: bool = False


def wrong_results(value: object, input: object | Unset = UNSET) -> list[Wrong]:
    """Return results that differ from *value*: nothing, the empty one, another thing altogether, and small changes."""
    made = [Wrong("None", None, True), *_empty(value), Wrong("another thing", ALIEN, True), *_changed(value)]
    if not isinstance(input, Unset):
        made.append(Wrong("the input itself", input))
    kept: list[Wrong] = []
    for wrong in made:
        if not same(wrong.value, value) and not any(same(wrong.value, other.value) for other in kept):
            kept.append(wrong)
    return kept


def strength_of(wrong: Sequence[Wrong], accepted: Sequence[bool]) -> tuple[Literal["strong", "weak", "none"], str]:
    """Return what a test is worth that accepts some of the *wrong* results, and what it failed to notice."""
    missed = [result for result, passed in zip(wrong, accepted, strict=True) if passed]
    small = [passed for result, passed in zip(wrong, accepted, strict=True) if not result.gross]
    if wrong and len(missed) == len(wrong):
        return "none", "the test accepts anything"
    caught = small.count(False) / len(small) if small else 1.0
    if any(result.gross for result in missed) or caught < KILLED:
        return "weak", f"the test also accepts {', '.join(result.name for result in missed[:3])}"
    return "strong", ""


def _empty(value: object) -> list[Wrong]:
    if isinstance(value, bool):
        return []
    if isinstance(value, (int, float)):
        return [Wrong("0", 0, True)]
    if isinstance(value, str):
        return [Wrong("an empty text", "", True)]
    if isinstance(value, Mapping):
        return [Wrong("an empty record", {}, True)]
    return [Wrong("an empty list", [], True)] if is_sequence(value) else []


def _changed(value: object) -> list[Wrong]:
    if isinstance(value, bool):
        return [Wrong(repr(not value), not value, True)]
    if isinstance(value, (int, float)):
        return [Wrong("one more", value + 1), Wrong("one less", value - 1), Wrong("its negative", -value)]
    if isinstance(value, str):
        cut = value[: len(value) // 2]
        return [Wrong("half the text", cut), Wrong("a longer text", f"{value}☃"), Wrong("it backwards", value[::-1])]
    if isinstance(value, Mapping):
        return _changed_record(value)
    return _changed_list(value) if is_sequence(value) and isinstance(value, Sequence) else []


def _changed_record(value: Mapping[object, object]) -> list[Wrong]:
    made = [Wrong("a further field", {**value, **ALIEN})]
    for key in list(value)[:1]:
        made.append(Wrong("a field less", {name: item for name, item in value.items() if name != key}))
        made.append(Wrong("a field without a value", {**value, key: None}))
        made += [Wrong("another field", {**value, key: other.value}) for other in _changed(value[key])[:1]]
    return made


def _changed_list(value: Sequence[object]) -> list[Wrong]:
    if len(value) > _LONG:
        return []
    items = list(value)
    made = [Wrong("a further item", [*items, ALIEN])]
    if items:
        made += [Wrong("an item less", items[:-1]), Wrong("an item twice", [*items, items[-1]])]
        made += [Wrong("another item", [other.value, *items[1:]]) for other in _changed(items[0])[:1]]
    return made
