"""The syntax gate: whatever is given, a tree or a verdict comes back."""

import ast
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mayfly.core import Verdict
from mayfly.gates import Profile, check_stability
from mayfly.gates._syntax import MAX_SOURCE_BYTES, check_syntax, snippet


def refused(source: str | bytes) -> Verdict:
    parsed = check_syntax(source)
    assert parsed.tree is None
    (verdict,) = parsed.verdicts
    assert (verdict.decision, verdict.gate) == ("reject", "syntax")
    return verdict


def test_good_source_gives_a_tree_and_no_verdict() -> None:
    parsed = check_syntax("x = 1\n")
    assert isinstance(parsed.tree, ast.Module)
    assert parsed == (parsed.tree, "x = 1\n", ())


def test_the_message_has_the_promised_form() -> None:
    verdict = refused("a = 1\nb = (\nc = 3\n")
    assert verdict.code == "SYNTAX"
    assert verdict.message == "Syntax error at line 2: '(' was never closed"
    assert verdict.line == 2


def test_the_fix_shows_five_lines_with_a_marker() -> None:
    fix = refused("a = 1\nb = 2\nc = = 3\nd = 4\ne = 5\nf = 6\n").fix or ""
    shown = fix.splitlines()[1:]
    assert len(shown) == 5
    assert [line.startswith(">>>") for line in shown] == [False, False, True, False, False]
    assert "c = = 3" in shown[2]


@pytest.mark.parametrize("line", [-3, 0, 1, 2, 3, 99])
def test_a_snippet_of_any_line_is_within_the_text(line: int) -> None:
    shown = snippet("first\nsecond\nthird", line)
    assert shown.count(">>>") == 1
    assert len(shown.splitlines()) <= 5


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_lines_are_counted_as_python_counts_them(newline: str) -> None:
    assert refused(f"x = 1{newline}y = 2{newline}break{newline}").line == 3
    assert refused(f"x = 1{newline}\0").line == 2


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("", "EMPTY"),
        (b"", "EMPTY"),
        ("# only a comment\n", "EMPTY"),
        ("x = 1\n\0", "NULL_BYTE"),
        (b"x = 1\0", "NULL_BYTE"),
        (b"x = '\xff'", "ENCODING"),
        ("x = '\ud800'", "ENCODING"),
        (b"# -*- coding: latin-1 -*-\nx = '\xe9'\n", "ENCODING"),
        ("# -*- coding: latin-1 -*-\nx = 1\n", "ENCODING"),
        ("#!/usr/bin/python\n# vim: set fileencoding=utf-7 :\nx = 1\n", "ENCODING"),
        ("x = " + "a" * MAX_SOURCE_BYTES, "SOURCE_SIZE"),
        ("x = " + "-" * 50_000 + "1", "NESTING"),
        ("x = 1" + " + 1" * 20_000, "NESTING"),
        ("x" + ".y" * 30_000, "NESTING"),
        ("x = " + "(" * 1_000 + ")" * 1_000, "SYNTAX"),
        ("x = " + "9" * 10_000, "SYNTAX"),
        ("  x = 1", "SYNTAX"),
        ("x = “quoted”", "SYNTAX"),
        ("return 1", "COMPILE"),
        ("break", "COMPILE"),
        ("continue", "COMPILE"),
        ("def f(a, a): pass", "COMPILE"),
        ("await x", "COMPILE"),
        ("def f():\n    nonlocal y\n", "COMPILE"),
        ("def f():\n    x = 1\n    global x\n", "COMPILE"),
        ("from __future__ import braces", "COMPILE"),
    ],
)
def test_what_is_no_program_has_a_code_of_its_own(source: str | bytes, code: str) -> None:
    verdict = refused(source)
    assert verdict.code == code
    assert verdict.message.startswith(f"Syntax error at line {verdict.line}: ")


def test_the_size_is_measured_in_bytes() -> None:
    verdict = refused("x = '" + "é" * (MAX_SOURCE_BYTES // 2) + "'")
    assert (verdict.measured, verdict.limit) == (MAX_SOURCE_BYTES + 6, MAX_SOURCE_BYTES)


def test_a_source_of_exactly_the_limit_passes() -> None:
    assert check_syntax("#" * (MAX_SOURCE_BYTES - 4) + "\nx=1"[:4]).tree is not None


@pytest.mark.parametrize(
    "source", ["\ufeffx = 1", b"\xef\xbb\xbfx = 1", "# coding: utf-8\nx = 1", b"# coding: UTF_8\nx = 1"]
)
def test_utf8_may_say_that_it_is_utf8(source: str | bytes) -> None:
    assert check_syntax(source).verdicts == ()


@pytest.mark.parametrize("source", ["x = '\\d'", "x = 1\ny = x is 1", "assert (1, 'always')", "def f(): return 1()"])
def test_warnings_of_the_compiler_do_not_leak(source: str) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert check_syntax(source).tree is not None
    assert caught == []


def test_the_filters_of_warnings_are_left_as_they_were() -> None:
    before = list(warnings.filters)
    check_syntax("x = '\\d'")
    assert list(warnings.filters) == before


def test_nothing_is_run() -> None:
    assert check_syntax("raise SystemExit('ran')").tree is not None


@given(st.text() | st.binary())
def test_no_input_crashes_the_gate(source: str | bytes) -> None:
    parsed = check_syntax(source)
    assert (parsed.tree is None) == bool(parsed.verdicts)


def test_a_choice_of_thousands_is_refused_here_or_at_the_next_gate() -> None:
    parsed = check_syntax("x = 1\nif x:\n    pass\n" + "elif x:\n    pass\n" * 4_000)
    found = parsed.verdicts
    if parsed.tree is not None:
        found = check_stability(parsed.tree, parsed.text, Profile()).verdicts
    assert "reject" in {verdict.decision for verdict in found}
