"""One call of a tool, from what the model wrote to what it is told: checked, permitted, logged, run. Never raises."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

from mayfly.core import Capability, Invocation, MayflyError, one_line, placeholders_in, was_hidden
from mayfly.library import Registry
from mayfly.session._events import ToolCalled, ToolReturned
from mayfly.store import Killed
from mayfly.world import Room, SettledChanges, ToolResult

if TYPE_CHECKING:
    from mayfly.models import ToolCall
    from mayfly.policy import Kernel
    from mayfly.session._log import SessionLog
    from mayfly.session.tools import SessionLibrary

# Who has this tool may use what the library has.
LIBRARY = "tool_use"


class AllowedTools(Collection[str]):
    """The tools of a configuration, and those of the library: a few are shown, each may be called."""

    def __init__(self, own: Sequence[str], library: SessionLibrary, task: str) -> None:
        self._own = list(own)
        self._library = library
        self._task = task

    def __contains__(self, name: object) -> bool:
        return name in self._own or (isinstance(name, str) and self._library.serves(name))

    def __iter__(self) -> Iterator[str]:
        return iter(self._names())

    def __len__(self) -> int:
        return len(self._names())

    def _names(self) -> list[str]:
        return list(dict.fromkeys((*self._own, *self._library.shown(self._task))))


# What changes files is judged with its diff once it is on the workbench, and held there: here only a refusal counts.
_JUDGED_LATER = frozenset({"file_write", "file_delete"})
# What does nothing with its arguments but look: only these may name a placeholder.
_ONLY_LOOK = frozenset({"file_read", "file_list", "file_search", "output_read", "ask_user", "tool_find"})
_STANDS = "A placeholder stands for a secret value that you are not shown; as text it is in no file."
_LOST = (
    "not done: the session was interrupted, and this call was recorded without the secret values that it held. "
    "Make it again."
)


# Is told what happens in a session, as it happens: an event, a piece of text, or what a call changed.
Observer = Callable[[object], None]


@dataclass(frozen=True, kw_only=True)
class CallsOf:
    """What the calls of one turn are held to."""

    log: SessionLog
    room: Room
    tools: Registry
    allowed: Collection[str]
    personas: Sequence[str]
    kernel: Kernel
    kill: Callable[[], None]
    observe: Observer
    largest: int = 8192
    seconds: float = 300.0

    async def do(self, turn: int, key: str, call: ToolCall) -> ToolReturned:
        """Do one call and return what became of it; what it is about was logged before anything was done."""
        begun = self.log.turns[-1].called.get(key)
        capability = self.tools.get(call.name) if call.name in self.tools else None
        if begun is None:
            effect = capability.effect if capability is not None else "none"
            arguments = call.malformed if call.arguments is None else call.arguments
            tool = self.log.hide(call.name)[:100]
            self.log.add(ToolCalled(turn=turn, key=key, call=call.id, tool=tool, arguments=arguments, effect=effect))
            self.observe(self.log.turns[-1].called[key])
        status, result = await self._result(call, key, capability, again=begun is not None)
        returned = self._returned(turn, key, call, status, result)
        self.log.add(returned)
        self.observe(returned if result.settled is None else (returned, result.settled))
        return returned

    async def _result(
        self, call: ToolCall, key: str, capability: Capability | None, *, again: bool
    ) -> tuple[str, ToolResult]:
        try:
            if again and (known := self._cut_off(key, capability)) is not None:
                return known
            refused = self._refusal(call, capability) or self._altered(call, key)
            if refused:
                return "refused", ToolResult(refused)
            assert capability is not None and call.arguments is not None  # noqa: PT018 -- a refusal says otherwise
            self.kill()
            capability.check_arguments(call.arguments)
            invocation = Invocation(
                arguments=call.arguments,
                key=key,
                workspace=self.room.workspace,
                stop=self.room.stop,
                seconds=self.seconds,
            )
            stopped = await self._not_permitted(capability, invocation)
            if stopped is not None:
                return stopped
            value = await capability.invoke(invocation)
        except Killed:
            raise
        except MayflyError as error:
            return "error", ToolResult(str(error))
        except Exception as error:
            # A tool is many programs: whatever goes wrong in one is told to the model and ends nothing.
            return "error", ToolResult(f"{type(error).__name__}: {error}")
        result = value if isinstance(value, ToolResult) else ToolResult(value)
        if self._placeholders(call):
            result = result._replace(value=f"{_text(result.value)}\n[{_STANDS}]")
        status = "error" if result.failed else "ok"
        if result.settled is not None and result.settled.status in ("held", "refused", "conflict"):
            status = "held" if result.settled.status == "held" else "refused"
        return status, result

    def _refusal(self, call: ToolCall, capability: Capability | None) -> str:
        """Say why the call is none that this agent may make; nothing where it is one."""
        if call.name not in self.allowed or capability is None:
            who = " and ".join(self.personas) or "this agent"
            near = get_close_matches(call.name, self.allowed, n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            if capability is None and "tool_write" in self.allowed:
                hint += "; tool_find looks for one that does it, tool_write has it made."
            known = "there is no such tool" if capability is None else f"it is not a tool of {who}"
            name = one_line(self.log.hide(call.name), limit=60)
            return f"{name}: {known}{hint} Yours are: {', '.join(self.allowed)}"
        if call.arguments is None:
            written = one_line(self.log.hide(call.malformed), limit=200)
            return f"the arguments are no JSON object that a tool can take: {call.problem}; you wrote: {written}"
        return ""

    def _altered(self, call: ToolCall, key: str) -> str:
        """Say why nothing is done with arguments in which a placeholder stands for a secret value."""
        if key not in self.log.turns[-1].originals and was_hidden([call.name, call.arguments]):
            return _LOST
        stand_for = self._placeholders(call) if call.name not in _ONLY_LOOK else []
        if not stand_for:
            return ""
        return (
            f"not done: the arguments hold a placeholder for {', '.join(stand_for[:5])}. {_STANDS} "
            "Change such a file with file_edit around that line; let a program read the value from its environment "
            "variable or file."
        )

    def _placeholders(self, call: ToolCall) -> list[str]:
        return placeholders_in(call.arguments, self.log.tags())

    def _cut_off(self, key: str, capability: Capability | None) -> tuple[str, ToolResult] | None:
        """Return what is known of a call that was begun and not ended by an earlier process; None: do it again."""
        commit = self.room.done_before(key)
        if commit is not None:
            told = "[done before the session was interrupted]"
            return "ok", ToolResult(
                told, SettledChanges(status="committed", id=commit.id, summary=commit.changes.summary())
            )
        if capability is not None and capability.effect == "once":
            return "unknown", ToolResult(
                "the session was interrupted while this was sent: nobody can tell whether it was"
            )
        return None

    async def _not_permitted(self, capability: Capability, invocation: Invocation) -> tuple[str, ToolResult] | None:
        """Ask the rules for all that the call would do; return what the model is told where they do not permit it."""
        for asked in capability.asks(invocation):
            said = self.kernel.permitted(asked.action, asked.target, asked.payload)
            if said.decision == "permit" or (said.decision == "approval" and asked.action in _JUDGED_LATER):
                continue
            why = "; ".join(said.because[:3]) or "no rule permits it"
            what = one_line(f"{asked.action} {asked.target}", limit=300)
            if said.decision == "deny":
                return "refused", ToolResult(f"{what} is not permitted: {why}. See: mayfly why {said.id}")
            # What a person is shown may have to be tried first, which takes minutes: the others go on meanwhile.
            id = await asyncio.to_thread(
                self.room.approvals.ask_action,
                decision=said.id,
                session=self.log.id,
                action=asked.action,
                target=asked.target,
                payload=asked.payload,
                reasons=tuple(said.because),
            )
            settled = self.room.approvals.get(id).settled
            if settled is not None and settled.done:
                return "ok", ToolResult(settled.result)
            if settled is not None:
                continue  # the profile has agreed, and the rules know of it
            told = f"{what} waits for a person's approval as {id}: {why}. Go on with other work, or end your turn."
            return "held", ToolResult(
                told, SettledChanges(status="held", id=id, summary=what, reasons=tuple(said.because))
            )
        return None

    def _returned(self, turn: int, key: str, call: ToolCall, status: str, result: ToolResult) -> ToolReturned:
        settled = result.settled
        text = _text(result.value)
        told = settled.told() if settled is not None else ""
        whole = "\n".join(part for part in (text, told) if part) or "[nothing was printed]"
        self.room.look_for_secrets()
        # Hidden before it is cut: half of a secret looks like none.
        kept, blob = self._cut(self.log.hide(whole))
        return ToolReturned(
            turn=turn,
            key=key,
            call=call.id,
            tool=self.log.hide(call.name)[:100],
            status=status,
            text=kept,
            whole=blob,
            commit=settled.id if settled is not None and settled.status == "committed" else "",
            held=settled.id if settled is not None and settled.status == "held" else "",
        )

    def _cut(self, text: str) -> tuple[str, str]:
        """Return what the model is given, and the blob of the whole where that is more."""
        data = text.encode("utf-8", "replace")
        if len(data) <= self.largest:
            return data.decode(), ""
        blob = self.log.ledger.put_blob(data)
        half = (self.largest - 300) // 2
        head, tail = data[:half].decode("utf-8", "ignore"), data[-half:].decode("utf-8", "ignore")
        left = f"[… {len(data) - 2 * half:,} of {len(data):,} bytes left out: output_read with id {blob[:16]} …]"
        return f"{head}\n{left}\n{tail}", blob


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)
