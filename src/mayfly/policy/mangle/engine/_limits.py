"""How much an evaluation may do, and the look at the clock that rules take now and then."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bound the facts that rules may derive and the seconds they may take; zero means zero."""

    facts: int = 1_000_000
    seconds: float = 10.0
