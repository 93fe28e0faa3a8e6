"""Effects of built-in capabilities: recorded before they are sent, and never sent again where nobody can tell."""

from __future__ import annotations

import asyncio
import inspect
import json
import socket
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from mayfly.core import UNSET, MayflyError, Unset
from mayfly.library import Builtin, Committed, Invocation, NotSent
from mayfly.promise._data import NotData, copied
from mayfly.promise._events import EffectBegan, EffectDone, EffectRefused, EffectUnknown
from mayfly.promise._journal import Journal, Sleep
from mayfly.promise._thread import in_thread, nobody_leaves
from mayfly.store import Payload

if TYPE_CHECKING:
    from mayfly.store import Ledger

LONGEST = 500
# The name could not be looked up or nobody listened: nothing has left this machine.
_NEVER_LEFT = (NotSent, ConnectionRefusedError, socket.gaierror)


class Unknown(MayflyError):
    """An effect may have happened, and nobody can tell; a person has to look."""

    code = "UNKNOWN"


class Denied(MayflyError):
    """The rules do not permit an effect, or not without an approval."""

    code = "DENIED"


class Decision(Protocol):
    """What the rules said of one action."""

    @property
    def decision(self) -> str:
        """permit, deny or approval."""
        ...

    @property
    def because(self) -> tuple[str, ...]:
        """The reasons."""
        ...

    @property
    def id(self) -> str:
        """By which an approval names it."""
        ...


Permit = Callable[[str, str, str], Decision]


@dataclass(kw_only=True)
class Past:
    """What the ledger says of one effect of an earlier attempt at the same run."""

    attempts: int = 0
    value: object | Unset = UNSET
    open: bool = False
    unknown: bool = False
    settled: str = ""


@dataclass(kw_only=True)
class Effects:
    """Call capabilities, each after the kill switch and the rules were asked."""

    journal: Journal
    kill: Callable[[], None]
    permit: Permit | None
    past: dict[str, Past] = field(default_factory=dict)
    delays: tuple[float, ...] = ()
    sleep: Sleep = asyncio.sleep

    async def call(self, builtin: Builtin, invocation: Invocation, node: str) -> tuple[object, tuple[Payload, ...]]:
        """Return the value, and what has to be recorded in one piece with the promise that it fulfils."""
        past = self.past.get(invocation.key, Past())
        if past.value is not UNSET:
            return past.value, ()
        if builtin.action or builtin.effect != "none":
            await asyncio.to_thread(self.kill)
        await self._ask(builtin, invocation)
        if builtin.effect in ("none", "transactional"):
            return _committed(await _called(builtin, invocation))
        if builtin.effect == "once" and (past.open or past.unknown) and past.settled != "again":
            raise self._unknown(builtin, invocation, node, past, "the run ended while it was being sent")
        return await self._send(builtin, invocation, node, past), ()

    async def _ask(self, builtin: Builtin, invocation: Invocation) -> None:
        if not builtin.action:
            return
        if self.permit is None:
            raise Denied(f"{builtin.name}: there are no rules to ask for {builtin.action}")
        target, payload = builtin.target(invocation), builtin.payload(invocation)
        said = await asyncio.to_thread(self.permit, builtin.action, target, payload)
        if said.decision == "permit":
            return
        why = "; ".join(said.because[:3]) or "no rule permits it"
        fix = f"mayfly policy approve {said.id} --by NAME --reason TEXT" if said.decision == "approval" else None
        word = "needs an approval" if said.decision == "approval" else "is not permitted"
        raise Denied(f"{builtin.action} {target[:LONGEST]} {word}: {why}", fix=fix)

    async def _send(self, builtin: Builtin, invocation: Invocation, node: str, past: Past) -> object:
        began = EffectBegan(
            capability=builtin.name,
            effect=builtin.effect,
            action=builtin.action,
            target=builtin.target(invocation)[:LONGEST],
            attempt=past.attempts + 1,
        )
        self.journal.note((began, invocation.key))
        await self.journal.settled()
        try:
            value = await self._patiently(builtin, invocation)
        except asyncio.CancelledError:
            if builtin.effect == "once":
                with suppress(MayflyError):
                    self._unknown(builtin, invocation, node, past, "the run was stopped while it was being sent")
            raise
        except Exception as error:
            if isinstance(error, _NEVER_LEFT):
                refused = EffectRefused(capability=builtin.name, reason=_line(error))
                self.journal.note((refused, invocation.key))
                raise
            if builtin.effect == "idempotent":
                raise
            raise self._unknown(builtin, invocation, node, past, _line(error)) from error
        try:
            value = copied(value)
        except NotData as error:
            if builtin.effect == "idempotent":
                raise
            raise self._unknown(builtin, invocation, node, past, f"it answered, but {error}") from None
        inline, blob = await self.journal.keep(value)
        self.journal.note((EffectDone(capability=builtin.name, value=inline, blob=blob), invocation.key))
        await self.journal.settled()
        return value

    async def _patiently(self, builtin: Builtin, invocation: Invocation) -> object:
        """Call; where the receiver knows the key, a lost connection is tried again."""
        for delay in (*self.delays, None):
            try:
                return await _called(builtin, invocation)
            except OSError:
                if delay is None or builtin.effect != "idempotent":
                    raise
            await self.sleep(delay)
            await asyncio.to_thread(self.kill)
        raise AssertionError("the last delay raises")

    def _unknown(self, builtin: Builtin, invocation: Invocation, node: str, past: Past, reason: str) -> Unknown:
        if not past.unknown:
            unknown = EffectUnknown(
                run=self.journal.run,
                node=node,
                capability=builtin.name,
                target=builtin.target(invocation)[:LONGEST],
                intent=invocation.intent[:LONGEST],
                reason=reason,
            )
            self.journal.note((unknown, invocation.key))
            past.unknown = True
        if past.settled == "failed":
            return Unknown(f"{builtin.name} was given up by hand: {reason}")
        fix = f"look, then: mayfly answer {invocation.key} done|again|failed"
        return Unknown(f"nobody can tell whether {builtin.name} happened: {reason}", fix=fix)


async def _called(builtin: Builtin, invocation: Invocation) -> object:
    with nobody_leaves():
        if builtin.quick:
            made = builtin.call(invocation)
        else:
            made = await in_thread(builtin.call, invocation)
        return await made if inspect.isawaitable(made) else made


def _committed(value: object) -> tuple[object, tuple[Payload, ...]]:
    return (value.value, value.events) if isinstance(value, Committed) else (value, ())


def _line(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:LONGEST]


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
