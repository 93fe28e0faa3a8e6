"""Read a question about a table into the queries it can mean, the likeliest first."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from mayfly.language._tokens import Token
from mayfly.language._tokens import tokens as read_tokens
from mayfly.language.question._compose import Composer
from mayfly.language.question._query import And, Condition, Query
from mayfly.language.question._segment import Segment
from mayfly.language.question._segments import Cutter
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
    kept = [part for token in tokens if token.kind not in ("line", "item") for part in _parts(token)]
    kept = _with_clocks(kept)
    while kept and kept[-1].kind == "sign" and kept[-1].plain in ".?!":
        kept.pop()
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
                known = found.get(query)
                if known is None or whole < known.cost:
                    unused = tuple(one.guess or one.word for one in cut if one.kind == "unknown" or one.guess)
                    found[query] = Reading(query=query, text=tell(query), cost=whole, unused=unused)
    ranked = sorted(found.values(), key=lambda one: one.cost)
    return [one for one in ranked[:_MOST] if one.cost <= ranked[0].cost + _FAR]


def _with_clocks(tokens: list[Token]) -> list[Token]:
    """Put "9 am" together, which is a time of day as "9am" is."""
    found: list[Token] = []
    for token in tokens:
        half = token.text.lower().replace(".", "")
        last = found[-1] if found else None
        if half in ("am", "pm") and last is not None and last.kind == "number" and last.text.isdigit():
            clock = read_tokens(f"{last.text}{half}")[0]
            if clock.kind == "clock":
                found[-1] = clock._replace(start=last.start, end=token.end)
                continue
        found.append(token)
        words = tuple(one.text.lower() for one in found[-4:])
        if words[1:3] == ("in", "the") and words[3:] in (("morning",), ("afternoon",), ("evening",)):
            half = "am" if words[3] == "morning" else "pm"  # "8 in the morning"
            clock = read_tokens(f"{words[0]}{half}")[0] if words[0].isdigit() else token
            if clock.kind == "clock":
                found[-4:] = [clock._replace(start=found[-4].start, end=token.end)]
    return found


_COMPARED = re.compile(r"([\w.@-]+)(>=|<=|!=|==|=|<|>)(.+)")


# "count(" is left of "count(*)", "count(distinct" of "count(distinct city)".
_OPENED = re.compile(r"([A-Za-z]+)\((\w*)")
_CALLED = re.compile(r"(\w+)\(([^()]*)\)")


def _parts(token: Token) -> list[Token]:
    """Cut what was written without spaces: "status=500", "min/max/avg"; what looks like a pasted line is words here."""
    if token.kind == "data":
        plain = read_tokens(token.text.lower())
        return [
            one._replace(text=token.text[one.start : one.end], start=one.start + token.start, end=one.end + token.start)
            for one in plain
            if one.kind not in ("line", "item")
        ]
    if token.kind == "code" and (found := _COMPARED.fullmatch(token.text)):
        return [
            part._replace(
                start=part.start + token.start + found.start(at), end=part.end + token.start + found.start(at)
            )
            for at in (1, 2, 3)
            for part in read_tokens(found[at])
        ]
    if token.kind == "code" and (called := _CALLED.fullmatch(token.text)):
        # "avg(price)", "count(distinct city)", "count(*)"
        inside = [] if called[2].strip() == "*" else read_tokens(called[2])
        at = token.start + called.start(2)
        name = Token("word", called[1], called[1].lower(), token.start, token.start + len(called[1]))
        return [name, *(part._replace(start=part.start + at, end=part.end + at) for part in inside)]
    if token.kind == "code" and (opened := _OPENED.fullmatch(token.text)):
        at = token.start + opened.start(2)
        name = Token("word", opened[1], opened[1].lower(), token.start, token.start + len(opened[1]))
        return [name, *([Token("word", opened[2], opened[2].lower(), at, token.end)] if opened[2] else [])]
    words = token.text.split("/")
    if token.kind in ("code", "path") and len(words) > 1 and all(word.isalpha() and len(word) > 1 for word in words):
        found_: list[Token] = []
        at = token.start
        for word in words:
            found_ += [Token("sign", ",", ",", at, at)] if found_ else []
            found_.append(Token("word", word, word.lower(), at, at + len(word)))
            at += len(word) + 1
        return found_
    return [token]


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
