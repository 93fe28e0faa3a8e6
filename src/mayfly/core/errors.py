"""Every error Mayfly raises on purpose, each with a stable code and an exit status.

Four families: the caller's mistake (one line, with the fix), a refusal (carries its verdict), a limit (kind, used,
limit) and a call for help. Anything else that escapes is a bug. `UnresolvedError` stands beside `Outcome`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

Decision = Literal["accept", "revise", "reject"]


class MayflyError(Exception):
    """Report what went wrong in one line, and where possible how to fix it."""

    code: ClassVar[str] = "MAYFLY"
    exit_status: ClassVar[int] = 1

    def __init__(self, message: str, *, fix: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.fix = fix

    def __str__(self) -> str:
        return f"{self.message}; {self.fix}" if self.fix else self.message


class InputError(MayflyError):
    """Something given by the caller is wrong: a file, an option, a setting."""

    code = "INPUT"
    exit_status = 2


class ConflictError(InputError):
    """What was asked contradicts what is already recorded."""

    code = "CONFLICT"


class MachineError(MayflyError):
    """This machine cannot do it, whatever the input."""

    code = "MACHINE"
    exit_status = 4


class StoreError(MayflyError):
    """The store could not read or keep something; nothing was half-written."""

    code = "STORE"


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """Say what one gate decided, what it measured, and how to do better."""

    decision: Decision
    gate: str
    code: str
    message: str
    measured: float | str | None = None
    limit: float | str | None = None
    line: int | None = None
    fix: str | None = None


class Refusal(MayflyError):
    """A gate or a rule said no; the verdict says why."""

    code = "REFUSED"

    def __init__(self, verdict: Verdict) -> None:
        super().__init__(verdict.message, fix=verdict.fix)
        self.verdict = verdict


class LimitError(MayflyError):
    """A limit was reached."""

    code = "LIMIT"

    def __init__(self, kind: str, *, used: float, limit: float, fix: str | None = None) -> None:
        super().__init__(f"{kind}: {_number(used)} is over the limit of {_number(limit)}", fix=fix)
        self.kind = kind
        self.used = used
        self.limit = limit


class HelpNeeded(MayflyError):
    """All attempts were spent; somebody has to look."""

    code = "HELP"
    exit_status = 3

    def __init__(
        self,
        persona_id: str,
        task: str,
        attempts: int,
        last_error: str,
        context: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(f"Persona '{persona_id}' needs help with '{task}' after {attempts} attempts")
        self.persona_id = persona_id
        self.task = task
        self.attempts = attempts
        self.last_error = last_error
        self.context = dict(context or {})

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.persona_id, self.task, self.attempts, self.last_error, self.context)

    def to_dict(self) -> dict[str, object]:
        """Return the fields as plain data, for the ledger and the inbox."""
        return {
            "persona_id": self.persona_id,
            "task": self.task,
            "attempts": self.attempts,
            "last_error": self.last_error,
            "context": self.context,
        }


def _number(value: float) -> str:
    """Write a number as a person reads it; a whole one, such as an amount of money, to the last digit."""
    return str(value) if isinstance(value, int) else f"{value:g}"
