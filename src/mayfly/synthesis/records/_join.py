"""Put two tables together by a column that both have."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from mayfly.language.question import Join, name_words
from mayfly.synthesis.records._model import Field, Format
from mayfly.synthesis.records._table import Table
from mayfly.synthesis.records._values import Row, key_text

# So many different values have to be there, and such a part of them in the other table too.
FEWEST, MATCHING = 3, 0.7


@dataclass(frozen=True, kw_only=True)
class Joined:
    """Two tables as one, and what every column is called in the one it comes from."""

    table: Table
    first: Table
    second: Table
    join: Join
    # Titles of the second table by what they are called in the joined one.
    renamed: Mapping[str, str]


def shared_columns(first: Table, second: Table) -> list[tuple[str, str]]:
    """Return the columns that both tables have: of the same name, whatever its case and its signs."""
    other = {name_words(title): title for title in second.fields}
    named = [(title, other[name_words(title)]) for title in first.fields if name_words(title) in other]
    return named or _matching_columns(first, second)


def _matching_columns(first: Table, second: Table) -> list[tuple[str, str]]:
    """Return the columns that go together by their values: those of one are names of the records of the other."""
    found: list[tuple[str, str]] = []
    for title in first.fields:
        held = {key_text(row[title]) for row in first.rows if row.get(title) is not None}
        for other in second.fields:
            texts = [key_text(row[other]) for row in second.rows if row.get(other) is not None]
            known = len(held & set(texts))
            # Numbers from one on are everywhere; names that are codes or words meet by no chance.
            named = any(not text.isdigit() for text in held)
            if len(held) >= FEWEST and named and known >= len(held) * MATCHING and len(set(texts)) == len(texts):
                found.append((title, other))
    return found


def join_tables(first: Table, second: Table, join: Join) -> Joined:
    """Return the rows of the first with those of the second that have the same value beside them."""
    names = {_free(title, first.fields): title for title in second.fields if title != join.right}
    partners: dict[str, list[Row]] = {}
    for row in second.rows:
        if row.get(join.right) is not None:
            partners.setdefault(key_text(row[join.right]), []).append(row)
    rows: list[Row] = []
    for row in first.rows:
        plain = {name: value for name, value in row.items() if name}
        found = partners.get(key_text(row.get(join.left)), []) if row.get(join.left) is not None else []
        if join.kind == "anti":
            rows += [] if found else [plain]
            continue
        rows += [{**plain, **{new: one.get(old) for new, old in names.items()}} for one in found]
        if not found and join.kind == "left":
            rows.append({**plain, **dict.fromkeys(names)})
    fields = list(first.format.fields)
    if join.kind != "anti":
        fields += _renamed(second.format.fields, names, fields)
    table = replace(first, format=joined_format(fields), rows=rows)
    return Joined(table=table, first=first, second=second, join=join, renamed=names)


def asked_for(joined: Joined, titles: Collection[str]) -> Joined:
    """Return two tables as a question about some of their columns finds them: rows unfit for that are not there."""
    of_first, of_second = asked_of(joined, titles)
    first, second = joined.first.asked_for(of_first), joined.second.asked_for(of_second)
    if first is joined.first and second is joined.second:
        return joined
    return join_tables(first, second, joined.join)


def asked_of(joined: Joined, titles: Collection[str]) -> tuple[set[str], set[str]]:
    """Return which columns of each of two tables are needed for some of the columns that they have together."""
    second = {joined.join.right, *(old for new, old in joined.renamed.items() if new in titles)}
    return {*titles, joined.join.left}, second


def joined_format(fields: Sequence[Field]) -> Format:
    """Return the format of rows that come from two inputs."""
    return Format(name="two tables", kind="joined", fields=tuple(fields))


def _free(title: str, taken: Mapping[str, Field]) -> str:
    return f"{title} 2" if title in taken else title


def _renamed(fields: Sequence[Field], names: Mapping[str, str], taken: Sequence[Field]) -> list[Field]:
    known = {field.name for field in taken}
    found = []
    for new, old in names.items():
        field = next(one for one in fields if one.title == old)
        unique = field.name if field.name not in known else f"{field.name}_second"
        found.append(replace(field, name=unique, heading=new, optional=True))
    return found
