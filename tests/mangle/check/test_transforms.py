"""What may follow `|>`."""

import pytest

from .checking import accept, only, refuse

KNOWN = "Decl q(X). Decl r(X, Y)."


@pytest.mark.parametrize(
    "rule",
    [
        "p(X, N) :- q(X) |> do fn:group_by(X), let N = fn:count().",
        "p(N) :- q(X) |> do fn:group_by(), let N = fn:sum(X).",
        "p(X) :- q(X) |> do fn:group_by(X).",
        "p(X, fn:plus(X, 1)) :- q(X) |> do fn:group_by(X).",
        "p(A) :- r(X, Y) |> do fn:group_by(X), let N = fn:sum(Y), let A = fn:plus(N, X).",
        "p(Y) :- q(X) |> let Y = fn:plus(X, 1).",
        "p(Z) :- q(X) |> let Y = fn:plus(X, 1), let Z = fn:plus(Y, 1).",
        "p(Y) :- q(X) |> let _ = fn:plus(X, 1), let Y = fn:plus(X, 2).",
    ],
)
def test_a_good_transform_is_accepted(rule: str) -> None:
    accept(f"{KNOWN} {rule}")


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("p(X) :- q(X) |> let X = fn:plus(X, 1).", "let gives X a value, but the body did already"),
        ("p(N) :- q(X) |> let N = fn:plus(X, 1), let N = fn:plus(X, 2).", "let gives N a value twice"),
        ("p(Y) :- q(X) |> let Y = fn:plus(X, Z).", "Z is not in the body of the rule"),
        ("p(Y) :- q(X) |> let Y = fn:plus(X, _).", "_ is not in the body of the rule"),
        ("p(X) :- q(X) |> let Y = fn:plus(X, 1) |> let Z = fn:plus(X, 1).", "a rule has one |> only"),
        ("p(N) :- q(X) |> do fn:group_by(1), let N = fn:count().", "fn:group_by takes variables, each once"),
        ("p(N) :- q(X) |> do fn:group_by(X, X), let N = fn:count().", "fn:group_by takes variables, each once"),
        ("p(N) :- q(X) |> do fn:plus(X), let N = fn:count().", "do fn:plus(…) is not supported"),
        ("p(X) :- q(X) |> let Y = fn:group_by(X).", "fn:group_by gives no value"),
        ("p(A) :- r(X, Y) |> do fn:group_by(X), let A = fn:plus(Y, 1).", "Y has many values in a group"),
        (
            "p(Y) :- r(X, Y) |> do fn:group_by(X).",
            "Y in the head is neither a key of fn:group_by nor given by a let",
        ),
        (
            "p(N) :- q(X) |> let M = fn:plus(X, 1), let N = fn:sum(X).",
            "fn:sum reduces the rows of a group, and there is no group",
        ),
    ],
)
def test_a_wrong_transform_is_refused(rule: str, message: str) -> None:
    assert message in [error.message for error in refuse(f"{KNOWN} {rule}")]


def test_a_value_used_before_its_let_fails_when_it_is_evaluated() -> None:
    assert only(f"{KNOWN} p(B) :- q(X) |> let A = fn:plus(B, 1), let B = fn:plus(X, 1).").stage == "eval"
