"""Read terms and atoms, the part of the grammar that nests, and the literals in them."""

import re
from collections.abc import Callable
from typing import Final, NoReturn

from mayfly.mangle._ast import Apply, Atom, Constant, Place, Term, Variable
from mayfly.mangle._calendar import DAY, HOUR, MINUTE, SECOND, days_of, is_date
from mayfly.mangle._errors import MangleError
from mayfly.mangle._hints import describe, not_a_term, not_an_atom, shortened, unexpected, word_alone
from mayfly.mangle._lexer import CONSTANT, DOT_TYPE, NAME, VARIABLE, Lexer
from mayfly.mangle._values import LARGEST_NUMBER, SMALLEST_NUMBER, Duration, Float, Name, Time, wrap

_ESCAPE: Final = re.compile(r"""\\(?:([nt"'\\\n])|x(..)|u\{([^}]*)\})""", re.DOTALL)
_SIMPLE: Final = {"n": "\n", "t": "\t"}
_DIGITS: Final = re.compile("[0-9]+")
_LAST_CODE_POINT: Final = 0x10FFFF
_UNITS: Final = {"ms": 1_000_000, "s": SECOND, "m": MINUTE, "h": HOUR}
_MOST_DIGITS: Final = 19


def read_number(text: str) -> int:
    """Return the 64-bit number that *text* writes; a ValueError says why not."""
    digits = text.lstrip("-").lstrip("0") or "0"
    if len(digits) <= _MOST_DIGITS:
        number = -int(digits) if text[0] == "-" else int(digits)
        if SMALLEST_NUMBER <= number <= LARGEST_NUMBER:
            return number
    raise ValueError(f"a number must lie between {SMALLEST_NUMBER} and {LARGEST_NUMBER}")


def read_float(text: str) -> Float:
    """Return the float that *text* writes; one too large for 64 bits is a ValueError."""
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise ValueError("the float is too large for 64 bits")
    return Float(number)


def read_string(text: str) -> str:
    """Return the string inside a quoted token: every line end is a newline, escapes are replaced."""
    inner = text[1:-1]
    if "\r" in inner:
        inner = inner.replace("\r\n", "\n").replace("\r", "\n")
    return _ESCAPE.sub(_text_of, inner) if "\\" in inner else inner


def read_bytes(text: str) -> bytes:
    """Return the bytes inside a `b"…"` token: characters are UTF-8, `\\x` is any byte."""
    inner, parts, end = text[2:-1], [], 0
    for escape in _ESCAPE.finditer(inner):
        parts.append(inner[end : escape.start()].encode())
        parts.append(bytes.fromhex(escape[2]) if escape[2] else _text_of(escape).encode())
        end = escape.end()
    parts.append(inner[end:].encode())
    return b"".join(parts)


def _text_of(escape: "re.Match[str]") -> str:
    simple, byte, code = escape.groups()
    if simple:
        return _SIMPLE.get(simple, simple)
    point = int(byte or code, 16)
    if byte and point >= 0x80:
        raise ValueError(f'\\x{byte} is no character of a string; write \\u{{00{byte}}}, or a byte string b"…"')
    if point > _LAST_CODE_POINT:
        raise ValueError(f"\\u{{{code}}} is no character: the last one is \\u{{10ffff}}")
    # Half of a surrogate pair is no character: as the language says, the replacement character stands for it.
    return "\ufffd" if 0xD800 <= point <= 0xDFFF else chr(point)


def read_duration(text: str) -> Duration:
    """Return the duration that `7d`, `24h`, `30m`, `1s` or `500ms` writes."""
    found = _DIGITS.match(text)
    digits, unit = text[: found.end() if found else 0], text[found.end() if found else 0 :]
    if unit == "d":
        return Duration(wrap(read_number(digits) * DAY))
    nanoseconds = read_number(digits) * _UNITS[unit]
    if nanoseconds > LARGEST_NUMBER:
        raise ValueError("the duration is longer than 292 years")
    return Duration(nanoseconds)


def read_time(text: str) -> Time:
    """Return the instant that `2024-01-15` or `2024-01-15T10:30:00.5Z` writes, in UTC."""
    day, _, clock = text.rstrip("Z").partition("T")
    year, month, day_number = (int(part) for part in day.split("-"))
    if not is_date(year, month, day_number):
        raise ValueError("there is no such day")
    seconds, fraction = 0, 0
    if clock:
        whole, _, part = clock.partition(".")
        hours, minutes, rest = (int(piece) for piece in whole.split(":"))
        _check_clock(hours, minutes, rest)
        seconds = hours * 3600 + minutes * 60 + rest
        fraction = int(part[:9].ljust(9, "0")) if part else 0
    return Time(wrap(days_of(year, month, day_number) * DAY + seconds * SECOND + fraction))


def _check_clock(hours: int, minutes: int, seconds: int) -> None:
    if hours > 23 or minutes > 59 or seconds > 59:
        raise ValueError("hour, minute or second out of range")


READERS: Final[dict[str, Callable[[str], int | Float | str | bytes]]] = {
    "NUMBER": read_number,
    "FLOAT": read_float,
    "STRING": read_string,
    "BYTES": read_bytes,
}


DEEPEST: Final = 200
_CLOSINGS: Final = {NAME: ")", "[": "]", "{": "}", DOT_TYPE: ">"}


class TermParser:
    """Read terms from the current token of a lexer on; each method leaves the token after what it read."""

    def __init__(self, text: str, file: str, *, temporal: bool = True) -> None:
        self._lexer = Lexer(text, file, temporal=temporal)

    def fail(self, expected: str) -> NoReturn:
        """Raise what is wrong with the current token where *expected* was due."""
        raise unexpected(self._lexer, expected)

    def expect(self, kind: str, expected: str | None = None) -> None:
        """Go past a token of this kind, or fail."""
        if self._lexer.kind != kind:
            self.fail(expected or f"'{kind}'")
        self._lexer.advance()

    def accept(self, kind: str) -> bool:
        """Go past a token of this kind, if it is there."""
        if self._lexer.kind != kind:
            return False
        self._lexer.advance()
        return True

    def any_term(self, depth: int = 0, expected: str = "a term") -> Term | Atom:
        """Read a term, or an atom, which looks the same until its name is known."""
        lexer = self._lexer
        kind = lexer.kind
        if kind is VARIABLE:
            variable = Variable(name=lexer.text, place=lexer.place())
            lexer.advance()
            return variable
        if kind is CONSTANT:
            name = Constant(value=Name(lexer.text), place=lexer.place())
            lexer.advance()
            return name
        if kind in READERS:
            return self._literal()
        if kind not in _CLOSINGS:
            raise not_a_term(lexer, expected)
        if depth >= DEEPEST:
            raise self._too_deep()
        text, place = lexer.text, lexer.place()
        self._open(kind, text, place)
        keyed, items = self._items(kind, _CLOSINGS[kind], depth + 1)
        if kind is NAME and not text.startswith("fn:"):
            return Atom(predicate=text, arguments=items, place=place)
        return Apply(function=_function(kind, text, keyed), arguments=items, place=place)

    def term(self, depth: int = 0) -> Term:
        """Read a term; a predicate is not one."""
        found = self.any_term(depth)
        if isinstance(found, Atom):
            raise self._not_nested(found)
        return found

    def atom(self) -> Atom:
        """Read an atom: a predicate with its arguments."""
        lexer = self._lexer
        place = lexer.place()
        found = self.any_term(0, "a predicate")
        if not isinstance(found, Atom):
            raise not_an_atom(found, place, lexer)
        return found

    def atoms(self) -> tuple[Atom, ...]:
        """Read `[atom, atom, …]`."""
        self.expect("[")
        found: list[Atom] = []
        while self._lexer.kind != "]":
            found.append(self.atom())
            if not self.accept(","):
                break
        self.expect("]", "',' or ']'")
        return tuple(found)

    def terms(self, closing: str) -> tuple[Term, ...]:
        """Read terms with commas between them, and perhaps one behind the last, up to and with *closing*."""
        return self._items(NAME, closing, 0)[1]

    def _items(self, kind: str, closing: str, depth: int) -> tuple[bool, tuple[Term, ...]]:
        """Read what stands between brackets, and whether it has keys: `term, …` or `key : value, …`.

        One method for all brackets and no helper for an entry, because every call counts twice: nesting is recursion.
        """
        lexer = self._lexer
        keyed = kind == "{"
        found: list[Term] = []
        while lexer.kind != closing:
            optional = lexer.place() if kind is DOT_TYPE and self.accept("opt") else None
            term = self.any_term(depth)
            if isinstance(term, Atom):
                raise self._not_nested(term)
            if keyed or optional or (lexer.kind == ":" and _may_have_key(kind, found)):
                self.expect(":")
                value = self.any_term(depth)
                if isinstance(value, Atom):
                    raise self._not_nested(value)
                keyed = keyed or kind == "["
                found += _entry(term, value, optional)
            else:
                found.append(term)
            if lexer.kind != ",":
                break
            lexer.advance()
        if lexer.kind != closing:
            self.fail(f"',', ':' or '{closing}'" if _may_have_key(kind, found[1:]) else f"',' or '{closing}'")
        lexer.advance()
        return keyed, tuple(found)

    def _open(self, kind: str, text: str, place: Place) -> None:
        """Go past what opens a bracket; a name has it behind itself."""
        lexer = self._lexer
        lexer.advance()
        if kind is NAME:
            if lexer.kind != "(":
                raise word_alone(text, place, lexer)
            lexer.advance()
        elif kind is DOT_TYPE:
            if lexer.kind != "<":
                text = shortened(text)
                fix = f"a final dot needs a space or a new line before {text[1:]}"
                raise lexer.error(f"expected '<' after {text}, found {describe(lexer)}", fix=fix)
            lexer.advance()

    def _literal(self) -> Constant:
        lexer = self._lexer
        try:
            value = READERS[lexer.kind](lexer.text)
        except ValueError as error:
            raise lexer.error(str(error)) from None
        constant = Constant(value=value, place=lexer.place())
        if "\n" in lexer.text:
            lexer.suspect = constant.place
        lexer.advance()
        return constant

    def _too_deep(self) -> MangleError:
        """Return the error, and give up: such a text is no program, and looking for more mistakes in it takes long."""
        error = self._lexer.error(
            f"nested deeper than {DEEPEST} levels", fix="give the inner part a predicate of its own"
        )
        self._lexer.stop()
        return error

    def _not_nested(self, found: Atom) -> MangleError:
        name = shortened(found.predicate)
        return self._lexer.error(
            f"the predicate {name}(…) cannot stand where a term is expected",
            fix=f"functions are written fn:{name}(…)",
            place=found.place,
        )


def _may_have_key(kind: str, before: list[Term]) -> bool:
    """Say whether a ':' may follow: always in a type, behind the first term of what is then a map."""
    return kind is DOT_TYPE or (kind == "[" and not before)


def _entry(key: Term, value: Term, optional: Place | None) -> tuple[Term, ...]:
    if optional is None:
        return key, value
    return (Apply(function="fn:opt", arguments=(key, value), place=optional),)


def _function(kind: str, text: str, keyed: bool) -> str:
    if kind is NAME:
        return text
    if kind is DOT_TYPE:
        return f"fn:{text[1:]}"
    if kind == "{":
        return "fn:struct"
    return "fn:map" if keyed else "fn:list"
