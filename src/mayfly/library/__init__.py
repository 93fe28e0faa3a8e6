"""The library: what can be done, and what proved itself, remembered by content for every process of the store."""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily

if TYPE_CHECKING:
    from mayfly.library._card import Card
    from mayfly.library._checkout import Candidate, Checkout, CheckoutFiles
    from mayfly.library._events import (
        ToolCallBegan,
        ToolCallEnded,
        ToolDeleted,
        ToolRefused,
        ToolRetired,
        ToolServed,
        ToolVerified,
        ToolWritten,
    )
    from mayfly.library._function import FunctionCapability, capability
    from mayfly.library._key import Question
    from mayfly.library._memo import Memo, Remembered, Tampered
    from mayfly.library._packages import Distribution, Installed, Packages, Unavailable, package_name
    from mayfly.library._registry import Committed, LookUp, Registry
    from mayfly.library._signature import CALL as TOOL_CALL
    from mayfly.library._signature import (
        LONGEST_DESCRIPTION,
        ToolSignature,
        callable_source,
        check_name,
        read_signature,
    )
    from mayfly.library._tool_capability import ToolCapability
    from mayfly.library._versions import ToolVersion, Versions, unknown
    from mayfly.library._words import words_of

__all__ = [
    "LONGEST_DESCRIPTION",
    "TOOL_CALL",
    "Candidate",
    "Card",
    "Checkout",
    "CheckoutFiles",
    "Committed",
    "Distribution",
    "FunctionCapability",
    "Installed",
    "LookUp",
    "Memo",
    "Packages",
    "Question",
    "Registry",
    "Remembered",
    "Tampered",
    "ToolCallBegan",
    "ToolCallEnded",
    "ToolCapability",
    "ToolDeleted",
    "ToolRefused",
    "ToolRetired",
    "ToolServed",
    "ToolSignature",
    "ToolVerified",
    "ToolVersion",
    "ToolWritten",
    "Unavailable",
    "Versions",
    "callable_source",
    "capability",
    "check_name",
    "package_name",
    "read_signature",
    "unknown",
    "words_of",
]

__getattr__ = lazily(
    __name__,
    {
        "_card": "Card",
        "_checkout": "Candidate Checkout CheckoutFiles",
        "_events": (
            "ToolCallBegan ToolCallEnded ToolDeleted ToolRefused ToolRetired ToolServed ToolVerified ToolWritten"
        ),
        "_function": "FunctionCapability capability",
        "_key": "Question",
        "_memo": "Memo Remembered Tampered",
        "_packages": "Distribution Installed Packages Unavailable package_name",
        "_registry": "Committed LookUp Registry",
        "_signature": ("LONGEST_DESCRIPTION ToolSignature callable_source check_name read_signature CALL=TOOL_CALL"),
        "_tool_capability": "ToolCapability",
        "_versions": "ToolVersion Versions unknown",
        "_words": "words_of",
    },
)
