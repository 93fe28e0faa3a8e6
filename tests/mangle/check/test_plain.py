"""A rule that passes by being looked at once would pass all other checks too, in the order it was written in."""

from pathlib import Path
from random import Random

import pytest

from mayfly.mangle._errors import MangleError
from mayfly.mangle._parser import parse
from mayfly.mangle.check import check_program
from mayfly.mangle.check._plain import Plain

ROOT = Path(__file__).parents[3]
DECLARED = """
Decl e(X, Y).
Decl secret(X) descr [private()].
Decl when(X) temporal.
Decl asked(X, Y) descr [external(), mode("+", "-")].
Decl later(X, Y) descr [deferred(), mode("+", "-")].
Decl moded(X, Y) descr [mode("+", "-")].
Decl animal(X) descr [reflects(/animal)].
Decl typed(X, Y) bound [/number, /string].
f(/a). f(/b).
"""
PREMISES = (
    *("e(X, Y)", "e(Y, Z)", "e(X, X)", "e(_, _)", "e(/a, 3)", "f(X)", "f(fn:plus(X, 1))", "typed(X, Y)", "animal(X)"),
    *("!f(X)", "!e(X, _)", "!e(Z, Y)", "!moded(X, Y)", "secret(X)", "when(X)", "when(X)@[A, B]", "asked(X, Y)"),
    *("later(X, Y)", "moded(X, Y)", "unknown(X)", "e(X)", "X = Y", "X = /a", "3 = Z", "X != Y", "X != /a", "/a = /b"),
    *("_ = /a", "X < 3", "X < _", "Y >= X", "Z = fn:plus(X, 1)", ":match_prefix(X, /a)", ":match_cons(X, Y, Z)"),
    *("!:lt(X, Y)", ":lt(X)", "other.p(X)", "p(X)", "!p(X)"),
)
HEADS = (
    "p(X)",
    "p(X, Y)",
    "p(_)",
    "p(/a)",
    "e(X, Y)",
    "later(X, Y)",
    "moded(X, Y)",
    "when(X)",
    "p(fn:plus(X, 1))",
    "p()",
)


def outcome(text: str) -> object:
    try:
        checked = check_program([parse(text)])
        return checked, repr(checked.rules)
    except MangleError as error:
        return [str(one) for one in error.all]


def agree(text: str, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Check a program both ways, demand the same, and say whether it was right."""
    plain = outcome(text)
    with monkeypatch.context() as patched:
        patched.setattr(Plain, "passes", lambda self, clause: False)
        assert plain == outcome(text), text
    return not isinstance(plain, list)


def test_thousands_of_rules_are_checked_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(7)
    right = 0
    for _ in range(3000):
        body = ", ".join(random.choices(PREMISES, k=random.choice((1, 2, 2, 3, 4))))
        right += agree(f"{DECLARED}{random.choice(HEADS)} :- {body}.", monkeypatch)
    # Not all of them are refused, and not all of them are right.
    assert 100 < right < 2900


def test_our_own_rules_are_checked_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    assert agree((ROOT / "bench" / "policy_rules" / "routing.mg").read_text(encoding="utf-8"), monkeypatch)


@pytest.mark.parametrize(
    "rule", ["q(X) :- f(X), !e(X, _).", "q(X, Y) :- e(X, Y), X != Y, X < 3, Z = /a, f(Z).", "q(/a) :- f(_)."]
)
def test_a_plain_rule_needs_no_other_checks(rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mayfly.mangle.check._program.make_rule", lambda *_: pytest.fail("it was looked at again"))
    assert len(check_program([parse(DECLARED + rule)]).rules) == 1
