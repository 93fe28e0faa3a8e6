"""Wrong programs: which are made, which are left out, and that the choice is spread and steady."""

import ast
import textwrap
from pathlib import Path

import pytest

from mayfly.gates.proof._variants import mutants_of, without_own_tests


def changes(source: str) -> set[str]:
    found = mutants_of(textwrap.dedent(source), 1000)
    for mutant in found:
        ast.parse(mutant.source)
    return {mutant.change for mutant in found}


@pytest.mark.parametrize(
    ("line", "change"),
    [
        ("return a < b", "`<` became `<=`"),
        ("return a == b", "`==` became `!=`"),
        ("return a not in b", "`not in` became `in`"),
        ("return a + 1", "`+` became `-`"),
        ("return a // b", "`//` became `*`"),
        ("return a % 2", "`a % 2` became `((a) + 1) % 2`"),
        ("return a and b", "`a and b` became `((a) or (b))`"),
        ("return a or b", "`a or b` became `((a))`"),
        ("return not a", "`not a` became `(a)`"),
        ("return -a", "`-a` became `(a)`"),
        ("return 5", "`5` became `6`"),
        ("return 0", "`0` became `(-1)`"),
        ("return True", "`True` became `False`"),
        ("return 'abc'", "`'abc'` became `\"\"`"),
        ("return ''", "`''` became `\"XX\"`"),
        ("return a[1:]", "`1` became `2`"),
        ("return a[i]", "`i` became `(i) - 1`"),
        ("return a[::-1]", "`a[::-1]` became `(a)`"),
        ("return a", "`a` became `None`"),
        ("return a.upper()", "`upper` became `lower`"),
        ("return a.strip()", "`a.strip()` became `(a)`"),
        ("return sorted(a)", "`sorted` became `list`"),
        ("return any(a)", "`any` became `all`"),
        ("return pow(a, b)", "`a, b` became `b, a`"),
        ("return range(a)", "`a` became `(a) + 1`"),
        ("return re.match('^a+', b)", "`'^a+'` became `'a+'`"),
        ("return 1 if a else 2", "`a` became `True`"),
        ("return [x for x in a if x]", "`x` became `True`"),
        ("return 'é' < a", "`<` became `<=`"),
    ],
)
def test_a_mistake_of_each_kind_is_made(line: str, change: str) -> None:
    assert change in changes(f"def f(a, b, i):\n    {line}\n")


def test_statements_are_dropped_and_loops_shortened() -> None:
    source = """
    def f(items):
        found = []
        for item in items:
            found.append(item)
        while found:
            found.pop()
            break
        return found
    """
    found = changes(source)
    assert "`found.append(item)` became `pass`" in found
    assert "`items` became `[*(items)][1:]`" in found
    assert "`break` became `pass`" in found
    assert any("_mayfly_in" in change for change in found)


def test_handlers_are_made_to_fail() -> None:
    assert "`return 0` became `raise`" in changes(
        "def f(a):\n    try:\n        return 1\n    except E:\n        return 0\n"
    )


def test_what_does_not_matter_is_left_alone() -> None:
    source = '''
    """A docstring."""
    from typing import TypeVar
    T = TypeVar("T")
    Row = list[tuple[int, int]]

    class Thing:
        """Another."""

        def __repr__(self) -> str:
            return "thing" + "s"

    def f(a: "int" = None) -> "list[int]":
        """A third."""
        return a
    '''
    assert changes(source) == {"`a` became `None`"}


def test_default_values_are_changed() -> None:
    assert "`3` became `4`" in changes("def f(a=3):\n    pass\n")


def test_the_asserts_of_the_program_itself_are_blanked_out() -> None:
    source = "def f(a):\n    assert a\n    return a\n\nassert f(\n    1\n) == 1\nX = 1\n"
    assert without_own_tests(source) == "def f(a):\n    assert a\n    return a\n\npass\n\n\nX = 1\n"


def test_the_choice_is_the_same_every_time_and_no_larger_than_asked() -> None:
    source = "def f(a, b):\n" + "".join(f"    a = a + {n} if a < b else b\n" for n in range(20)) + "    return a\n"
    assert mutants_of(source, 24) == mutants_of(source, 24)
    assert len(mutants_of(source, 24)) == 24


def test_the_choice_is_spread_over_the_lines() -> None:
    source = "def f(a, b):\n" + "".join(f"    a = a + {n} if a < b else b\n" for n in range(20)) + "    return a\n"
    assert len({mutant.line for mutant in mutants_of(source, 24)}) >= 18


def test_edits_are_found_behind_letters_of_several_bytes() -> None:
    made = {mutant.source for mutant in mutants_of("x = f('äöü😀') - 5\n", 50)}
    assert {"x = f('äöü😀') + 5\n", "x = f('äöü😀') - 6\n", "x = f('öü😀') - 5\n"} <= made


@pytest.mark.later
def test_every_mutant_of_a_larger_source_is_python_or_is_dropped_later() -> None:
    source = Path(ast.__file__).read_text(encoding="utf-8")
    broken = 0
    found = mutants_of(source, 60)
    for mutant in found:
        try:
            ast.parse(mutant.source)
        except SyntaxError:
            broken += 1
    assert broken <= 2
