"""Calls over MCP: `Errand`, one that is done in a thread, and `Reply`, what it ends in and what to do next."""

from __future__ import annotations

import asyncio
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread

from mayfly.core import MayflyError, Stop, harmless, json_text, one_line, utf8, without_secrets
from mayfly.runtime import called_by

if TYPE_CHECKING:
    from mcp.server import ServerRequestContext
    from mcp_types import CallToolResult

# Characters of the text beside structured data: models read the text, programs the data.
LONGEST_TEXT = 200_000


@dataclass(frozen=True, kw_only=True)
class ToolReply:
    """Say how a call ended; *data* is an object, as every client takes it."""

    text: str
    data: Mapping[str, Any]
    error: bool = False

    def to_result(self) -> CallToolResult:
        """Return it as the protocol has it."""
        from mcp_types import CallToolResult, TextContent

        text = self.text if len(self.text) <= LONGEST_TEXT else self.text[:LONGEST_TEXT] + " … (cut; the data is whole)"
        return CallToolResult(
            content=[TextContent(text=harmless(utf8(text)))],
            structured_content=encodable(dict(self.data)),
            is_error=self.error,
        )


def failed(message: str, fix: str = "", **more: Any) -> ToolReply:
    """Say what went wrong and what to do about it."""
    said, todo = one_line(without_secrets(message)), advice(fix)
    lines = [said, *([f"next: {todo}"] if todo else [])]
    return ToolReply(text="\n".join(lines), data={"error": said, "next": todo, **more}, error=True)


def failure_of(error: Exception) -> ToolReply:
    """Say what an exception says; one that nobody foresaw is named without its insides."""
    if isinstance(error, MayflyError):
        return failed(error.message, error.fix or "", code=error.code)
    return failed(f"unexpected {type(error).__name__}", "try again; a person finds more in the log of the server")


def advice(fix: str) -> str:
    """Return a hint in the words of this protocol: what a person would type is what a client calls."""
    said = one_line(without_secrets(fix), limit=1000)
    for pattern, words in _hints():
        said = pattern.sub(words, said)
    # What is left can only be typed.
    return f"a person can help: {said}" if re.search(r"\bmayfly [a-z]", said) else said


@cache
def _hints() -> list[tuple[re.Pattern[str], str]]:
    table = tomllib.loads((Path(__file__).parent / "hints.toml").read_text(encoding="utf-8"))
    return [(re.compile(one["fix"]), one["says"]) for one in table["hint"]]


def value_text(value: object) -> str:
    """Return a value as a model reads it: a text as it is, anything else as JSON."""
    return value if isinstance(value, str) else json_text(value)


def encodable(value: Any) -> Any:
    """Return plain data that can be sent as UTF-8: half of a character, which no frame can carry, is replaced."""
    if isinstance(value, str):
        return utf8(value)
    if isinstance(value, Mapping):
        return {utf8(str(key)): encodable(item) for key, item in value.items()}
    if isinstance(value, Sequence):
        return [encodable(item) for item in value]
    return value


# Under this name a request over HTTP carries the event that says that its connection has ended.
GONE = "mayfly.gone"
# Seconds without news after which a client that asked for progress is told that the call is still under way: less
# than the shortest time after which clients give up.
_PULSE = 5.0
# Pieces of news that wait to be sent; more say nothing that these do not.
_NEWS = 64


@dataclass(kw_only=True)
class Errand:
    """One call: whose it is, what ends it, and how its news is told. `say` may be used from any thread."""

    context: ServerRequestContext[Any, Any]
    loop: asyncio.AbstractEventLoop
    stop: Stop = field(default_factory=Stop)
    news: asyncio.Queue[str] = field(default_factory=lambda: asyncio.Queue(_NEWS))

    @property
    def client(self) -> str:
        """Who is at the other end, as they call themselves."""
        known = self.context.session.client_params
        name = one_line(known.client_info.name, limit=60) if known else ""
        return f"mcp:{name or 'client'}"

    def say(self, text: str) -> None:
        """Tell the client how far it is."""
        with suppress(RuntimeError):  # the loop has ended
            self.loop.call_soon_threadsafe(self._put, one_line(text, limit=300))

    def _put(self, text: str) -> None:
        with suppress(asyncio.QueueFull):
            self.news.put_nowait(text)


Work = Callable[[Errand], ToolReply]


class Errands:
    """Do calls in threads, so many at once."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._limiter: anyio.CapacityLimiter | None = None

    async def do(self, context: ServerRequestContext[Any, Any], work: Work) -> ToolReply:
        """Do *work* and return what came of it; where the client leaves or takes it back, it is ended first."""
        if self._limiter is None:
            self._limiter = anyio.CapacityLimiter(self._most)
        errand = Errand(context=context, loop=asyncio.get_running_loop())
        async with anyio.create_task_group() as group:
            group.start_soon(_until_gone, errand)
            if (context.meta or {}).get("progress_token") is not None:
                group.start_soon(_report, errand)
            # Not abandoned when it is cancelled: by then it has been told to stop, and its end is waited for, so that
            # nothing goes on that nobody knows of.
            reply = await anyio.to_thread.run_sync(partial(_done, errand, work), limiter=self._limiter)
            group.cancel_scope.cancel()
        return reply


def _done(errand: Errand, work: Work) -> ToolReply:
    try:
        with called_by(lambda what, about: _tell(errand, what, about), stop=errand.stop):
            return work(errand)
    except Exception as error:  # whatever it was is an answer, and no reason to end the connection
        return failure_of(error)


async def _until_gone(errand: Errand) -> None:
    """Stop the work when the request is cancelled, its connection has ended, or it is done anyway."""
    gone = errand.context.request.scope.get(GONE) if errand.context.request is not None else None
    try:
        await (anyio.sleep_forever() if gone is None else gone.wait())
    finally:
        errand.stop.cancel()


async def _report(errand: Errand) -> None:
    """Send news as it comes, and a sign of life where there is none."""
    began, count = anyio.current_time(), 0
    while (text := await _next_news(errand, began)) is not None:
        count += 1
        await errand.context.session.report_progress(count, message=text)


async def _next_news(errand: Errand, began: float) -> str:
    try:
        with anyio.fail_after(_PULSE):
            return await errand.news.get()
    except TimeoutError:
        return f"still at it after {anyio.current_time() - began:.0f} s"


def _tell(errand: Errand, what: str, about: Any) -> None:
    """Put what a runtime tells into a few words."""
    match what:
        case "began":
            errand.say(f"{about[0]} began")
        case "contract":
            errand.say("what goes in and comes out is agreed on")
        case "wrote":
            number, artifact = about
            errand.say(f"attempt {number} was written by {artifact.author}")
        case "judged":
            errand.say(f"the gates say {about.decision}")
        case "cached":
            errand.say("it was proven before")
        case "executed":
            errand.say(f"it ran: {about.result.status}")
        case "planned":
            errand.say("the steps are planned")
        case "node":
            errand.say(f"{about.id} {about.state.value}: {about.intent}")
