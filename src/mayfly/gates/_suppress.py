"""Find what would make mypy look away: comments to it, and names that it takes for constants."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator

from mayfly.core import Verdict

_COMMENT = re.compile(r"#\s*(?:type\s*:\s*ignore|mypy\s*:)", re.IGNORECASE)
# mypy decides conditions on these names by itself, whatever their value is when the program runs.
_NAMES = {"TYPE_CHECKING", "MYPY", "PY2", "PY3", "no_type_check", "no_type_check_decorator"}


def suppressions(source: str, *, gate: str = "types") -> tuple[Verdict, ...]:
    """Return a refusal for each place in *source* that would have the checker see less than what runs."""
    if not _COMMENT.search(source) and not any(name in source for name in _NAMES):
        return ()
    return tuple(
        Verdict(
            decision="reject",
            gate=gate,
            code="SUPPRESSION",
            message=f"{mark} would switch the type check off",
            measured=mark,
            line=line,
            fix="repair the types instead",
        )
        for mark, line in _marks(source)
    )


def _marks(source: str) -> Iterator[tuple[str, int]]:
    """Yield the marks and their lines as far as the source can be read, comments by eye after that."""
    reached = 0
    try:
        for token in tokenize.generate_tokens(io.StringIO(source, newline=None).readline):
            reached = token.start[0]
            found = _COMMENT.search(token.string) if token.type == tokenize.COMMENT else None
            if found or (token.type == tokenize.NAME and token.string in _NAMES):
                yield found.group() if found else token.string, reached
    except (tokenize.TokenError, SyntaxError):
        lines = io.StringIO(source, newline=None).readlines()
        for number, line in enumerate(lines[reached:], reached + 1):
            yield from ((found.group(), number) for found in _COMMENT.finditer(line))
