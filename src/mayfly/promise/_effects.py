"""Effects of capabilities: recorded before they are sent, and never sent again where nobody can tell."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mayfly.core import (
    UNSET,
    Asked,
    Capability,
    Effect,
    Invocation,
    MayflyError,
    NotSent,
    Retry,
    Unset,
    was_hidden,
)
from mayfly.library import Committed
from mayfly.promise._data import NotData, copied
from mayfly.promise._events import EffectBegan, EffectDone, EffectRefused, EffectUnknown
from mayfly.promise._journal import Journal, Sleep
from mayfly.promise._promise import Promise
from mayfly.store import Payload

if TYPE_CHECKING:
    from mayfly.policy import Permit
    from mayfly.store import Ledger

LONGEST = 500
CUT_OFF = "the run ended while it was being sent"
# The name could not be looked up or nobody listened: nothing has left this machine.
_NEVER_LEFT = (NotSent, ConnectionRefusedError, socket.gaierror)
# What may be gone the next time; a file that is not there, or may not be read, is not.
_PASSING = (ConnectionError, TimeoutError, BlockingIOError, InterruptedError)
# What is called again where a capability says nothing of it; what is sent once is not, whatever happens.
_AGAIN: Mapping[Effect, tuple[type[Exception], ...]] = {
    "none": _PASSING,
    "transactional": (),
    "idempotent": (OSError,),
    "once": (),
}


class Unknown(MayflyError):
    """An effect may have happened, and nobody can tell; a person has to look."""

    code = "UNKNOWN"


class Denied(MayflyError):
    """The rules do not permit an effect, or not without an approval."""

    code = "DENIED"


@dataclass(kw_only=True)
class Past:
    """What the ledger says of one effect of an earlier attempt at the same run."""

    attempts: int = 0
    value: object | Unset = UNSET
    open: bool = False
    unknown: bool = False
    settled: str = ""
    # What the attempt said that began last: which capability, what kind of effect, on what.
    capability: str = ""
    effect: str = ""
    target: str = ""


@dataclass(kw_only=True)
class Effects:
    """Call capabilities, each after the kill switch and the rules were asked."""

    journal: Journal
    kill: Callable[[], None]
    permit: Callable[[str, str, str], Permit] | None
    past: dict[str, Past] = field(default_factory=dict)
    delays: tuple[float, ...] = ()
    sleep: Sleep = asyncio.sleep

    async def call(
        self, capability: Capability, call: Invocation, promise: Promise[Any]
    ) -> tuple[object, tuple[Payload, ...]]:
        """Return the value, and what has to be recorded in one piece with the promise that it fulfils."""
        past = self.past.get(call.key, Past())
        if was_hidden(past.value):
            raise Unknown(f"{capability.name} was done, and what it gave held a secret, which is not kept")
        if past.value is not UNSET:
            return past.value, ()
        asked = capability.asks(call)
        last = asked[-1] if asked else Asked("")
        past.capability, past.target = capability.name, last.target[:LONGEST]
        # Before anybody is asked whether it may be sent: it may have been, whatever the rules say of it by now.
        if capability.effect == "once" and (past.open or past.unknown) and past.settled != "again":
            raise self._unknown(promise, call.key, past, CUT_OFF)
        if capability.reaches_out:
            await asyncio.to_thread(self.kill)
        for one in asked:
            await self.ask(capability.name, one, judged=capability.judged and one.action != "file_read")
        if capability.effect in ("none", "transactional"):
            value = await self._patiently(capability, call)
            return (value.value, value.events) if isinstance(value, Committed) else (value, ())
        return await self._send(capability, call, promise, past, last.action), ()

    def report_open(self, root: Promise[Any]) -> None:
        """Say of every effect that was under way when an earlier attempt ended that nobody can tell about it.

        This attempt may never come to its promise: one before it may not be kept this time.
        """
        for promise in root.walk():
            key = f"{self.journal.run}/{promise.id}"
            past = self.past.get(key)
            if past is not None and past.effect == "once" and past.open:
                self._unknown(promise, key, past, CUT_OFF)

    async def ask(self, name: str, asked: Asked, *, judged: bool = False) -> None:
        """Raise `Denied` where the rules do not permit what is asked for *name*.

        Where what it changes is *judged* before it is kept, an approval is asked for then, and for exactly that.
        """
        if self.permit is None:
            raise Denied(f"{name}: there are no rules to ask for {asked.action}")
        said = await asyncio.to_thread(self.permit, *asked)
        if said.decision == "permit" or (judged and said.decision == "approval"):
            return
        codes = [f"{reason.text} [{reason.code}]" for reason in said.reasons]
        why = "; ".join((codes or list(said.because))[:3]) or "no rule permits it"
        fix = f"mayfly policy approve {said.id} --by NAME --reason TEXT" if said.decision == "approval" else None
        word = "needs an approval" if said.decision == "approval" else "is not permitted"
        raise Denied(f"{asked.action} {asked.target[:LONGEST]} {word}: {why}", fix=fix)

    async def _send(
        self, capability: Capability, call: Invocation, promise: Promise[Any], past: Past, action: str
    ) -> object:
        """Note an effect before it is sent, send it, and note how that ended."""
        key, again = call.key, capability.effect == "idempotent"
        began = EffectBegan(
            capability=capability.name,
            effect=capability.effect,
            action=action,
            target=past.target,
            attempt=past.attempts + 1,
        )
        self.journal.note((began, key))
        await self.journal.settled()
        try:
            value = await self._patiently(capability, call)
        except asyncio.CancelledError:
            if capability.effect == "once":
                with suppress(MayflyError):
                    self._unknown(promise, key, past, "the run was stopped while it was being sent")
            raise
        except Exception as error:
            line = f"{type(error).__name__}: {error}"[:LONGEST]
            if isinstance(error, _NEVER_LEFT):
                self.journal.note((EffectRefused(capability=capability.name, reason=line), key))
            if again or isinstance(error, _NEVER_LEFT):
                raise
            raise self._unknown(promise, key, past, line) from error
        try:
            value = copied(value)
        except NotData as error:
            if again:
                raise
            raise self._unknown(promise, key, past, f"it answered, but {error}") from None
        inline, blob = await self.journal.keep(value)
        self.journal.note((EffectDone(capability=capability.name, value=inline, blob=blob), key))
        await self.journal.settled()
        return value

    async def _patiently(self, capability: Capability, call: Invocation) -> object:
        """Call; where a second call does no harm, what its policy says (or a lost connection) is tried again."""
        retry = capability.retry or Retry(on=_AGAIN[capability.effect])
        for delay in (*(retry.delays if capability.retry else self.delays), None):
            try:
                return await capability.invoke(call)
            except Exception as error:
                if delay is None or not retry.covers(error):
                    raise
            await self.sleep(delay)
            await asyncio.to_thread(self.kill)
            # Meanwhile another process may have taken the run up: then it is for that one to send it again.
            await asyncio.to_thread(self.journal.ledger.check_fence)
        raise AssertionError("the last delay raises")

    def _unknown(self, promise: Promise[Any], key: str, past: Past, reason: str) -> Unknown:
        """Note, once, that nobody can tell whether an effect happened, and return what says so."""
        if not past.unknown:
            unknown = EffectUnknown(
                run=self.journal.run,
                node=promise.id,
                capability=past.capability,
                target=past.target,
                intent=promise.intent[:LONGEST],
                reason=reason,
            )
            self.journal.note((unknown, key))
            past.unknown = True
        if past.settled == "failed":
            return Unknown(f"{past.capability} was given up by hand: {reason}")
        fix = f"look, then: mayfly answer {key} done|again|failed"
        return Unknown(f"nobody can tell whether {past.capability} happened: {reason}", fix=fix)


_KINDS = ("effect.began", "effect.done", "effect.refused", "effect.unknown", "effect.settled")


def past_of(ledger: Ledger, keys: Collection[str]) -> dict[str, Past]:
    """Read what is known of the effects with these keys; the newest event of each kind tells all of it."""
    newest = [event for kind in _KINDS for event in ledger.find_many(kind, keys).values()] if keys else []
    found: dict[str, Past] = {}
    for event in sorted(newest, key=lambda event: event.id):
        past = found.setdefault(event.subject, Past())
        payload: Any = event.payload
        if event.kind == "effect.began":
            past.attempts, past.open, past.settled = int(payload["attempt"]), True, ""
            past.capability, past.effect, past.target = (
                str(payload[name]) for name in ("capability", "effect", "target")
            )
        elif event.kind == "effect.done":
            past.open = past.unknown = False
            past.value = json.loads(ledger.get_blob(payload["blob"])) if payload.get("blob") else payload.get("value")
        elif event.kind == "effect.refused":
            past.open = False
        elif event.kind == "effect.unknown":
            past.unknown = True
        else:
            past.settled = str(payload["verdict"])
            past.value = payload.get("value") if past.settled == "done" else UNSET
            past.open = past.unknown = past.settled == "failed"
    return found
