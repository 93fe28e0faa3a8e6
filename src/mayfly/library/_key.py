"""The key by which a proven agent is found again: what was asked, under which rules, in one canonical text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from mayfly.core import canonical_json, content_hash


@dataclass(frozen=True, kw_only=True)
class Question:
    """Hold everything that could make another agent the right one."""

    intent: str
    examples: object = None
    shape: object = None
    context: Mapping[str, object] = field(default_factory=dict)
    constraints: Mapping[str, object] = field(default_factory=dict)
    tier: str = "memo"
    language: str = "python"
    author: str = ""
    versions: Mapping[str, object] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """The SHA-256 of the canonical JSON: the same in every process, whatever the order of keys."""
        return content_hash(canonical_json({name: getattr(self, name) for name in self.__dataclass_fields__}))
