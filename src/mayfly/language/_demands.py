"""What a sentence demands of a thing without a command: "the header must be changed", "tests for a.py"."""

from __future__ import annotations

from dataclasses import dataclass

from mayfly.core import replace
from mayfly.language._frames import FrameKind, frames_at, head_behind, skip_openers
from mayfly.language._heads import ClauseHead, Stretch, is_finite, verb_at, work_at
from mayfly.language._request import ClauseKind
from mayfly.language._words import LexedWords, is_one_of

# How sure a reading is: a demand on a thing, work only named. None but the last is below what a verb needs whose work
# cannot be taken back (0.75), and such work is not read there.
_DEMANDED, _NAMED = 0.75, 0.55
JOINTS = frozenset(("and", "then", "but", "so", "or", "also", "afterwards", "plus"))


@dataclass(frozen=True, kw_only=True)
class ClauseSpan:
    """One clause: its words from *start* to *stop*, its head where it asks for something, and how sure that is.

    The *thing* is what a passive is said of: "(the header) must be changed". What comes *earlier* is to be done before
    the clause after it: "after fixing it, …".
    """

    kind: ClauseKind
    start: int
    stop: int
    head: ClauseHead | None = None
    thing: Stretch = (0, 0)
    confidence: float = 0.0
    earlier: bool = False


def demands_of(line: LexedWords, span: ClauseSpan) -> list[ClauseSpan]:
    """Return a statement as all that it demands: "the rows are to be collected in a.txt and then counted"."""
    found = _demand_of(line, span)
    if found is None or found.kind != "command" or found.head is None or not found.thing[1]:
        return [found or span]
    for place in range(found.head.end, span.stop):
        if line.sign(place) != "," and line.plain(place) not in JOINTS:
            continue
        rest = replace(span, start=place)
        head = verb_at(line, skip_openers(line, place)[0], "past")
        if head and head.end <= span.stop:
            # What is demanded further is demanded of the same file, or else of what was made of it.
            same = found.thing if _is_file(line, *found.thing) else (0, 0)
            more = [replace(rest, kind="command", head=head, thing=same, confidence=_DEMANDED)]
        else:
            more = demands_of(line, rest)
        if more[0].kind == "command":
            return [replace(found, stop=place), *more]
    return [found]


def _is_file(line: LexedWords, start: int, stop: int) -> bool:
    return line.words[stop - 1].kind in ("path", "url") and not any(
        line.has(place, "prepositions") for place in range(start, stop)
    )


def _demand_of(line: LexedWords, span: ClauseSpan) -> ClauseSpan | None:
    """Return what a statement demands or forbids of a thing: "the header must be changed", "the docs need updating"."""
    first = skip_openers(line, span.start)[0]
    if named := _named_work(line, span, first):
        return named
    hopes = [match.end for _, match in frames_at(line, first, "hope")]
    kind: FrameKind = "hoped" if hopes else "passive"
    start = max(hopes, default=first)
    for place in range(start + 1, span.stop):
        for frame, match in frames_at(line, place, kind):
            head = head_behind(line, frame, match)
            if head and head.end <= span.stop and line.plain(head.end) != "by" and _is_thing(line, start, place):
                denied = match.negated or line.has(start, "nobody")
                made = replace(span, head=head, thing=(start, place))
                return replace(made, kind="refusal") if denied else replace(made, kind="command", confidence=_DEMANDED)
    return None


def _named_work(line: LexedWords, span: ClauseSpan, first: int) -> ClauseSpan | None:
    """Return the work that a sentence only names: "tests for a.py", "a quick fix would be nice"."""
    work = work_at(line, first)
    # "Change of plans: …" is only a heading.
    if work is None or work.verb is None or work.verb.verb in line.lexicon.guarded or line.sign(span.stop) == ":":
        return None
    wished = any(frames_at(line, work.end, "wished"))
    told = (is_finite(line, place) or line.has(place, "subjects") for place in range(work.end, span.stop))
    return (
        replace(span, kind="command", head=work, confidence=_DEMANDED if wished else _NAMED)
        if wished or not any(told)
        else None
    )


def _is_thing(line: LexedWords, start: int, stop: int) -> bool:
    """Say whether some words name a thing of which something is demanded, and tell nothing themselves."""
    if line.has(start, "relatives", "subordinate") and line.plain(start) != "that":
        return False
    people = {"i", "we", "you", "he", "she", "they", "someone", "somebody", "everyone"}
    told = (is_finite(line, place) or is_one_of(line.plain(place), "reporting") for place in range(start, stop))
    return not any(told) and not any(line.plain(place) in people for place in range(start, stop))
