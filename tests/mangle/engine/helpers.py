"""Short ways to write programs and facts in tests."""

from mayfly.mangle._ast import Symbol
from mayfly.mangle._parser import parse, parse_fact
from mayfly.mangle._text import show_row
from mayfly.mangle._values import Row
from mayfly.mangle.check import check_program
from mayfly.mangle.engine import Model, Program, compile_program


def program(text: str) -> Program:
    """Return a compiled program."""
    return compile_program(check_program([parse(text, file="test.mg")]))


def facts(*texts: str) -> list[tuple[Symbol, Row]]:
    """Return facts written as `p(/a, 1)`."""
    return [parse_fact(text) for text in texts]


def rows(model: Model, name: str) -> set[str]:
    """Return everything that holds of a predicate, as text without its name."""
    return {
        show_row(symbol, row).removeprefix(name).strip("()") for symbol, row in model.facts() if symbol.name == name
    }


def derived(text: str, name: str, *given: str) -> set[str]:
    """Return what a program derives for a predicate."""
    return rows(program(text).evaluate(facts(*given)), name)
