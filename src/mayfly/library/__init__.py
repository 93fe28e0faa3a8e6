"""The library: what proved itself is remembered, by content, for every process that shares the store."""

from mayfly.library._key import Question
from mayfly.library._memo import Memo, Remembered, Tampered

__all__ = ["Memo", "Question", "Remembered", "Tampered"]
