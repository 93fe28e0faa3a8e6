"""Open a version, checked as if a stranger had brought it, and call it: behind the wall, in its time, on the record."""

from __future__ import annotations

import json
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from mayfly.core import (
    Artifact,
    Asked,
    Effect,
    InputError,
    Invocation,
    MayflyError,
    Stop,
    StoreError,
    Tier,
    canonical_json,
    content_hash,
    mismatch,
    one_line,
)
from mayfly.gates import Entry, Profile, Suite, TestResult
from mayfly.gates.stability import importable
from mayfly.library._card import Card
from mayfly.library._events import ToolCallBegan, ToolCallEnded, ToolVerified
from mayfly.library._function import ToolCapability
from mayfly.library._memo import Tampered
from mayfly.library._signature import CALL as TOOL_CALL
from mayfly.library._signature import callable_source, read_signature
from mayfly.library._tool_grants import reaches_outside
from mayfly.library._tool_values import Status, ToolOutcome
from mayfly.library._versions import Versions
from mayfly.library._workshop import Workshop
from mayfly.sandbox import Result, Spender, Ticket
from mayfly.store import Killed, ToolVersionRow, as_payload

# Versions that are kept opened; each is its source and its card.
_OPENED = 512
# Bytes of a result that stand in its event; a longer one is a blob.
_SHORT = 4096
# Who buys where a tool is called by itself, in no run: all such calls are one agent's, with one allowance.
CALLER = "caller"
# Seconds beyond a tool's own in which the sandbox says itself what happened.
_SLACK = 5.0


class ToolFailed(MayflyError):
    """A tool of the library gave no value: what it said, or what stopped it."""

    code = "TOOL_FAILED"


@dataclass(frozen=True, kw_only=True)
class OpenedTool:
    """A version that may be called."""

    card: Card
    source: str
    called: str
    entry: Entry
    profile: Profile
    row: ToolVersionRow

    @property
    def pinned(self) -> bool:
        """Whether its calls may share a process: they reach nothing, so that one can be replayed and compared."""
        return not reaches_outside(self.profile.grants)


class ToolCaller:
    """Call tools with the parts of one runtime, or of a worker elsewhere; no call raises."""

    def __init__(self, parts: Workshop) -> None:
        self._parts = parts
        self.versions = Versions.of(parts.settings, parts.ledger)
        self._lock = threading.Lock()
        self._opened: OrderedDict[str, OpenedTool] = OrderedDict()

    def call(
        self,
        name: str,
        arguments: object,
        *,
        version: int = 0,
        stop: Stop | None = None,
        seconds: float | None = None,
        key: str = "",
        run: str = "",
    ) -> ToolOutcome:
        """Call a tool: is anything stopped, does it fit, note it, run it in its time, note how it ended.

        *run* is the run or session that it is called in, in whose name it buys.
        """
        # The keys of a tree begin with its run; those of a session are the same in all of them.
        run = run or (key.partition("/")[0] if "/" in key else "")
        key = key or f"t-{secrets.token_hex(6)}"
        try:
            self._parts.switch.check()
            tool = self.open(self._wanted(name, version))
            wrong = mismatch(arguments, tool.card.input_schema)
            if wrong:
                return self._refused(name, tool.row.version, key, f"{name}: {wrong}", fix=_usage(tool.card))
            assert isinstance(arguments, Mapping), "the schema asks for a record"
            return self._run(tool, arguments, stop or Stop(), seconds, key, run)
        except MayflyError as error:
            status: Status = "killed" if isinstance(error, Killed) else "refused"
            status = "unknown" if isinstance(error, InputError) else status
            return self._refused(name, version, key, error.message, fix=error.fix or "", status=status)
        except Exception as error:
            # Whatever it was, it is the result of a call, and the caller decides.
            return self._refused(name, version, key, f"{type(error).__name__}: {error}", status="error")

    def open(self, row: ToolVersionRow) -> OpenedTool:
        """Return a version that may be called; `Tampered` or `StoreError` says why it may not."""
        # The seal is part of the key: rows that were changed since are looked at anew.
        at = f"{row.name} {row.version} {row.source} {row.card} {row.tests} {row.seal}"
        with self._lock:
            if at in self._opened:
                self._opened.move_to_end(at)
                return self._opened[at]
        opened = self._checked(row)
        with self._lock:
            self._opened[at] = opened
            while len(self._opened) > _OPENED:
                self._opened.popitem(last=False)
        return opened

    def _wanted(self, name: str, version: int) -> ToolVersionRow:
        # A tool that is gone is called by nobody, whichever version was meant; calls under way end as they began.
        served = self.versions.serving(name)
        if version:
            return self.versions.version(name, version)
        if served.tool.state == "retired":
            raise InputError(f"the tool {name} is retired: nobody used it for long", fix=f"mayfly tools restore {name}")
        return served.version

    def _checked(self, row: ToolVersionRow) -> OpenedTool:
        # One that another machine sealed, where such are opened at all, is a stranger's: it is proven here first.
        foreign = not self.versions.is_sealed(row)
        found = self.versions.open(row)
        card, parts = found.card, self._parts
        profile = Profile.of(self._parts.settings.gates, tier=Tier.AUTHORED, grants=card.opened)
        artifact = Artifact(kind="tool", source=found.source, entry=card.name, author=card.author)
        admission = parts.again.check(artifact, profile=profile)
        if admission.decision == "reject" or admission.entry is None:
            first = next(one for one in admission.verdicts if one.decision == "reject")
            raise StoreError(f"the tool {card.name} is refused by the gates of today: {first.message}")
        opened = OpenedTool(
            card=card,
            source=found.source,
            called=callable_source(found.source, read_signature(found.source, card.name)),
            entry=replace(admission.entry, spread=card.spread),
            profile=profile,
            row=row,
        )
        if foreign or canonical_json(card.versions) != canonical_json(parts.versions()):
            self._prove_again(opened)
        return opened

    def _prove_again(self, tool: OpenedTool) -> None:
        """Have a version pass all gates once more, since they have changed since it was proven; once for all."""
        parts, card = self._parts, tool.card
        today = content_hash(canonical_json(parts.versions()))
        sealed = canonical_json(["verified", card.name, card.version, tool.row.source, today])
        subject = f"tool:{card.name}"
        last = parts.ledger.last(kind="tool.verified", subject=subject)
        if last is not None and self.versions.seal.holds(sealed, str(last.payload.get("seal", ""))):
            return
        artifact = Artifact(kind="tool", source=tool.source, entry=card.name, author=card.author)
        suite = Suite.from_json(self.versions.tests(tool.row))
        admission = parts.gates().admit(
            artifact, profile=tool.profile, suite=suite, intent=card.intent, spread=card.spread
        )
        if admission.decision != "accept" or admission.artifact.hash != artifact.hash:
            first = next((one for one in admission.verdicts if one.decision != "accept"), None)
            said = first.message if first else "it would be changed by them"
            raise StoreError(f"the tool {card.name} is refused by the gates of today: {one_line(said)}")
        verified = ToolVerified(version=card.version, versions=today, seal=self.versions.seal.of(sealed))
        parts.ledger.append(verified, subject=subject)

    def verify(self, row: ToolVersionRow) -> tuple[OpenedTool, tuple[TestResult, ...]]:
        """Run the tests on a version's card again, behind the wall, with nothing but what the store has."""
        tool = self.open(row)
        told = self.versions.tests(row)
        if content_hash(self.versions.ledger.get_blob(row.tests)) != tool.card.tests_hash:
            raise Tampered(f"the tests of {row.name} are not those on its card")
        prover = self._parts.prover_for(tool.profile.grants)
        results = prover.rerun(tool.source, tool.entry, Suite.from_json(told), imports=importable(tool.profile))
        return tool, tuple(results)

    def _run(
        self, tool: OpenedTool, arguments: Mapping[str, object], stop: Stop, seconds: float | None, key: str, run: str
    ) -> ToolOutcome:
        name, version, ledger = tool.card.name, tool.row.version, self._parts.ledger
        subject = f"tool:{name}"
        ledger.append(ToolCallBegan(version=version, key=key, arguments=as_payload(dict(arguments))), subject=subject)
        began, ticket = time.perf_counter(), Ticket()
        limit = tool.card.seconds if seconds is None else min(seconds, tool.card.seconds)
        with stop.ending(ticket.cancel):
            result = self._parts.sandbox.run(
                tool.called,
                TOOL_CALL,
                dict(arguments),
                imports=importable(tool.profile),
                grants=tool.profile.grants,
                timeout=limit,
                lane="pinned" if tool.pinned else "one-shot",
                tenant="library",
                ticket=ticket,
                spender=Spender(agent=run or CALLER, run=run, tool=name),
            )
        status, error = self._ended(tool, result, limit, cancelled=stop.cancelled)
        took = round((time.perf_counter() - began) * 1000, 3)
        value = result.value if status == "ok" else None
        text = json.dumps(value) if status == "ok" else ""
        large = len(text) > _SHORT
        if len(text) > self._parts.settings.library.result:
            most = self._parts.settings.library.result
            status, value, large = "error", None, False
            error = f"{name} gave {len(text):,} bytes; the limit is {most:,} (MAYFLY_LIBRARY_RESULT)"
        ended = ToolCallEnded(
            version=version,
            key=key,
            status=status,
            milliseconds=took,
            error=one_line(error, limit=2000),
            value=None if large else as_payload(value),
            whole_blob=ledger.put_blob(text.encode()) if large else "",
        )
        ledger.append(ended, subject=subject)
        if status in ("error", "timeout"):
            with suppress(MayflyError):  # whatever is wrong with the shelf, the call is over
                self._parts.promotion.look_after(tool.row.source)
        return ToolOutcome(
            status=status, name=name, version=version, value=value, error=error, milliseconds=took, key=key
        )

    def _ended(self, tool: OpenedTool, result: Result, limit: float, *, cancelled: bool) -> tuple[Status, str]:
        name = tool.card.name
        if result.ok:
            wrong = mismatch(result.value, tool.card.output_schema, name="its value")
            return ("error", f"{name} gave what its schema does not describe: {wrong}") if wrong else ("ok", "")
        if cancelled:
            return "cancelled", f"{name} was told to stop"
        if result.status == "timeout":
            return "timeout", f"Sandbox timeout after {limit * 1000:.0f}ms"
        said = result.error or result.status
        return ("refused" if result.status == "refused" else "error"), said

    def _refused(
        self, name: str, version: int, key: str, error: str, *, fix: str = "", status: Status = "refused"
    ) -> ToolOutcome:
        return ToolOutcome(
            status=status, name=name[:100], version=version, error=one_line(error, limit=2000), fix=fix, key=key
        )

    def capability(self, row: ToolVersionRow, head: Mapping[str, Any], *, run: str = "") -> ToolCapability:
        """Return a version as what trees and sessions call; its card is opened with its first call, not before.

        *run* is the session it is for; a tree says its run with each call.
        """
        name = row.name
        effect: Effect = "once" if head.get("effect") == "once" else "none"
        proven = head.get("strength") in ("strong", "tested")
        more: dict[str, Any] = (
            {"check": _has_passed, "proves": f"{name}, version {row.version}, is proven"} if proven else {}
        )
        return ToolCapability(
            name=name,
            version=row.version,
            summary=str(head.get("summary", "")),
            input_schema=_fillable(head["input_schema"]),
            output_schema=head["output_schema"],
            effect=effect,
            grants=tuple(head.get("grants", ())),
            does=tuple((str(verb), str(thing)) for verb, thing in head.get("does", ())),
            tier=Tier.PROMOTED if self._parts.promotion.is_promoted(row.source) else Tier.AUTHORED,
            asks=lambda call: (Asked("tool_use", name, json.dumps(dict(call.arguments), ensure_ascii=False)),),
            call=lambda call: self._called(row, call, run),
            seconds=float(head.get("seconds", self._parts.settings.library.timeout)) + _SLACK,
            **more,
        )

    def _called(self, row: ToolVersionRow, call: Invocation, run: str) -> object:
        outcome = self.call(
            row.name,
            dict(call.arguments),
            version=row.version,
            stop=call.stop,
            seconds=call.seconds,
            key=call.key,
            run=run,
        )
        if outcome.status == "killed":
            raise Killed(outcome.error, fix=outcome.fix or None)
        if not outcome.ok:
            raise ToolFailed(outcome.error or outcome.status, fix=outcome.fix or None)
        return outcome.value


def _has_passed(_: Invocation, value: object) -> bool:
    """Accept: what a proven tool gives was held against its schema, and its tests are on its card."""
    return True


def _fillable(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Say to whoever plans that a text may be a word of the request itself."""
    properties = {
        name: {**inner, "x-fill": "said"} if inner.get("type") == "string" else inner
        for name, inner in schema.get("properties", {}).items()
    }
    return {**schema, "properties": properties}


def _usage(card: Card) -> str:
    shown = ", ".join(f'"{name}": …' for name in card.required or card.parameters)
    return f"it takes {{{shown}}}"
