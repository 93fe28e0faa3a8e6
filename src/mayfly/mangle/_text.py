"""Print clauses and what they are made of as Mangle source, in the form the reference engine prints them."""

from collections.abc import Callable
from typing import Final, TypeAlias

from mayfly.mangle._ast import (
    Apply,
    Atom,
    Bound,
    Clause,
    Constant,
    Declaration,
    Equality,
    Interval,
    Negation,
    Premise,
    Term,
    Timed,
    Transform,
    Variable,
)
from mayfly.mangle._calendar import DAY, HOUR, MINUTE, SECOND
from mayfly.mangle._show import show_float, show_row, show_time, show_value
from mayfly.mangle._values import (
    Duration,
    Float,
    Time,
    Value,
    sort_key,
)

__all__ = [
    "show_atom",
    "show_clause",
    "show_declaration",
    "show_premise",
    "show_row",
    "show_term",
    "show_value",
    "sort_key",
]

_TYPES: Final = ("Fun", "List", "Map", "Option", "Pair", "Rel", "Singleton", "Struct", "TaggedUnion", "Tuple", "Union")
ShowValue: TypeAlias = Callable[[Value], str]
_COMPARISONS: Final = {":lt": "<", ":le": "<=", ":gt": ">", ":ge": ">="}


def _show_constant(value: Value) -> str:
    """Print a constant for a reader: floats keep their point, and no control character is left bare."""
    if isinstance(value, Float):
        text = show_float(value.held)
        return text if "." in text or not text.lstrip("-").isdigit() else f"{text}.0"
    text = show_value(value)
    if isinstance(value, (str, bytes)) and not text.isprintable():
        return "".join(each if each.isprintable() else f"\\x{ord(each):02x}" for each in text)
    return text


def show_term(term: Term, value: ShowValue = _show_constant) -> str:
    """Return a term as source that reads back as the same term, its constants as *value* prints them."""
    if isinstance(term, Constant):
        return value(term.value)
    if isinstance(term, Variable):
        return term.name
    return _show_apply(term, value)


def _show_apply(term: Apply, value: ShowValue = _show_constant) -> str:
    arguments = [show_term(argument, value) for argument in term.arguments]
    if term.function == "fn:list":
        inner = ", ".join(arguments)
        return f"[ {inner}]" if inner.startswith(("-", "+")) else f"[{inner}]"
    if term.function in ("fn:map", "fn:struct") and arguments and len(arguments) % 2 == 0:
        pairs = ", ".join(f"{key} : {held}" for key, held in zip(arguments[::2], arguments[1::2], strict=True))
        if term.function == "fn:struct":
            return f"{{{pairs}}}"
        return f"[ {pairs}]" if pairs.startswith("-") else f"[{pairs}]"
    if term.function == "fn:struct" and not arguments:
        return "{}"
    opening, closing = _function_name(term.function)
    return f"{opening}{', '.join(arguments)}{closing}"


def _function_name(function: str) -> tuple[str, str]:
    """Return how an application opens and closes: type expressions have a form of their own."""
    name = function.removeprefix("fn:")
    return (f".{name}<", ">") if name in _TYPES else (f"{function}(", ")")


def show_atom(atom: Atom, value: ShowValue = _show_constant) -> str:
    """Return an atom as source; comparisons stand between their arguments."""
    arguments = [show_term(argument, value) for argument in atom.arguments]
    if atom.predicate in _COMPARISONS and len(arguments) == 2:
        return f"{arguments[0]} {_COMPARISONS[atom.predicate]} {arguments[1]}"
    return f"{atom.predicate}({', '.join(arguments)})"


def show_premise(premise: Premise, value: ShowValue = _show_constant) -> str:
    """Return a premise as source."""
    if isinstance(premise, Atom):
        return show_atom(premise, value)
    if isinstance(premise, Negation):
        return f"!{_show_plain(premise.atom)}"
    if isinstance(premise, Equality):
        sign = "!=" if premise.negated else "="
        return f"{show_term(premise.left, value)} {sign} {show_term(premise.right, value)}"
    return _show_timed(premise)


def _show_plain(atom: Atom) -> str:
    """Return an atom where no comparison may stand: `:lt(X, Y)`."""
    return f"{atom.predicate}({', '.join(show_term(argument) for argument in atom.arguments)})"


def _show_timed(premise: Timed) -> str:
    text = _show_plain(premise.atom)
    if premise.annotation is not None:
        text += _show_annotation(premise.annotation)
    if premise.window is not None:
        window = premise.window
        text = f"{premise.operator}[{_show_bound(window.start)}, {_show_bound(window.end)}] {text}"
    return text


def _show_annotation(interval: Interval) -> str:
    return f"@[{_show_bound(interval.start)}, {_show_bound(interval.end)}]"


def _show_bound(bound: Bound) -> str:
    end = bound.end
    if end is None:
        return "_"
    if isinstance(end, str):
        return end
    if isinstance(end, Variable):
        return end.name
    return _show_moment(end.value)


def _show_moment(value: Value) -> str:
    """Return a time or duration as the temporal syntax writes it: one unit only."""
    if isinstance(value, Time):
        return show_time(value.held)
    assert isinstance(value, Duration)
    for unit, size in (("d", DAY), ("h", HOUR), ("m", MINUTE), ("s", SECOND)):
        if value.held % size == 0 and value.held:
            return f"{value.held // size}{unit}"
    return f"{value.held // 1_000_000}ms"


def show_clause(clause: Clause) -> str:
    """Return a clause as source, with its final dot."""
    head = _show_plain(clause.head)
    if clause.time is not None:
        head += _show_annotation(clause.time)
    if clause.premises is None:
        return f"{head}."
    body = ", ".join(show_premise(premise) for premise in clause.premises)
    transforms = "".join(f" |> {_show_transform(transform)}" for transform in clause.transforms)
    return _ended(f"{head} :- {body}{transforms}")


def _ended(text: str) -> str:
    """Put the final dot behind *text*; a name at its end would swallow it."""
    return f"{text} ." if text.rsplit(" ", 1)[-1].startswith("/") else f"{text}."


def _show_transform(transform: Transform) -> str:
    parts = [] if transform.do is None else [f"do {_show_apply(transform.do)}"]
    parts += [f"let {let.variable.name} = {_show_apply(let.function)}" for let in transform.lets]
    return ", ".join(parts)


def show_declaration(declaration: Declaration) -> str:
    """Return a declaration as source, with its final dot."""
    text = f"Decl {_show_plain(declaration.atom)}"
    if declaration.temporal:
        text += " temporal"
    if declaration.descriptions:
        text += f" descr [{', '.join(map(_show_plain, declaration.descriptions))}]"
    for bound in declaration.bounds:
        text += f" bound [{', '.join(map(show_term, bound))}]"
    if declaration.inclusions is not None:
        text += f" inclusion [{', '.join(map(_show_plain, declaration.inclusions))}]"
    return f"{text}."
