"""`Approvals`: what waits for a person: changes that are held, and actions outside of the workbench. No deadline.

A person's yes is signed for exactly one recorded decision; held changes are then committed, an action of which the
runtime knows how to do it outside (a push) is done, and any other is permitted when the agent asks for it again.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from mayfly.core import ConflictError, InputError, content_hash, one_line
from mayfly.sandbox.workbench import held
from mayfly.session._events import SessionNoted
from mayfly.store import event

if TYPE_CHECKING:
    from pathlib import Path

    from mayfly.store import Event, Ledger
    from mayfly.world import HeldChanges

# What the inbox keeps of a payload; the decision has its hash.
_PAYLOAD = 20_000


@event("approval.asked")
class ApprovalAsked:
    """Record that something waits for a person: which decision of the rules, of which session, and what it is."""

    decision: str
    session: str
    action: str
    target: str
    payload: str
    held: str
    digest: str
    """The hash of the changes, or of action, target and payload as they were asked for, with nothing left out."""
    summary: str
    reasons: tuple[str, ...]
    shown: str = ""
    """The blob of what a person is shown, where that is neither a diff on the workbench nor the payload."""


@event("approval.settled")
class ApprovalSettled:
    """Record what a person said, or the profile for them, and what came of it."""

    approved: bool
    by: str
    reason: str
    result: str = ""
    done: bool = False
    """Whether it was done with the approval itself, and is not to be asked for again."""
    override: str = ""
    commit: str = ""
    """The commit of changes that were held."""


@dataclass(frozen=True, kw_only=True)
class Waiting:
    """Something that waits for a person, or did."""

    id: str
    at: datetime
    asked: ApprovalAsked
    settled: ApprovalSettled | None = None


# Signs an approval of one recorded decision, *by* somebody for a *reason*; returns the id of what was signed.
Sign = Callable[..., str]
# Does an approved action outside of the workbench and says what came of it.
Perform = Callable[[ApprovalAsked], str]
# Says from target and payload what a person decides by; what cannot be agreed to anyhow is refused by an error.
Show = Callable[[str, str], str]


class Approvals:
    """Put things into the inbox, and take a person's word for them."""

    def __init__(
        self,
        ledger: Ledger,
        state: Path,
        *,
        sign: Sign,
        perform: Mapping[str, Perform] | None = None,
        shows: Mapping[str, Show] | None = None,
        autonomous: int = 0,
        only_persons: Collection[str] = (),
    ) -> None:
        """Take the ledger and the workbench's *state*; *autonomous* approvals are given without a person.

        To the actions that are for *only_persons* none is.
        """
        self._ledger = ledger
        self._state = state
        self._sign = sign
        self._perform = dict(perform or {})
        self._shows = dict(shows or {})
        self._autonomous = autonomous
        # What was asked in this process, whole; what is recorded of it has no secrets, and its payload may be cut.
        self._whole: dict[str, ApprovalAsked] = {}
        self._only_persons = frozenset(only_persons)

    def hold_changes(self, changes: HeldChanges) -> str:
        """Put a held set of changes into the inbox; returns its id there. To some sets no profile agrees."""
        asked = ApprovalAsked(
            decision=changes.decision,
            session=changes.session,
            action="changes",
            target=one_line(changes.note, limit=500),
            payload="",
            held=changes.id,
            digest=held(self._state, changes.id).changes.digest,
            summary=changes.summary,
            reasons=changes.reasons,
        )
        return self._ask(asked, only_person=changes.only_person)

    def ask_action(
        self, *, decision: str, session: str, action: str, target: str, payload: str, reasons: tuple[str, ...]
    ) -> str:
        """Put an action outside of the workbench into the inbox; returns its id there. The same one waits only once."""
        digest = _digest(action, target, payload)
        for waiting in self.list():
            asked = waiting.asked
            if (asked.session, asked.digest) == (session, digest):
                return waiting.id
        summary = one_line(f"{action} {target}", limit=300)
        show = self._shows.get(action)
        told = "" if show is None else self._ledger.secrets.text(show(target, payload))
        shown = self._ledger.put_blob(told.encode("utf-8", "replace")) if told else ""
        return self._ask(
            ApprovalAsked(
                decision=decision,
                session=session,
                action=action,
                target=target,
                payload=payload,
                held="",
                digest=digest,
                summary=summary,
                reasons=reasons,
                shown=shown,
            ),
            only_person=action in self._only_persons,
        )

    def _ask(self, asked: ApprovalAsked, *, only_person: bool) -> str:
        id = f"a-{secrets.token_hex(4)}"
        # Hidden before it is cut: half of a secret looks like none.
        self._ledger.append(replace(asked, payload=self._ledger.secrets.text(asked.payload)[:_PAYLOAD]), subject=id)
        self._whole[id] = asked
        if only_person:
            return id
        given = sum(
            1
            for waiting in self.list(settled=True)
            if waiting.asked.session == asked.session and waiting.settled and waiting.settled.by == AUTONOMOUS
        )
        if given < self._autonomous:
            self.approve(id, by=AUTONOMOUS, reason=f"within the {self._autonomous} of this session")
        return id

    def list(self, *, settled: bool = False) -> list[Waiting]:
        """Return what waits, oldest first; with *settled* also what does not wait any more."""
        return waiting_in(self._ledger, settled=settled)

    def get(self, id: str) -> Waiting:
        """Return one, by its id or by that of the decision."""
        for waiting in self.list(settled=True):
            if id in (waiting.id, waiting.asked.decision):
                return waiting
        raise InputError(f"nothing called {id} waits for an approval", fix="see: mayfly inbox")

    def diff(self, waiting: Waiting) -> str:
        """Return what would change, as a diff, or what would be sent."""
        if waiting.asked.held:
            return held(self._state, waiting.asked.held).changes.diff()
        shown = waiting.asked.shown
        return self._ledger.get_blob(shown).decode("utf-8", "replace") if shown else waiting.asked.payload

    def approve(self, id: str, *, by: str, reason: str) -> str:
        """Agree to exactly this: sign it, do what can be done now, and tell the session. Returns what came of it."""
        # Of two people who answer at once the second finds the claim taken, or the answer of the first.
        with self._ledger.claim(self.get(id).id):
            return self._approved(self._waiting(id), by=by, reason=reason)

    def _approved(self, waiting: Waiting, *, by: str, reason: str) -> str:
        asked, id = waiting.asked, waiting.id
        whole = self._whole_of(waiting) if asked.action in self._perform else asked
        override = self._sign(asked.decision, by=by, reason=reason)
        commit = ""
        if asked.held:
            changes = held(self._state, asked.held)
            if changes.changes.digest != asked.digest:
                raise InputError(f"what is held as {asked.held} is not what was asked about", fix=f"mayfly deny {id}")
            commit = changes.commit().id
            result = f"committed as {commit}"
        elif asked.action in self._perform:
            result = self._perform[asked.action](whole)
        else:
            result = "permitted for a while: ask for it again"
        done = bool(asked.held) or asked.action in self._perform
        self._settle(
            waiting,
            ApprovalSettled(
                approved=True, by=by, reason=reason, result=result, done=done, override=override, commit=commit
            ),
        )
        return result

    def _whole_of(self, waiting: Waiting) -> ApprovalAsked:
        """Return the action as it was asked for; what is not known whole any more is not done at all."""
        asked = self._whole.get(waiting.id, waiting.asked)
        if asked.digest != _digest(asked.action, asked.target, asked.payload):
            fix = f"mayfly deny {waiting.id}, and have it asked for without them"
            raise InputError(f"{waiting.id} was asked with secret values, which are not kept, or is cut off", fix=fix)
        return asked

    def deny(self, id: str, *, by: str, reason: str) -> None:
        """Say no: held changes are dropped for good, and the session is told why."""
        with self._ledger.claim(self.get(id).id):
            waiting = self._waiting(id)
            if waiting.asked.held:
                held(self._state, waiting.asked.held).drop()
            self._settle(waiting, ApprovalSettled(approved=False, by=by, reason=reason))

    def _waiting(self, id: str) -> Waiting:
        waiting = self.get(id)
        if waiting.settled is not None:
            word = "approved" if waiting.settled.approved else "denied"
            raise ConflictError(f"{waiting.id} was {word} by {waiting.settled.by} before")
        return waiting

    def _settle(self, waiting: Waiting, settled: ApprovalSettled) -> None:
        word = f"approved by {settled.by}: {settled.result}" if settled.approved else f"denied by {settled.by}"
        why = f" ({settled.reason})" if settled.reason else ""
        told = SessionNoted(text=f"[{waiting.asked.summary} ({waiting.id}) was {word}{why}]", about=waiting.id)
        self._ledger.append(settled, subject=waiting.id)
        self._ledger.append(told, subject=waiting.asked.session)


# Who an approval is by that the profile gives.
AUTONOMOUS = "profile autonomous"


def _digest(action: str, target: str, payload: str) -> str:
    return content_hash("\0".join((action, target, payload)))


def waiting_in(ledger: Ledger, *, settled: bool = False) -> list[Waiting]:
    """Return what waits for a person's approval, oldest first; with *settled* also what does not any more."""
    if not settled:
        return [_waiting(entry, None) for entry in ledger.waiting("approval.asked", ended_by=["approval.settled"])]
    ends = {entry.subject: entry for entry in ledger.read(kind="approval.settled")}
    return [_waiting(entry, ends.get(entry.subject)) for entry in ledger.read(kind="approval.asked")]


def _waiting(entry: Event, end: Event | None) -> Waiting:
    data = entry.data
    settled = end.data if end is not None else None
    if not isinstance(data, ApprovalAsked) or not (settled is None or isinstance(settled, ApprovalSettled)):
        raise InputError(f"the request {entry.subject} was written by another version")
    return Waiting(id=entry.subject, at=entry.at, asked=data, settled=settled)
