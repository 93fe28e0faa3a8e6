"""Mangle: Datalog with negation, aggregation and structured data, evaluated with a reason for every fact.

`load` makes a program of parsed sources, `Program.evaluate` gives a `Model`, `why` and `why_not` explain it. The names
below are loaded on first use: a program that was kept is evaluated without what reads, checks and explains rules.
"""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily, public_names

if TYPE_CHECKING:
    from mayfly.mangle._ast import Atom as Atom
    from mayfly.mangle._ast import Clause as Clause
    from mayfly.mangle._ast import Constant as Constant
    from mayfly.mangle._ast import Equality as Equality
    from mayfly.mangle._ast import Negation as Negation
    from mayfly.mangle._ast import Premise as Premise
    from mayfly.mangle._ast import Term as Term
    from mayfly.mangle._ast import Timed as Timed
    from mayfly.mangle._ast import Unit as Unit
    from mayfly.mangle._ast import Variable as Variable
    from mayfly.mangle._checked import CheckedProgram as CheckedProgram
    from mayfly.mangle._checked import CheckedRule as CheckedRule
    from mayfly.mangle._checked import DeclaredPredicate as DeclaredPredicate
    from mayfly.mangle._errors import MangleError as MangleError
    from mayfly.mangle._errors import MangleErrors as MangleErrors
    from mayfly.mangle._load import load as load
    from mayfly.mangle._load import load_files as load_files
    from mayfly.mangle._load import read_source as read_source
    from mayfly.mangle._parser import parse as parse
    from mayfly.mangle._parser import parse_atom as parse_atom
    from mayfly.mangle._parser import parse_fact as parse_fact
    from mayfly.mangle._show import show_row as show_row
    from mayfly.mangle._show import show_value as show_value
    from mayfly.mangle._symbols import Place as Place
    from mayfly.mangle._symbols import Symbol as Symbol
    from mayfly.mangle._text import show_atom as show_atom
    from mayfly.mangle._text import show_clause as show_clause
    from mayfly.mangle._values import LARGEST_NUMBER as LARGEST_NUMBER
    from mayfly.mangle._values import Duration as Duration
    from mayfly.mangle._values import Float as Float
    from mayfly.mangle._values import List as List
    from mayfly.mangle._values import Map as Map
    from mayfly.mangle._values import Name as Name
    from mayfly.mangle._values import Pair as Pair
    from mayfly.mangle._values import Row as Row
    from mayfly.mangle._values import Struct as Struct
    from mayfly.mangle._values import Time as Time
    from mayfly.mangle._values import Value as Value
    from mayfly.mangle._values import sort_key as sort_key
    from mayfly.mangle.check import check_program as check_program
    from mayfly.mangle.engine import External as External
    from mayfly.mangle.engine import Limits as Limits
    from mayfly.mangle.engine import Model as Model
    from mayfly.mangle.engine import Origin as Origin
    from mayfly.mangle.engine import Program as Program
    from mayfly.mangle.engine import compile_program as compile_program
    from mayfly.mangle.explain import DerivationBranch as DerivationBranch
    from mayfly.mangle.explain import DerivationStep as DerivationStep
    from mayfly.mangle.explain import Fact as Fact
    from mayfly.mangle.explain import FactChange as FactChange
    from mayfly.mangle.explain import Repair as Repair
    from mayfly.mangle.explain import Why as Why
    from mayfly.mangle.explain import WhyNot as WhyNot
    from mayfly.mangle.explain import leaves as leaves
    from mayfly.mangle.explain import outline as outline
    from mayfly.mangle.explain import repairs as repairs
    from mayfly.mangle.explain import to_json as to_json
    from mayfly.mangle.explain import to_text as to_text
    from mayfly.mangle.explain import why as why
    from mayfly.mangle.explain import why_not as why_not

__all__ = public_names(__name__)
__getattr__ = lazily(__name__)
