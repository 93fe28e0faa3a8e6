"""What can sensibly be made of a column: whether its numbers are added up, whether it tells who."""

from __future__ import annotations

from mayfly.language.question._query import Column, Condition, Function, Missing, Not
from mayfly.language.question._said import Said
from mayfly.language.question._terms import Term
from mayfly.language.question._vocabulary import ColumnInfo
from mayfly.language.question._words import is_person

# Numbers of these roles are added up where nothing is said; of any other it is not known what is made of them.
_ADDED = ("amount", "quantity", "size", "distance", "weight", "energy", "volume")
# Whole numbers with these words in their name are no counts.
_NOT_ADDED = frozenset(("%", "rating", "score", "year", "rank"))
# Roles of columns that tell who.
_PERSONS = ("user", "customer", "name", "email")


def is_added(term: Term) -> bool:
    """Say whether numbers are added up where nothing is said: amounts and counts are, ages and ratings are not."""
    info = term.info
    if info is None or info.role in _ADDED:
        return info is not None
    return info.kind == "int" and not info.role and not info.unit and _NOT_ADDED.isdisjoint(info.words)


def sizes_of(said: Said) -> list[ColumnInfo]:
    """Return the columns in which a record can be large."""
    return [one for one in said.vocabulary.columns if one.numeric and one.role in _ADDED]


def functions_of(term: Term) -> tuple[Function, ...]:
    """Return what may be made of several numbers of a group where nothing is said."""
    return ("sum",) if is_added(term) else ("sum", "mean", "max")


def can_be_made_of(function: Function, term: Term) -> bool:
    """Say whether a measure can be made of a term."""
    if function in ("unique", "mode", "first", "last"):
        return True
    listed = term.info is not None and term.info.numbers and isinstance(term.of, Column)
    if function in ("min", "max", "range"):
        return term.numeric or term.moment or listed
    return term.numeric or listed


def is_of_persons(column: ColumnInfo) -> bool:
    """Say whether a column tells who: a user, a customer, a name, a doctor."""
    return column.role in _PERSONS or any(map(is_person, column.words))


def ask_for_value(term: Term) -> Condition | None:
    """Ask that there is a value where some records have none; a list that is empty has no items anyway."""
    some = term.info is not None and term.info.optional and term.info.kind != "list"
    return Not(of=Missing(of=term.of)) if some else None
