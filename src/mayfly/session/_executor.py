"""`Executor`: the one loop in which every agent works, whoever it is.

A turn is perceived, routed and configured; then model and tools take turns until the model stops. Who acts, with which
tools and under which rules is data that comes in: this module knows no agent by name.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from mayfly.core import MayflyError, one_line
from mayfly.models import ModelError, ToolOffer, clean_offer
from mayfly.persona import AgentConfig
from mayfly.session._calls import LIBRARY, AllowedTools, CallsOf
from mayfly.session._events import ModelSaid, SessionNoted, ToolReturned, TurnAsked, TurnConfigured, TurnEnded
from mayfly.session._fold import fold
from mayfly.session._log import LoggedTurn, SessionLog
from mayfly.session._parts import SessionParts
from mayfly.session._perceive import Perceived, perceive
from mayfly.store import Killed

if TYPE_CHECKING:
    from mayfly.library import Registry
    from mayfly.models import ToolCall
    from mayfly.policy import Kernel
    from mayfly.world import Room

# The same refused call so many times is a loop that does not end by itself.
_SAME_REFUSED = 3
_GO_ON = "Go on with the next step. If nothing is left to do, answer with the single word: done"
_LAST = "You have used all tool calls of this turn. Say now, without tools, what you found and what is left to do."
_NOTHING = "You said nothing and called no tool. Say what you did or found."


@dataclass(frozen=True, kw_only=True)
class TextPiece:
    """A piece of what the model is saying just now."""

    text: str


class Executor:
    """Run the turns of one session."""

    def __init__(self, parts: SessionParts, log: SessionLog, room: Room, tools: Registry) -> None:
        self.parts = parts
        self.log = log
        self.room = room
        self.tools = tools
        self._context: Mapping[str, str] = {}

    def set_session_context(self, context: Mapping[str, str]) -> None:
        """Tell every later turn what is known besides: each entry stands under its name before what is asked."""
        self._context = dict(context)

    async def execute(self, task: str) -> TurnEnded:
        """Take one request to the end of its turn; whatever goes wrong is how the turn ends, and never raised."""
        return await self._start(self._begin(task), task)

    async def _start(self, turn: LoggedTurn, task: str) -> TurnEnded:
        """Find out what is wanted of whom, and do it."""
        try:
            self.parts.kill()
            task = self.log.hide(task)
            perceived = await perceive(
                task, self.parts.desk, self.parts.model, session=self.log.id, pool=self.parts.pool
            )
            config = await asyncio.to_thread(self._configured, perceived, task)
        except MayflyError as error:
            return self._end(turn, "killed" if isinstance(error, Killed) else "failed", reason=str(error))
        self._note_config(turn, config, perceived.told, only_asked=perceived.only_asked)
        return await self._run(turn, config)

    async def execute_with_config(self, config: AgentConfig, task: str) -> TurnEnded:
        """Do what `execute` does with a configuration that was made before."""
        turn = self._begin(task)
        self._note_config(turn, config)
        return await self._run(turn, config)

    async def resume(self) -> TurnEnded | None:
        """Go on with a turn that an earlier process did not end, with the configuration it had; None: there is none."""
        turn = self.log.turn
        if turn is None:
            return None
        if turn.configured is None:
            # The same turn, and not another after it: a process that dies between two events would leave none open.
            return await self._start(turn, turn.text)
        return await self._run(turn, self._config_of(turn.configured))

    def _begin(self, task: str) -> LoggedTurn:
        self.log.refresh()
        shared = "\n".join(f"{name}: {text}" for name, text in self._context.items())
        text = f"{shared}\n\n{task}" if shared else task
        self.room.look_for_secrets()
        self.log.add(TurnAsked(turn=len(self.log.turns) + 1, text=text))
        turn = self.log.turn
        assert turn is not None
        return turn

    def _configured(self, perceived: Perceived, task: str) -> AgentConfig:
        return self.parts.configure(perceived.personas, perceived.verbs, task=task)

    def _note_config(
        self, turn: LoggedTurn, config: AgentConfig, told: tuple[str, ...] = (), *, only_asked: bool = False
    ) -> None:
        noted = TurnConfigured(
            turn=turn.number,
            personas=tuple(config.personas),
            tools=tuple(config.tools),
            policies=tuple(config.policies),
            mode=config.mode,
            prompt=self.log.ledger.put_blob(self.log.hide(config.identity_prompt).encode()),
            manifest=self.log.ledger.put_blob(json.dumps([asdict(one) for one in config.manifest]).encode()),
            only_asked=only_asked,
            told=told,
        )
        self.log.add(noted)
        self.parts.observe(noted)

    def _config_of(self, noted: TurnConfigured) -> AgentConfig:
        prompt = self.log.ledger.get_blob(noted.prompt).decode()
        mode: Any = noted.mode
        return AgentConfig(
            identity_prompt=prompt, tools=noted.tools, policies=noted.policies, mode=mode, personas=noted.personas
        )

    async def _run(self, turn: LoggedTurn, config: AgentConfig) -> TurnEnded:
        """Let model and tools take turns; the checks of every call are made in `CallsOf`."""
        try:
            asks = turn.configured is not None and turn.configured.only_asked
            kernel = self.parts.desk.agent(config, session=self.log.id, only_asked=asks)
            self.room.kernel = lambda: kernel
            calls = self._calls(config, kernel, turn.text)
            return await self._loop(turn, config, calls)
        except Killed as error:
            return self._end(turn, "killed", reason=str(error))
        except ModelError as error:
            return self._end(turn, "stopped" if self.room.stop.cancelled else "failed", reason=str(error))
        except MayflyError as error:
            return self._end(turn, "failed", reason=str(error))

    def _allowed(self, config: AgentConfig, task: str) -> Collection[str]:
        """Return the tools of a configuration; one that has `tool_use` may call all of the library by their names."""
        own = [name for name in config.tools if name in self.tools]
        library = self.parts.library if LIBRARY in own else None
        return own if library is None else AllowedTools(own, library, task)

    def _calls(self, config: AgentConfig, kernel: Kernel, task: str) -> CallsOf:
        settings = self.parts.settings
        return CallsOf(
            log=self.log,
            room=self.room,
            tools=self.tools,
            allowed=self._allowed(config, task),
            personas=config.personas,
            kernel=kernel,
            kill=self.parts.kill,
            observe=self.parts.observe,
            largest=settings.result,
            seconds=settings.tool_timeout,
        )

    async def _loop(self, turn: LoggedTurn, config: AgentConfig, calls: CallsOf) -> TurnEnded:
        settings, refused = self.parts.settings, dict[str, int]()
        for key, call in turn.open_calls():
            self._count(refused, call, await calls.do(turn.number, key, call))
        went_on = empty = 0
        while True:
            if self.room.stop.cancelled:
                return self._end(turn, "stopped", reason="stopped by the person")
            spent = len(turn.returned)
            if spent >= settings.tool_calls or max(refused.values(), default=0) >= _SAME_REFUSED:
                return await self._last_words(turn, config, calls.allowed, spent)
            said = await self._ask(turn, config, calls.allowed)
            if not said.calls:
                if not said.text.strip() and not empty:
                    empty = 1
                    self._tell(_NOTHING)
                elif config.mode == "Campaign" and went_on < settings.campaign and not _is_done(said.text):
                    went_on += 1
                    self._tell(_GO_ON)
                else:
                    return self._end(turn, "done", text=said.text)
                continue
            for key, call in turn.open_calls():
                if len(turn.returned) >= settings.tool_calls:
                    self._leave_out(turn, key, call)
                else:
                    self._count(refused, call, await calls.do(turn.number, key, call))

    async def _last_words(
        self, turn: LoggedTurn, config: AgentConfig, allowed: Collection[str], spent: int
    ) -> TurnEnded:
        self._tell(_LAST)
        # The tools are still offered: some providers refuse a history with calls where none are.
        said = await self._ask(turn, config, allowed)
        most = self.parts.settings.tool_calls
        reason = f"{spent} tool calls of {most} used" if spent >= most else "the same call was refused again and again"
        for key, call in turn.open_calls():
            self._leave_out(turn, key, call)
        return self._end(turn, "limit", text=said.text, reason=reason)

    async def _ask(self, turn: LoggedTurn, config: AgentConfig, allowed: Collection[str]) -> ModelSaid:
        """Ask the model for its next step and record it."""
        self.parts.kill()
        if self.parts.model is None:
            raise ModelError("this needs a model: --model NAME, or models.name in the settings", kind="no-model")
        self.log.refresh()
        await fold(self.log, self.parts)
        secrets = self.log.ledger.secrets
        offers = [clean_offer(_offer(self.tools, name), secrets.text) for name in allowed]
        system = self.log.hide(config.identity_prompt)
        answer = await self.parts.model.aconverse(
            self.log.messages(), system=system, tools=offers, pool=self.parts.pool, emit=self._emit
        )
        said = ModelSaid(
            turn=turn.number,
            step=len(turn.said) + 1,
            text=answer.text,
            calls=tuple(call.to_json() for call in answer.calls),
            truncated=answer.truncated,
            # What is signed can only be sent back as it came, or not at all.
            carried=None if secrets.holds(answer.carried) else answer.carried,
            tokens=answer.cost.input_tokens + answer.cost.output_tokens,
            dollars=answer.cost.money.dollars,
        )
        self.log.add(said)
        turn.keep_originals(said.step, answer.calls)
        self.parts.observe(said)
        return said

    def _emit(self, text: str) -> None:
        self.parts.observe(TextPiece(text=text))

    def _tell(self, text: str) -> None:
        self.log.add(SessionNoted(text=text))

    def _leave_out(self, turn: LoggedTurn, key: str, call: ToolCall) -> None:
        text = "not done: no further tool call is taken in this turn"
        tool = self.log.hide(call.name)[:100]
        self.log.add(ToolReturned(turn=turn.number, key=key, call=call.id, tool=tool, status="refused", text=text))

    @staticmethod
    def _count(refused: dict[str, int], call: ToolCall, done: ToolReturned) -> None:
        if done.status == "refused":
            name = f"{call.name} {call.arguments}"
            refused[name] = refused.get(name, 0) + 1

    def _end(self, turn: LoggedTurn, status: str, *, text: str = "", reason: str = "") -> TurnEnded:
        ended = TurnEnded(turn=turn.number, status=status, text=text, reason=one_line(reason, limit=500))
        self.log.add(ended)
        self.parts.observe(ended)
        return ended


def _offer(tools: Registry, name: str) -> ToolOffer:
    capability = tools.get(name)
    return ToolOffer(name=name, description=capability.summary, input_schema=dict(capability.input_schema))


def _is_done(text: str) -> bool:
    return text.strip().strip(".!'\"").lower() == "done"
