"""Tell a sed or awk that only prints from one that writes files or runs programs."""

import re
from collections.abc import Sequence
from typing import Final

from mayfly.policy.kernel.shell._marks import Word

_ADDRESS: Final = r"(?:\d+(?:~\d+)?|\$|/[^/\\\n]*/I?)"
_PRINTING: Final = re.compile(rf"\s*(?:{_ADDRESS}(?:,\s*\+?{_ADDRESS})?)?\s*!?\s*[pdqQ=]\d*\s*")
_REPLACING: Final = re.compile(r"\s*s([/|#,:])(?:(?!\1)[^\\\n]|\\[^\n])*\1(?:(?!\1)[^\\\n]|\\[^\n])*\1[gpI0-9]*\s*")
_SED_FLAGS: Final = re.compile(r"-[nErsuz]+|--quiet|--silent|--regexp-extended|--null-data|--separate")
_AWK_ACTS: Final = re.compile(r"system|getline|close|ENVIRON|PROCINFO|ARGV|[|>@]")


def looks_only(program: str, words: Sequence[Word]) -> bool:
    """Tell whether a filter does nothing but print what it is given; one that is not understood may do more."""
    if any(word.computed for word in words):
        return False
    if program == "sed":
        return _sed(words)
    return program in ("awk", "gawk", "mawk", "nawk") and _awk(words)


def _sed(words: Sequence[Word]) -> bool:
    scripts: list[str] = []
    operands: list[str] = []
    waiting = iter(words)
    for word in waiting:
        if word.text in ("-e", "--expression"):
            scripts.append(next(waiting, word).text)
        elif not word.text.startswith("-"):
            operands.append(word.text)
        elif not _SED_FLAGS.fullmatch(word.text):
            return False
    return all(map(_prints, scripts or operands[:1])) and bool(scripts or operands)


def _prints(script: str) -> bool:
    if _REPLACING.fullmatch(script):
        return True
    return all(_PRINTING.fullmatch(part) for part in re.split(r"[;\n]", script) if part.strip())


def _awk(words: Sequence[Word]) -> bool:
    waiting = iter(words)
    for word in waiting:
        if word.text in ("-F", "-v"):
            next(waiting, None)
        elif not word.text.startswith("-"):
            return not _AWK_ACTS.search(word.text)
        elif not word.text.startswith(("-F", "-v")):
            return False
    return False
