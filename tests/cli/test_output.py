"""Shared helpers: text from elsewhere is shown, never obeyed."""

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mayfly.cli._output import foreign, prepare, prepare_server, table, to_json
from mayfly.core import harmless, one_line

ANY_TEXT = st.text(st.characters(exclude_categories=()))


@given(ANY_TEXT)
def test_json_of_any_text_comes_back_and_can_be_encoded(text: str) -> None:
    written = to_json({"text": text})
    written.encode("utf-8")
    assert json.loads(written) == {"text": text}


@given(ANY_TEXT)
def test_json_holds_no_control_characters(text: str) -> None:
    assert not any(ord(letter) < 32 or 127 <= ord(letter) < 160 for letter in to_json(text))


def test_json_keeps_letters_readable() -> None:
    assert to_json("Zoë") == '"Zoë"'


@given(ANY_TEXT)
def test_one_line_is_one_line(text: str) -> None:
    assert len(one_line(text).splitlines()) <= 1
    assert "\x1b" not in one_line(text)


def test_one_line_is_cut_where_it_stops_being_readable() -> None:
    assert one_line("a" * 100, limit=10) == "a" * 10 + " ..."


def test_escape_sequences_are_shown_on_a_terminal_and_kept_in_a_pipe() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    assert foreign("\x1b[2J", Terminal()) == "\\x1b[2J"
    assert foreign("\x1b[2J", io.StringIO()) == "\x1b[2J"


def test_text_that_turns_around_is_not_obeyed() -> None:
    assert "\u202e" not in harmless("abc\u202edef")


def test_new_lines_and_tabs_stay() -> None:
    assert harmless("a\n\tb") == "a\n\tb"


@pytest.mark.parametrize("rows", [[("a", "bb"), ("ccc", "d")]])
def test_columns_line_up(rows: list[tuple[str, ...]]) -> None:
    assert table(rows) == ["a    bb", "ccc  d"]


def test_a_command_prints_a_number_of_any_length_and_a_server_reads_none() -> None:
    long = 10**10_000
    prepare()
    assert len(to_json(long)) == 10_001
    prepare_server("test")
    with pytest.raises(ValueError, match="digits"):
        int("9" * 10_000)
