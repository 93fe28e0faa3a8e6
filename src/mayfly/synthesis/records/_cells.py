"""Cut lines into records and records into cells: the one way that detection and the host share."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import pairwise

from mayfly.synthesis.records._model import Format
from mayfly.synthesis.records._text import clean, escape, other_signs

_GAP = re.compile(r" {2,}|\t+")
# Lines that go on with the record above: indented ones, parts of stack traces, closing brackets.
_CONTINUED = re.compile(
    r"\s+\S|[\])}]+[;,]?$|Caused by: |Suppressed: |Traceback \(most recent|\.\.\. [0-9]+ (?:more|common)"
    r"|During handling of the above |The above exception was |Exception in thread "
    r"|[A-Za-z_$][\w$]*(?:\.[\w$]+)+(?:: |$)|[A-Z]\w*(?:Error|Exception|Warning|Interrupt|Exit)(?:: |$)"
)
# A pair inside a text, key=value, or "key": value as JSON has it; the groups of all patterns of pairs are the name,
# another place for it, a value in quotes, any other value.
_PAIR = re.compile(
    r'(?:(?<![^\s,;(\[{|])([A-Za-z_@][\w.@-]*)=|"([A-Za-z_][\w.-]*)": ?)'
    r'(?:"([^"\\]*(?:\\.[^"\\]*)*)"|([^\s,;)\]}|{\["]*))'
)
LOGFMT = re.compile(r'(?<!\S)([A-Za-z_@][\w.@-]*)()=(?:"([^"\\]*(?:\\.[^"\\]*)*)"|(\S*))')
_ESCAPED = re.compile(r"\\(.)")
# A line of a block: a name, a sign and a value, which may be in quotes; a dash before it begins an item of a list.
BLOCK_PAIR = re.compile(
    r'(?m)^(?:- )?[ \t]*([A-Za-z_][\w .@/-]{0,40}?)()[ \t]*[=:](?!//)[ \t]*(?:"([^"\n]*)"|(.*?))[ \t]*$'
)
# A line that begins a block: a section's name in brackets, or the dash of an item.
BLOCK_START = re.compile(r"\[[^\[\]]+\]|- .*")
BLOCK_NAME = r"^\[([^\[\]\n]+)\]"
BLOCK_COMMENT = r"[;#].*|//.*"
# A line of signs ends a block as an empty line does; titles have one below them.
BLOCK_RULE = r"[-=*_~]{3,}"
# A record of more lines is none: something that only looks like a stack trace has begun.
MOST_LINES = 1000
# Rows narrower than this may well be found inside a text, so that they say nothing about a quote left open.
TELLING_WIDTH = 4


@cache
def cell_pattern(delimiter: str) -> re.Pattern[str]:
    """Return the pattern of one cell with the delimiter behind it: what is in quotes, or what is not."""
    out, stop = other_signs(delimiter), escape(delimiter)
    return re.compile(rf' *"([^"]*(?:""[^"]*)*)" *{stop}|({out}*){stop}')


@cache
def _open_cell(delimiter: str) -> re.Pattern[str]:
    """Return the pattern of a line that ends inside a quoted cell."""
    out, stop = other_signs(delimiter), escape(delimiter)
    return re.compile(rf'(?:(?: *"[^"]*(?:""[^"]*)*" *|(?! *"){out}*){stop})* *"[^"]*(?:""[^"]*)*')


def cut(line: str, delimiter: str) -> list[str]:
    """Cut a line at a delimiter; quotes keep what is inside them together, and a doubled quote stands for one."""
    return [cell.strip() for cell in cut_bare(line, delimiter)]


def cut_bare(line: str, delimiter: str) -> list[str]:
    """Cut a line at a delimiter as `cut` does, and leave the blanks around its cells."""
    if '"' not in line:
        return line.split(delimiter)
    found = cell_pattern(delimiter).findall(line + delimiter)
    return [quoted.replace('""', '"') or plain for quoted, plain in found]


def cut_wide(line: str) -> list[str]:
    """Cut a line at wide gaps only."""
    return _GAP.split(line.strip())


def cut_spaced(line: str, delimiter: str, width: int, *, rest: bool) -> list[str]:
    """Cut a line at spaces, or at wide gaps only; with *rest* the last cell takes what is left."""
    return line.split(None, width - 1 if rest else -1) if delimiter == " " else cut_wide(line)


def cut_at(line: str, stops: Sequence[int]) -> list[str]:
    """Cut a line at the places where columns begin."""
    return [line[start:stop].strip() for start, stop in pairwise((*stops, None))]


def has_gaps_at(line: str, stops: Sequence[int]) -> bool:
    """Say whether a gap stands before each of the places where columns begin, but for the first."""
    return all(line[stop - 1 : stop] in ("", " ") for stop in stops[1:])


def cells_of(found: Format, line: str) -> list[str]:
    """Cut a line of a table into its cells."""
    if found.stops:
        return cut_at(line, found.stops)
    if found.delimiter in (" ", "  "):
        return cut_spaced(line, found.delimiter, found.width, rest=found.rest)
    return cut(line, found.delimiter) if found.padding else cut_bare(line, found.delimiter)


def pairs_of(text: str, pattern: re.Pattern[str] = _PAIR) -> dict[str, str]:
    """Return the values of a text by their keys; of several with one key the first."""
    held: dict[str, str] = {}
    for key, other, quoted, bare in pattern.findall(text):
        held.setdefault(key or other, _ESCAPED.sub(r"\1", quoted) if quoted else bare)
    return held


def records_of(found: Format, lines: Iterable[object]) -> Iterator[tuple[int, str]]:
    """Yield records with the number of their first line; what goes over several lines comes in one piece."""
    cleaned = (clean(str(line)) for line in lines)
    if found.blocks:
        return join_blocks(cleaned)
    if found.multiline:
        return join_quoted(cleaned, found.delimiter, found.width)
    return join_continued(cleaned) if found.continued else enumerate(cleaned, start=1)


def join_quoted(lines: Iterable[str], delimiter: str, width: int) -> Iterator[tuple[int, str]]:
    """Yield records of a table in which a quoted cell may go over several lines.

    A whole row without quotes inside such a cell shows that its quote was never closed.
    """
    opened = _open_cell(delimiter)
    held: list[str] = []
    began, inside = 0, False
    for number, line in enumerate(lines, start=1):
        if inside and width >= TELLING_WIDTH and '"' not in line and line.count(delimiter) == width - 1:
            yield began, "\n".join(held)
            held, inside = [], False
        began = began if held else number
        held.append(line)
        if '"' in line:
            inside = opened.fullmatch(f'"{line}' if inside else line) is not None
        if not inside:
            yield began, "\n".join(held)
            held = []
    if held:
        yield began, "\n".join(held)


def join_continued(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Yield records of a log together with the lines that go on with them; empty lines between those belong to them."""
    held: list[str] = []
    began = 0
    for number, line in enumerate(lines, start=1):
        if not _goes_on(held, line, number - began):
            yield from _ended(held, began)
            held, began = [], number
        held.append(line if line.strip() else "")
    yield from _ended(held, began)


def _goes_on(held: list[str], line: str, length: int) -> bool:
    """Whether a line belongs to the record above it; an empty one may, until a line behind it tells."""
    if not held or not held[0] or length >= MOST_LINES:
        return False
    return not line.strip() or is_continued(line)


def _ended(held: list[str], began: int) -> Iterator[tuple[int, str]]:
    """Yield a record that has come to its end, and the empty lines behind it."""
    record = "\n".join(held).rstrip("\n")
    if record:
        yield began, record
    for gone in range(record.count("\n") + bool(record), len(held)):
        yield began + gone, ""


def join_blocks(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Yield blocks with the number of their first line; empty lines, rules and comments come by themselves."""
    held: list[str] = []
    began = 0
    for number, line in enumerate(lines, start=1):
        plain = line.strip()
        if plain and re.fullmatch(BLOCK_COMMENT, plain):
            yield number, plain
            continue
        apart = not plain or re.fullmatch(BLOCK_RULE, plain)
        if held and (apart or BLOCK_START.fullmatch(line)):
            yield began, "\n".join(held)
            held = []
        if apart:
            yield number, plain
        else:
            began = began if held else number
            held.append(line)
    if held:
        yield began, "\n".join(held)


def is_continued(line: str) -> bool:
    """Say whether a line goes on with the record above it."""
    return _CONTINUED.match(line) is not None
