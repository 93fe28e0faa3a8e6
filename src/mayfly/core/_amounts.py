"""Amounts of the kinds a pool counts: which there are, and how they are counted without a rounding error."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from mayfly.core._money import MICROS, Money
from mayfly.core.errors import InputError

if TYPE_CHECKING:
    from fractions import Fraction

    Amount = int | Fraction
    Amounts = dict[str, Amount]

POOL_KINDS = ("model_calls", "input_tokens", "output_tokens", "money", "seconds", "sandbox_seconds", "nodes")
# What is cut to a part is cut to whole ones.
WHOLE = frozenset({"model_calls", "input_tokens", "output_tokens", "nodes"})
KIND_NAMES = {
    "model_calls": "model calls",
    "input_tokens": "input tokens",
    "output_tokens": "output tokens",
    "money": "money for models",
    "seconds": "seconds",
    "sandbox_seconds": "seconds behind the wall",
    "nodes": "promises",
}
_LARGEST = 1e100


def known(kind: str) -> None:
    """Refuse a kind that no pool counts: a limit with a slip of the pen would limit nothing."""
    if kind not in POOL_KINDS:
        raise InputError(f"a pool has no {kind!r}", fix=f"it has {', '.join(POOL_KINDS)}")


def exact(amounts: Mapping[str, float]) -> Amounts:
    """Return the amounts as the exact decimals they are written in, so that three times 0.1 is 0.3.

    Money is given in dollars and counted in millionths of one.
    """
    return {kind: _amount(kind, value) for kind, value in amounts.items()}


def plain(kind: str, amount: Amount) -> float:
    """Return an exact amount as a number for everybody, money in dollars."""
    if kind == "money":
        return amount // MICROS if amount % MICROS == 0 else Money(int(amount)).dollars
    return int(amount) if amount.denominator == 1 else float(amount)


def takeable(amounts: Mapping[str, float]) -> Amounts:
    """Return exact amounts of kinds that somebody can take and give back, which seconds are not."""
    if "seconds" in amounts:
        raise InputError("seconds pass by themselves and cannot be taken", fix="use check and seconds_left")
    return exact(amounts)


def enough(asked: Amounts, least: Mapping[str, float] | None) -> Amounts:
    """Return what has to be granted of each kind that is asked for: all of it, or as little as *least* says."""
    lowest = exact(least or {})
    for kind, amount in lowest.items():
        if amount > asked.get(kind, -1):
            raise InputError(f"the least of {kind} is more than what is asked for")
    return asked | lowest


def _amount(kind: str, value: float) -> Amount:
    known(kind)
    # What is not a number at all compares with nothing, and infinity is too much.
    if not isinstance(value, (int, float)) or not 0 <= value <= _LARGEST:
        raise InputError(f"{kind} in a pool must be a number that is 0 or more")
    if kind == "money":
        return Money.of(value).micros
    if isinstance(value, int) or value.is_integer():
        return int(value)
    # Imported where it is used: it is slow to load, and most amounts are whole.
    from fractions import Fraction

    return Fraction(repr(float(value)))
