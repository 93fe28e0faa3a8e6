"""Understand what a turn asks for: the model may say what is meant, and what the reader found only takes power away."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

from pydantic import BaseModel, Field

from mayfly.core import Intent, one_line
from mayfly.models import ModelError

if TYPE_CHECKING:
    from mayfly.language import Request
    from mayfly.models import Message, ModelPool, Purpose, ToolOffer
    from mayfly.models import Turn as ModelTurn
    from mayfly.persona import Desk

# More clauses than this in one request are not asked for one by one.
_MOST = 12
# The verb of a question whose own verb the reader did not find, and the persona of who asks for nothing.
ASKS = "explain"
LISTENER = "general"
_SYSTEM = (
    "Say what the person asks for, as a list of intents in their order. Each has a category (command: something is to "
    "be done; question: something is to be answered, nothing changed; instruction: it holds from now on), one plain "
    "English verb in its base form, the target (the file, address or thing it is about, in the person's words) and a "
    "constraint (how it has to be done, else none). What is quoted, negated or merely mentioned is not asked for."
)


class SaidIntent(BaseModel):
    """One thing that is asked for, as a model says it."""

    category: Literal["command", "question", "instruction"]
    verb: str = Field(max_length=60, pattern=r"^[a-z][a-z0-9_-]*$")
    target: str = Field(default="", max_length=1000)
    constraint: str = Field(default="none", max_length=1000)


class SaidIntents(BaseModel):
    """All that is asked for."""

    intents: list[SaidIntent] = Field(max_length=_MOST)


class Perceived(NamedTuple):
    """Who takes a turn on, for which verbs, and what a person is told of how it was read."""

    personas: tuple[str, ...]
    verbs: tuple[str, ...]
    only_asked: bool = False
    """Whether nothing is to be changed: every word of it asks."""
    told: tuple[str, ...] = ()
    ask: str | None = None


class Talker(Protocol):
    """A model, or what takes its place."""

    @property
    def name(self) -> str:
        """What it is called."""
        ...

    def serves(self, purpose: Purpose) -> bool:
        """Whether it can be asked for *purpose*."""
        ...

    async def aask(
        self, purpose: Purpose, prompt: str, *, system: str, schema: Any = None, pool: ModelPool | None
    ) -> Any:
        """Answer one question."""
        ...

    async def aconverse(
        self,
        messages: Sequence[Message],
        *,
        system: str,
        tools: Sequence[ToolOffer],
        pool: ModelPool | None,
        emit: Callable[[str], None] | None,
    ) -> ModelTurn:
        """Say the next thing in a conversation."""
        ...


async def perceive(text: str, desk: Desk, model: Talker | None, *, session: str, pool: ModelPool | None) -> Perceived:
    """Read *text*; a model's reading, where there is one, is routed with no more power than the reader found."""
    read = desk.understand(text, session=session)
    verbs = tuple(dict.fromkeys(clause.intent.verb for clause in read.request.routed))
    # Nothing was asked for that a rule knows: somebody who only reads listens.
    asks = _asks_only(read.request)
    plain = Perceived(read.route.personas or (LISTENER,), verbs, asks, ask=read.request.ask)
    if model is None or not model.serves("perceive"):
        return plain
    try:
        answer = await model.aask("perceive", text, system=_SYSTEM, schema=SaidIntents, pool=pool)
    except ModelError as error:
        return plain._replace(told=(f"read without the model: {one_line(str(error), limit=200)}",))
    intents, told = weaken(answer.value.intents, read.request, text)
    if not intents:
        return plain._replace(told=told)
    route = desk.route(intents, said=text, session=session)
    named = tuple(dict.fromkeys(intent.verb for intent in intents))
    asks = asks or all(intent.category == "question" for intent in intents)
    return Perceived(route.personas or (LISTENER,), named, asks, told)


def _asks_only(request: Request) -> bool:
    """Say whether nothing in a request is to be done: all of it asks, forbids or tells."""
    return bool(request.clauses) and not any(
        clause.kind in ("command", "unknown", "instruction") for clause in request.clauses
    )


def weaken(said: Sequence[SaidIntent], request: Request, text: str) -> tuple[list[Intent], tuple[str, ...]]:
    """Return a model's intents without the power that the reader found to be denied, asked about or quoted."""
    forbidden = {verb for clause in request.clauses if clause.negated for verb in (clause.verb, clause.said) if verb}
    quoted = {verb for clause in request.clauses if clause.quoted for verb in (clause.verb, clause.said) if verb}
    asked = {verb for clause in request.clauses if clause.kind == "question" for verb in (clause.verb, clause.said)}
    only_asked = _asks_only(request)
    intents, told = [], []
    for one in said:
        category: str = one.category
        if one.verb in forbidden or one.verb in quoted:
            word = "forbidden" if one.verb in forbidden else "only quoted"
            told.append(f"the model read {one.verb!r} as asked for; it is {word} in your words, so it is not done")
            continue
        if category != "question" and only_asked:
            told.append(f"the model read {one.verb!r} as a command; your words ask, so nothing is changed")
            category = "question"
        # Who is asked about a verb needs none of its power to answer.
        verb = one.verb if category != "question" or one.verb in asked else ASKS
        intents.append(Intent(text=text, category=category, verb=verb, target=one.target, constraint=one.constraint))
    return intents, tuple(told)
