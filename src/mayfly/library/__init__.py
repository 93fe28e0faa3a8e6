"""The library: what can be done, and what proved itself, remembered by content for every process of the store."""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily

if TYPE_CHECKING:
    from mayfly.library._card import Card, words_of
    from mayfly.library._checkout import Checkout
    from mayfly.library._events import (
        ToolCallBegan,
        ToolCallEnded,
        ToolDeleted,
        ToolRetired,
        ToolServed,
        ToolWritten,
    )
    from mayfly.library._function import FunctionCapability, ToolCapability, capability
    from mayfly.library._memo import Memo, Question, Remembered, Tampered
    from mayfly.library._packages import Installed, Packages, Unavailable, package_name
    from mayfly.library._registry import Committed, LookUp, Registry
    from mayfly.library._signature import (
        LONGEST_DESCRIPTION,
        ToolSignature,
        callable_source,
        check_name,
        read_signature,
    )
    from mayfly.library._tool_caller import ToolCaller, ToolFailed
    from mayfly.library._tool_grants import default_grants, opened_grants, reaches_outside
    from mayfly.library._tool_supply import LibrarySupply, ToolMissing
    from mayfly.library._tool_tests import each_once, suite_text, tool_name_of, unspread
    from mayfly.library._tool_values import (
        FILE,
        Earlier,
        ProvenTool,
        ToolChange,
        ToolListed,
        ToolMade,
        ToolOrder,
        ToolOutcome,
    )
    from mayfly.library._tools import Tools
    from mayfly.library._workshop import Workshop

__all__ = [
    "FILE",
    "LONGEST_DESCRIPTION",
    "Card",
    "Checkout",
    "Committed",
    "Earlier",
    "FunctionCapability",
    "Installed",
    "LibrarySupply",
    "LookUp",
    "Memo",
    "Packages",
    "ProvenTool",
    "Question",
    "Registry",
    "Remembered",
    "Tampered",
    "ToolCallBegan",
    "ToolCallEnded",
    "ToolCaller",
    "ToolCapability",
    "ToolChange",
    "ToolDeleted",
    "ToolFailed",
    "ToolListed",
    "ToolMade",
    "ToolMissing",
    "ToolOrder",
    "ToolOutcome",
    "ToolRetired",
    "ToolServed",
    "ToolSignature",
    "ToolWritten",
    "Tools",
    "Unavailable",
    "Workshop",
    "callable_source",
    "capability",
    "check_name",
    "default_grants",
    "each_once",
    "opened_grants",
    "package_name",
    "reaches_outside",
    "read_signature",
    "suite_text",
    "tool_name_of",
    "unspread",
    "words_of",
]

__getattr__ = lazily(
    __name__,
    {
        "_card": "Card words_of",
        "_checkout": "Checkout",
        "_events": "ToolCallBegan ToolCallEnded ToolDeleted ToolRetired ToolServed ToolWritten",
        "_function": "FunctionCapability capability ToolCapability",
        "_memo": "Memo Remembered Tampered Question",
        "_packages": "Installed Packages Unavailable package_name",
        "_registry": "Committed LookUp Registry",
        "_signature": "LONGEST_DESCRIPTION ToolSignature callable_source check_name read_signature",
        "_tool_caller": "ToolCaller ToolFailed",
        "_tool_grants": "default_grants opened_grants reaches_outside",
        "_tool_supply": "LibrarySupply ToolMissing",
        "_tool_tests": "each_once suite_text tool_name_of unspread",
        "_tool_values": "FILE Earlier ProvenTool ToolChange ToolListed ToolMade ToolOrder ToolOutcome",
        "_tools": "Tools",
        "_workshop": "Workshop",
    },
)
