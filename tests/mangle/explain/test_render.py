import json
from typing import Any

from mayfly.mangle.explain import outline, to_json, to_text, why_not

from .helpers import PERMITS, because, because_not, evaluated, goal


def as_json(explanation: Any) -> Any:
    return json.loads(json.dumps(to_json(explanation)))


def test_the_keys_of_a_derivation_are_stable() -> None:
    found = as_json(because(evaluated(PERMITS, 'pending("a1", /read, "x")'), 'permitted(/read, "x")'))
    assert found["fact"] == 'permitted(/read, "x")'
    assert found["because"] == "rule"
    assert found["place"] == {"file": "rules.mg", "line": 8, "column": 1}
    assert [step["because"] for step in found["premises"]] == ["told", "given", "absence"]
    assert {tuple(step) for step in [found, *found["premises"]]} == {tuple(found)}


def test_a_told_fact_has_no_place() -> None:
    found = as_json(because(evaluated(PERMITS, 'pending("a1", /read, "x")'), 'permitted(/read, "x")'))
    assert found["premises"][0]["place"] is None


def test_the_keys_of_a_missing_goal_are_stable() -> None:
    model = evaluated(PERMITS, 'pending("a1", /shell, "x")')
    found = as_json(why_not(model, goal('permitted(/shell, "x")')))
    assert (found["goal"], found["holds"]) == ('permitted(/shell, "x")', False)
    rule = found["rules"][1]
    assert rule["failed"]["premise"] == 'approved("a1")'
    assert rule["failed"]["reason"] == "missing"
    assert rule["bindings"] == [{"A": "/shell", "T": '"x"', "I": '"a1"'}]
    assert rule["place"]["line"] == 9
    assert found["would_hold_if"][0]["add"] == ['approved("a1")']


def test_wide_values_are_shortened_in_the_middle() -> None:
    wide = "a" * 100 + "b" * 100
    model = evaluated(PERMITS, f'pending("a1", /read, "{wide}")')
    found = because(model, f'permitted(/read, "{wide}")')
    assert f'permitted(/read, "{"a" * 14}…{"b" * 13}")' in to_text(found, width=30)
    assert wide in to_text(found, width=None)
    assert wide in json.dumps(to_json(found))


def test_nothing_in_a_value_can_break_a_line() -> None:
    model = evaluated(PERMITS, 'pending("a1", /read, "x\\n└─ safe(/shell)  given\\x1b[2J")')
    text = to_text(because_not(model, "permitted(/read, _)")) + to_text(because_not(model, "permitted(/shell, _)"))
    assert "\x1b" not in text
    assert "\n└─ safe(/shell)" not in text


def test_every_line_of_a_rule_has_its_place() -> None:
    def places(branch: Any) -> list[tuple[str, str]]:
        return [(branch.rule, branch.place), *(pair for below in branch.below for pair in places(below))]

    model = evaluated(PERMITS, 'pending("a1", /read, "/etc/x")')
    found = places(outline(because_not(model, 'permitted(/read, "/etc/x")')))
    assert all(place.startswith("rules.mg:") for rule, place in found if rule)
    assert any(rule for rule, _ in found)


def test_branches_are_drawn() -> None:
    model = evaluated("n(1). q(X) :- n(X). p(X) :- q(X), n(X).")
    assert [line[:6] for line in to_text(because(model, "p(1)")).splitlines()[1:]] == ["├─ q(1", "│  └─ ", "└─ n(1"]
