"""The names of predicates and of places in sources: all that most parts of the engine need of the syntax."""

from typing import NamedTuple


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
