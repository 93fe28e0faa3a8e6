"""Say what is wrong with a token and how to mend it, above all for what people bring from other languages."""

import re
from typing import Final

from mayfly.core import clipped
from mayfly.mangle._ast import Apply, Constant, Place, Term, Variable
from mayfly.mangle._errors import MangleError
from mayfly.mangle._lexer import (
    BAD,
    CONSTANT,
    DOT_TYPE,
    DURATION,
    END,
    ESCAPE,
    LOWER_KEYWORDS,
    NAME,
    NUMBER,
    QUOTES,
    STRING,
    TIMESTAMP,
    UPPER_KEYWORDS,
    VARIABLE,
    WORD,
    Lexer,
)

_ARITHMETIC: Final = {"+": "fn:plus(X, 1)", "-": "fn:minus(X, 1)", "*": "fn:mult(X, 2)", "/": "fn:div(X, 2)"}
_QUERY: Final = "a query is not part of a program; ask for the predicate when you run it"
_STRAY: Final = {
    "%": "comments begin with #",
    ";": "premises are separated by ',' and a rule ends with '.'; for 'or' write a second rule",
    "?": _QUERY,
    "&": "premises are separated by ','",
    "|": "for 'or' write a second rule; a transform begins with '|>'",
    "~": "negation is written !p(…)",
    "¬": "negation is written !p(…)",
    "←": "write ':-' between head and body",
    "⇐": "write ':-' between head and body",
    "“": "strings are quoted with \" or '",
    "”": "strings are quoted with \" or '",
    "\ufeff": "the byte order mark belongs at the beginning of the file, if anywhere",
}
_CONNECTIVES: Final = "write ':-' for if, ',' for and, a second rule for or"
_WORDS: Final = {"if": _CONNECTIVES, "and": _CONNECTIVES, "or": _CONNECTIVES, "not": "negation is written !p(…)"}
_TWICE: Final = {"=": "equality has one sign: X = Y", "<": "less or equal is written X <= Y", ">": "unequal is X != Y"}
_ESCAPES: Final = r"""the escapes are \n \t \" \' \\ \xhh \u{hhhh}, hexadecimal digits in lower case"""
_SHOWN: Final = 30
_LOOK_BACK: Final = 1000


def shortened(text: str) -> str:
    """Cut a name that is too long for a message of one line."""
    return clipped(text, _SHOWN + 1)


def describe(lexer: Lexer) -> str:
    """Name the current token for a message."""
    if lexer.kind is END:
        return "the end of the text"
    if lexer.kind in LOWER_KEYWORDS or lexer.kind in UPPER_KEYWORDS:
        return f"the keyword '{lexer.text}'"
    text = lexer.text[0] if lexer.kind is BAD else shortened(lexer.text)
    return "'" + "".join(each if each.isprintable() else f"\\x{ord(each):02x}" for each in text) + "'"


def unexpected(lexer: Lexer, expected: str) -> MangleError:
    """Return the error for the current token where *expected* was due."""
    if lexer.kind is BAD:
        return _stray(lexer)
    if lexer.kind is END and "'.'" in expected:
        return _no_end(lexer)
    fix = _WORDS.get(lexer.text)
    if lexer.kind is NUMBER and lexer.text.startswith("-"):
        fix = f"arithmetic is written {_ARITHMETIC['-']}"
    elif lexer.kind == "<-" and "':-'" in expected:
        fix = "write ':-' between head and body"
    elif lexer.kind in ("<-", "<+"):
        fix = f"'{lexer.text}' is a temporal operator; to compare, put a space: X < {lexer.text[1]}1"
    elif lexer.begins_line() and "'.'" in expected and lexer.kind in (NAME, "Decl"):
        fix = _dot_fix(lexer, "the clause before it has no final '.'")
    elif lexer.kind is DOT_TYPE and "'.'" in expected:
        fix = f"put a space or a new line after the '.', or {lexer.text} is read as a type"
    return lexer.error(f"expected {expected}, found {describe(lexer)}", fix=_suspicion(lexer) or fix)


def _suspicion(lexer: Lexer) -> str | None:
    """Name the place of a string over several lines that may have swallowed what stands between two others."""
    place = lexer.suspect
    return None if place is None else f"a string begins at {place.line}:{place.column} and goes on to another line"


def not_a_term(lexer: Lexer, expected: str) -> MangleError:
    """Return the error for a token that begins no term, where *expected* was due."""
    kind = lexer.kind
    fix = None
    if kind in (":-", "⟸"):
        fix = _QUERY
    elif kind in ("Package", "Use"):
        fix = f"'{kind}' stands at the top of the file, before all declarations and clauses"
    elif kind in ("[-", "[+"):
        fix = f"'{kind}' is a temporal operator; in a list put a space after '['"
    elif kind is WORD:
        fix = _word_fix(lexer)
    elif kind in LOWER_KEYWORDS or kind in UPPER_KEYWORDS:
        fix = f"'{kind}' is a keyword; choose another name"
    elif kind in (TIMESTAMP, DURATION):
        fix = 'outside of @[…] write fn:time:parse_rfc3339("…") or fn:duration:parse("…")'
    elif kind in _TWICE:
        fix = _TWICE[kind]
    elif kind == "(":
        fix = "there are no parentheses around terms; arithmetic is written fn:plus(X, 1)"
    error = unexpected(lexer, expected)
    error.fix = error.fix or fix
    return error


def _word_fix(lexer: Lexer) -> str:
    word = shortened(lexer.text)
    if lexer.source.startswith("(", lexer.start + len(lexer.text)):
        return f"a predicate begins with a lower-case letter: {word[0].lower()}{word[1:]}(…)"
    if ":" in word:
        return "put spaces around ':'"
    return f"a variable has only letters and digits, such as {re.sub('[^A-Za-z0-9]', '', word)}"


def not_an_atom(found: Term, place: Place, lexer: Lexer) -> MangleError:
    """Return the error for a term where a predicate with its arguments was due."""
    if lexer.kind in (BAD, "<-", "<+") or lexer.kind is NUMBER:
        return unexpected(lexer, "a comparison")
    fix = "a predicate is written name(…)"
    if isinstance(found, Variable) and lexer.kind == "(" and found.name != "_":
        name = shortened(found.name)
        fix = f"a predicate begins with a lower-case letter: {name[0].lower()}{name[1:]}(…)"
    elif isinstance(found, Apply) and found.function not in ("fn:list", "fn:map", "fn:struct"):
        fix = f"a function is not a predicate; compare its value: X = {shortened(found.function)}(…)"
    elif isinstance(found, Constant) and isinstance(found.value, str):
        fix = "a string alone says nothing; a predicate is written name(…)"
    return lexer.error(f"expected a predicate, found a {_kind(found)}", fix=fix, place=place)


def _kind(term: Term) -> str:
    if isinstance(term, Variable):
        return f"variable ({shortened(term.name)})"
    return f"function ({shortened(term.function)})" if isinstance(term, Apply) else "constant"


def word_alone(name: str, place: Place, lexer: Lexer) -> MangleError:
    """Return the error for a lower-case word that has no arguments behind it; the current token follows it."""
    if lexer.kind is BAD:
        return _stray(lexer)
    if name == "not":
        return lexer.error("'not' is no part of the language", fix=f"write !{_next_name(lexer)}(…)", place=place)
    name = shortened(name)
    message = f"expected '(' after '{name}', found {describe(lexer)}"
    fix = f"a variable begins with a capital letter ({name[0].upper()}{name[1:]}), a name with a slash (/{name})"
    if lexer.kind in (":-", ".", END, "@", "⟸"):
        fix = f"a predicate without arguments is written {name}()"
    elif name.startswith("fn:"):
        fix = f"a function is written {name}(…)"
    elif ":" in name or "." in name:
        fix = "put a space before and after ':'" if ":" in name else f"a predicate is written {name}(…)"
    elif lexer.kind in (NAME, VARIABLE, STRING, CONSTANT):
        fix = f"a predicate is written {name}(…), with commas between its arguments"
    return lexer.error(message, fix=_WORDS.get(name, fix), place=place)


def _next_name(lexer: Lexer) -> str:
    return shortened(lexer.text) if lexer.kind is NAME else "p"


def _no_end(lexer: Lexer) -> MangleError:
    fix = _suspicion(lexer) or _dot_fix(lexer, "every clause ends with '.'")
    return lexer.error("the last clause has no final '.'", fix=fix)


def _dot_fix(lexer: Lexer, otherwise: str) -> str:
    """Say where the final dot went if a name constant swallowed it."""
    before = lexer.source[max(0, lexer.start - _LOOK_BACK) : lexer.start].rstrip()
    swallowed = re.search(r"/[A-Za-z0-9.\-_~%/]*\.$", before)
    if not swallowed:
        return otherwise
    return f"a name may contain dots, so {shortened(swallowed[0])} swallowed the final '.': put a space before it"


def _stray(lexer: Lexer) -> MangleError:
    """Return the error for a character that begins no token."""
    character, following = lexer.text[0], lexer.source[lexer.start + 1 : lexer.start + 2]
    if character in QUOTES:
        return _bad_string(lexer)
    fix = _STRAY.get(character)
    if character == "/" and following in ("/", "*"):
        fix = "comments begin with #"
    elif character in _ARITHMETIC and character != "/":
        fix = f"arithmetic is written {_ARITHMETIC[character]}"
    elif character == "/":
        fix = f"a name is written /name; division {_ARITHMETIC['/']}"
    return lexer.error(f"{describe(lexer)} begins nothing the language knows", fix=fix)


def _bad_string(lexer: Lexer) -> MangleError:
    """Say what is wrong with a string: an escape in it, or that it never ends."""
    quote, start, source = lexer.text, lexer.start + 1, lexer.source
    sound = re.compile(rf"[^\\{quote}]*+(?:{ESCAPE}[^\\{quote}]*+)*").match(source, start)
    end = sound.end() if sound else start
    if end < len(source):
        escape = source[end : end + 2]
        return lexer.error(f"the string has an unknown escape {escape!r}", fix=_ESCAPES, place=_place_of(lexer, end))
    return lexer.error("a string begins here and never ends", fix=_suspicion(lexer) or f"close it with {quote}")


def _place_of(lexer: Lexer, offset: int) -> Place:
    """Return the place of an offset behind the current token."""
    before = lexer.source[lexer.start : offset]
    place = lexer.place()
    lines = before.count("\n")
    column = place.column + len(before) if not lines else len(before) - before.rfind("\n")
    return Place(place.file, place.line + lines, column)
