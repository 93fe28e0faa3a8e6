"""What the forge writes into the ledger: what was written by whom, and what was thought about a failure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mayfly.store import JSON, event


@event("forge.wrote")
@dataclass(frozen=True, kw_only=True)
class ForgeWrote:
    """Record that an architect wrote something; nothing is said about whether it is any good."""

    attempt: int
    author: str
    source_hash: str
    lines: int
    entropy_remaining: float
    provenance: Mapping[str, JSON]


@event("forge.reflected")
@dataclass(frozen=True, kw_only=True)
class ForgeReflected:
    """Record why an attempt failed, in the words that go into the next one."""

    attempt: int
    root_cause: str
    suggestions: tuple[str, ...]
    confidence: float
    failing: tuple[str, ...]
