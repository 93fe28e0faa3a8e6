"""Every operation a written text program may use."""

from __future__ import annotations

from mayfly.synthesis.examples._tree import Apply, Expr, Literal, Op, Value
from mayfly.synthesis.examples.parts import MODULES

_HELPERS: dict[str, Op] = {}


def helper(name: str, returns: str = "str", words: str = "") -> Op:
    """Return the operation that calls the function *name* of `parts`."""
    if name not in _HELPERS:
        module = next(module for module in MODULES if hasattr(module, name))
        _HELPERS[name] = Op(name=name, run=getattr(module, name), returns=returns, words=words)
    return _HELPERS[name]


def call(op: Op, *args: Expr | Value) -> Apply:
    """Apply an operation; plain values become constants."""
    return Apply(op=op, args=tuple([arg if isinstance(arg, Expr) else Literal(arg) for arg in args]))


def _native(name: str, template: str, run: object, *, returns: str = "str", loose: bool = False, words: str = "") -> Op:
    assert callable(run)
    return Op(name=name, run=run, template=template, returns=returns, loose=loose, words=words or name)


LENGTH = _native("length", "len({0})", len, returns="int", words="the length of {0}")
UPPER = _native("upper", "{0}.upper()", str.upper, words="{0} in upper case")
LOWER = _native("lower", "{0}.lower()", str.lower, words="{0} in lower case")
TITLE = _native("title", "{0}.title()", str.title, words="{0} with every word capitalized")
CAPITALIZE = _native("capitalize", "{0}.capitalize()", str.capitalize, words="{0} capitalized")
SWAPCASE = _native("swapcase", "{0}.swapcase()", str.swapcase, words="{0} with upper and lower case swapped")
STRIP = _native("strip", "{0}.strip()", str.strip, words="{0} without blanks around it")
REVERSE = _native("reverse", "{0}[::-1]", lambda text: text[::-1], words="{0} backwards")
FIRST = _native("first", "{0}[:{1}]", lambda text, count: text[:count], words="the first {1} of {0}")
LAST = _native("last", "{0}[-{1}:]", lambda text, count: text[-count:], words="the last {1} of {0}")
FROM = _native("from", "{0}[{1}:]", lambda text, count: text[count:], words="{0} without the first {1}")
UNTIL = _native("until", "{0}[:-{1}]", lambda text, count: text[:-count], words="{0} without the last {1}")
REPLACE = _native(
    "replace", "{0}.replace({1}, {2})", lambda text, old, new: text.replace(old, new), words="{0} with {2} for {1}"
)
ZFILL = _native("zfill", "{0}.zfill({1})", lambda text, width: text.zfill(width), words="{0} with zeros up to {1}")
RJUST = _native(
    "rjust", "{0}.rjust({1}, {2})", lambda text, width, fill: text.rjust(width, fill), words="{0} right-aligned"
)
LJUST = _native(
    "ljust", "{0}.ljust({1}, {2})", lambda text, width, fill: text.ljust(width, fill), words="{0} left-aligned"
)
JOIN = _native("join", "{1}.join({0})", lambda items, glue: glue.join(items), words="{0} joined by {1}")
WORDS = _native("words", "{0}.split()", lambda text: text.split(), returns="list[str]", words="the words of {0}")
STRING = _native("text", "str({0})", str, words="{0} as text")
COUNT = _native(
    "count", "{0}.count({1})", lambda text, part: text.count(part), returns="int", words="how often {1} is in {0}"
)
IS_EMPTY = _native("is empty", "not {0}", lambda text: not text, returns="bool", loose=True, words="{0} is empty")
CONTAINS = _native(
    "contains", "{1} in {0}", lambda text, part: part in text, returns="bool", loose=True, words="{0} contains {1}"
)
STARTS = _native(
    "starts",
    "{0}.startswith({1})",
    lambda text, part: text.startswith(part),
    returns="bool",
    words="{0} starts with {1}",
)
ENDS = _native(
    "ends", "{0}.endswith({1})", lambda text, part: text.endswith(part), returns="bool", words="{0} ends with {1}"
)
IS_UPPER = _native("is upper", "{0}.isupper()", str.isupper, returns="bool", words="{0} is upper case")
IS_LOWER = _native("is lower", "{0}.islower()", str.islower, returns="bool", words="{0} is lower case")
LONGER = _native(
    "longer",
    "len({0}) > {1}",
    lambda text, size: len(text) > size,
    returns="bool",
    loose=True,
    words="{0} is longer than {1}",
)
WORD_COUNT = _native(
    "words over",
    "len({0}.split()) > {1}",
    lambda text, size: len(text.split()) > size,
    returns="bool",
    loose=True,
    words="{0} has more than {1} words",
)

PIECE = helper("piece", words="piece {2} of {0}")
BETWEEN = helper("between", words="a part of {0}")
START_OF = helper("start_of", "int")
END_OF = helper("end_of", "int")
FIELD = helper("field", words="field {2} of {0} between {1}")
WORD = helper("word", words="word {1} of {0}")
ENCLOSED = helper("enclosed", words="what stands between {1} and {2} in {0}")
ONLY = helper("only", words="some characters of {0}")
PIECES = helper("pieces", "list[str]", words="the pieces of {0}")
FIELDS = helper("fields", "list[str]", words="the fields of {0} between {1}")
LOOKED_UP = helper("looked_up", words="what the table says of {1}")
HAS = helper("has", "bool", words="{0} has a certain pattern")
IS_ALL = helper("is_all", "bool", words="{0} has a certain form")
NUMBER_IN = helper("number_in", "tuple[int, int]", words="number {1} in {0}")
READ_NUMBER = helper("read_number", "tuple[int, int]", words="the number {0}")
WRITE_NUMBER = helper("write_number", words="{0} written out")
MOMENT_IN = helper("moment_in", "datetime", words="the date or time in {0}")
