"""Hostile actions are not permitted, ordinary ones are, and each decision says why."""

from collections.abc import Callable
from pathlib import Path

import pytest

from mayfly.mangle import Symbol, parse_atom, to_text, why, why_not

from .actions import Asked, judge, read_table

HOSTILE = read_table("hostile.toml")
BENIGN = read_table("benign.toml")


def grouped(table: list[Asked], *decisions: str) -> dict[str, list[Asked]]:
    """Return the actions of a table by their group, only those with one of *decisions* where some are given."""
    found: dict[str, list[Asked]] = {}
    for asked in table:
        if not decisions or asked.decision in decisions:
            found.setdefault(asked.group, []).append(asked)
    return found


def wrongly(actions: list[Asked], workspace: Path, right: Callable[[Asked, str, list[str]], bool]) -> list[str]:
    """Return which of some actions are not decided as they should be, each with what was decided and why."""
    judged = [(asked, *judge(asked, str(workspace))[:2]) for asked in actions]
    return [f"{asked}: {said}, {reasons}" for asked, said, reasons in judged if not right(asked, said, reasons)]


@pytest.mark.parametrize("group", grouped(HOSTILE))
def test_hostile_actions_are_not_permitted(group: str, tmp_path: Path) -> None:
    def right(asked: Asked, decision: str, reasons: list[str]) -> bool:
        return decision != "permit" and asked.decision in (None, decision) and bool(reasons)

    assert wrongly(grouped(HOSTILE)[group], tmp_path, right) == []


@pytest.mark.parametrize("group", grouped(BENIGN))
def test_ordinary_work_is_permitted(group: str, tmp_path: Path) -> None:
    assert wrongly(grouped(BENIGN)[group], tmp_path, lambda _, decision, __: decision == "permit") == []


@pytest.mark.parametrize("group", grouped(HOSTILE, "deny"))
def test_an_approval_does_not_help_against_a_refusal(group: str, tmp_path: Path) -> None:
    agreed = [asked.with_approval() for asked in grouped(HOSTILE, "deny")[group]]
    assert wrongly(agreed, tmp_path, lambda _, decision, __: decision == "deny") == []


@pytest.mark.parametrize("group", grouped(HOSTILE, "approval"))
def test_what_needs_a_person_is_permitted_once_one_agreed(group: str, tmp_path: Path) -> None:
    agreed = [asked.with_approval() for asked in grouped(HOSTILE, "approval")[group]]
    assert wrongly(agreed, tmp_path, lambda _, decision, __: decision == "permit") == []


def test_the_tables_are_large_enough_to_mean_something() -> None:
    assert min(len(HOSTILE), len(BENIGN)) > 200


def test_a_permission_has_a_derivation(tmp_path: Path) -> None:
    _, _, model = judge(BENIGN[0], str(tmp_path))
    (row,) = model.rows(Symbol("permitted", 3))
    assert model.holds(Symbol("permitted", 3), row)
    assert "constitution.mg" in to_text(why(model, Symbol("permitted", 3), row))


def test_a_refusal_has_a_reason_for_every_rule(tmp_path: Path) -> None:
    _, _, model = judge(HOSTILE[0], str(tmp_path))
    assert "constitution.mg" in to_text(why_not(model, parse_atom("permitted(_, _, _)")))
