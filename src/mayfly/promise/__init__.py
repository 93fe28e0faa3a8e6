"""Promises: what an intent will take is judged before anything is spent on it."""

from mayfly.promise._reality import CHAOS_THRESHOLD, MAX_DEPTH, Kind, Reality, classify

__all__ = ["CHAOS_THRESHOLD", "MAX_DEPTH", "Kind", "Reality", "classify"]
