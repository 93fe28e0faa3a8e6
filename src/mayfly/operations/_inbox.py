"""The inbox: what waits for a person, and every way to settle it: approve, deny, answer, settle an effect."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mayfly.core import ConflictError, InputError, one_line, without_secrets
from mayfly.operations._words import pick_fields

if TYPE_CHECKING:
    from mayfly.core import Outcome, Settings
    from mayfly.forge import Call
    from mayfly.promise import Unsettled
    from mayfly.runtime import Runtime
    from mayfly.session import Approvals, Waiting
    from mayfly.store import Ledger

# What became of an effect of which nobody can tell.
VERDICTS = ("done", "again", "failed")
# Kinds of events that change what waits here.
INBOX_EVENTS = (
    "approval.asked",
    "approval.settled",
    "help.needed",
    "help.answered",
    "effect.unknown",
    "effect.settled",
)


class SettledBefore(ConflictError):
    """Somebody else was first; *details* say what they did."""

    code = "SETTLED"

    def __init__(self, message: str, *, details: dict[str, Any], fix: str = "look at what they said") -> None:
        super().__init__(message, fix=fix)
        self.details = details


@dataclass(frozen=True, kw_only=True)
class InboxView:
    """Approvals, calls for help (questions among them), unknown effects and odd payments, each the oldest first."""

    approvals: tuple[Waiting, ...]
    calls: tuple[Call, ...]
    effects: tuple[Unsettled, ...]
    payments: tuple[dict[str, Any], ...]

    def __len__(self) -> int:
        return len(self.approvals) + len(self.calls) + len(self.effects) + len(self.payments)

    def to_json(self) -> dict[str, list[dict[str, Any]]]:
        """Return each list as plain data."""
        return {
            "approvals": [approval_fields(one) for one in self.approvals],
            "calls": [call_fields(one) for one in self.calls],
            "effects": [effect_fields(one) for one in self.effects],
            "payments": [{**one, "kind": "payment"} for one in self.payments],
        }


def inbox(ledger: Ledger, *, settled: bool = False) -> InboxView:
    """Return what waits for a person; with *settled* also approvals and calls that do not wait any more."""
    from mayfly.forge import Inbox
    from mayfly.operations._market import payments_to_look_at
    from mayfly.promise import unknown_effects
    from mayfly.session import waiting_in

    payments = payments_to_look_at(ledger, now=time.time())
    return InboxView(
        approvals=tuple(waiting_in(ledger, settled=settled)),
        calls=tuple(Inbox(ledger).list(answered=settled)),
        effects=tuple(unknown_effects(ledger)),
        # A disputed one is over unless its seller answers after all: nobody has to do anything about it.
        payments=tuple(one for one in payments if settled or one["state"] != "disputed"),
    )


def approval_fields(one: Waiting) -> dict[str, Any]:
    """Return an approval as plain data."""
    asked, settled, word = one.asked, one.settled, "by reason result"
    return {
        "kind": "approval",
        "id": one.id,
        "at": one.at.isoformat(),
        **pick_fields(asked, "session decision action target payload held summary"),
        "reasons": list(asked.reasons),
        "approved": None if settled is None else settled.approved,
        **(dict.fromkeys(word.split(), "") if settled is None else pick_fields(settled, word)),
    }


def call_fields(call: Call) -> dict[str, Any]:
    """Return a call for help as plain data; one that is a question has its input and the answers offered."""
    asked = call.asked
    return {
        "kind": "call",
        "id": call.id,
        "at": call.at.isoformat(),
        **pick_fields(call, "run task attempts last_error answer"),
        "context": dict(call.context),
        "asked": None if asked is None else {"input": asked[0], "offered": list(asked[1])},
    }


def effect_fields(effect: Unsettled) -> dict[str, Any]:
    """Return an effect that nobody can tell the end of as plain data."""
    named = pick_fields(effect, "id run node capability target intent reason")
    return {"kind": "effect", **named, "task": effect.intent, "at": effect.at.isoformat()}


@dataclass(frozen=True, kw_only=True)
class ApprovalView:
    """What waits for an approval, and what would be done: the changes as a diff, or what would be sent."""

    waiting: Waiting
    diff: str

    def to_json(self, *, most: int) -> dict[str, Any]:
        """Return it as plain data, with at most so many characters of the diff."""
        return {**approval_fields(self.waiting), "diff": self.diff[:most], "cut": len(self.diff) > most}


def find_approval(ledger: Ledger, id: str) -> Waiting:
    """Return what waits, or waited, under the id of an approval or of its decision."""
    from mayfly.session import waiting_in

    for waiting in waiting_in(ledger, settled=True):
        if id in (waiting.id, waiting.asked.decision):
            return waiting
    raise InputError(f"nothing called {id} waits for an approval", fix="see: mayfly inbox")


def open_approval(settings: Settings, ledger: Ledger, id: str) -> tuple[Approvals, Waiting]:
    """Open what waits under *id* by the rules in force where it was asked for."""
    from mayfly.persona import Desk
    from mayfly.session import SessionLog, open_approvals

    waiting = find_approval(ledger, id)
    began = SessionLog(ledger, waiting.asked.session).began
    workspace = Path(began.workspace) if began is not None else None
    return open_approvals(settings, Desk(settings, ledger=ledger, workspace=workspace), ledger), waiting


def look_at_approval(settings: Settings, ledger: Ledger, id: str) -> ApprovalView:
    """Return what would be done under an approval; of one that was settled the diff may be gone."""
    approvals, waiting = open_approval(settings, ledger, id)
    try:
        return ApprovalView(waiting=waiting, diff=approvals.diff(waiting))
    except ConflictError:
        raise
    except Exception:  # what was committed or dropped is not held any more
        if waiting.settled is None:
            raise
        return ApprovalView(waiting=waiting, diff="")


@dataclass(frozen=True, kw_only=True)
class ApprovalWord:
    """A person's word on what waited, and what came of it."""

    waiting: Waiting
    approved: bool
    by: str
    result: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        result = {"result": self.result} if self.approved else {}
        return {"id": self.waiting.id, "approved": self.approved, "by": self.by, **result}


def settle_approval(
    settings: Settings, ledger: Ledger, id: str, *, approved: bool, by: str, reason: str = ""
) -> ApprovalWord:
    """Take a yes or a no: held changes are committed or dropped, and the agent is told."""
    approvals, waiting = open_approval(settings, ledger, id)
    try:
        if approved:
            result = approvals.approve(waiting.id, by=by, reason=reason)
            return ApprovalWord(waiting=waiting, approved=True, by=by, result=result)
        approvals.deny(waiting.id, by=by, reason=reason)
    except ConflictError as error:
        settled = find_approval(ledger, waiting.id)
        raise _settled_before(settled) if settled.settled is not None else error from None
    return ApprovalWord(waiting=waiting, approved=False, by=by)


def _settled_before(found: Waiting) -> SettledBefore:
    """Return a conflict that says what the other person did."""
    assert found.settled is not None, "somebody was first"
    word = "approved" if found.settled.approved else "denied"
    message = without_secrets(f"{found.id} was {word} by {one_line(found.settled.by, limit=100)} before")
    return SettledBefore(message, details={"approval": approval_fields(found)})


def answer_call(runtime: Runtime, id: str, text: str, *, model: str | None = None, again: bool = False) -> Outcome[Any]:
    """Answer a question or a call for help, by its id or its run's, and go on with the task.

    One that was answered before is answered once more only where *again* says so.
    """
    from mayfly.runtime import answer_help

    id = f"h-{id.removeprefix('r-')}" if id.startswith("r-") else id
    inbox_of_runtime = runtime.parts.inbox
    inbox_of_runtime.get(id)
    # A call of a leaf has a slash in its name, which no claim may have.
    with runtime.ledger.claim(id.replace("/", "_")):
        call = inbox_of_runtime.get(id)
        if call.answer is not None and not again:
            raise SettledBefore(f"{id} was answered before: {call.answer}", details={"call": call_fields(call)})
        return answer_help(runtime, id, text, model=model)


def open_call(ledger: Ledger, run: str) -> Call | None:
    """Return what a run asked a person, answered or not; None where it asked nothing."""
    from mayfly.forge import Inbox

    try:
        return Inbox(ledger).get(f"h-{run.removeprefix('r-')}")
    except InputError:
        return None


def waiting_of(ledger: Ledger, session: str) -> Iterable[Waiting]:
    """Return what of one session waits for a person."""
    from mayfly.session import waiting_in

    return [one for one in waiting_in(ledger) if one.asked.session == session]
