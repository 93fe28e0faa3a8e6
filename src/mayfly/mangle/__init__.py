"""Mangle: Datalog with negation, aggregation and structured data, evaluated with a reason for every fact.

`load` makes a program of parsed sources, `Program.evaluate` gives a `Model`, `why` and `why_not` explain it. The names
below are loaded on first use: a program that was kept is evaluated without what reads, checks and explains rules.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mayfly.mangle._ast import (
        Atom,
        Clause,
        Constant,
        Equality,
        Negation,
        Place,
        Premise,
        Symbol,
        Term,
        Timed,
        Unit,
        Variable,
    )
    from mayfly.mangle._checked import Checked, Declared, Rule
    from mayfly.mangle._errors import MangleError, MangleErrors
    from mayfly.mangle._load import load, load_files
    from mayfly.mangle._parser import parse, parse_atom, parse_fact
    from mayfly.mangle._source import read_source
    from mayfly.mangle._text import show_atom, show_clause, show_row, show_value
    from mayfly.mangle._values import (
        LARGEST_NUMBER,
        Duration,
        Float,
        List,
        Map,
        Name,
        Pair,
        Row,
        Struct,
        Time,
        Value,
        sort_key,
    )
    from mayfly.mangle.check import check_program
    from mayfly.mangle.engine import External, Limits, Model, Origin, Program, compile_program
    from mayfly.mangle.explain import (
        Branch,
        Change,
        Fact,
        Repair,
        Step,
        Why,
        WhyNot,
        leaves,
        outline,
        repairs,
        to_json,
        to_text,
        why,
        why_not,
    )

__all__ = [
    "LARGEST_NUMBER",
    "Atom",
    "Branch",
    "Change",
    "Checked",
    "Clause",
    "Constant",
    "Declared",
    "Duration",
    "Equality",
    "External",
    "Fact",
    "Float",
    "Limits",
    "List",
    "MangleError",
    "MangleErrors",
    "Map",
    "Model",
    "Name",
    "Negation",
    "Origin",
    "Pair",
    "Place",
    "Premise",
    "Program",
    "Repair",
    "Row",
    "Rule",
    "Step",
    "Struct",
    "Symbol",
    "Term",
    "Time",
    "Timed",
    "Unit",
    "Value",
    "Variable",
    "Why",
    "WhyNot",
    "check_program",
    "compile_program",
    "leaves",
    "load",
    "load_files",
    "outline",
    "parse",
    "parse_atom",
    "parse_fact",
    "read_source",
    "repairs",
    "show_atom",
    "show_clause",
    "show_row",
    "show_value",
    "sort_key",
    "to_json",
    "to_text",
    "why",
    "why_not",
]

_HOME = {
    **dict.fromkeys(
        (
            "Atom",
            "Clause",
            "Constant",
            "Equality",
            "Negation",
            "Place",
            "Premise",
            "Symbol",
            "Term",
            "Timed",
            "Unit",
            "Variable",
        ),
        "mayfly.mangle._ast",
    ),
    **dict.fromkeys(("Checked", "Declared", "Rule"), "mayfly.mangle._checked"),
    **dict.fromkeys(("MangleError", "MangleErrors"), "mayfly.mangle._errors"),
    **dict.fromkeys(("load", "load_files"), "mayfly.mangle._load"),
    **dict.fromkeys(("parse", "parse_atom", "parse_fact"), "mayfly.mangle._parser"),
    **dict.fromkeys(("read_source",), "mayfly.mangle._source"),
    **dict.fromkeys(("show_atom", "show_clause", "show_row", "show_value"), "mayfly.mangle._text"),
    **dict.fromkeys(
        (
            "LARGEST_NUMBER",
            "Duration",
            "Float",
            "List",
            "Map",
            "Name",
            "Pair",
            "Row",
            "Struct",
            "Time",
            "Value",
            "sort_key",
        ),
        "mayfly.mangle._values",
    ),
    **dict.fromkeys(("check_program",), "mayfly.mangle.check"),
    **dict.fromkeys(("External", "Limits", "Model", "Origin", "Program", "compile_program"), "mayfly.mangle.engine"),
    **dict.fromkeys(
        (
            "Branch",
            "Change",
            "Fact",
            "Repair",
            "Step",
            "Why",
            "WhyNot",
            "leaves",
            "outline",
            "repairs",
            "to_json",
            "to_text",
            "why",
            "why_not",
        ),
        "mayfly.mangle.explain",
    ),
}


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'mayfly.mangle' has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(_HOME[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
