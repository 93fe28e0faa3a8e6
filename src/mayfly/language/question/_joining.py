"""Read how two inputs are put together, and which of them are named."""

from __future__ import annotations

from collections.abc import Iterator

from mayfly.language._inflect import is_made_of, singular
from mayfly.language.question._segment import Segment
from mayfly.language.question._wording import Wording
from mayfly.language.question._words import bases_of, in_class, is_turning, phrase_at

# What may stand among the names of the inputs: "the two files", "both tables".
_BESIDE = frozenset(
    [
        "and",
        "with",
        "the",
        "two",
        "both",
        "files",
        "tables",
        "inputs",
        "datasets",
        "sheets",
        "to",
        "them",
        "file",
        "table",
    ]
)


def read_joins(wording: Wording, start: int) -> Iterator[Segment]:
    """Read "join sales.csv with customers.csv on customer_id"."""
    if not wording.vocabulary.joined:
        return
    yield from _read_partnerless(wording, start)
    phrase = phrase_at(wording.tokens, start, "join")
    if phrase is None:
        if _is_file(wording, start):
            yield Segment(kind="glue", start=start, end=start + 1, word="file")
        return
    place = phrase.end
    while place < len(wording.tokens) and (_is_file(wording, place) or wording.word(place) in _BESIDE):
        place += 1
    if phrase.meaning == "on":
        yield from _read_joining_column(wording, start, phrase.end)
        return
    yield Segment(kind="glue", start=start, end=place, word="join")
    on = phrase_at(wording.tokens, place, "join", "on")
    if on is not None:
        yield from _read_joining_column(wording, start, on.end)


def _read_partnerless(wording: Wording, start: int) -> Iterator[Segment]:
    """Read what only those without a partner have: "who have no timesheet entry", "whose id is not in users.csv"."""
    if not wording.vocabulary.unmatched:
        return
    place = wording.skip(
        start, ("who", "that", "which", "with", "have", "has", "had", "are", "is", "whose", "a", "the")
    )
    for hit in wording.vocabulary.columns_at(wording.tokens, place):
        if hit.column.name == wording.vocabulary.joined:
            place = wording.skip(hit.end, ("that", "which", "is", "are", "was"))
    phrase = phrase_at(wording.tokens, place, "join", "anti")
    place = phrase.end if phrase else place + 1 if is_turning(wording.word(place)) else 0
    place = wording.skip(place, ("any", "a", "an", "the", "in", "have", "been", "appear"))
    if place and _is_form_of_file(wording, place):
        place += 1
        place += in_class(wording.word(place), "empty") or wording.word(place) in ("at_all",)
        yield Segment(kind="glue", start=start, end=place, word="join")


def _read_joining_column(wording: Wording, start: int, place: int) -> Iterator[Segment]:
    after = wording.skip(place, ("the", "column", "field", "same"))
    for hit in wording.vocabulary.columns_at(wording.tokens, after):
        if hit.column.name == wording.vocabulary.joined:
            yield Segment(kind="glue", start=start, end=hit.end, word="join", cost=hit.cost)


def _is_file(wording: Wording, place: int) -> bool:
    """Say whether a word names one of the two inputs."""
    if place >= len(wording.tokens):
        return False
    return wording.tokens[place].text.lower() in wording.vocabulary.files and not wording.terms.at(place)


def _is_form_of_file(wording: Wording, place: int) -> bool:
    """Say whether a word names one of the two inputs, if only by a form of its name."""
    if place >= len(wording.tokens):
        return False
    said = wording.tokens[place].text.lower()
    return any(
        bases_of(name) & bases_of(said) or is_made_of(singular(name), said) for name in wording.vocabulary.files
    ) or _is_file(wording, place)
