"""Mangle: Datalog with negation, aggregation and structured data, evaluated with a reason for every fact.

`load` makes a program of parsed sources, `Program.evaluate` gives a `Model`, `why` and `why_not` explain it.
"""

from mayfly.policy.mangle._ast import Atom, Clause, Place, Symbol, Unit
from mayfly.policy.mangle._checked import Checked, Declared, Rule
from mayfly.policy.mangle._errors import MangleError, MangleErrors
from mayfly.policy.mangle._load import load, load_files
from mayfly.policy.mangle._parser import parse, parse_atom, parse_fact
from mayfly.policy.mangle._source import read_source
from mayfly.policy.mangle._text import show_atom, show_clause, show_row, show_value
from mayfly.policy.mangle._values import (
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
from mayfly.policy.mangle.engine import External, Limits, Model, Origin, Program
from mayfly.policy.mangle.explain import (
    Branch,
    Fact,
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
    "Atom",
    "Branch",
    "Checked",
    "Clause",
    "Declared",
    "Duration",
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
    "Origin",
    "Pair",
    "Place",
    "Program",
    "Row",
    "Rule",
    "Struct",
    "Symbol",
    "Time",
    "Unit",
    "Value",
    "Why",
    "WhyNot",
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
