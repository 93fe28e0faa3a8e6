"""The library: what can be done, and what proved itself, remembered by content for every process of the store."""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily

if TYPE_CHECKING:
    from mayfly.library._capability import Builtin, Committed, Effect, Invocation, NotSent, Registry
    from mayfly.library._key import Question
    from mayfly.library._memo import Memo, Remembered, Tampered

__all__ = [
    "Builtin",
    "Committed",
    "Effect",
    "Invocation",
    "Memo",
    "NotSent",
    "Question",
    "Registry",
    "Remembered",
    "Tampered",
]

__getattr__ = lazily(
    __name__,
    {
        "_capability": "Builtin Committed Effect Invocation NotSent Registry",
        "_key": "Question",
        "_memo": "Memo Remembered Tampered",
    },
)
