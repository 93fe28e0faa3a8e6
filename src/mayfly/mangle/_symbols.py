"""The names of predicates and of places in sources: all that most parts of the engine need of the syntax."""

from dataclasses import dataclass
from typing import NamedTuple, TypeVar, dataclass_transform


class Place(NamedTuple):
    """Where something was written; line and column count from 1. `file` is what the reader was given as its name."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


class Symbol(NamedTuple):
    """A predicate: name (with its package prefix, if any) and number of arguments."""

    name: str
    arity: int

    def __str__(self) -> str:
        return f"{self.name}/{self.arity}"


_Node = TypeVar("_Node")


@dataclass_transform(frozen_default=True, kw_only_default=True)
def node(kind: type[_Node]) -> type[_Node]:
    """Make a class a part of the tree: a dataclass that is never changed, which the types see to.

    Python's own way of freezing makes an object for three times the price, and a program is read object by object.
    """
    return dataclass(slots=True, kw_only=True, unsafe_hash=True)(kind)
