"""Print values, facts and clauses as Mangle source, in the form the reference engine prints them."""

import re
from datetime import date
from decimal import Decimal
from typing import Final, NamedTuple

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
    Symbol,
    Term,
    Timed,
    Transform,
    Variable,
)
from mayfly.mangle._values import (
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

_SECOND: Final = 1_000_000_000
_DAY: Final = 86_400 * _SECOND
_EPOCH: Final = date(1970, 1, 1).toordinal()
_ESCAPED: Final = re.compile(r"[\"'\\\n\t]|[^\x00-\x7f]")
_ESCAPES: Final = {'"': '\\"', "'": "\\'", "\\": "\\\\", "\n": "\\n", "\t": "\\t"}
_ESCAPED_BYTES: Final = frozenset(b"\"'\\\n\t")
_BRACKETS: Final = {List: "[]", Pair: ("fn:pair(", ")"), Map: "[]", Struct: "{}"}
_TYPES: Final = ("Fun", "List", "Map", "Option", "Pair", "Rel", "Singleton", "Struct", "TaggedUnion", "Tuple", "Union")
_COMPARISONS: Final = {":lt": "<", ":le": "<=", ":gt": ">", ":ge": ">="}


def show_value(value: Value) -> str:
    """Return a constant as source; the entries of maps and structs are sorted."""
    if not isinstance(value, (List, Pair, Map, Struct)):
        return _show_scalar(value)
    # Not by recursion: rules can build values that are nested deeper than Python's calls may be.
    shown: list[str] = []
    rest: list[Value | _Piece] = [value]
    while rest:
        part = rest.pop()
        if isinstance(part, _Piece):
            shown.append(part.text)
        elif isinstance(part, (List, Pair, Map, Struct)):
            rest += reversed(_parts(part))
        else:
            shown.append(_show_scalar(part))
    return "".join(shown)


class _Piece(NamedTuple):
    """A text to be printed as it is, told apart from a string value."""

    text: str


_COMMA: Final = _Piece(", ")
_COLON: Final = _Piece(" : ")


def _parts(value: List | Pair | Map | Struct) -> list[Value | _Piece]:
    """Return what to print for a collection: its brackets, commas, colons and the values between them."""
    if isinstance(value, Map) and not value.held:
        return [_Piece("fn:map()")]
    opening, closing = _BRACKETS[type(value)]
    parts: list[Value | _Piece] = [_Piece(opening)]
    if isinstance(value, (Map, Struct)):
        for key, content in value.held:
            parts += (key, _COLON, content, _COMMA)
    else:
        for content in value.held:
            parts += (content, _COMMA)
    if len(parts) > 1:
        parts.pop()
    parts.append(_Piece(closing))
    return parts


def _show_scalar(value: Name | str | int | bytes | Float | Time | Duration) -> str:
    if isinstance(value, Name):
        return value.text
    if isinstance(value, str):
        return f'"{_ESCAPED.sub(_escape, value)}"'
    if isinstance(value, int):
        return str(value)
    if isinstance(value, bytes):
        return 'b"' + "".join(_show_byte(byte) for byte in value) + '"'
    if isinstance(value, Float):
        return show_float(value.held)
    if isinstance(value, Time):
        return f'fn:time:parse_rfc3339("{show_time(value.held)}")'
    return f'fn:duration:parse("{show_duration(value.held)}")'


def _escape(found: "re.Match[str]") -> str:
    return _ESCAPES.get(found[0]) or f"\\u{{{ord(found[0]):06x}}}"


def _show_byte(byte: int) -> str:
    return f"\\x{byte:02x}" if byte >= 0x80 or byte in _ESCAPED_BYTES else chr(byte)


def show_float(number: float) -> str:
    """Return the shortest digits that read back as the same float, without an exponent."""
    if number != number:
        return "NaN"
    if number in (float("inf"), float("-inf")):
        return "+Inf" if number > 0 else "-Inf"
    text = format(Decimal(repr(number)), "f")
    return text.removesuffix(".0")


def show_time(nanoseconds: int) -> str:
    """Return an instant as RFC 3339 in UTC, with as many digits of the second as are not zero."""
    days, rest = divmod(nanoseconds, _DAY)
    seconds, fraction = divmod(rest, _SECOND)
    day = date.fromordinal(_EPOCH + days).isoformat()
    point = f".{fraction:09d}".rstrip("0") if fraction else ""
    return f"{day}T{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}{point}Z"


def show_duration(nanoseconds: int) -> str:
    """Return a duration as `1h30m5.5s`; below a second in the largest unit that keeps a digit before the point."""
    sign, size = ("-" if nanoseconds < 0 else ""), abs(nanoseconds)
    if not size:
        return "0s"
    if size < _SECOND:
        unit, scale = ("ns", 1) if size < 1000 else ("µs", 1000) if size < 1_000_000 else ("ms", 1_000_000)
        return f"{sign}{_fixed(size, scale)}{unit}"
    minutes, rest = divmod(size, 60 * _SECOND)
    text = f"{_fixed(rest, _SECOND)}s"
    if minutes:
        text = f"{minutes % 60}m{text}"
    if minutes >= 60:
        text = f"{minutes // 60}h{text}"
    return sign + text


def _fixed(size: int, scale: int) -> str:
    whole, fraction = divmod(size, scale)
    width = len(str(scale)) - 1
    return f"{whole}.{fraction:0{width}d}".rstrip("0") if fraction else str(whole)


def show_row(symbol: Symbol, row: Row) -> str:
    """Return one fact, such as `p(/a, 1)`."""
    return f"{symbol.name}({', '.join(map(show_value, row))})"


def show_term(term: Term) -> str:
    """Return a term as source that reads back as the same term."""
    if isinstance(term, Constant):
        return _show_constant(term.value)
    if isinstance(term, Variable):
        return term.name
    return _show_apply(term)


def _show_constant(value: Value) -> str:
    """Print a constant for a reader: floats keep their point, and no control character is left bare."""
    if isinstance(value, Float):
        text = show_float(value.held)
        return text if "." in text or not text.lstrip("-").isdigit() else f"{text}.0"
    text = show_value(value)
    if isinstance(value, (str, bytes)) and not text.isprintable():
        return "".join(each if each.isprintable() else f"\\x{ord(each):02x}" for each in text)
    return text


def _show_apply(term: Apply) -> str:
    arguments = [show_term(argument) for argument in term.arguments]
    if term.function == "fn:list":
        inner = ", ".join(arguments)
        return f"[ {inner}]" if inner.startswith(("-", "+")) else f"[{inner}]"
    if term.function in ("fn:map", "fn:struct") and arguments and len(arguments) % 2 == 0:
        pairs = ", ".join(f"{key} : {value}" for key, value in zip(arguments[::2], arguments[1::2], strict=True))
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


def show_atom(atom: Atom) -> str:
    """Return an atom as source; comparisons stand between their arguments."""
    arguments = [show_term(argument) for argument in atom.arguments]
    if atom.predicate in _COMPARISONS and len(arguments) == 2:
        return f"{arguments[0]} {_COMPARISONS[atom.predicate]} {arguments[1]}"
    return f"{atom.predicate}({', '.join(arguments)})"


def show_premise(premise: Premise) -> str:
    """Return a premise as source."""
    if isinstance(premise, Atom):
        return show_atom(premise)
    if isinstance(premise, Negation):
        return f"!{_show_plain(premise.atom)}"
    if isinstance(premise, Equality):
        sign = "!=" if premise.negated else "="
        return f"{show_term(premise.left)} {sign} {show_term(premise.right)}"
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
    for unit, size in (("d", _DAY), ("h", 3600 * _SECOND), ("m", 60 * _SECOND), ("s", _SECOND)):
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
