"""The contract types, errors and settings every other package stands on.

The names below are loaded on first use: who only asks for an error does not load the settings.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mayfly.core._agent import Agent, Identity, agent
    from mayfly.core._amounts import POOL_KINDS
    from mayfly.core._canonical import canonical_json, content_hash
    from mayfly.core._parse import check_tree, parse_python
    from mayfly.core._pool import Hold, Pool, current_pool, limit, within
    from mayfly.core._same import is_sequence, same
    from mayfly.core._settings import (
        Default,
        ForgeSettings,
        GateSettings,
        LibrarySettings,
        ModelSettings,
        PolicySettings,
        PromiseSettings,
        SandboxSettings,
        Settings,
        StoreSettings,
    )
    from mayfly.core._stop import Stop
    from mayfly.core._types import (
        CHAOS_THRESHOLD,
        UNSET,
        Artifact,
        Budget,
        Capability,
        Cost,
        Example,
        Intent,
        Offer,
        Outcome,
        Proof,
        Tier,
        Unset,
        Verdict,
        rounds,
    )
    from mayfly.core.errors import (
        ConflictError,
        HelpNeeded,
        InputError,
        LimitError,
        MachineError,
        MayflyError,
        Refusal,
        StoreError,
        UnresolvedError,
    )

__all__ = [
    "CHAOS_THRESHOLD",
    "POOL_KINDS",
    "UNSET",
    "Agent",
    "Artifact",
    "Budget",
    "Capability",
    "ConflictError",
    "Cost",
    "Default",
    "Example",
    "ForgeSettings",
    "GateSettings",
    "HelpNeeded",
    "Hold",
    "Identity",
    "InputError",
    "Intent",
    "LibrarySettings",
    "LimitError",
    "MachineError",
    "MayflyError",
    "ModelSettings",
    "Offer",
    "Outcome",
    "PolicySettings",
    "Pool",
    "PromiseSettings",
    "Proof",
    "Refusal",
    "SandboxSettings",
    "Settings",
    "Stop",
    "StoreError",
    "StoreSettings",
    "Tier",
    "UnresolvedError",
    "Unset",
    "Verdict",
    "agent",
    "canonical_json",
    "check_tree",
    "content_hash",
    "current_pool",
    "is_sequence",
    "limit",
    "parse_python",
    "rounds",
    "same",
    "within",
]

_HOME = {
    **dict.fromkeys(("Agent", "Identity", "agent"), "mayfly.core._agent"),
    "POOL_KINDS": "mayfly.core._amounts",
    **dict.fromkeys(("canonical_json", "content_hash"), "mayfly.core._canonical"),
    **dict.fromkeys(("check_tree", "parse_python"), "mayfly.core._parse"),
    **dict.fromkeys(("Hold", "Pool", "current_pool", "limit", "within"), "mayfly.core._pool"),
    **dict.fromkeys(("is_sequence", "same"), "mayfly.core._same"),
    **dict.fromkeys(
        (
            "Default",
            "ForgeSettings",
            "GateSettings",
            "LibrarySettings",
            "ModelSettings",
            "PolicySettings",
            "PromiseSettings",
            "SandboxSettings",
            "Settings",
            "StoreSettings",
        ),
        "mayfly.core._settings",
    ),
    "Stop": "mayfly.core._stop",
    **dict.fromkeys(
        (
            "CHAOS_THRESHOLD",
            "UNSET",
            "Artifact",
            "Budget",
            "Capability",
            "Cost",
            "Example",
            "Intent",
            "Offer",
            "Outcome",
            "Proof",
            "Tier",
            "Unset",
            "Verdict",
            "rounds",
        ),
        "mayfly.core._types",
    ),
    **dict.fromkeys(
        (
            "ConflictError",
            "HelpNeeded",
            "InputError",
            "LimitError",
            "MachineError",
            "MayflyError",
            "Refusal",
            "StoreError",
            "UnresolvedError",
        ),
        "mayfly.core.errors",
    ),
}


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'mayfly.core' has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(_HOME[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
