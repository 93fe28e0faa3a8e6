"""What a language has to bring so that programs in it are written, gated and proven as those in Python are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Protocol, Self

if TYPE_CHECKING:
    from mayfly.core import Verdict
    from mayfly.forge._request import Request
    from mayfly.gates import Entry
    from mayfly.gates.proof import Answer


class FunctionFact(NamedTuple):
    """One function, or the module: its name, its line and its cyclomatic complexity."""

    name: str
    line: int
    complexity: int


class ChoiceFact(NamedTuple):
    """One choice: how many arms it has, where, and in which function."""

    arms: int
    line: int
    name: str


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What the stability gate measures, whatever the language."""

    functions: tuple[FunctionFact, ...] = ()
    choices: tuple[ChoiceFact, ...] = ()
    lines: int = 0


@dataclass(frozen=True, kw_only=True)
class Reading:
    """All that is known of a source without running it; *runs* is what the harness is given."""

    source: str
    syntax: tuple[Verdict, ...] = ()
    facts: Facts = field(default_factory=Facts)
    refused: tuple[Verdict, ...] = ()
    """What else the stability gate does not allow: imports, names, loops without an end."""
    types: tuple[Verdict, ...] = ()
    entry: Entry | None = None
    runs: str = ""


class Language(Protocol):
    """One language; a context manager, which ends what it started."""

    name: str
    title: str

    def __enter__(self) -> Self:
        """Be ready."""
        ...

    def __exit__(self, *_: object) -> None:
        """End what was started."""
        ...

    def code_in(self, answer: str) -> str | None:
        """Return the program in what a model answered; None for prose."""
        ...

    def called(self, request: Request) -> str:
        """Say to a writer how the program is called."""
        ...

    def read(self, source: str, *, entry: str = "") -> Reading:
        """Parse *source*, take its facts and check its types."""
        ...

    def ask(self, reading: Reading, inputs: Sequence[object]) -> list[Answer]:
        """Run the program on each input behind the wall."""
        ...
