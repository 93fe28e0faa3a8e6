"""One call from its first attempt to its last: what it may take, how long it waits, when it gives up."""

from __future__ import annotations

import asyncio
import random
import time
from dataclasses import replace

from mayfly.core import NO_MONEY, Cost, utf8
from mayfly.models._errors import Failure, Kind, ModelError, too_large
from mayfly.models._pool import ModelPool, Reservation
from mayfly.models._secrets import one_line
from mayfly.models._types import Backend, Call, Emit, ModelOptions, Need, Reply

# Nobody uses more tokens than this in one call, so whoever says so does not know.
_MOST = 1e15


class Attempts:
    """Try until there is a reply, an error that another try cannot mend, or no time left."""

    def __init__(self, backend: Backend, options: ModelOptions, *, pool: ModelPool, emit: Emit | None) -> None:
        self._backend = backend
        self._options = options
        self._pool = pool
        self._emit = emit
        self._emitted = 0
        self._said: list[str] = []
        self._started = time.monotonic()
        self._spent = Cost()
        self._made: list[Reservation] = []

    @property
    def cost(self) -> Cost:
        """What was used so far; what a failed attempt used is not known and not in it."""
        return replace(self._spent, seconds=time.monotonic() - self._started)

    async def run(self, call: Call) -> Reply:
        """Return the reply to *call* or raise `ModelError`; nothing outlasts the time limit."""
        try:
            reply = await self._in_time(call)
        except Exception:
            await self._note_answers()
            raise
        await self._note_answers()
        return reply

    async def _in_time(self, call: Call) -> Reply:
        limit = asyncio.timeout(self._options.timeout)
        try:
            async with limit:
                return await self._tries(call)
        except TimeoutError:
            message = f"no answer within {self._options.timeout:g} s"
            raise self.error(message, kind="timeout", fix="raise MAYFLY_MODELS_TIMEOUT") from None

    def error(self, message: str, *, kind: Kind, fix: str | None = None, text: str = "") -> ModelError:
        """Return an error that names the model and carries what was spent, and what was said before it."""
        line = one_line(f"{self._backend.name}: {message}", longest=600)
        return ModelError(line, kind=kind, fix=fix, cost=self.cost, text=text or "".join(self._said))

    async def _tries(self, call: Call) -> Reply:
        attempt = 1
        while True:
            try:
                return self._sized(await self._try(call))
            except Failure as failure:
                delay = self._delay(failure, attempt)
                left = self._options.timeout - (time.monotonic() - self._started)
                if not failure.retry or self._emitted or attempt >= self._options.attempts or delay >= left:
                    raise self._final(failure, attempt) from None
            await asyncio.sleep(delay)
            attempt += 1

    async def _try(self, call: Call) -> Reply:
        need = self._backend.need(call)
        held = await self._pool.areserve(need)
        try:
            await self._begin(call, held)
        except BaseException:
            held.release()
            raise
        self._spent += Cost(model_calls=1)
        self._made.append(held)
        emit = None if self._emit is None else self._pass_on
        try:
            reply = await self._backend.reply(replace(call, max_output=held.output_tokens), emit)
        except Failure as failure:
            if not failure.billed:
                held.settle()
            raise
        else:
            reply = _believed(reply, need, held.output_tokens)
            used = Cost(
                input_tokens=reply.input_tokens, output_tokens=reply.output_tokens, money=reply.money or NO_MONEY
            )
            self._spent += used
            held.settle(input_tokens=used.input_tokens, output_tokens=used.output_tokens, money=used.money)
            return reply
        finally:
            held.forfeit()

    async def _begin(self, call: Call, held: Reservation) -> None:
        """Let whoever may stop model calls do so, and note the call; the loop does not wait for a database."""
        if self._options.guard is not None:
            await asyncio.to_thread(self._options.guard)
        if held.noted:
            await asyncio.to_thread(held.note_asked, self._backend.name, call.purpose)

    async def _note_answers(self) -> None:
        for held in self._made:
            if held.noted:
                await asyncio.to_thread(held.note_answered)

    async def _pass_on(self, piece: str) -> None:
        self._emitted += len(piece.encode("utf-8", "surrogatepass"))
        if self._emitted > self._options.max_answer:
            raise too_large(self._options.max_answer)
        if self._emit is not None and piece:
            # Half a character would stop the terminal that it is shown on.
            self._said.append(utf8(piece))
            await self._emit(self._said[-1])

    def _sized(self, reply: Reply) -> Reply:
        if reply.size > self._options.max_answer:
            raise too_large(self._options.max_answer)
        return reply

    def _delay(self, failure: Failure, attempt: int) -> float:
        """Return how long to wait: ever longer, never less than the provider asks, and not all at the same instant."""
        backoff = self._options.retry_delay * self._options.retry_factor ** (attempt - 1)
        return max(backoff * random.uniform(0.75, 1.25), min(failure.retry_after, self._options.retry_after))

    def _final(self, failure: Failure, attempt: int) -> ModelError:
        tries = f" (after {attempt} attempts)" if attempt > 1 else ""
        return self.error(f"{failure.message}{tries}", kind=failure.kind, fix=failure.fix)


def _believed(reply: Reply, need: Need, output: int) -> Reply:
    """Return *reply* with what it could have used at most in place of numbers that cannot be true."""
    return replace(
        reply,
        input_tokens=reply.input_tokens if 0 <= reply.input_tokens <= _MOST else need.input_tokens,
        output_tokens=reply.output_tokens if 0 <= reply.output_tokens <= _MOST else output,
        money=reply.money if reply.money is not None and 0 <= reply.money.micros <= _MOST else None,
    )
