"""Recognise records that are blocks of lines, each with a name and a value: sections, cards, lists of things."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import takewhile

from mayfly.synthesis.records import _kinds
from mayfly.synthesis.records._cells import (
    BLOCK_COMMENT,
    BLOCK_NAME,
    BLOCK_PAIR,
    BLOCK_RULE,
    BLOCK_START,
    join_blocks,
    pairs_of,
)
from mayfly.synthesis.records._model import Field, Format
from mayfly.synthesis.records._outside import joined, title_patterns

# So few blocks may be chance; so many of their lines have to be pairs, so many blocks to have the commonest name.
FEWEST, ENOUGH, SHARED = 3, 0.9, 0.7


def detect_blocks(lines: Sequence[str]) -> Format | None:
    """Recognise blocks of pairs, with a name in brackets above them or an empty line between them."""
    outside = re.compile(joined([BLOCK_COMMENT, BLOCK_RULE]))
    records = [text for _, text in join_blocks(lines) if text and not outside.fullmatch(text)]
    titles = list(takewhile(lambda text: not BLOCK_PAIR.search(text) and not BLOCK_START.match(text), records))
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
        fields=_fields([pairs for text in records if (pairs := pairs_of(text, BLOCK_PAIR))], headed),
        blocks=True,
        passed=joined([*title_patterns(titles, records), BLOCK_COMMENT, BLOCK_RULE]),
    )


def _fields(found: Sequence[Mapping[str, str]], headed: int) -> tuple[Field, ...]:
    """Describe what the blocks have, and first the names that stand above so many of them."""
    fields = _kinds.describe_pairs(found)
    if not headed:
        return tuple(fields)
    name = "section" if any(field.name == "name" for field in fields) else "name"
    head = Field(name=name, role="name", origin="search", pattern=BLOCK_NAME, optional=headed < len(found))
    return (head, *fields)
