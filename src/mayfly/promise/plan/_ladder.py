"""How much is tried at which depth: the deeper, the simpler, down to the ground."""

from __future__ import annotations

from typing import Literal

from mayfly.core import Budget, PromiseSettings

Rung = Literal["full", "simple", "heuristic", "ground"]
_FULL, _SIMPLE = 1, 2


def rung(depth: int, settings: PromiseSettings) -> Rung:
    """Return what may be tried at *depth*: all, a model with short prompts, no model, or nothing any more.

    What is remembered is looked up first on every rung but the last.
    """
    if depth > settings.max_depth or Budget(depth).entropy < settings.chaos_threshold:
        return "ground"
    if depth <= _FULL:
        return "full"
    return "simple" if depth == _SIMPLE else "heuristic"
