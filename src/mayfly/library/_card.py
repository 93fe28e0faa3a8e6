"""`Card`: what is known of one version of a tool, and why it was accepted; anybody can run its tests again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from mayfly.core import Proof, StoreError
from mayfly.library._words import tool_words


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
