"""Facts that a model proposes: a few kinds, checked one by one; anything else is refused with its reason."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from mayfly.core import MayflyError
from mayfly.mangle import Name, parse, parse_fact
from mayfly.policy.kernel._events import PolicyFactRefused
from mayfly.policy.kernel._record import shortened

if TYPE_CHECKING:
    from mayfly.mangle import Clause, Unit, Value
    from mayfly.policy.kernel.facts import Fact
    from mayfly.store import Ledger

MOST: Final = 100
LONGEST: Final = 4096
PROPOSABLE: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "observation": ("name", "string"),
        "observed_error": ("string", "number", "string"),
        "observed_symbol": ("string", "string"),
        "observed_dependency": ("string", "string"),
        "observed_test": ("string", "name"),
        "hypothesis": ("string", "string"),
        "confidence": ("string", "number"),
        "file_summary": ("string", "string"),
        "task_status": ("string", "name"),
        "next_step": ("number", "string"),
        "open_question": ("string",),
    }
)
"""What a model may say, with the type of each argument: observations, never powers or decisions."""
_KINDS: Final = {"name": Name, "string": str, "number": int}


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedFact:
    """One line that was not taken, and why."""

    line: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposed:
    """What was taken and what was not."""

    accepted: tuple[Fact, ...]
    refused: tuple[RefusedFact, ...]


def propose(
    lines: Iterable[str], *, ledger: Ledger | None = None, subject: str = "model", already: int = 0, most: int = MOST
) -> Proposed:
    """Take the facts that *lines* propose, one a line; *already* counts those of the same turn before."""
    accepted: dict[Fact, None] = {}
    refused: list[RefusedFact] = []
    for number, line in enumerate(lines):
        if number >= 10 * max(most, 1):
            refused.append(RefusedFact(line="…", reason="too many lines"))
            break
        if not line.strip():
            continue
        try:
            fact = _checked(line)
        except MayflyError as error:
            refused.append(RefusedFact(line=shortened(line), reason=error.message))
            continue
        if fact not in accepted and already + len(accepted) >= most:
            refused.append(RefusedFact(line=shortened(line), reason=f"more than {most} facts in one turn"))
        else:
            accepted[fact] = None
    if ledger is not None and refused:
        events = [PolicyFactRefused(line=entry.line, reason=entry.reason[:500]) for entry in refused[:most]]
        ledger.append_many(events, subject=subject)
    return Proposed(accepted=tuple(accepted), refused=tuple(refused))


class _Refused(MayflyError):
    """Say why a proposed line is not taken."""

    code = "NOT_PROPOSABLE"


def _checked(line: str) -> Fact:
    if len(line) > LONGEST:
        raise _Refused(f"it is longer than {LONGEST} characters")
    text = line.strip()
    clause = _only_fact(parse(text if text.endswith((".", "!")) else f"{text}.", file="<proposed>"))
    name = clause.head.predicate
    columns = PROPOSABLE.get(name)
    if columns is None:
        raise _Refused(f"{name} is not for a model to say")
    if len(clause.head.arguments) != len(columns):
        raise _Refused(f"{name} has {len(columns)} arguments, not {len(clause.head.arguments)}")
    symbol, row = parse_fact(text)
    for at, (value, wanted) in enumerate(zip(row, columns, strict=True), 1):
        if not _is(value, wanted):
            raise _Refused(f"argument {at} of {name} is not a {wanted}")
    return symbol, row


def _is(value: Value, wanted: str) -> bool:
    return type(value) is _KINDS[wanted]


def _only_fact(unit: Unit) -> Clause:
    if unit.package is not None or unit.uses:
        raise _Refused("a package is not a fact")
    if unit.declarations:
        raise _Refused("a declaration is not a fact")
    if len(unit.clauses) != 1:
        raise _Refused("one fact a line")
    clause = unit.clauses[0]
    if clause.premises is not None or clause.transforms:
        raise _Refused("a rule is not a fact")
    if clause.time is not None:
        raise _Refused("a fact with a time is not taken")
    return clause
