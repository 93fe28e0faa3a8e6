"""The syntax gate: anything at all goes in; a tree or a verdict comes out, never a crash, and nothing is run."""

from __future__ import annotations

import ast
import re
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from mayfly.core import Verdict, check_tree, parse_python

VERSION = 1
GATE = "syntax"
MAX_SOURCE_BYTES = 100_000

_NEWLINE = re.compile(r"\r\n|\r|\n")
_COOKIE = re.compile(r"^[ \t\f]*#.*?coding[:=][ \t]*([-_.a-zA-Z0-9]+)")
_UTF8 = frozenset({"utf-8", "utf8", "utf-8-sig", "utf8-sig", "ascii", "us-ascii"})
_SURROGATE = re.compile("[\ud800-\udfff]")
_WIDEST_LINE = 160
_TOO_DEEP = "the code is nested too deeply to be read"
# The list of warning filters is one for the whole process, and `catch_warnings` puts back what it found.
_FILTERS = threading.Lock()


class Parsed(NamedTuple):
    """Hold the tree of a source and its text, or no tree and the reason."""

    tree: ast.Module | None
    text: str
    verdicts: tuple[Verdict, ...]


def check_syntax(source: str | bytes, *, limit: int = MAX_SOURCE_BYTES) -> Parsed:
    """Parse *source* and see whether it would compile; every way to fail is a verdict."""
    text, problem = _decode(source, limit)
    if problem is None:
        problem = unreadable(text)
    if problem is not None:
        return Parsed(None, text, (problem,))
    tree, problem = _parse(text)
    if tree is not None and problem is None and not tree.body:
        problem = _verdict("EMPTY", "the source is empty", 1, text, fix="write the code that was asked for")
    return Parsed(None, text, (problem,)) if problem else Parsed(tree, text, ())


@contextmanager
def silently() -> Iterator[None]:
    """Let nothing that Python remarks about a source become a warning, or an error, of this process."""
    with _FILTERS, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def snippet(text: str, line: int) -> str:
    """Return the five lines around *line*, numbered, with `>>>` before the one that is meant."""
    lines = _NEWLINE.split(text)
    line = min(max(line, 1), len(lines))
    first = max(1, line - 2)
    shown = enumerate(lines[first - 1 : line + 2], first)
    return "\n".join(
        f"{'>>>' if n == line else '   '} {n:4} | {content[:_WIDEST_LINE]}".rstrip() for n, content in shown
    )


def _decode(source: str | bytes, limit: int) -> tuple[str, Verdict | None]:
    size = len(source) if isinstance(source, bytes) else len(source.encode("utf-8", "surrogatepass"))
    if size > limit:
        problem = f"the source has {size:,} bytes, the limit is {limit:,}"
        fix = "split the task into smaller parts"
        return "", _verdict("SOURCE_SIZE", problem, 1, "", fix=fix, measured=size, limit=limit)
    if isinstance(source, str):
        return source.removeprefix("\ufeff"), None
    try:
        return source.decode("utf-8-sig"), None
    except UnicodeDecodeError as error:
        text = source.decode("utf-8", "replace")
        line = source.count(b"\n", 0, error.start) + 1
        return text, _verdict("ENCODING", f"byte {source[error.start]:#04x} is not UTF-8", line, text)


def unreadable(text: str) -> Verdict | None:
    """Refuse what Python would read as something else than what is written here."""
    null = text.find("\0")
    if null >= 0:
        return _verdict("NULL_BYTE", "the source contains a null byte", _line_of(text, null), text)
    surrogate = _SURROGATE.search(text)
    if surrogate:
        problem = f"U+{ord(surrogate.group()):04X} is half a character and cannot be written as UTF-8"
        return _verdict("ENCODING", problem, _line_of(text, surrogate.start()), text)
    for number, line in enumerate(_NEWLINE.split(text, maxsplit=2)[:2], 1):
        cookie = _COOKIE.match(line)
        if cookie and cookie.group(1).lower().replace("_", "-") not in _UTF8:
            problem = f"the coding {cookie.group(1)} is declared, source is always UTF-8"
            return _verdict("ENCODING", problem, number, text, fix="remove the coding comment")
    return None


def _parse(text: str) -> tuple[ast.Module | None, Verdict | None]:
    """Parse and compile without running; the compiler sees `return` outside a function, the parser does not."""
    code = "SYNTAX"
    try:
        with silently():
            tree = parse_python(text)
            code = "COMPILE"
            check_tree(tree)
    except SyntaxError as error:
        return None, _verdict(code, error.msg or "invalid syntax", error.lineno or 1, text)
    except (RecursionError, MemoryError):
        return None, _verdict("NESTING", _TOO_DEEP, 1, text, fix="name the inner parts and use the names")
    except (ValueError, OverflowError, SystemError) as error:
        return None, _verdict(code, str(error) or type(error).__name__, 1, text)
    return tree, None


def _line_of(text: str, position: int) -> int:
    return len(_NEWLINE.findall(text, 0, position)) + 1


def _verdict(
    code: str,
    problem: str,
    line: int,
    text: str,
    *,
    fix: str = "correct this line",
    measured: float | str | None = None,
    limit: float | str | None = None,
) -> Verdict:
    return Verdict(
        decision="reject",
        gate=GATE,
        code=code,
        message=f"Syntax error at line {line}: {problem}",
        measured=measured,
        limit=limit,
        line=line,
        fix=f"{fix}:\n{snippet(text, line)}" if text.strip() else fix,
    )
