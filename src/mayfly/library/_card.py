"""The card of a tool: its head for lists, everything that is known of a version, and the words by which it is found."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import lru_cache
from typing import Any

from mayfly.core import Proof, StoreError
from mayfly.language import bases, is_closed, singular


@dataclass(frozen=True, kw_only=True)
class Card:
    """Say what a version does, what it may reach, what proved it and who is behind it.

    *grants* are what it was given, *opened* those of them that its source can use: a call opens no others. *witness*
    says who speaks for it besides its author; nobody does where source and tests are by the same hand.
    """

    name: str
    version: int
    summary: str
    intent: str
    input_schema: Mapping[str, Any]
    output_schema: Mapping[str, Any]
    parameters: tuple[str, ...]
    required: tuple[str, ...]
    is_class: bool
    spread: bool
    does: tuple[tuple[str, str], ...]
    seconds: float
    grants: tuple[str, ...]
    opened: tuple[str, ...]
    effect: str
    source_hash: str
    tests_hash: str
    shape: str
    verdicts: tuple[Mapping[str, Any], ...]
    proof: Mapping[str, Any]
    witness: str
    tests: int
    author: str
    by: str
    tests_by: str
    model: str
    cost: Mapping[str, float]
    parent: int
    versions: Mapping[str, Any]
    run: str = ""
    notes: tuple[str, ...] = field(default=())
    # What was agreed on by hand before the source was there; empty where nobody did.
    contract: Mapping[str, Any] = field(default_factory=dict)

    @property
    def strength(self) -> str:
        """How much speaks for it."""
        return str(self.proof.get("strength", "none"))

    @property
    def kept_proof(self) -> Proof:
        """The proof as it was made."""
        return Proof.from_json(self.proof)

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return json.loads(json.dumps(asdict(self)))  # type: ignore[no-any-return]

    @classmethod
    def from_json(cls, data: object) -> Card:
        """Read what `to_json` gave; anything else is a damaged card."""
        if not isinstance(data, Mapping) or set(data) - {one.name for one in fields(cls)}:
            raise StoreError("the card is damaged")
        held: dict[str, Any] = dict(data)
        try:
            for name in ("parameters", "required", "grants", "opened", "verdicts", "notes"):
                held[name] = tuple(held[name])
            held["does"] = tuple((str(verb), str(thing)) for verb, thing in held["does"])
            return cls(**held)
        except (TypeError, ValueError, KeyError):
            raise StoreError("the card is damaged") from None

    @property
    def head(self) -> dict[str, Any]:
        """What a list shows, so that it need not open the card."""
        return {
            "summary": self.summary,
            "strength": self.strength,
            "grants": list(self.opened),
            "input_schema": dict(self.input_schema),
            "output_schema": dict(self.output_schema),
            "does": [list(pair) for pair in self.does],
            "seconds": self.seconds,
            "effect": self.effect,
            "by": self.by,
            "author": self.author,
        }

    @property
    def words(self) -> tuple[str, ...]:
        """What it is found by."""
        return tool_words(
            self.name,
            self.summary,
            self.intent,
            " ".join(" ".join(pair) for pair in self.does),
            schemas=(self.input_schema, self.output_schema),
        )


_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+|[^\W\d_A-Za-z]+")
# What every request for a tool says, and what therefore tells none apart.
_IDLE = re.compile(
    r"an?|the|that|which|who|its?|this|these|those|please|create|make|write|build|add|new|tools?|function|program|agent"
    r"|capability|use|using|used|by|need|want"
)
# Of one tool; a description of this many different words is no description.
_MOST = 80
_LONGEST = 40


def words_of(text: str) -> list[str]:
    """Return the telling words of a text in their plain forms, each once, in order."""
    return list(dict.fromkeys(_plain_words(text[:5000])))


def tool_words(name: str, *texts: str, schemas: Iterable[Mapping[str, Any]] = ()) -> tuple[str, ...]:
    """Return what a tool is found by: its name first, then what is said of it, then what its parameters are called."""
    named = [word for schema in schemas for word in _names_in(schema)]
    every = words_of(" ".join([name, *texts, *named]))
    return tuple(every[:_MOST])


def _plain_words(text: str) -> Iterator[str]:
    for found in _WORD.findall(text):
        word = found.lower()
        if len(word) > 1 and not _IDLE.fullmatch(word) and not is_closed(word):
            yield _plain(word)[:_LONGEST]


@lru_cache(maxsize=8192)
def _plain(word: str) -> str:
    """Return one form for all forms of a word: the shortest of those it can be made of."""
    return min({singular(word), *bases(word)}, key=lambda form: (len(form), form))


def _names_in(schema: Mapping[str, Any], depth: int = 0) -> Iterator[str]:
    for name, inner in schema.get("properties", {}).items():
        yield str(name)
        if isinstance(inner, Mapping) and depth < 2:
            yield str(inner.get("description", ""))
            yield from _names_in(inner, depth + 1)
