"""Propose a program for a question about lines or objects: read it, choose by what the readings give, write."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property

from mayfly.core import Offer, canonical_json
from mayfly.language import Token, bases, is_foreign, is_made_of, singular, tokens
from mayfly.language.question import (
    Join,
    JoinKind,
    Query,
    Reading,
    Unreadable,
    columns_of,
    is_turning,
    join_words,
    parse_reading,
    read_question,
    rivals_of,
)
from mayfly.synthesis.records import _detect
from mayfly.synthesis.records._evaluate import evaluate
from mayfly.synthesis.records._fit import misfit_of
from mayfly.synthesis.records._join import Joined, join_tables, shared_columns
from mayfly.synthesis.records._model import Field, Format
from mayfly.synthesis.records._proposal import Proposal, formats_of, narrowed
from mayfly.synthesis.records._several import one_after_another, with_file
from mayfly.synthesis.records._sql_rows import needed_titles
from mayfly.synthesis.records._table import Table, read_table, vocabulary_of
from mayfly.synthesis.records._text import clean

# More than three ways to read something are no help to anybody.
MOST_READINGS = 3
# What is longer has pasted text in it; every word would have to be made use of.
MOST_WORDS = 200
# A format that was not the first choice has to read the question clearly better.
_OTHER_FORMAT = 0.6
# A reading that costs less took every word for what it is.
_EXACTLY = 0.25
HELPS = ("name columns as they are", "examples of inputs with their outputs (--examples)", "a model (--model)")


@dataclass(frozen=True, kw_only=True)
class Unable:
    """Say what stands in the way, which readings could be meant, and what else would help."""

    reason: str
    offers: tuple[Offer, ...] = ()
    helps: tuple[str, ...] = ()


def propose(
    intent: str, items: Sequence[object], *, name: str = "", words: Sequence[Token] | None = None
) -> Proposal | Unable:
    """Return a program for what *intent* asks of *items*, or what stands in the way.

    Of several readings none is taken unless all of them give the same; *name* is that of the file, which often says
    what its records are.
    """
    if not any(item if not isinstance(item, str) else item.strip() for item in one_after_another(items)):
        return Unable(
            reason="the input has no lines to learn the format from",
            helps=("some lines of input (--input)", *HELPS[1:]),
        )
    tables = [read_table(found, items, name) for found in formats_of(items)]
    with suppress(Unreadable):  # It is a question, as most are.
        return _typed_back(intent, tables, items)
    read = tokens(intent) if words is None else words
    if len(read) > MOST_WORDS:
        return Unable(reason=f"the question has {len(read):,} words; up to {MOST_WORDS} are read", helps=HELPS)
    readings = _readings(intent, read, tables)
    if not readings:
        return Unable(reason=_not_understood(intent, tables[0]), helps=(_columns(tables[0]), *HELPS[1:]))
    rivals = _distinct(_rivals(readings), items)
    if len(rivals) == 1 and rivals[0].reading.sure and not _finds_nothing(rivals[0]):
        return Proposal(query=rivals[0].reading.query, table=rivals[0].table)
    if len(rivals) < MOST_READINGS:
        rivals = _distinct(readings[: 4 * MOST_READINGS], items)
    return _ask(rivals[:MOST_READINGS], tables[0])


def _finds_nothing(one: _Rival) -> bool:
    """Say whether a reading that took some words for others found nothing: then it was perhaps not meant."""
    if one.reading.cost < _EXACTLY or one.reading.query.where is None:
        return False
    return one.value in (0, [], {}, None)


def propose_reading(reading: str, items: Sequence[object], *, name: str = "") -> Proposal:
    """Return the program for a reading that was typed back; `Unreadable` says where it is none."""
    return _typed_back(reading, [read_table(found, items, name) for found in formats_of(items)], items)


def propose_join(
    intent: str, first: Sequence[object], second: Sequence[object], *, names: tuple[str, str] = ("", "")
) -> Proposal | Unable:
    """Return a program for a question about two inputs, which are put together by a column that both have."""
    read = tokens(intent)
    tables = [
        read_table(_detect.detect(items), items, name) for items, name in zip((first, second), names, strict=True)
    ]
    shared = shared_columns(*tables)
    if not shared:
        columns = "; ".join(
            f"{name or 'an input'}: {', '.join(list(one.fields)[:10])}" for one, name in zip(tables, names, strict=True)
        )
        return Unable(
            reason=f"the two inputs share no column ({columns})", helps=("a column of the same name in both",)
        )
    whole = _joins(tables, read, second=names[1])
    with suppress(Unreadable):  # It is a question, as most are.
        return _typed_join(intent, whole)
    found: list[_Rival] = []
    for joined in whole:
        vocabulary = replace(
            vocabulary_of(joined.table),
            joined=joined.join.left,
            files=_file_words(names),
            unmatched=joined.join.kind == "anti",
            nouns=vocabulary_of(tables[0]).nouns | vocabulary_of(tables[1]).nouns,
        )
        readings = read_question(intent, read, vocabulary)
        found += [_Rival(reading=one, table=joined.table, joined=joined) for one in readings]
    if not found:
        return Unable(reason="the question was not understood", helps=(_columns(tables[0]), *HELPS[1:]))
    rivals = _distinct(_rivals(sorted(found, key=lambda one: one.reading.cost)), ())
    best = rivals[0]
    if len(rivals) == 1 and best.reading.sure and best.joined is not None:
        return _proposal_of_two(best.reading.query, best.joined)
    return _ask(rivals[:MOST_READINGS], tables[0])


def propose_joined_reading(
    reading: str, first: Sequence[object], second: Sequence[object], *, names: tuple[str, str] = ("", "")
) -> Proposal:
    """Return the program for a reading of two inputs that was typed back; `Unreadable` says where it is none."""
    tables = [
        read_table(_detect.detect(items), items, name) for items, name in zip((first, second), names, strict=True)
    ]
    return _typed_join(reading, _joins(tables, tokens(reading)))


def _joins(tables: Sequence[Table], read: Sequence[Token], second: str = "") -> list[Joined]:
    """Return every way in which two tables can be put together."""
    return [
        join_tables(tables[0], tables[1], Join(left=left, right=right, kind=kind))
        for left, right in shared_columns(*tables)
        for kind in _kinds_of_join(read, second)
    ]


def _proposal_of_two(query: Query, joined: Joined) -> Proposal:
    joined = narrowed(joined, query)
    query = replace(query, join=joined.join)
    return Proposal(query=query, table=joined.table, joined=joined)


def _typed_join(reading: str, joins: Sequence[Joined]) -> Proposal:
    """Take a reading of two inputs as it stands, put together in the way that it says."""
    wrong = Unreadable("the two inputs share no column", 0)
    for joined in joins:
        try:
            return _proposal_of_two(_query_of(reading, joined.table, joined.join), joined)
        except Unreadable as error:
            wrong = max(error, wrong, key=lambda one: one.place)
    raise wrong


def _query_of(reading: str, table: Table, join: Join | None = None) -> Query:
    """Return the query that a reading stands for, if it can be asked of a table; `Unreadable` says why it cannot."""
    query = parse_reading(reading, list(table.fields))
    if query.join != join:
        raise Unreadable("this is not how the inputs are put together", len(reading))
    misfit = misfit_of(query, table.fields)
    if misfit:
        raise Unreadable(misfit, len(reading))
    return query


def _kinds_of_join(read: Sequence[Token], second: str = "") -> list[JoinKind]:
    """Return how rows without a partner may be treated: only what is said is possible.

    Who has nothing in the second input has no partner there: "employees who have no timesheet entry".
    """
    stem = second.rpartition("/")[2].partition(".")[0]
    for place, token in enumerate(read):
        near = read[place + 1 : place + 4] if is_turning(token.plain) else ()
        # "no timesheet entry", "never inspected" with inspections
        if stem and any(
            bases(stem) & bases(one.text.rpartition(".")[0] or one.text) or is_made_of(singular(stem), one.text)
            for one in near
        ):
            return ["anti"]
    said = [word for place in range(len(read)) for word in join_words(read, place)]
    if "anti" in said:
        return ["anti"]
    return ["left"] if "left" in said else ["inner"]


def _file_words(names: Sequence[str]) -> frozenset[str]:
    """Return how the two inputs may be called: by their paths, their names and the words of those."""
    found: set[str] = set()
    for name in names:
        base = name.rpartition("/")[2]
        found |= {name.lower(), base.lower(), base.lower().partition(".")[0]}
    return frozenset(found - {""})


@dataclass(frozen=True, kw_only=True)
class _Rival:
    """A reading, and the table that it is asked of: one of several, or the one that is made of two inputs."""

    reading: Reading
    table: Table
    joined: Joined | None = None

    @cached_property
    def value(self) -> object:
        """What the reading gives."""
        return evaluate(self.reading.query, self.table.rows, self.table.fields).value

    def asked(self, items: Sequence[object]) -> _Rival:
        """Return the reading with the table as it finds it."""
        if self.joined is None:
            return replace(self, table=_table_for(self.reading.query, self.table, items))
        joined = narrowed(self.joined, self.reading.query)
        return replace(self, table=joined.table, joined=joined)


def _readings(intent: str, read: Sequence[Token], tables: Sequence[Table]) -> list[_Rival]:
    found: list[_Rival] = []
    for place, table in enumerate(tables):
        for reading in read_question(intent, read, vocabulary_of(table)):
            dearer = replace(reading, cost=reading.cost + _OTHER_FORMAT * place)
            found.append(_Rival(reading=dearer, table=table))
    return sorted(found, key=lambda one: one.reading.cost)


def _rivals(found: Sequence[_Rival]) -> list[_Rival]:
    kept = rivals_of([one.reading for one in found])
    return list(found[: len(kept)])


def _distinct(rivals: Sequence[_Rival], items: Sequence[object]) -> list[_Rival]:
    """Keep the first of the readings that give the same, each with the table it is asked of."""
    seen: dict[str, _Rival] = {}
    for one in rivals:
        asked = one.asked(items)
        seen.setdefault(canonical_json(json.loads(json.dumps(asked.value))), asked)
        if len(seen) > MOST_READINGS:
            break
    return list(seen.values())


def _table_for(query: Query, table: Table, items: Sequence[object]) -> Table:
    """Return the table a query is asked of: lines as such are all lines, whatever their format is."""
    if not query.lines or columns_of(query) or table.format.kind in ("plain", "objects"):
        return table.asked_for(needed_titles(table.format, query))
    return read_table(with_file(plain_format(), items), items, table.name)


def plain_format() -> Format:
    """Return the format of lines of which nothing is known."""
    return Format(name="text", kind="plain", fields=(Field(name="text", role="message"),))


def _typed_back(reading: str, tables: Sequence[Table], items: Sequence[object]) -> Proposal:
    """Take a reading as it stands; of the tables it does not fit, the one it fits furthest says where it is wrong."""
    wrong = Unreadable("there is nothing to ask about", 0)
    for table in tables:
        try:
            query = _query_of(reading, table)
        except Unreadable as error:
            wrong = max(error, wrong, key=lambda one: one.place)
            continue
        moved = _table_for(query, table, items)
        return Proposal(query=query, table=moved)
    raise wrong


def _ask(rivals: Sequence[_Rival], table: Table) -> Unable:
    offers = tuple(Offer(reading=one.reading.text, gives=one.value) for one in rivals)
    reason = _reason([one.reading for one in rivals], table)
    return Unable(reason=reason, offers=offers, helps=(_columns(table), *HELPS[1:]))


def _reason(readings: Sequence[Reading], table: Table) -> str:
    """Say why none of some readings is simply taken."""
    # The first is the likeliest: what only the others leave out is no reason to ask.
    unused = dict.fromkeys(readings[0].unused)
    if unused:
        return f"nothing was made of {', '.join(map(repr, unused))}{_troubles(table)}"
    if len(readings) > 1:
        return "the question can be read in more than one way"
    return f"it is not sure that this is what was asked{_troubles(table)}"


def _not_understood(intent: str, table: Table) -> str:
    if is_foreign(tokens(intent)):
        return "the question is not in English, and only English is read without a model"
    return f"the question was not understood{_troubles(table)}"


def _troubles(table: Table) -> str:
    """Say which columns hold numbers that cannot be worked with."""
    found = [f"{one.title}: {one.trouble}" for one in table.format.fields if one.trouble]
    return f" ({'; '.join(found[:3])})" if found else ""


def _columns(table: Table) -> str:
    names = ", ".join(list(table.fields)[:20]) or "none"
    return f"the names of columns, which are {clean(names)}"
