"""Bring lines into the one form that detection, programs and tests agree on, and texts into patterns."""

from __future__ import annotations

import re
from collections.abc import Sequence


def clean(line: str) -> str:
    """Take off the line's end and a byte order mark."""
    return line.strip("\ufeff\r\n")


def lines_of(sample: Sequence[object]) -> list[str] | None:
    """Return the sample as clean lines, or None if it does not consist of text."""
    lines = [clean(item) for item in sample if isinstance(item, str)]
    return lines if len(lines) == len(sample) else None


def escape(text: str) -> str:
    """Return the pattern of a text, with a backslash only where one is needed."""
    return re.sub(r"([.^$*+?{}\[\]\\|()])", r"\\\1", text)


def other_signs(sign: str) -> str:
    """Return the class of all signs but one."""
    escaped = "\\" + sign if sign in r"]\^-[" else sign
    return f"[^{escaped}]"
