"""Read a question about a table into the queries it can mean, the likeliest first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from mayfly.language._tokens import Token
from mayfly.language.question._compose import Composer
from mayfly.language.question._operators import UNSURE
from mayfly.language.question._query import And, Arithmetic, Condition, Query, walk
from mayfly.language.question._segment import Segment
from mayfly.language.question._segments import Cutter
from mayfly.language.question._spelling import spell_out
from mayfly.language.question._tell import tell
from mayfly.language.question._vocabulary import EXACT, Vocabulary
from mayfly.language.question._words import is_glue

# Readings whose costs differ by less than this are rivals: nobody is entitled to choose between them.
MARGIN = 0.4
# What is further from the best than this is not offered even as a guess.
_FAR = 7.0
_MOST = 12
# Two words that are only akin to what they were taken for are as much as is taken without asking.
_DOUBTFUL = 3.5


@dataclass(frozen=True, kw_only=True)
class Reading:
    """One way to read a question: the query, its words, and the words of the question that nothing was made of."""

    query: Query
    text: str
    cost: float
    unused: tuple[str, ...] = ()

    @property
    def sure(self) -> bool:
        """Whether every word was used and none was guessed at."""
        return self.cost < _DOUBTFUL and not self.unused


def read_question(text: str, tokens: Sequence[Token], vocabulary: Vocabulary) -> list[Reading]:
    """Return the readings of a question, the likeliest first; rivals are those within `MARGIN` of the first.

    A reading that leaves words out or guesses at one is not *sure*: it may be offered and is never taken.
    """
    kept = spell_out(tokens)
    if not kept:
        return []
    found: dict[Query, Reading] = {}
    cutter = Cutter(text, kept, vocabulary)
    moments = [column for column, cost in cutter.wording.terms.moments() if cost == EXACT]
    for cost, cut in cutter.cuts():
        for composed in Composer(cut, vocabulary, moments).queries():
            for query in _split_shares(composed.query, composed.base):
                if query is None or not _says_something(query, cut):
                    continue
                whole = cost + composed.cost
                if cutter.wording.has_span and not _measures_span(query):
                    whole += UNSURE  # "from started to ended" says how long, and must not be lost.
                known = found.get(query)
                if known is None or whole < known.cost:
                    unused = tuple(one.guess or one.word for one in cut if one.kind == "unknown" or one.guess)
                    found[query] = Reading(query=query, text=tell(query), cost=whole, unused=unused)
    ranked = sorted(found.values(), key=lambda one: one.cost)
    return [one for one in ranked[:_MOST] if one.cost <= ranked[0].cost + _FAR]


def rivals_of(readings: Sequence[Reading]) -> list[Reading]:
    """Return the readings between which nothing but their results can decide."""
    return [one for one in readings if one.cost < readings[0].cost + MARGIN]


def _says_something(query: Query, cut: Sequence[Segment]) -> bool:
    """Say whether a query is more than the whole table as it is, or that was asked for in so many words."""
    if query != Query() and query != Query(lines=True):
        return True
    if any(one.word == "join" for one in cut):
        return True
    return any(one.kind == "noun" for one in cut) and all(
        one.kind in ("noun", "ask", "glue") and (one.kind != "glue" or is_glue(one.word)) for one in cut
    )


def _measures_span(query: Query) -> bool:
    return any(isinstance(part, Arithmetic) and part.sign == "-" for part in walk(query))


def _split_shares(query: Query, base_size: int | None) -> list[Query | None]:
    """Tell the whole from the part of a share: with several conditions, each first one may only say where to look."""
    if not any(one.function == "share" for one in query.measures):
        return [query]
    if query.where is None:
        return []
    conditions: tuple[Condition, ...] = query.where.of if isinstance(query.where, And) else (query.where,)
    found: list[Query | None] = []
    known = base_size is not None and 0 < base_size < len(conditions)
    for number in (base_size,) if known and base_size is not None else range(len(conditions)):
        base, part = conditions[:number], conditions[number:]
        where = None if not base else base[0] if number == 1 else And(of=base)
        share = part[0] if len(part) == 1 else And(of=part)
        measures = tuple(replace(one, where=share) if one.function == "share" else one for one in query.measures)
        found.append(replace(query, where=where, measures=measures))
    return found
