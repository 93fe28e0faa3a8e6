"""The client's own model, where it still offers to be asked: each question is a conversation of its own."""

from __future__ import annotations

import asyncio
import json
import warnings
from typing import TYPE_CHECKING, Any

from mayfly.core import one_line
from mayfly.models import Call, Emit, Failure, Need, Price, Purpose, Reply, estimate_tokens

if TYPE_CHECKING:
    from mayfly.serve._errand import Errand

# What it takes to have a program written; its judge, its plans and its talk are not the client's business.
_PURPOSES = frozenset({"contract", "tests", "architect", "reflect", "arbiter"})


def offers_sampling(errand: Errand) -> bool:
    """Whether the client at the other end lets its model be asked, and can be asked now."""
    known = errand.context.session.client_capabilities
    return known is not None and known.sampling is not None and errand.context.session.can_send_request


class ClientModel:
    """Ask the model of the client through `sampling/createMessage`; nobody but the client knows what that costs."""

    def __init__(self, errand: Errand) -> None:
        self._errand = errand
        self.name = f"client:{errand.client.removeprefix('mcp:')}"

    def serves(self, purpose: Purpose) -> bool:
        """Whether it is asked for *purpose*."""
        return purpose in _PURPOSES

    def load(self) -> None:
        """Do nothing: the client is there already."""

    def need(self, call: Call) -> Need:
        """Return an estimate; money is the client's own."""
        tokens = estimate_tokens(_system(call), call.prompt)
        return Need(input_tokens=tokens, output_tokens=call.max_output, price=Price())

    async def reply(self, call: Call, emit: Emit | None) -> Reply:
        """Send *call* once, to the loop that has the connection."""
        asked = asyncio.run_coroutine_threadsafe(self._ask(call), self._errand.loop)
        try:
            answer = await asyncio.wrap_future(asked)
        except Exception as error:
            said = one_line(str(error), limit=300) or type(error).__name__
            raise Failure(f"the client's model gave no answer: {said}", kind="refused") from None
        if not answer.strip():
            raise Failure("the client's model gave no text", kind="malformed", retry=True)
        if emit is not None:
            await emit(answer)
        sent = estimate_tokens(_system(call), call.prompt)
        return Reply(text=answer, input_tokens=sent, output_tokens=estimate_tokens(answer))

    async def close(self) -> None:
        """Do nothing: the connection is the client's."""

    async def _ask(self, call: Call) -> str:
        from mcp_types import SamplingMessage, TextContent

        session = self._errand.context.session
        with warnings.catch_warnings():
            # The SDK says at every call that sampling is to go; who still offers it is asked.
            warnings.simplefilter("ignore")
            result: Any = await session.create_message(
                [SamplingMessage(role="user", content=TextContent(text=call.prompt))],
                max_tokens=call.max_output,
                system_prompt=_system(call) or None,
                include_context="none",
                related_request_id=self._errand.context.request_id,
            )
        return str(getattr(result.content, "text", ""))


def _system(call: Call) -> str:
    if call.schema is None:
        return call.system
    wanted = json.dumps(call.schema, ensure_ascii=False)
    return f"{call.system}\n\nAnswer with one JSON value that fits this schema, and nothing else:\n{wanted}".strip()
