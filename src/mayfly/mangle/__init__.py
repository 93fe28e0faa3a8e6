"""Mangle: Datalog with negation, aggregation and structured data, evaluated with a reason for every fact.

`load` makes a program of parsed sources, `Program.evaluate` gives a `Model`, `why` and `why_not` explain it. The names
below are loaded on first use: a program that was kept is evaluated without what reads, checks and explains rules.
"""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily

if TYPE_CHECKING:
    from mayfly.mangle._ast import (
        Atom,
        Clause,
        Constant,
        Equality,
        Negation,
        Premise,
        Term,
        Timed,
        Unit,
        Variable,
    )
    from mayfly.mangle._checked import Checked, Declared, Rule
    from mayfly.mangle._errors import MangleError, MangleErrors
    from mayfly.mangle._load import load, load_files
    from mayfly.mangle._parser import parse, parse_atom, parse_fact
    from mayfly.mangle._show import show_row, show_value
    from mayfly.mangle._source import read_source
    from mayfly.mangle._symbols import Place, Symbol
    from mayfly.mangle._text import show_atom, show_clause
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

__getattr__ = lazily(
    __name__,
    {
        "_ast": "Atom Clause Constant Equality Negation Premise Term Timed Unit Variable",
        "_checked": "Checked Declared Rule",
        "_errors": "MangleError MangleErrors",
        "_load": "load load_files",
        "_parser": "parse parse_atom parse_fact",
        "_source": "read_source",
        "_symbols": "Place Symbol",
        "_show": "show_row show_value",
        "_text": "show_atom show_clause",
        "_values": "LARGEST_NUMBER Duration Float List Map Name Pair Row Struct Time Value sort_key",
        "check": "check_program",
        "engine": "External Limits Model Origin Program compile_program",
        "explain": "Branch Change Fact Repair Step Why WhyNot leaves outline repairs to_json to_text why why_not",
    },
)
