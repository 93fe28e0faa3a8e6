"""`Model`: budget, retries, time limit, size limit, record and schema around one source of answers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any, Self, TypeVar, overload

from mayfly.core import InputError, Stop
from mayfly.models._attempts import Attempts
from mayfly.models._calls import utf8
from mayfly.models._conversation import Message, ToolOffer, Turn, check_conversation, clean_message, clean_offer
from mayfly.models._errors import ModelError
from mayfly.models._loop import Loop, Pieces, Stream, closed
from mayfly.models._pool import Pool
from mayfly.models._record import Recorder
from mayfly.models._schema import Mismatch, json_schema, read_answer
from mayfly.models._secrets import sendable, sendable_again
from mayfly.models._types import PURPOSES, Answer, Backend, Call, Emit, ModelOptions, Purpose, Reply

T = TypeVar("T")


class Model:
    """Ask a language model, from threads and from coroutines; made by `open_model`.

    A context manager: closing it ends its connections. Nothing is loaded or connected before the first question. What
    an answer costs is drawn from the pool that is given, or else from that of the `limit` around the caller.
    """

    def __init__(self, backend: Backend, options: ModelOptions, *, recorder: Recorder | None = None) -> None:
        self._backend = backend
        self._options = options
        self._recorder = recorder
        self._loop = Loop(backend.close)

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

    @overload
    def ask(
        self, purpose: Purpose, prompt: str, *, system: str = ..., schema: None = ..., pool: Pool | None = ...
    ) -> Answer[None]: ...
    @overload
    def ask(
        self, purpose: Purpose, prompt: str, *, system: str = ..., schema: type[T], pool: Pool | None = ...
    ) -> Answer[T]: ...
    def ask(
        self,
        purpose: Purpose,
        prompt: str,
        *,
        system: str = "",
        schema: type[T] | None = None,
        pool: Pool | None = None,
    ) -> Answer[T] | Answer[None]:
        """Return the answer to *prompt*; with *schema* its value is read and checked as well."""
        call = self._call(purpose, prompt, system, schema)
        self._backend.load()
        return self._loop.run(self._answer(call, schema, pool or Pool(), None))

    @overload
    async def aask(
        self, purpose: Purpose, prompt: str, *, system: str = ..., schema: None = ..., pool: Pool | None = ...
    ) -> Answer[None]: ...
    @overload
    async def aask(
        self, purpose: Purpose, prompt: str, *, system: str = ..., schema: type[T], pool: Pool | None = ...
    ) -> Answer[T]: ...
    async def aask(
        self,
        purpose: Purpose,
        prompt: str,
        *,
        system: str = "",
        schema: type[T] | None = None,
        pool: Pool | None = None,
    ) -> Answer[T] | Answer[None]:
        """Do what `ask` does without blocking the caller's event loop; cancelling it ends the call."""
        call = self._call(purpose, prompt, system, schema)
        await asyncio.to_thread(self._backend.load)
        return await asyncio.wrap_future(self._loop.submit(self._answer(call, schema, pool or Pool(), None)))

    @overload
    def stream(
        self, purpose: Purpose, prompt: str, *, system: str = ..., schema: None = ..., pool: Pool | None = ...
    ) -> Stream[None]: ...
    @overload
    def stream(
        self, purpose: Purpose, prompt: str, *, system: str = ..., schema: type[T], pool: Pool | None = ...
    ) -> Stream[T]: ...
    def stream(
        self,
        purpose: Purpose,
        prompt: str,
        *,
        system: str = "",
        schema: type[T] | None = None,
        pool: Pool | None = None,
    ) -> Stream[T] | Stream[None]:
        """Return the answer piece by piece; after the first piece a failure is final, since text cannot be unsaid."""
        call = self._call(purpose, prompt, system, schema)
        self._backend.load()
        drawn = pool or Pool()
        return Stream(self._loop, lambda emit: self._answer(call, schema, drawn, emit))

    def converse(
        self,
        messages: Sequence[Message],
        *,
        system: str = "",
        tools: Sequence[ToolOffer] = (),
        purpose: Purpose = "chat",
        pool: Pool | None = None,
        emit: Callable[[str], None] | None = None,
    ) -> Turn:
        """Return the model's next turn in a conversation: what it says, and which of *tools* it wants called.

        With *emit* the text comes piece by piece as well, in the thread of the caller; what *emit* raises ends the
        call. After the first piece a failure is final, and the error's `text` is what was said before it.
        """
        call = self._conversation(purpose, messages, system, tools)
        self._backend.load()
        drawn = pool or Pool()
        if emit is None:
            return self._loop.run(self._turn(call, drawn, None))
        with Pieces(self._loop, lambda put: self._turn(call, drawn, put)) as pieces:
            for piece in pieces:
                emit(piece)
        return pieces.result

    async def aconverse(
        self,
        messages: Sequence[Message],
        *,
        system: str = "",
        tools: Sequence[ToolOffer] = (),
        purpose: Purpose = "chat",
        pool: Pool | None = None,
        emit: Callable[[str], None] | None = None,
    ) -> Turn:
        """Do what `converse` does without blocking the caller's event loop; cancelling it ends the call."""
        call = self._conversation(purpose, messages, system, tools)
        await asyncio.to_thread(self._backend.load)
        drawn = pool or Pool()
        if emit is None:
            return await asyncio.wrap_future(self._loop.submit(self._turn(call, drawn, None)))
        with Pieces(self._loop, lambda put: self._turn(call, drawn, put)) as pieces:
            async for piece in pieces:
                emit(piece)
        return pieces.result

    def close(self) -> None:
        """End the connections and the thread behind them."""
        self._loop.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _call(self, purpose: Purpose, prompt: str, system: str, schema: Any) -> Call:
        self._require(purpose)
        wanted = None if schema is None else json_schema(schema)
        return Call(
            purpose=purpose,
            prompt=sendable(prompt),
            system=sendable(system),
            schema=wanted,
            max_output=self._options.max_output,
        )

    def _conversation(
        self, purpose: Purpose, messages: Sequence[Message], system: str, tools: Sequence[ToolOffer]
    ) -> Call:
        self._require(purpose)
        check_conversation(messages, tools)
        clean = sendable_again()
        return Call(
            purpose=purpose,
            system=clean(system),
            messages=tuple(clean_message(message, clean) for message in messages),
            tools=tuple(clean_offer(tool, clean) for tool in tools),
            max_output=self._options.max_output,
        )

    def _require(self, purpose: Purpose) -> None:
        if purpose not in PURPOSES:
            raise InputError(f"unknown purpose {purpose!r}", fix=f"use one of {', '.join(PURPOSES)}")
        if not self._backend.serves(purpose):
            raise ModelError(f"{self.name} has no model for {purpose!r}", kind="no-model")

    async def _answer(self, call: Call, schema: Any, pool: Pool, emit: Emit | None) -> Answer[Any]:
        attempts = Attempts(self._backend, self._options, pool=pool, emit=emit)
        reply = await self._reply(call, attempts, pool)
        return Answer(
            text=reply.text,
            value=None if schema is None else _value(schema, reply, attempts),
            cost=attempts.cost,
            model=self.name,
            purpose=call.purpose,
            money_known=reply.money is not None,
            truncated=reply.truncated,
        )

    async def _turn(self, call: Call, pool: Pool, emit: Emit | None) -> Turn:
        attempts = Attempts(self._backend, self._options, pool=pool, emit=emit)
        reply = await self._reply(call, attempts, pool)
        return Turn(
            text=utf8(reply.text),
            calls=reply.calls,
            carried=reply.carried,
            cost=attempts.cost,
            model=self.name,
            money_known=reply.money is not None,
            truncated=reply.truncated,
        )

    async def _reply(self, call: Call, attempts: Attempts, pool: Pool) -> Reply:
        """Return what came of *attempts*, recorded as it is where somebody records."""
        try:
            reply = await _until_stopped(lambda: attempts.run(call), pool.stop)
        except ModelError as error:
            if self._recorder:
                self._recorder.error(call, error, self.name)
            raise
        if self._recorder:
            self._recorder.answer(call, reply, self.name)
        return reply


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
