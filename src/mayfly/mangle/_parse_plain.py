"""Read plain clauses atom by atom instead of token by token.

Nearly every clause is made of atoms of variables, names, numbers and simple strings, with a comparison now and then.
One pattern takes such an atom whole. It takes only what the tokens of `_lexer` would be cut from in the same way; at
the first clause that is not quite so plain, or wrong, reading stops, and the parser takes that clause by its tokens.
"""

import re
from typing import Any, Final

from mayfly.mangle._ast import (
    Atom,
    Clause,
    Constant,
    Declaration,
    Equality,
    Negation,
    Place,
    Premise,
    Symbol,
    Term,
    Variable,
    symbol_of,
)
from mayfly.mangle._lexer import COMPARISONS, KEYWORDS, LETTER, PIECE, REST, SPACE, UPPER_KEYWORDS
from mayfly.mangle._values import Name, Row, Value

# More columns than predicates have; an atom with more is read by its tokens.
_COLUMNS: Final = 10
# A number of so many digits is surely one of 64 bits; of a larger one the parser of tokens says what is wrong with it.
_DIGITS: Final = 18
_BLANK: Final = r"[ \t]*+"
_CAPITAL: Final = rf"(?:{'|'.join(UPPER_KEYWORDS)})(?![A-Za-z0-9])"
# Strings without escapes and of one line; a variable, a name or a number as the tokens have them.
_TERM: Final = (
    rf"""(_|(?!{_CAPITAL})[A-Z][A-Za-z0-9]*+(?![:_]|\.{LETTER})|{PIECE}(?:{PIECE})*|"[^"\\\r\n]*+"|'[^'\\\r\n]*+'"""
    rf"|-?[0-9]{{1,{_DIGITS}}}+){_BLANK}"
)
_MORE: Final = f"(?:,{_BLANK}{_TERM}" * (_COLUMNS - 1) + ")?" * (_COLUMNS - 1)
_ATOM: Final = rf"([a-z]{REST})\({_BLANK}(?:{_TERM}{_MORE})?\)"
# A dot before a capital letter or a digit would begin another token.
_DOT: Final = r"\.(?![A-Z0-9])"
# The groups of a head and of an atom in a body have the same numbers.
_HEAD: Final = re.compile(rf"{SPACE}(Decl[ \t]++)?{_ATOM}{SPACE}(:-|{_DOT})").match
_PREMISE: Final = re.compile(
    rf"{SPACE}(?:(!{_BLANK})?{_ATOM}|{_TERM}(!=|=|<=|>=|<(?![-+])|>){_BLANK}{_TERM}){SPACE}(,|{_DOT})"
).match
_FACT: Final = re.compile(rf"{SPACE}(){_ATOM}{SPACE}\.?{SPACE}").fullmatch
_MARK, _NAME, _FIRST = 1, 2, 3
_LEFT, _SIGN, _RIGHT = _FIRST + _COLUMNS, _FIRST + _COLUMNS + 1, _FIRST + _COLUMNS + 2
# A negated atom is written with '!'; the parser of tokens knows what to do with `not`.
_NO_PREDICATES: Final = KEYWORDS | {"not"}
_VARIABLE: Final = Variable

_new = object.__new__
_new_tuple = tuple.__new__


class PlainReader:
    """Read plain clauses and declarations of one source from a place on."""

    def __init__(self, source: str, file: str) -> None:
        self._source = source
        self._file = file
        self._line = 1
        self._line_start = 0
        self._line_end = -1
        self._values: dict[str, Value | type[Variable]] = {}
        """What a text stands for: a value, or the class of variables."""

    def read(self, at: int, clauses: list[Clause], declarations: list[Declaration]) -> int:
        """Add the clauses and declarations from *at* on, as long as they are plain; return where the last one ends."""
        source = self._source
        while (found := _HEAD(source, at)) is not None:
            head = self._atom(found)
            if head is None:
                break
            end = found.end()
            ends = source[end - 1] == "."
            if found[_MARK] is not None:
                if not ends or any(type(term) is not Variable for term in head.arguments):
                    break
                declarations.append(_declaration(head, self._place(found.start(_MARK))))
            elif ends:
                clauses.append(Clause(head=head, premises=None, transforms=(), time=None, place=head.place))
            else:
                premises: list[Premise] = []
                end = self._premises(end, premises)
                if end < 0:
                    break
                clauses.append(Clause(head=head, premises=tuple(premises), transforms=(), time=None, place=head.place))
            at = end
        return at

    def _premises(self, at: int, premises: list[Premise]) -> int:
        """Add the premises from *at* on and return where their clause ends, or -1 if they are not all plain."""
        source = self._source
        while (found := _PREMISE(source, at)) is not None:
            if found[_NAME] is None:
                premises.append(self._comparison(found))
            else:
                atom = self._atom(found)
                if atom is None:
                    return -1
                premises.append(
                    atom if found[_MARK] is None else Negation(atom=atom, place=self._place(found.start(_MARK)))
                )
            at = found.end()
            if source[at - 1] == ".":
                return at
        return -1

    def _atom(self, found: "re.Match[str]") -> Atom | None:
        """Return the atom that was found, or None if what looks like one is not."""
        texts = found.groups()
        name = texts[_NAME - 1]
        if name in _NO_PREDICATES or name[:3] == "fn:":
            return None
        place = self._place(found.start(_NAME))
        terms: list[Term] = []
        file, line, start, known = self._file, self._line, self._line_start - 1, self._values
        for number, text in enumerate(texts[_FIRST - 1 : _LEFT - 1], _FIRST):
            if text is None:
                break
            value = known.get(text)
            if value is None:
                value = known[text] = value_of(text)
            # Made without their constructors, which take longer than all the rest.
            term: Any
            if value is _VARIABLE:
                term = _new(Variable)
                term.name = text
            else:
                term = _new(Constant)
                term.value = value
            term.place = _new_tuple(Place, (file, line, found.start(number) - start))
            terms.append(term)
        atom: Any = _new(Atom)
        atom.predicate = name
        atom.arguments = arguments = tuple(terms)
        atom.place = place
        atom.symbol = symbol_of(name, len(arguments))
        made: Atom = atom
        return made

    def _comparison(self, found: "re.Match[str]") -> Premise:
        place = self._place(found.start(_LEFT))
        left = self._term(found[_LEFT], place)
        right = self._term(found[_RIGHT], self._place(found.start(_RIGHT)))
        sign = found[_SIGN]
        if sign in COMPARISONS:
            return Atom(predicate=COMPARISONS[sign], arguments=(left, right), place=place)
        return Equality(left=left, right=right, negated=sign == "!=", place=place)

    def _term(self, text: str, place: Place) -> Term:
        value = value_of(text)
        return Constant(value=value, place=place) if not isinstance(value, type) else Variable(name=text, place=place)

    def _place(self, at: int) -> Place:
        """Return the place of an offset, which is never on a line before the last one."""
        if at > self._line_end:
            source = self._source
            self._line += source.count("\n", self._line_start, at)
            self._line_start = source.rfind("\n", 0, at) + 1
            end = source.find("\n", at)
            self._line_end = len(source) if end < 0 else end
        return _new_tuple(Place, (self._file, self._line, at - self._line_start + 1))


def _declaration(atom: Atom, place: Place) -> Declaration:
    return Declaration(atom=atom, descriptions=(), bounds=(), inclusions=None, temporal=False, place=place)


def value_of(text: str) -> Value | type[Variable]:
    """Return what the text of a plain term stands for."""
    first = text[0]
    if first == "/":
        return Name(text)
    if first in "\"'":
        return text[1:-1]
    return Variable if first == "_" or first.isalpha() else int(text)


def plain_fact(text: str) -> tuple[Symbol, Row] | None:
    """Read a fact of plain constants, or return None if it is not one."""
    found = _FACT(text)
    if found is None:
        return None
    name, texts = found[_NAME], found.groups()[_FIRST - 1 :]
    if name in _NO_PREDICATES or name.startswith("fn:"):
        return None
    row = [value_of(text) for text in texts if text is not None]
    if Variable in row:
        return None
    return symbol_of(name, len(row)), tuple(row)  # type: ignore[arg-type]
