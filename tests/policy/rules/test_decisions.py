"""Hostile actions are not permitted, ordinary ones are, and each decision says why."""

from pathlib import Path

import pytest

from mayfly.mangle import Symbol, parse_atom, to_text, why, why_not

from .actions import Asked, judge, read_table

HOSTILE = read_table("hostile.toml")
BENIGN = read_table("benign.toml")


@pytest.mark.parametrize("asked", HOSTILE, ids=str)
def test_a_hostile_action_is_not_permitted(asked: Asked, tmp_path: Path) -> None:
    decision, reasons, _ = judge(asked, str(tmp_path))
    assert decision != "permit"
    assert asked.decision in (None, decision), reasons
    assert reasons


@pytest.mark.parametrize("asked", BENIGN, ids=str)
def test_ordinary_work_is_permitted(asked: Asked, tmp_path: Path) -> None:
    decision, reasons, model = judge(asked, str(tmp_path))
    assert decision == "permit", reasons
    assert model.holds(Symbol("permitted", 3), next(iter(model.rows(Symbol("permitted", 3)))))


@pytest.mark.parametrize("asked", [asked for asked in HOSTILE if asked.decision == "deny"], ids=str)
def test_an_approval_does_not_help_against_a_refusal(asked: Asked, tmp_path: Path) -> None:
    decision, _, _ = judge(asked.with_approval(), str(tmp_path))
    assert decision == "deny"


@pytest.mark.parametrize("asked", [asked for asked in HOSTILE if asked.decision == "approval"], ids=str)
def test_what_needs_a_person_is_permitted_once_one_agreed(asked: Asked, tmp_path: Path) -> None:
    decision, reasons, _ = judge(asked.with_approval(), str(tmp_path))
    assert decision == "permit", reasons


def test_the_tables_are_large_enough_to_mean_something() -> None:
    assert min(len(HOSTILE), len(BENIGN)) > 300


def test_a_permission_has_a_derivation(tmp_path: Path) -> None:
    _, _, model = judge(BENIGN[0], str(tmp_path))
    (row,) = model.rows(Symbol("permitted", 3))
    assert "constitution.mg" in to_text(why(model, Symbol("permitted", 3), row))


def test_a_refusal_has_a_reason_for_every_rule(tmp_path: Path) -> None:
    _, _, model = judge(HOSTILE[0], str(tmp_path))
    assert "constitution.mg" in to_text(why_not(model, parse_atom("permitted(_, _, _)")))
