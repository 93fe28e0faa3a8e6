"""Find examples in prose: doctests, and the ways people write down what a call gives. Literals only, nothing is run."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from mayfly.core import parse_python, same
from mayfly.gates.proof._test_source import as_data
from mayfly.gates.proof._values import Test, TestKind

_ARROWS = r"==>|=>|==|➞|→|⇒|->|➜|=|(?:should\s+)?returns?\b|gives?\b|evaluates\s+to\b|outputs?\b|is\s+equal\s+to\b|is\b"
_BETWEEN = re.compile(rf"[\s`'\"]*(?:#\s*)?(?:{_ARROWS})[\s:`]*", re.IGNORECASE)
# An equals sign that only names things, as in "f(x) = f(y) + 1", is followed by no literal and so is never taken.
_LONGEST = 4000
# A prompt with the lines that continue it, and all that follows up to an empty line, another prompt or closing quotes.
_DOCTEST = re.compile(
    r"""^[ \t]*>>>[ ](?P<code>.*(?:\n[ \t]*\.\.\..*)*)(?P<answer>(?:\n(?![ \t]*(?:>>>|\"{3}|'{3}))[ \t]*\S.*)*)""",
    re.MULTILINE,
)
_CONTINUED = re.compile(r"\n[ \t]*\.\.\. ?")
_SUM = re.compile(r"[\d\s.+*/%()-]+=\s*(?P<value>[^=\n]+?)\s*(?:\n|$)")
_FOR = re.compile(r"\b(?:for|if|when|with|given)\s+(?=\w+\s*=\s*[^=\s])", re.IGNORECASE)
_NAMED = re.compile(r"\s*(?:,|and\b|;)?\s*(?P<name>[A-Za-z_]\w*)\s*=\s*")
_SHOULD = re.compile(
    r"\s*,?\s*(?:then\s+)?(?:the\s+)?(?:function\s+)?(?:(?:output|result|answer|value)\s+(?:should\s+be|is|will\s+be|must\s+be)"
    r"|(?:should\s+)?returns?)\s*:?\s*`?",
    re.IGNORECASE,
)
_INPUT = re.compile(r"^[ \t]*input\s*:\s*", re.IGNORECASE | re.MULTILINE)
_LISTED = re.compile(r"\s*,\s*|[ \t]*")
_OUTPUT = re.compile(r"\s*\n[ \t]*output\s*:\s*", re.IGNORECASE)
_WORDS = {"true": True, "false": False, "none": None, "null": None}


def examples_in(text: str, name: str, *, spread: bool | None = None) -> list[Test]:
    """Return a test for every example of a call of *name* that *text* holds, each call once, in order.

    With *spread* the input is the list of the call's arguments, as for an `Entry` that spreads; without, the one
    argument, and calls of several are left out; None decides for each call by how many arguments it has.
    """
    found: list[Test] = []
    for kind, arguments, expected in (*_doctests(text, name), *_written(text, name), *_named(text)):
        if spread is False and len(arguments) != 1:
            continue
        listed = spread or len(arguments) != 1
        given = arguments if listed else arguments[0]
        twin = next((test for test in found if same(test.input, given)), None)
        if twin is None:
            found.append(Test(name=f"{name} {len(found) + 1}", kind=kind, input=given, expected=expected))
    return found


Found = tuple[TestKind, list[object], object]


def _doctests(text: str, name: str) -> Iterator[Found]:
    for found in _DOCTEST.finditer(text):
        shown = _CONTINUED.sub("\n", found["code"])
        claim = _comparison(shown, name)
        if claim is not None:
            yield "doctest", *claim
            continue
        arguments = _call(shown.split("#")[0] if _call(shown, name) is None else shown, name)
        if arguments is None:
            continue
        answer = "\n".join(line.strip() for line in found["answer"].split("\n")[1:])
        expected = _literal(answer) if answer else None
        if expected is not _NOTHING:
            yield "doctest", arguments, expected


def _written(text: str, name: str) -> Iterator[Found]:
    """Yield examples of the form `name(literals) <arrow> literal`."""
    for start in re.finditer(rf"(?<![\w.]){re.escape(name)}\s*\(", text):
        line = text[text.rfind("\n", 0, start.start()) + 1 : start.start()].strip()
        if line in (">>>", "def", "async def"):
            continue
        end = _closing(text, start.end() - 1)
        arguments = None if end is None else _call(text[start.start() : end], name)
        if end is None or arguments is None:
            continue
        between = _BETWEEN.match(text, end)
        if between is None:
            continue
        expected = _answer(text[between.end() : between.end() + _LONGEST])
        if expected is not _NOTHING:
            yield "example", arguments, expected


def _answer(text: str) -> object:
    """Return the literal at the beginning, or the one at the end of a sum that is worked out."""
    expected = _leading_literal(text)
    worked_out = _SUM.match(text) if expected is _NOTHING else None
    return _literal(worked_out["value"]) if worked_out else expected


def _named(text: str) -> Iterator[Found]:
    """Yield examples that give the arguments by name or as input, without a call, in the order they are written."""
    for begin, lead, says in ((_FOR, _NAMED, _SHOULD), (_INPUT, _LISTED, _OUTPUT)):
        for start in begin.finditer(text):
            given, at = [], start.end()
            while (led := lead.match(text, at)) and (read := _read(text, led.end())):
                given.append(read[0])
                at = read[1]
            claim = says.match(text, at)
            answer = _read(text, claim.end()) if claim else None
            if given and answer:
                yield "example", given, answer[0]


def _read(text: str, at: int) -> tuple[object, int] | None:
    """Return the literal at *at* and where it ends."""
    rest = text[at : at + _LONGEST]
    end = _literal_end(rest)
    value = _NOTHING if end is None else _literal(rest[:end])
    return None if value is _NOTHING or end is None else (value, at + end)


def _comparison(code: str, name: str) -> tuple[list[object], object] | None:
    """Read `name(...) == literal`, as some doctests say it."""
    try:
        node = parse_python(code.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        return None
    if not (isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], (ast.Eq, ast.Is))):
        return None
    arguments = _call(ast.unparse(node.left), name)
    expected = _literal(ast.unparse(node.comparators[0]))
    return None if arguments is None or expected is _NOTHING else (arguments, expected)


def _call(code: str, name: str) -> list[object] | None:
    """Return the arguments of `name(literals)`, or None for anything else."""
    try:
        node = parse_python(code.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None
    if not (isinstance(node, ast.Call) and ast.unparse(node.func) == name):
        return None
    if any(word.arg is None for word in node.keywords) or any(isinstance(item, ast.Starred) for item in node.args):
        return None
    given = [
        _literal(ast.unparse(item), argument=True) for item in (*node.args, *(word.value for word in node.keywords))
    ]
    return None if any(item is _NOTHING for item in given) else given


class _Nothing:
    """Mark that there is no literal, where None is one."""


_NOTHING = _Nothing()


def _literal(text: str, *, argument: bool = False) -> object:
    """Return the plain data that *text* writes down, or `_NOTHING`.

    An *argument* has to be the same on the other side of the wall, where every key is a text.
    """
    text = text.strip()
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    try:
        value = ast.literal_eval(text)
        data = as_data(value)
        return _NOTHING if argument and not same(value, data) else data
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return _NOTHING


def _leading_literal(text: str) -> object:
    """Return the literal that *text* begins with; what follows it may be prose."""
    end = _literal_end(text)
    return _NOTHING if end is None else _literal(text[:end])


def _literal_end(text: str) -> int | None:
    """Return where the literal ends that *text* begins with, if it begins with one."""
    if text[:1] in ("[", "(", "{"):
        return _closing(text, 0)
    found = _QUOTED.match(text) or _NUMBER.match(text) or _WORD.match(text)
    return found.end() if found else None


_QUOTED = re.compile(r"""[rb]?("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')""")
# Not the beginning of a longer word, a call, a version or a sum.
_NUMBER = re.compile(
    r"[-+]?(?:\d[\d_]*(?:\.\d+)?(?:[eE][-+]?\d+)?|\.\d+)"
    r"(?![\w(\[])(?!\.\w)(?![ \t]*[-+*/%=!][ \t]*[\w(])"
)
_WORD = re.compile(r"(?:True|False|None|true|false)\b")


def _closing(text: str, start: int) -> int | None:
    """Return where the bracket at *start* is closed, skipping over what is quoted."""
    depth, at = 0, start
    while at < min(len(text), start + _LONGEST):
        letter = text[at]
        if letter in "\"'":
            quoted = re.compile(rf"{letter}(?:[^{letter}\\\n]|\\.)*{letter}").match(text, at)
            at = quoted.end() if quoted else at + 1
            continue
        depth += (letter in "([{") - (letter in ")]}")
        at += 1
        if depth == 0:
            return at
    return None
