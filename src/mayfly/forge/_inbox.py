"""Calls for help, kept in the ledger until somebody answers; an answer lets the task go on with the hint."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from mayfly.core import UNSET, Contract, Example, HelpNeeded, InputError, Order, split_table
from mayfly.store import JSON, Event, Ledger, as_payload, event

LONGEST = 4000


@event("help.needed")
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
class HelpAnswered:
    """Record the hint a person gave."""

    answer: str


@dataclass(frozen=True, kw_only=True)
class Call(HelpAsked):
    """One call for help as the inbox shows it."""

    id: str
    at: datetime
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


def request_of(order: Order, *, origin: str = "") -> dict[str, JSON]:
    """Return what is needed to take *order* up again; lines are named by where they are *origin*ally from."""
    lines = order.lines
    return {
        "intent": order.intent,
        "input": None if order.input is UNSET or lines else as_payload(order.input),
        "lines": origin or (str(lines.absolute()) if lines else None),
        "more": [str(path.absolute()) for path in order.more],
        "examples": [_example_json(one) for one in order.examples],
        "ground": as_payload(order.ground),
        "tier": order.tier.value,
        "grants": list(order.grants),
        "model": order.model or None,
        "contract": order.contract.to_json() if order.contract else None,
        "answers": [_example_json(one) for one in order.answers],
        "never": [as_payload(one) for one in order.never],
    }


def order_again(request: Mapping[str, Any], **changed: Any) -> Order:
    """Return the order that `request_of` described, with what has *changed* since."""
    lines = request.get("lines")
    files = [lines, *request.get("more", ())] if lines else []
    gone = next((path for path in files if not split_table(Path(path))[0].exists()), None)
    if gone:
        raise InputError(f"the input {gone} of this task is gone", fix="put it back, or run the task anew")
    given = {
        "input": UNSET if lines or request.get("input") is None else request["input"],
        "lines": files or None,
        "examples": request["examples"],
        "ground": request["ground"],
        "tier": request["tier"],
        "grants": request.get("grants") or (),
        "model": request.get("model"),
        "contract": Contract.from_json(request["contract"]) if request.get("contract") else None,
        "answers": request.get("answers") or (),
        "never": request.get("never") or (),
    }
    return Order.of(request["intent"], **{**given, **changed})


def _example_json(example: Example) -> JSON:
    return {"input": as_payload(example.input), "output": as_payload(example.output)}


def _call(entry: Event, answer: str | None) -> Call:
    payload = entry.data
    if not isinstance(payload, HelpAsked):
        raise InputError(f"the call for help {entry.subject} was written by another version")
    return Call(**vars(payload), id=entry.subject, at=entry.at, answer=answer)


def _plain(value: object) -> JSON:
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value[:LONGEST] if isinstance(value, str) else value if isinstance(value, (int, float)) else str(value)
