"""Tell the lines that belong to no record: titles, rules, remarks, page heads, totals; each is passed, none is lost."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import takewhile

from mayfly.synthesis.records import _kinds, _numbers

# Lines below or between the parts of a table: of signs only, or how many rows there are.
RULE = r"[-=+|:_*~ \t]{3,}|\([0-9]+ rows?\)"
# What people and programs put between records: a comment, and a remark with signs on both sides.
COMMENT = r"#.*"
BANNER = r"--+ .* --+|==+ .* ==+|\*\*+ .* \*\*+|[-=*_~]{3,}"
# So many lines at the end of a file may say something about all of it.
MOST_CLOSING = 6
# A title has no more words than this; a line that has is part of a text.
LONGEST_TITLE = 8
# A name in a comment: a few words, not a sentence.
_NAME = re.compile(r"[^\W\d][\w.%()\[\]/°-]{0,30}(?: [\w.%()\[\]/°-]{1,30}){0,3}")
_TOTAL = re.compile(r"(?i)(?:grand |sub)?totals?:?|sum:?|overall:?|summe:?|gesamt:?")


def joined(patterns: Sequence[str]) -> str:
    """Make one pattern of several, each of them once."""
    return "|".join(dict.fromkeys(pattern for pattern in patterns if pattern))


def without_comments(lines: Sequence[str]) -> list[str]:
    """Return the lines that are no comments; where these are most lines and not all at the top, they are none."""
    kept = [line for line in lines if not re.fullmatch(COMMENT, line)]
    on_top = kept and list(lines[-len(kept) :]) == kept
    return kept if on_top or len(kept) * 2 > len(lines) else list(lines)


def without_remarks(lines: Sequence[str]) -> tuple[list[str], str]:
    """Return the lines that are no remarks, and the pattern of the others; remarks are fewer than half of the lines."""
    patterns = [one for one in (COMMENT, BANNER) if any(re.fullmatch(one, line) for line in lines)]
    remark = re.compile(joined(patterns))
    kept = [line for line in lines if not patterns or not remark.fullmatch(line)]
    return (kept, joined(patterns)) if len(kept) * 2 > len(lines) else (list(lines), "")


def commented_names(lines: Sequence[str], cut: Callable[[str], list[str]], fits: Callable[[int], bool]) -> list[str]:
    """Return the names that a comment above the first row gives to columns, the nearest one whose number *fits*."""
    above = takewhile(lambda line: re.fullmatch(COMMENT, line), lines)
    for line in reversed(list(above)):
        names = cut(line.lstrip("#").strip())
        if fits(len(names)) and len(set(names)) == len(names) and all(_NAME.fullmatch(name) for name in names):
            return names
    return []


def without_last_paragraph(lines: Sequence[str]) -> list[str]:
    """Return the filled lines above the last empty one, if few follow it: what these say is no part of a table."""
    last = max((at for at, line in enumerate(lines) if not line.strip() and any(lines[at + 1 :])), default=0)
    few = sum(map(bool, lines[last:])) <= MOST_CLOSING
    return [line for line in lines[:last] if line.strip()] if few else []


def is_title(line: str) -> bool:
    """Say whether a line above records is a few words and no number: half a record would hardly be without one."""
    return not re.search("[0-9=#]", line) and len(line.split()) <= LONGEST_TITLE


def title_patterns(titles: Sequence[str], below: Sequence[str]) -> list[str]:
    """Return the patterns of lines above a table; one that comes again with another number heads every page."""
    patterns = []
    for line in titles:
        paged = re.sub("[0-9]+", "[0-9]+", re.escape(line.strip("\f")))
        again = paged != re.escape(line) and any(re.fullmatch(paged, other.strip("\f")) for other in below)
        patterns.append(rf"\f?{paged}\f?" if again else re.escape(line))
    return patterns


def closing_pattern(lines: Sequence[str], is_row: Callable[[str], bool]) -> str:
    """Return the pattern of what stands behind a rule that closes a table and is no row: a remark, a number of rows."""
    last = list(lines[-MOST_CLOSING:])
    rules = [at for at, line in enumerate(last) if re.fullmatch(RULE, line)]
    closing = last[rules[-1] + 1 :] if rules else []
    return "" if any(map(is_row, closing)) else joined([re.escape(line) for line in closing])


def blank_pattern(lines: Sequence[str], delimiter: str) -> str:
    """Return the pattern of rows that hold nothing but delimiters, as spreadsheets leave them; empty without such."""
    pattern = rf"[ \t{delimiter}]+"
    return pattern if any(re.fullmatch(pattern, line) for line in lines) else ""


def total_row(rows: Sequence[Sequence[str]]) -> bool:
    """Say whether the last row adds up a column: it is no record."""
    if len(rows) < 3:
        return False
    if not _TOTAL.fullmatch(next((cell for cell in rows[-1] if cell), "")):
        return False
    return any(_adds_up(column) for column in zip(*rows, strict=True))


def _adds_up(column: Sequence[str]) -> bool:
    """Say whether the last cell of a column is the sum of the others."""
    convention = _numbers.convention_of([cell for cell in column if cell not in _kinds.ABSENT])
    if convention is None or convention.trouble or column[-1] in _kinds.ABSENT:
        return False
    read = _numbers.Reader(convention.numeral, whole=False)
    try:
        numbers = [read(cell) for cell in column if cell not in (*_kinds.ABSENT, *convention.absent)]
    except ValueError:
        return False
    return len(numbers) > 2 and abs(sum(numbers[:-1]) - numbers[-1]) <= 1e-6 * max(1.0, abs(numbers[-1]))
