"""The library: what can be done, and what proved itself, remembered by content for every process of the store."""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily

if TYPE_CHECKING:
    from mayfly.library._function import FunctionCapability, capability
    from mayfly.library._key import Question
    from mayfly.library._memo import Memo, Remembered, Tampered
    from mayfly.library._registry import Committed, Registry

__all__ = [
    "Committed",
    "FunctionCapability",
    "Memo",
    "Question",
    "Registry",
    "Remembered",
    "Tampered",
    "capability",
]

__getattr__ = lazily(
    __name__,
    {
        "_function": "FunctionCapability capability",
        "_key": "Question",
        "_memo": "Memo Remembered Tampered",
        "_registry": "Committed Registry",
    },
)
