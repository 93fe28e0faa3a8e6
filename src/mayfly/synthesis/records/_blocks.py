"""Recognise records that are blocks of lines, each with a name and a value: sections, cards, lists of things."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import takewhile

from mayfly.synthesis.records import _kinds
from mayfly.synthesis.records._model import Field, Format
from mayfly.synthesis.records._outside import joined, title_patterns

# A line of a block: a name, a sign and a value, which may be in quotes; a dash before it begins an item of a list.
# The groups are those of every pattern of pairs: the name, another place for it, a value in quotes, any other value.
BLOCK_PAIR = re.compile(
    r'(?m)^(?:- )?[ \t]*([A-Za-z_][\w .@/-]{0,40}?)()[ \t]*[=:](?!//)[ \t]*(?:"([^"\n]*)"|(.*?))[ \t]*$'
)
# A line that begins a block: a section's name in brackets, or the dash of an item.
_START = re.compile(r"\[[^\[\]]+\]|- .*")
BLOCK_NAME = r"^\[([^\[\]\n]+)\]"
COMMENT = r"[;#].*|//.*"
# A line of signs ends a block as an empty line does; titles have one below them.
BLOCK_RULE = r"[-=*_~]{3,}"
# So few blocks may be chance; so many of their lines have to be pairs, so many blocks to have the commonest name.
FEWEST, ENOUGH, SHARED = 3, 0.9, 0.7
_COMMENT, _RULE = re.compile(COMMENT), re.compile(BLOCK_RULE)


def join_blocks(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Yield blocks with the number of their first line; empty lines, rules and comments come by themselves."""
    held: list[str] = []
    began = 0
    for number, line in enumerate(lines, start=1):
        plain = line.strip()
        if plain and _COMMENT.fullmatch(plain):
            yield number, plain
            continue
        apart = not plain or _RULE.fullmatch(plain)
        if held and (apart or _START.fullmatch(line)):
            yield began, "\n".join(held)
            held = []
        if apart:
            yield number, plain
        else:
            began = began if held else number
            held.append(line)
    if held:
        yield began, "\n".join(held)


def detect_blocks(lines: Sequence[str]) -> Format | None:
    """Recognise blocks of pairs, with a name in brackets above them or an empty line between them."""
    outside = re.compile(joined([COMMENT, BLOCK_RULE]))
    records = [text for _, text in join_blocks(lines) if text and not outside.fullmatch(text)]
    titles = list(takewhile(lambda text: not BLOCK_PAIR.search(text) and not _START.match(text), records))
    records = records[len(titles) :]
    blocks = [text for text in records if "\n" in text]
    if len(blocks) < max(FEWEST, len(records) * ENOUGH):
        return None
    found = [[(match[1], match[3] or match[4]) for match in BLOCK_PAIR.finditer(text)] for text in records]
    headed = sum(bool(re.match(BLOCK_NAME, text)) for text in records)
    inside = sum(len(text.split("\n")) for text in records) - headed
    common = Counter(name for pairs in found for name in dict(pairs)).most_common(1)
    if sum(map(len, found)) < inside * ENOUGH or not common or common[0][1] < len(records) * SHARED:
        return None
    if any(len({name for name, _ in pairs}) * 2 < len(pairs) for pairs in found):
        return None  # The same name in every line: each line is a record of its own, with pairs in it perhaps.
    return Format(
        name="blocks of pairs",
        kind="pairs",
        fields=_fields([pairs for pairs in found if pairs], headed),
        blocks=True,
        passed=joined([*title_patterns(titles, records), COMMENT, BLOCK_RULE]),
    )


def _fields(found: Sequence[Sequence[tuple[str, str]]], headed: int) -> tuple[Field, ...]:
    """Describe what the blocks have, and first the names that stand above so many of them."""
    fields: list[Field] = []
    for name in dict.fromkeys(name for pairs in found for name, _ in pairs):
        one = _named(name, found)
        fields.append(replace(one, name=_kinds.identifier(one.name, [field.name for field in fields])))
    if not headed:
        return tuple(fields)
    name = "section" if any(field.name == "name" for field in fields) else "name"
    head = Field(name=name, role="name", origin="search", pattern=BLOCK_NAME, optional=headed < len(found))
    return (head, *fields)


def _named(name: str, found: Sequence[Sequence[tuple[str, str]]]) -> Field:
    """Describe what has one name in the blocks."""
    texts = [dict(pairs)[name] for pairs in found if name in dict(pairs)]
    return _kinds.describe(name, texts, path=(name,), missing=len(texts) < len(found))
