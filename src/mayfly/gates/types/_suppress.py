"""Find what would make mypy look away: comments, names it takes for constants, and a coding line."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator

from mayfly.core import Verdict

_COMMENT = re.compile(r"#\s*(?:type\s*:\s*ignore|mypy\s*:)", re.IGNORECASE)
_CODING = re.compile(r"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)", re.ASCII)
_UTF8 = {"utf-8", "utf8", "utf-8-sig", "utf8-sig", "ascii", "us-ascii"}
# mypy decides conditions on these names by itself, whatever their value is when the program runs.
_NAMES = {"TYPE_CHECKING", "MYPY", "PY2", "PY3", "no_type_check", "no_type_check_decorator"}


def suppressions(source: str) -> tuple[Verdict, ...]:
    """Return a refusal for each line of *source* that would have the checker see less than what runs."""
    try:
        source.encode()
    except UnicodeEncodeError as error:
        line = source.count("\n", 0, error.start) + 1
        return (_refuse("ENCODING", "the source is not text: it holds half a character", line, "write valid Unicode"),)
    return (*_codings(source), *_comments_and_names(source))


def _codings(source: str) -> Iterator[Verdict]:
    for number, line in enumerate(io.StringIO(source, newline=None).readlines()[:2], 1):
        found = _CODING.match(line)
        if found and found[1].lower() not in _UTF8:
            yield _refuse("ENCODING", f"the source claims to be {found[1]}", number, "remove the coding line")


def _comments_and_names(source: str) -> Iterator[Verdict]:
    for kind, text, line in _tokens(source):
        if kind == tokenize.COMMENT and _COMMENT.match(text):
            yield _refuse("SUPPRESSION", f"the comment {text.strip()[:60]!r} switches the type check off", line)
        elif kind == tokenize.NAME and text in _NAMES:
            yield _refuse("SUPPRESSION", f"{text} hides code from the type check", line)


def _tokens(source: str) -> Iterator[tuple[int, str, int]]:
    """Yield kind, text and line of each token as far as the source can be read, comments by eye after that."""
    reached = 0
    try:
        for token in tokenize.generate_tokens(io.StringIO(source, newline=None).readline):
            reached = token.start[0]
            yield token.type, token.string, reached
    except (tokenize.TokenError, SyntaxError):
        lines = io.StringIO(source, newline=None).readlines()
        for number, line in enumerate(lines[reached:], reached + 1):
            yield from ((tokenize.COMMENT, line[found.start() :], number) for found in _COMMENT.finditer(line))


def _refuse(code: str, message: str, line: int, fix: str = "repair the types instead") -> Verdict:
    return Verdict(decision="reject", gate="types", code=code, message=message, line=line, fix=fix)
