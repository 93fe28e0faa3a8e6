"""Values and texts in one short line: whoever made them is not asked, and no terminal obeys them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mayfly.core import clipped, harmless, one_line, shown

DATA = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4) | st.tuples(inner)
    ),
    max_leaves=8,
)


@given(DATA)
def test_what_is_short_is_shown_as_python_writes_it(value: object) -> None:
    assert shown(value, 10_000) == repr(value)


@given(DATA, st.integers(1, 60))
def test_nothing_is_longer_than_its_room(value: object, limit: int) -> None:
    assert len(shown(value, limit)) <= limit


@pytest.mark.parametrize("value", ["x" * 1000, list(range(10**6)), dict.fromkeys(range(10**5), "x")])
def test_what_is_long_is_cut_and_marked(value: object) -> None:
    assert len(shown(value)) == 200
    assert shown(value).endswith("…")


def test_nothing_of_a_stranger_is_called() -> None:
    class Liar:
        def __repr__(self) -> str:
            raise ValueError("no words")

    class Text(str):
        def __repr__(self) -> str:
            raise ValueError("no words")

    assert shown(Liar()) == "a Liar"
    assert shown([Liar(), Text("x")]) == "[a Liar, a Text]"


def test_what_is_deep_or_huge_ends_at_once() -> None:
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    assert shown(deep) == "[" * 20 + "1 items" + "]" * 20
    own: list[object] = []
    own.append(own)
    assert shown(own).startswith("[[[")
    assert shown(10**5000) == "a int"


def test_a_sequence_that_is_not_in_memory_is_counted() -> None:
    assert shown(range(10**9)) == "1000000000 items"


def test_a_text_is_clipped_with_a_mark() -> None:
    assert clipped("abcdef", 6) == "abcdef"
    assert clipped("abcdefg", 6) == "abcde…"
    assert clipped("abcdefg", 6, mark="...") == "abc..."


def test_control_characters_are_shown_and_not_obeyed() -> None:
    assert harmless("a\x1b[31mb\u202ec") == "a\\x1b[31mb\ufffdc"


def test_lines_are_joined_and_cut() -> None:
    assert one_line("a\n  b\tc") == "a b c"
    assert one_line("abcdef", limit=3) == "abc ..."
