"""Small programs, evaluated by the real engine, and questions about them."""

from collections.abc import Mapping

from mayfly.mangle._ast import Atom, Symbol
from mayfly.mangle._parser import parse, parse_atom, parse_fact
from mayfly.mangle._text import show_atom, show_row
from mayfly.mangle.check import check_program
from mayfly.mangle.engine import External, Model, compile_program
from mayfly.mangle.explain import DerivationLeaves, Fact, Why, WhyNot, leaves, repairs, to_text, why, why_not

PERMITS = """
Decl pending(Id, Action, Target).
Decl size(Id, N).
Decl approved(Id).
safe(/read).
safe(/list).
dangerous(/shell).
permitted(A, T) :- pending(I, A, T), safe(A), !refused(I, _).
permitted(A, T) :- pending(I, A, T), dangerous(A), approved(I), !refused(I, _).
refused(I, "too big") :- size(I, N), N > 100.
refused(I, "outside") :- pending(I, _, T), :string:starts_with(T, "/etc").
"""

CYCLE = """
edge(1, 2).
edge(2, 3).
edge(3, 1).
path(X, Y) :- edge(X, Y).
path(X, Z) :- path(X, Y), edge(Y, Z).
"""

DEFERRED = """Decl next(X, Y) descr [mode('+', '-'), deferred()].
next(X, Y) :- Y = fn:plus(X, 1).
n(3).
p(X, Y) :- n(X), next(X, Y).
"""

CHEAPEST = """
Decl price(Thing, Cents) descr [fundep([Thing], [Cents]), merge([Cents], "cheaper")].
Decl cheaper(Old, New, Kept) descr [mode('+', '+', '-'), deferred()].
cheaper(Old, New, New) :- New < Old.
cheaper(Old, New, Old) :- Old <= New.
offer(/tea, 5).
offer(/tea, 2).
offer(/tea, 7).
price(Thing, Cents) :- offer(Thing, Cents).
"""


def evaluated(text: str, *facts: str, externals: Mapping[Symbol, External] | None = None) -> Model:
    program = compile_program(check_program([parse(text, file="rules.mg")]))
    return program.evaluate([parse_fact(fact) for fact in facts], externals=externals or {})


def fact(text: str) -> Fact:
    return Fact(*parse_fact(text))


def because(model: Model, text: str, depth: int = 20) -> Why:
    return why(model, *parse_fact(text), depth=depth)


def because_not(model: Model, text: str, depth: int = 4) -> WhyNot:
    return why_not(model, parse_atom(text), depth=depth, repair=False)


def said(explanation: Why | WhyNot) -> list[str]:
    return to_text(explanation).splitlines()


def named(found: DerivationLeaves) -> tuple[set[str], set[str]]:
    return {show_row(*used) for used in found.facts}, {show_atom(atom) for atom in found.absences}


def rests(model: Model, text: str) -> tuple[set[str], set[str]]:
    return named(leaves(because(model, text)))


def mended(model: Model, text: str, **options: float) -> list[set[str]]:
    found = repairs(model, parse_atom(text), **options)  # type: ignore[arg-type]
    signs = {"add": "+", "remove": "-"}
    return [{signs[change.kind] + show_row(*change.fact) for change in repair.changes} for repair in found]


def goal(text: str) -> Atom:
    return parse_atom(text)
