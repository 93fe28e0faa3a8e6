"""A clock that a test sets."""

from __future__ import annotations

from typing import Generic, TypeVar

Number = TypeVar("Number", int, float)


class FakeClock(Generic[Number]):
    """Stand still until told otherwise; takes the place of `time.monotonic`, `time.time` or `time.time_ns`."""

    def __init__(self, now: Number) -> None:
        self.now: Number = now

    def __call__(self) -> Number:
        """Return the time that was set."""
        return self.now

    def forward(self, amount: Number) -> None:
        """Let time pass, in the unit that the clock counts."""
        self.now += amount
