"""Read terms and atoms: the part of the grammar that nests."""

from typing import Final, NoReturn

from mayfly.mangle._ast import Apply, Atom, Constant, Place, Term, Variable
from mayfly.mangle._errors import MangleError
from mayfly.mangle._hints import describe, not_a_term, not_an_atom, shortened, unexpected, word_alone
from mayfly.mangle._lexer import CONSTANT, DOT_TYPE, NAME, VARIABLE, Lexer
from mayfly.mangle._literals import READERS
from mayfly.mangle._values import Name

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
