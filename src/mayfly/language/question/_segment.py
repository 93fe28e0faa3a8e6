"""One segment of a question: some words in a row, and what they say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mayfly.language.question._query import Condition, Function, Named
from mayfly.language.question._terms import Term
from mayfly.language.question._vocabulary import EXACT
from mayfly.language.question._words import Adjective

SegmentKind = Literal[
    "glue", "or", "ask", "measure", "term", "noun", "condition", "group", "sort", "way", "limit", "superlative",
    "unique", "dedupe", "keep", "of total",
    "any case", "digits", "scale", "rename", "add", "drop", "columns", "range", "unknown",
    "having", "edge",
]  # fmt: skip
# To leave a word out is worse than anything else, and never more than an offer.
LEFT_OUT = 8.0


@dataclass(frozen=True, kw_only=True)
class Segment:
    """Some words of a question in a row, and what they say."""

    kind: SegmentKind
    start: int
    end: int
    cost: float = EXACT
    function: Function | None = None
    at: float = 0.0
    term: Term | None = None
    terms: tuple[Term, ...] = ()
    condition: Condition | None = None
    adjective: Adjective | None = None
    number: int = 0
    second: int = 0
    descending: bool = False
    last: bool = False
    name: str = ""
    word: str = ""
    named: Named | None = None
    plural: bool = False
    sorts: tuple[Segment, ...] = ()
    # A word that names nothing here, and what it was taken for is a guess.
    guess: str = ""
