"""Without a model: a request that one capability does, with nothing of it left over, is done through the same loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from mayfly.core import Cost
from mayfly.models import Called, Returned, SaidText, ToolCall, Turn

if TYPE_CHECKING:
    from mayfly.models import Message, ToolOffer
    from mayfly.promise import Promise

_NEEDS_A_MODEL = (
    "This needs a model: say which with --model, or set models.name.\n"
    'Without one I do what a single tool does, such as "find TODO in src", "run the tests", "list the files in src". '
    "Questions about a data file are answered by: mayfly run INTENT --input FILE\n"
    "A tool that I can use from then on is made of examples by: mayfly tools write INTENT --examples FILE.json"
)


class OfflineTalker:
    """Take the place of a model: call the capability that a request means, and give back what it gave."""

    name = ""

    def __init__(self, plan: Callable[[str], Promise[Any]]) -> None:
        self._plan = plan

    def serves(self, purpose: str) -> bool:
        """Answer no: there is nobody to be asked."""
        return False

    async def aask(self, *_: object, **__: object) -> Any:
        """Never be asked."""
        raise NotImplementedError("there is no model")

    async def aconverse(
        self,
        messages: Sequence[Message],
        *,
        system: str = "",
        tools: Sequence[ToolOffer] = (),
        pool: object = None,
        emit: Callable[[str], None] | None = None,
    ) -> Turn:
        """Return the call that the last request means, or, after it, what it gave."""
        results: list[Returned] = []
        for message in reversed(messages):
            match message:
                case Returned():
                    results.insert(0, message)
                case SaidText(role="user"):
                    return self._turn(message.text, results, tools)
                case Called() | SaidText():
                    continue
        return _said(_NEEDS_A_MODEL)

    def _turn(self, text: str, results: list[Returned], tools: Sequence[ToolOffer]) -> Turn:
        if results:
            return _said("\n".join(result.text for result in results))
        planned = self._plan(text)
        offered = {offer.name for offer in tools}
        if planned.children or planned.capability not in offered:
            return _said(_NEEDS_A_MODEL)
        given: Any = planned.argument
        call = ToolCall(id="call-1", name=planned.capability, arguments=dict(given or {}))
        return Turn(text="", calls=(call,), cost=Cost(), model="")


def _said(text: str) -> Turn:
    return Turn(text=text, calls=(), cost=Cost(), model="")
