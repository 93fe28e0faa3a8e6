"""Calls for help, kept in the ledger until somebody answers; an answer lets the task go on with the hint."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from mayfly.core import HelpNeeded, InputError
from mayfly.store import JSON, Event, Ledger, event

LONGEST = 4000


@event("help.needed")
@dataclass(frozen=True, kw_only=True)
class HelpAsked:
    """Record that all attempts were spent on a task, and what a person needs to know about it."""

    run: str
    persona_id: str
    task: str
    attempts: int
    last_error: str
    context: Mapping[str, JSON]
    request: Mapping[str, JSON]


@event("help.answered")
@dataclass(frozen=True, kw_only=True)
class HelpAnswered:
    """Record the hint a person gave."""

    answer: str


@dataclass(frozen=True, kw_only=True)
class Call:
    """One call for help as the inbox shows it."""

    id: str
    at: datetime
    run: str
    task: str
    attempts: int
    last_error: str
    context: Mapping[str, JSON]
    request: Mapping[str, JSON]
    answer: str | None = None

    @property
    def asked(self) -> tuple[object, list[object]] | None:
        """The input that is asked about and the answers it may have, where one answer settles the task."""
        text = self.context.get("asked")
        if not isinstance(text, str):
            return None
        input, answers = json.loads(text)
        return input, answers


class Inbox:
    """Read and answer calls for help."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def ask(self, error: HelpNeeded, *, run: str, request: Mapping[str, JSON]) -> str:
        """Put *error* into the inbox and return its id; *request* is what is needed to take the task up again."""
        id = f"h-{run.removeprefix('r-')}"
        context: dict[str, JSON] = {key: _plain(value) for key, value in error.context.items()}
        asked = HelpAsked(
            run=run,
            persona_id=error.persona_id,
            task=error.task[:LONGEST],
            attempts=error.attempts,
            last_error=error.last_error[:LONGEST],
            context=context,
            request=request,
        )
        self._ledger.append(asked, subject=id)
        return id

    def list(self, *, answered: bool = False) -> list[Call]:
        """Return the calls nobody has answered yet, oldest first; with *answered* all of them."""
        if not answered:
            return [_call(entry, None) for entry in self._ledger.waiting("help.needed", ended_by=["help.answered"])]
        answers = {entry.subject: str(entry.payload["answer"]) for entry in self._ledger.read(kind="help.answered")}
        return [_call(entry, answers.get(entry.subject)) for entry in self._ledger.read(kind="help.needed")]

    def get(self, id: str) -> Call:
        """Return one call, or say that there is none."""
        found = list(self._ledger.read(kind="help.needed", subject=id))
        if not found:
            raise InputError(f"there is no call for help {id}", fix="see: mayfly inbox")
        answers = list(self._ledger.read(kind="help.answered", subject=id))
        return _call(found[-1], str(answers[-1].payload["answer"]) if answers else None)

    def answer(self, id: str, text: str) -> Call:
        """Record *text* as the answer to call *id*."""
        if not text.strip():
            raise InputError(
                "the answer is empty", fix='write what would help, such as: mayfly answer ID "use ISO dates"'
            )
        call = self.get(id)
        self._ledger.append(HelpAnswered(answer=text[:LONGEST]), subject=id)
        return call


def _call(entry: Event, answer: str | None) -> Call:
    payload = entry.data
    if not isinstance(payload, HelpAsked):
        raise InputError(f"the call for help {entry.subject} was written by another version")
    return Call(
        id=entry.subject,
        at=entry.at,
        run=payload.run,
        task=payload.task,
        attempts=payload.attempts,
        last_error=payload.last_error,
        context=payload.context,
        request=payload.request,
        answer=answer,
    )


def _plain(value: object) -> JSON:
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value[:LONGEST] if isinstance(value, str) else value if isinstance(value, (int, float)) else str(value)
