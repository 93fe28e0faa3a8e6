"""What was read of a text, in the shape in which plans take it: intents, and what stands between them."""

from __future__ import annotations

from dataclasses import dataclass

from mayfly.core import Intent
from mayfly.language import Clause, Lexicon, read


@dataclass(frozen=True, kw_only=True)
class Perception:
    """One thing that was asked, and how sure that reading is; *later* says that it comes after those before it."""

    id: str
    intent: Intent
    confidence: float
    later: bool = False
    clause: str = ""


@dataclass(frozen=True, kw_only=True)
class Aside:
    """A clause in which no verb is known, and the number of the request before which it stands."""

    text: str
    place: int
    asks: bool


@dataclass(frozen=True, kw_only=True)
class Perceived:
    """Everything that was understood of a text; *ask* is what to ask back where that is too little."""

    intents: tuple[Perception, ...]
    ask: str | None = None
    asides: tuple[Aside, ...] = ()
    refusals: tuple[str, ...] = ()


def perceive(text: str, lexicon: Lexicon) -> Perceived:
    """Read a text."""
    request = read(text, lexicon)
    intents: list[Perception] = []
    asides: list[Aside] = []
    for clause in request.clauses:
        asides += [Aside(text=said, place=len(intents), asks=False) for said in _conditions(clause)]
        if clause in request.routed:
            first = [token.plain for one in clause.after for token in request.clauses[one].tokens[:3]]
            later = "after" in first or "once" in first
            name = f"i{len(intents) + 1}"
            intents.append(Perception(id=name, intent=clause.intent, confidence=clause.confidence, later=later))
        elif clause.kind in ("statement", "unknown") and clause.text and not clause.pasted:
            asides.append(Aside(text=clause.text, place=len(intents), asks=clause.kind == "unknown"))
    refusals = request.refusals if not intents and not asides else ()
    return Perceived(intents=tuple(intents), ask=request.ask, asides=tuple(asides), refusals=refusals)


def _conditions(clause: Clause) -> list[str]:
    """Return the conditions that stand in front of a clause, as they were said."""
    said = [one for one in clause.conditions if one.lead != "otherwise"]
    return [f"{one.lead} {one.text}" for one in said if one.tokens[0].start < clause.tokens[0].start]
