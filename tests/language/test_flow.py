from typing import Any

import pytest

from mayfly.language import Clause

from .helpers import request, table


def _told(clause: Clause, key: str) -> object:
    if key in ("object", "destination"):
        phrase = getattr(clause, key)
        return phrase.text if phrase else ""
    if key == "conditions":
        return [f"{phrase.lead} {phrase.text}".lower() for phrase in clause.conditions]
    if key == "purpose":
        return next((phrase.text for phrase in clause.phrases if phrase.role == "purpose"), "")
    value = getattr(clause, key)
    return list(value) if isinstance(value, tuple) else value


@pytest.mark.parametrize("case", table("flow")["request"], ids=lambda case: str(case["text"]))
def test_requests_take_and_follow_what_is_said(case: dict[str, Any]) -> None:
    found = request(case["text"]).commands
    for key in case.keys() - {"text"}:
        assert [_told(clause, key) for clause in found] == case[key], key


def test_what_stands_in_a_clause_can_be_had_by_its_role() -> None:
    (clause,) = request("Copy the names from users.csv to names.txt with a header").commands
    told = [(phrase.role, phrase.lead, phrase.text) for phrase in clause.phrases]
    assert told == [
        ("object", "", "names"),
        ("place", "from", "users.csv"),
        ("destination", "to", "names.txt"),
        ("detail", "with", "header"),
    ]
