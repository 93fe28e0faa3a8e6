"""Trees of reasons: plain in a pipe, drawn on a terminal."""

import sys

import pytest

from mayfly.cli._desk import print_tree
from mayfly.mangle import Why, load, parse, parse_fact, why


@pytest.fixture
def tree() -> Why:
    model = load([parse("p(1). q(X) :- p(X), !r(X). r(2).", file="a.mg")]).evaluate()
    return why(model, *parse_fact("q(1)"))


def test_in_a_pipe_every_step_is_one_line(tree: Why, capsys: pytest.CaptureFixture[str]) -> None:
    print_tree(tree)
    assert capsys.readouterr().out.splitlines() == [
        "q(1)  by q(X) :- p(X), !r(X).  a.mg:1",
        "├─ p(1)  given  a.mg:1",
        "└─ no fact matches r(1)",
    ]


def test_on_a_terminal_the_rule_stands_below(
    tree: Why, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "dumb")
    print_tree(tree)
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert lines[:2] == ["q(1)", "by q(X) :- p(X), !r(X).  a.mg:1"]
