"""`Model`: budget, retries, time limit, size limit, record and schema around one source of answers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from mayfly.core import Closing, InputError, Stop, utf8
from mayfly.models._attempts import Attempts
from mayfly.models._conversation import Message, ToolOffer, Turn, check_conversation, clean_message, clean_offer
from mayfly.models._errors import ModelError
from mayfly.models._loop import EventLoop, TextPieces, closed
from mayfly.models._pool import ModelPool
from mayfly.models._record import Recorder
from mayfly.models._schema import Mismatch, json_schema, read_answer
from mayfly.models._secrets import sendable, sendable_again
from mayfly.models._types import PURPOSES, Answer, Backend, Call, Emit, ModelOptions, Purpose, Reply

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    # The type of an answer's value; the default says that it is None where no schema is given.
    T = TypeVar("T", default=None)


class Asking(TypedDict, total=False):
    """What may be said beside a question: the system's text, and the pool that its cost is drawn from."""

    system: str
    pool: ModelPool | None


class Conversing(Asking, total=False):
    """What may be said beside a conversation: tools that may be called, and who takes the text while it comes."""

    tools: Sequence[ToolOffer]
    purpose: Purpose
    emit: Callable[[str], None] | None


class Model(Closing):
    """Ask a language model, from threads and from coroutines; made by `open_model`.

    A context manager: closing it ends its connections. Nothing is loaded or connected before the first question. What
    an answer costs is drawn from the pool that is given, or else from that of the `limit` around the caller.
    """

    def __init__(self, backend: Backend, options: ModelOptions, *, recorder: Recorder | None = None) -> None:
        self._backend = backend
        self._options = options
        self._recorder = recorder
        self._loop = EventLoop(backend.close)

    @property
    def name(self) -> str:
        """The model as it was named when it was opened."""
        return self._backend.name

    def serves(self, purpose: Purpose) -> bool:
        """Whether there is a model for *purpose* at all; a script may have answers for some only."""
        return self._backend.serves(purpose)

    def load(self) -> None:
        """Load what the model needs, so that a mistake in the set-up shows before work begins; slow the first time."""
        self._backend.load()

    def ask(
        self, purpose: Purpose, prompt: str, *, schema: type[T] | None = None, **options: Unpack[Asking]
    ) -> Answer[T]:
        """Return the answer to *prompt*; with *schema* its value is read and checked as well, without it is None."""
        return self._loop.run(self._answer(purpose, prompt, schema, options))

    async def aask(
        self, purpose: Purpose, prompt: str, *, schema: type[T] | None = None, **options: Unpack[Asking]
    ) -> Answer[T]:
        """Do what `ask` does without blocking the caller's event loop; cancelling it ends the call."""
        return await asyncio.wrap_future(self._loop.submit(self._answer(purpose, prompt, schema, options)))

    def converse(self, messages: Sequence[Message], **options: Unpack[Conversing]) -> Turn:
        """Return the model's next turn in a conversation: what it says, and which of *tools* it wants called.

        With *emit* the text comes piece by piece as well, in the thread of the caller; what *emit* raises ends the
        call. After the first piece a failure is final, and the error's `text` is what was said before it.
        """
        emit, turn = options.get("emit"), self._turn(messages, options)
        if emit is None:
            return self._loop.run(turn(None))
        with TextPieces(self._loop, turn) as pieces:
            for piece in pieces:
                emit(piece)
        return pieces.result

    async def aconverse(self, messages: Sequence[Message], **options: Unpack[Conversing]) -> Turn:
        """Do what `converse` does without blocking the caller's event loop; cancelling it ends the call."""
        emit, turn = options.get("emit"), self._turn(messages, options)
        if emit is None:
            return await asyncio.wrap_future(self._loop.submit(turn(None)))
        with TextPieces(self._loop, turn) as pieces:
            async for piece in pieces:
                emit(piece)
        return pieces.result

    def close(self) -> None:
        """End the connections and the thread behind them."""
        self._loop.close()

    def _answer(
        self, purpose: Purpose, prompt: str, schema: type[T] | None, options: Asking
    ) -> Coroutine[Any, Any, Answer[T]]:
        """Return the work of answering a question; a question that cannot be asked is an error at once."""
        self._require(purpose)
        call = Call(
            purpose=purpose,
            prompt=sendable(prompt),
            system=sendable(options.get("system", "")),
            schema=None if schema is None else json_schema(schema),
            max_output=self._options.max_output,
        )
        # A pool that is not given hangs below the `limit` around the caller, which the loop's thread does not see.
        pool = options.get("pool") or ModelPool()

        async def answer() -> Answer[T]:
            reply, attempts = await self._reply(call, pool, None)
            value: Any = None if schema is None else _value(schema, reply, attempts)
            return Answer(
                text=reply.text,
                value=value,
                cost=attempts.cost,
                model=self.name,
                purpose=purpose,
                money_known=reply.money is not None,
                truncated=reply.truncated,
            )

        return answer()

    def _turn(
        self, messages: Sequence[Message], options: Conversing
    ) -> Callable[[Emit | None], Coroutine[Any, Any, Turn]]:
        """Return the work of a turn, which hands its text over piece by piece where it is given somebody to take it."""
        purpose: Purpose = options.get("purpose") or "chat"
        tools = options.get("tools") or ()
        self._require(purpose)
        check_conversation(messages, tools)
        clean = sendable_again()
        call = Call(
            purpose=purpose,
            system=clean(options.get("system", "")),
            messages=tuple(clean_message(message, clean) for message in messages),
            tools=tuple(clean_offer(tool, clean) for tool in tools),
            max_output=self._options.max_output,
        )
        pool = options.get("pool") or ModelPool()

        async def turn(emit: Emit | None) -> Turn:
            reply, attempts = await self._reply(call, pool, emit)
            return Turn(
                text=utf8(reply.text),
                calls=reply.calls,
                carried=reply.carried,
                cost=attempts.cost,
                model=self.name,
                money_known=reply.money is not None,
                truncated=reply.truncated,
            )

        return turn

    def _require(self, purpose: Purpose) -> None:
        if purpose not in PURPOSES:
            raise InputError(f"unknown purpose {purpose!r}", fix=f"use one of {', '.join(PURPOSES)}")
        if not self._backend.serves(purpose):
            raise ModelError(f"{self.name} has no model for {purpose!r}", kind="no-model")

    async def _reply(self, call: Call, pool: ModelPool, emit: Emit | None) -> tuple[Reply, Attempts]:
        """Return what came of *call*, recorded as it is where somebody records."""
        await asyncio.to_thread(self._backend.load)
        attempts = Attempts(self._backend, self._options, pool=pool, emit=emit)
        try:
            reply = await _until_stopped(lambda: attempts.run(call), pool.stop)
        except ModelError as error:
            if self._recorder:
                self._recorder.error(call, error, self.name)
            raise
        if self._recorder:
            self._recorder.answer(call, reply, self.name)
        return reply, attempts


async def _until_stopped(work: Callable[[], Coroutine[Any, Any, T]], stop: Stop) -> T:
    """Do *work*; where it has to end, it is ended at once or not begun, and that is an error like any other."""
    if stop.cancelled:
        raise closed()
    loop, task = asyncio.get_running_loop(), asyncio.ensure_future(work())
    # The loop may be gone when somebody says so, and the work with it.
    with stop.ending(lambda: _quietly(loop, task.cancel)):
        try:
            return await task
        except asyncio.CancelledError:
            if stop.cancelled:
                raise closed() from None
            raise


def _quietly(loop: asyncio.AbstractEventLoop, call: Callable[[], object]) -> None:
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(call)


def _value(schema: Any, reply: Reply, attempts: Attempts) -> Any:
    try:
        return read_answer(schema, reply.text)
    except Mismatch as mismatch:
        problem = f"the answer does not fit: {mismatch}"
        if reply.truncated:
            problem = "the answer was cut off at the limit of output tokens"
        raise attempts.error(problem, kind="schema", text=reply.text) from None
