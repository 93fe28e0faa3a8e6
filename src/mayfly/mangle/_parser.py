"""Read a Mangle source: what is written, each part with its place, and every mistake with the way to mend it."""

import re
from collections.abc import Callable
from typing import Final, TypeVar

from mayfly.mangle._ast import (
    Apply,
    Atom,
    Bound,
    Clause,
    Constant,
    Declaration,
    Equality,
    Header,
    Interval,
    Let,
    Negation,
    Place,
    Premise,
    Symbol,
    Term,
    Timed,
    Transform,
    Unit,
    Variable,
)
from mayfly.mangle._collector import paused
from mayfly.mangle._errors import MangleError, raise_all
from mayfly.mangle._evaluate import evaluate
from mayfly.mangle._hints import describe, not_an_atom, shortened, word_alone
from mayfly.mangle._lexer import BAD, COMPARISONS, DURATION, END, NAME, TIMESTAMP, VARIABLE
from mayfly.mangle._parse_terms import TermParser, read_duration, read_time
from mayfly.mangle._values import Row

MOST_ERRORS: Final = 20
_OPERATORS: Final = ("<-", "[-", "<+", "[+")
_NOT: Final = re.compile(r"not\s+:?[a-z][\w:.]*\s*\(")
_Result = TypeVar("_Result")


class _Parser(TermParser):
    """Read the parts of a program: headers, declarations and clauses."""

    def unit(self) -> Unit:
        """Read a whole source; a mistake costs its clause, and the ones after it are still looked at."""
        lexer = self._lexer
        errors: list[MangleError] = []
        # Mistakes that leave no doubt of what was meant: reading goes on, and what follows can be checked too.
        self._plain: list[MangleError] = []
        package: list[Header] = []
        uses: list[Header] = []
        declarations: list[Declaration] = []
        clauses: list[Clause] = []
        if lexer.kind == "Package":
            self._try(self._package, package, errors)
        while lexer.kind == "Use":
            self._try(self._header, uses, errors)
        while lexer.kind is not END and len(errors) < MOST_ERRORS:
            if lexer.kind == "Decl":
                self._try(self._declaration, declarations, errors)
            else:
                self._try(self._clause, clauses, errors)
        unit = Unit(
            file=lexer.file,
            package=package[0] if package else None,
            uses=tuple(uses),
            declarations=tuple(declarations),
            clauses=tuple(clauses),
        )
        try:
            raise_all(sorted([*errors, *self._plain], key=lambda error: error.place or Place("", 0, 0)))
        except MangleError as error:
            error.unit = None if errors else unit
            raise
        return unit

    def _try(self, read: Callable[[], _Result], found: list[_Result], errors: list[MangleError]) -> None:
        start = self._lexer.start
        self._lexer.suspect = None
        try:
            found.append(read())
        except MangleError as error:
            errors.append(error)
            self._recover(start)

    def _recover(self, start: int) -> None:
        """Go to where the next clause may begin: behind a dot, or at a word in the first column."""
        lexer = self._lexer
        while lexer.kind is not END:
            if lexer.start > start and lexer.begins_line() and lexer.kind in (NAME, "Decl"):
                return
            if self.accept("."):
                return
            if lexer.kind is BAD:
                lexer.skip_bad()
            else:
                lexer.advance()

    def _package(self) -> Header:
        header = self._header()
        if header.name != header.name.lower():
            name = shortened(header.name)
            raise self._lexer.error(
                f"the package name {name} is not in lower case",
                fix=f"write Package {name.lower()}!",
                place=header.place,
            )
        return header

    def _header(self) -> Header:
        lexer = self._lexer
        place = lexer.place()
        lexer.advance()
        name = lexer.text
        self.expect(NAME, "a package name")
        descriptions = self.atoms() if lexer.kind == "[" else ()
        self.expect("!")
        return Header(name=name, descriptions=descriptions, place=place)

    def _declaration(self) -> Declaration:
        lexer = self._lexer
        place = lexer.place()
        lexer.advance()
        atom = self.atom()
        temporal = self.accept("temporal")
        descriptions = self.atoms() if self.accept("descr") else ()
        bounds: list[tuple[Term, ...]] = []
        while self.accept("bound"):
            self.expect("[")
            bounds.append(self.terms("]"))
        inclusions = self.atoms() if self.accept("inclusion") else None
        self.expect(".", "'descr', 'bound', 'inclusion' or '.'")
        for argument in atom.arguments:
            if not isinstance(argument, Variable):
                message = f"the arguments of the declared predicate {shortened(atom.predicate)} must be variables"
                raise lexer.error(message, fix="types go into bound […]", place=argument.place)
        return Declaration(
            atom=atom,
            descriptions=descriptions,
            bounds=tuple(bounds),
            inclusions=inclusions,
            temporal=temporal,
            place=place,
        )

    def _clause(self) -> Clause:
        lexer = self._lexer
        head = self.atom()
        time = self._annotation() if lexer.kind == "@" else None
        premises: tuple[Premise, ...] | None = None
        transforms: tuple[Transform, ...] = ()
        if lexer.kind in (":-", "⟸"):
            lexer.advance()
            premises = self._premises()
            transforms = self._transforms()
            expected = "',', '|>' or '.'"
        else:
            expected = "':-' or '.'"
        if lexer.kind != ".":
            self.fail(expected)
        lexer.advance()
        return Clause(head=head, premises=premises, transforms=transforms, time=time, place=head.place)

    def _premises(self) -> tuple[Premise, ...]:
        found = [self._premise()]
        while self.accept(",") and self._lexer.kind not in (".", "|>"):
            found.append(self._premise())
        return tuple(found)

    def _premise(self) -> Premise:
        lexer = self._lexer
        place = lexer.place()
        if self.accept("!"):
            return Negation(atom=self.atom(), place=place)
        if lexer.kind is NAME and lexer.text == "not" and _NOT.match(lexer.source, lexer.start):
            lexer.advance()
            self._plain.append(word_alone("not", place, lexer))
            return Negation(atom=self.atom(), place=place)
        operator, window = None, None
        if lexer.kind in _OPERATORS:
            operator = lexer.kind
            window = self._window()
        term_place = lexer.place()
        found = self.any_term(0, "a premise")
        annotation = self._annotation() if lexer.kind == "@" else None
        if lexer.kind in ("=", "!=") or lexer.kind in COMPARISONS:
            return self._comparison(found, place)
        if not isinstance(found, Atom):
            raise not_an_atom(found, term_place, lexer)
        if operator is None and annotation is None:
            return found
        return Timed(atom=found, operator=operator, window=window, annotation=annotation, place=place)

    def _comparison(self, left: Term | Atom, place: Place) -> Premise:
        """Read the operator and the right side; temporal syntax on a comparison means nothing, as in the language."""
        lexer = self._lexer
        operator = lexer.kind
        if isinstance(left, Atom):
            raise self._not_nested(left)
        lexer.advance()
        right = self.term()
        if operator in COMPARISONS:
            return Atom(predicate=COMPARISONS[operator], arguments=(left, right), place=place)
        return Equality(left=left, right=right, negated=operator == "!=", place=place)

    def _transforms(self) -> tuple[Transform, ...]:
        found: list[Transform] = []
        while self.accept("|>"):
            found.append(self._transform())
        return tuple(found)

    def _transform(self) -> Transform:
        lexer = self._lexer
        place = lexer.place()
        do: Apply | None = None
        lets: list[Let] = []
        if self.accept("do"):
            do = self._function("do")
        else:
            lets.append(self._let())
        while self.accept(","):
            lets.append(self._let())
        return Transform(do=do, lets=tuple(lets), place=place)

    def _let(self) -> Let:
        lexer = self._lexer
        place = lexer.place()
        self.expect("let", "'let'")
        variable = Variable(name=lexer.text, place=lexer.place())
        self.expect(VARIABLE, "a variable")
        self.expect("=")
        return Let(variable=variable, function=self._function("let"), place=place)

    def _function(self, word: str) -> Apply:
        place = self._lexer.place()
        found = self.any_term()
        if isinstance(found, Apply):
            return found
        fix = f"functions are written fn:{shortened(found.predicate)}(…)" if isinstance(found, Atom) else None
        raise self._lexer.error(f"'{word}' needs a function fn:name(…)", fix=fix, place=place)

    def _annotation(self) -> Interval:
        """Read `@[start, end]` or `@[point]`; a wildcard leaves that end open."""
        lexer = self._lexer
        place = lexer.place()
        lexer.advance()
        self.expect("[")
        start = self._bound()
        end = self._bound() if self.accept(",") else start
        self.expect("]", "',' or ']'")
        return Interval(start=_opened(start), end=_opened(end), place=place)

    def _window(self) -> Interval:
        lexer = self._lexer
        place = lexer.place()
        lexer.advance()
        self.expect("[", f"'[' after the temporal operator '{lexer.source[lexer.start - 2 : lexer.start].strip()}'")
        start = self._bound()
        self.expect(",")
        end = self._bound()
        self.expect("]")
        return Interval(start=start, end=end, place=place)

    def _bound(self) -> Bound:
        lexer = self._lexer
        place, kind, text = lexer.place(), lexer.kind, lexer.text
        end: Constant | Variable | str
        try:
            if kind is TIMESTAMP:
                end = Constant(value=read_time(text), place=place)
            elif kind is DURATION:
                end = Constant(value=read_duration(text), place=place)
            elif kind is VARIABLE:
                end = Variable(name=text, place=place)
            elif kind == "now":
                end = "now"
            else:
                self.fail("a time, a duration, a variable or now")
        except ValueError as error:
            raise lexer.error(f"{describe(lexer)} is no time or duration: {error}") from None
        lexer.advance()
        return Bound(end=end, place=place)

    def goal(self) -> Atom:
        """Read one atom, perhaps with a final dot, and nothing else."""
        atom = self.atom()
        self.accept(".")
        if self._lexer.kind is not END:
            self.fail("'.' or the end")
        return atom


def _opened(bound: Bound) -> Bound:
    wildcard = isinstance(bound.end, Variable) and bound.end.name == "_"
    return Bound(end=None, place=bound.place) if wildcard else bound


def parse(text: str, *, file: str = "<text>") -> Unit:
    """Read a whole source; what is wrong is raised as a `MangleError`, or as `MangleErrors` when there is more."""
    try:
        with paused():
            return _open(text, file, temporal=True).unit()
    except MemoryError:
        raise MangleError("there is not enough memory to read it", stage="parse", place=Place(file, 1, 1)) from None


def parse_atom(text: str, *, file: str = "<text>") -> Atom:
    """Read one goal such as `permitted(/file_read, X, _)`; a final dot is allowed."""
    return _open(text, file, temporal=False).goal()


def parse_fact(text: str, *, file: str = "<text>") -> tuple[Symbol, Row]:
    """Read one fact: an atom without variables, its functions (lists, maps, times, …) computed."""
    atom = parse_atom(text, file=file)
    return atom.symbol, tuple(evaluate(argument, stage="parse") for argument in atom.arguments)


def _open(text: str, file: str, *, temporal: bool) -> _Parser:
    if not text.isascii():
        _refuse_half_characters(text, file)
    return _Parser(text, file, temporal=temporal)


def _refuse_half_characters(text: str, file: str) -> None:
    """Refuse what no UTF-8 can write: such a text could be neither printed nor kept."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        before = text[: error.start]
        place = Place(file, before.count("\n") + 1, error.start - before.rfind("\n"))
        raise MangleError("the text is not valid Unicode", stage="parse", place=place) from None
