"""Make conditions, turn them round, and put several together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

from mayfly.language.question._query import And, Column, Compare, Condition, Expression, Not, Operator, Or, Scalar
from mayfly.language.question._segment import Segment
from mayfly.language.question._vocabulary import ColumnInfo

# Single conditions.


def equals(column: ColumnInfo, values: Sequence[Scalar]) -> Condition:
    """Return that a column has one of some values; a list of items has one of them among its items."""
    left = Column(name=column.name)
    distinct = tuple(dict.fromkeys(values))
    if column.kind == "list":
        found = tuple(Compare(left=left, operator="contains", value=str(value)) for value in distinct)
        return found[0] if len(found) == 1 else Or(of=found)
    if len(distinct) == 1:
        return Compare(left=left, operator="=", value=distinct[0])
    return Compare(left=left, operator="in", value=distinct)


def equals_any(of: Expression, operator: str, values: Sequence[int | float]) -> Condition:
    """Return that an expression has one of some numbers, or none of them."""
    condition = Compare(left=of, operator="in", value=tuple(values))
    return Not(of=condition) if operator == "!=" else condition


def turn(condition: Condition) -> Condition:
    """Return the opposite of a condition, without a double denial."""
    if isinstance(condition, Not):
        return condition.of
    if (
        isinstance(condition, Compare)
        and condition.operator in ("=", "!=")
        and not isinstance(condition.value, (tuple, Column))
    ):
        turned: Operator = "!=" if condition.operator == "=" else "="
        return Compare(left=condition.left, operator=turned, value=condition.value)
    return Not(of=condition)


# Several conditions.


def both(*conditions: Condition) -> Condition:
    """Ask for all of some conditions, as they are."""
    return And(of=conditions)


def flat(condition: Condition) -> Condition:
    """Write And in And and Or in Or as one."""
    if not isinstance(condition, (And, Or)):
        return condition
    kind = type(condition)
    inside = [flat(one) for one in condition.of]
    parts = tuple(part for one in inside for part in (one.of if isinstance(one, kind) else (one,)))
    return kind(of=tuple(dict.fromkeys(parts)))


def is_empty(condition: Condition) -> bool:
    """Say whether no number passes: more than three and fewer than two."""
    if not isinstance(condition, And):
        return False
    least: dict[Expression, float] = {}
    most: dict[Expression, float] = {}
    for one in condition.of:
        if isinstance(one, Compare) and isinstance(one.value, (int, float)):
            if one.operator in (">", ">="):
                least[one.left] = max(least.get(one.left, one.value), one.value)
            elif one.operator in ("<", "<="):
                most[one.left] = min(most.get(one.left, one.value), one.value)
    return any(least[left] > most[left] for left in least.keys() & most.keys())


def any_of(conditions: Sequence[Condition]) -> Condition:
    """Ask for one of some conditions."""
    return conditions[0] if len(conditions) == 1 else flat(Or(of=tuple(conditions)))


def all_of(conditions: Sequence[Condition]) -> Condition:
    """Ask for all; values of one column cannot all hold, so of those any will do: "errors and warnings"."""
    merged: list[Condition] = []
    for condition in conditions:
        place = next((at for at, one in enumerate(merged) if _have_same_column(one, condition)), None)
        inside = next(
            (at for at, one in enumerate(merged) if _implies(one, condition) or _implies(condition, one)), None
        )
        if inside is not None:
            merged[inside] = merged[inside] if _implies(merged[inside], condition) else condition
        elif place is None:
            merged.append(condition)
        else:
            merged[place] = _either(merged[place], condition)
    return merged[0] if len(merged) == 1 else flat(And(of=tuple(merged)))


def _implies(one: Condition, other: Condition) -> bool:
    """Say whether what passes the first passes the other: 5xx is an error anyway."""
    if not isinstance(one, Compare) or not isinstance(other, Compare) or one.left != other.left:
        return False
    if other.operator != "between" or not isinstance(other.value, tuple):
        return False
    low, high = cast("tuple[float, float]", other.value)
    held = one.value if isinstance(one.value, tuple) else (one.value,)
    inside = all(isinstance(value, (int, float)) and low <= value <= high for value in held)
    return one.operator in ("=", "in", "between") and inside


def _have_same_column(one: Condition, other: Condition) -> bool:
    """Say whether two conditions ask for values of one column, which no record has both of."""
    if not isinstance(one, Compare) or not isinstance(other, Compare) or isinstance(one.value, Column):
        return False
    return {one.operator, other.operator} <= {"=", "in"} and one.left == other.left


def _either(one: Condition, other: Condition) -> Condition:
    """Ask for one of the values of two conditions about one column."""
    held: list[Scalar] = []
    for condition in (one, other):
        value = cast("Compare", condition).value
        held += cast("tuple[Scalar, ...]", value) if isinstance(value, tuple) else (cast("Scalar", value),)
    left = cast("Compare", one).left
    return Compare(left=left, operator="in", value=tuple(dict.fromkeys(held)))


# The conditions of a whole question.


def combine_conditions(segments: Sequence[Segment]) -> Iterator[Condition | None]:
    """Put the conditions together: all of them, but for those that "or" stands between.

    None is yielded where there are none, nothing where they do not go together.
    """
    listed = _list_conditions(segments)
    if listed is None:
        return
    found, joints = listed
    if not found:
        yield None
        return
    if "or" not in joints:
        yield all_of(found)
        return
    # "and" binds more closely than "or"; with both, the other way to group them is a rival.
    yield any_of([all_of(group) for group in _split_at("or", found, joints)])
    if "and" in joints:
        yield all_of([any_of(group) for group in _split_at("and", found, joints)])


def _list_conditions(segments: Sequence[Segment]) -> tuple[list[Condition], list[str]] | None:
    """Return the conditions and what stands between them; None where they do not go together."""
    found: list[Condition] = []
    joints: list[str] = []
    either = False
    for before, segment in zip((None, *segments), segments, strict=False):
        if segment.kind == "or":
            if not found or either:
                return None
            either = True
        elif segment.kind in ("condition", "group") and segment.condition is not None:
            # Nothing stands between "failed" and "payments": no record is both, so one of them was meant otherwise.
            beside = before is not None and before.end == segment.start and before.condition
            if beside and _have_same_column(beside, segment.condition):
                return None
            if either and _have_same_column(found[-1], segment.condition):
                found[-1] = _either(found[-1], segment.condition)
                either = False
                continue
            if found:
                joints.append("or" if either else "and")
            found.append(segment.condition)
            either = False
        elif either:
            return None
    return None if either else (found, joints)


def _split_at(word: str, conditions: Sequence[Condition], joints: Sequence[str]) -> list[list[Condition]]:
    """Return the conditions in groups, with a new one wherever *word* stands between two."""
    groups = [[conditions[0]]]
    for joint, condition in zip(joints, conditions[1:], strict=True):
        if joint == word:
            groups.append([condition])
        else:
            groups[-1].append(condition)
    return groups
