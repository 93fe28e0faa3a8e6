"""Lines of a tree: guides, columns in any script, and a cut where the screen ends."""

import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from mayfly.cli._tree_rows import TreeRow, branches, columns, cut, fitted, padded
from mayfly.promise import Promise

from .trees import leaves, promise, sample

ANY_TEXT = st.text(max_size=60)


def rows(tree: Promise[Any], tail: str = "tail", reason: str = "") -> list[TreeRow]:
    return [TreeRow(branch, f"budget {branch.promise.budget:.2f}", tail, reason) for branch in branches(tree)]


def test_guides_show_who_belongs_to_whom() -> None:
    assert [branch.guide for branch in branches(sample())] == ["", "├─ ", "│  ├─ ", "│  └─ ", "└─ ", "   └─ "]


def test_branches_come_in_the_order_of_the_tree() -> None:
    tree = leaves(120)
    assert [branch.promise.id for branch in branches(tree)] == [found.id for found in tree.walk()]


def test_a_need_is_shown_by_the_intent_of_the_sibling() -> None:
    assert [branch.after for branch in branches(sample()) if branch.after] == [("Diagnose the bug",)]
    assert any("Apply the fix  (after Diagnose the bug)" in line.text for line in fitted(rows(sample()), 80))


def test_many_needs_are_counted() -> None:
    root = promise("all", "children")
    for name in "abcd":
        root.add(promise(name, "children", name=name))
    root.add(promise("last", "children", name="z", needs=("a", "b", "c", "d")))
    assert "last  (after a, b and 2 more)" in list(fitted(rows(root), 80))[-1].text


def test_columns_line_up_with_wide_characters() -> None:
    root = promise("日本語の意図", "children")
    root.add(promise("plain", "children"))
    root.add(promise("e\u0301 combined", "children"))
    texts = [line.text for line in fitted(rows(root), 80)]
    assert len({cell_len(text[: text.index("budget")]) for text in texts}) == 1


def test_a_pipe_gets_the_last_column_whole() -> None:
    lines = list(fitted(rows(sample(), "nothing", "a reason " * 40), 80, whole=True))
    assert len(lines) == 6
    assert all(line.text.endswith("a reason " * 39 + "a reason") for line in lines)


def test_a_long_intent_is_cut_for_a_pipe_too() -> None:
    [line] = fitted(rows(promise("word " * 100, "children")), 80, whole=True)
    assert "…" in line.text
    assert line.text.index("budget") <= 80


def test_a_reason_without_room_gets_lines_of_its_own() -> None:
    lines = list(fitted(rows(sample(), "nothing", "needs a model, and there is none " * 3), 70))
    assert lines[0].text.endswith("nothing")
    assert lines[1].text.startswith("│  needs a model")
    assert all(cell_len(line.text) <= 70 for line in lines)


def test_a_reason_that_never_ends_takes_a_few_lines() -> None:
    lines = list(fitted(rows(promise("x", "ground"), "nothing", "why " * 500), 60))
    assert len(lines) == 3
    assert lines[-1].text.endswith("…")


def test_the_same_reason_is_told_at_length_once() -> None:
    lines = list(fitted(rows(leaves(5), "collapsed", "there is no such file anywhere " * 4), 70))
    assert len(lines) == 7 + 2
    assert lines[-1].text.endswith("…")


def test_on_a_terminal_a_need_without_room_gets_a_line_of_its_own() -> None:
    root = promise("all", "children")
    root.add(promise("prepare everything f(x)", "children", name="a"))
    root.add(promise("do what is to be done with it", "children", needs=("a",)))
    lines = [line.text for line in fitted(rows(root, "tail " * 20), 70)]
    assert lines[-1] == "      after prepare everything f(x)"


@pytest.mark.later
@given(intent=ANY_TEXT, tail=ANY_TEXT, width=st.integers(1, 200))
def test_no_line_is_wider_than_the_terminal(intent: str, tail: str, width: int) -> None:
    root = promise(intent, "children")
    root.add(promise(intent, "children", name="a"))
    root.add(promise(tail, "children", needs=("a",)))
    for line in fitted(rows(root, "tail", " ".join(tail.split())), max(width, 24)):
        assert cell_len(line.text) <= max(width, 24)
        assert "\n" not in line.text


def test_a_narrow_terminal_leaves_the_middle_out() -> None:
    assert not any("budget" in line.text for line in fitted(rows(sample()), 40))


def test_a_steady_picture_does_not_move_with_the_last_column() -> None:
    short, long = (list(fitted(rows(sample(), tail), 100, steady=True)) for tail in ("x", "x" * 90))
    assert [line.text.index("budget") for line in short] == [line.text.index("budget") for line in long]


@given(ANY_TEXT, st.integers(0, 40))
def test_cut_text_fits(text: str, room: int) -> None:
    assert cell_len(cut(text, room)) <= room
    assert cell_len(padded(text, room)) == room


def test_without_a_terminal_there_are_80_columns() -> None:
    assert columns(io.StringIO()) == 80


def test_a_terminal_that_does_not_say_its_width_has_80_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(stream, "isatty", lambda: True)
    assert columns(stream) == 80
