"""Money, and the other amounts that a pool counts, without a rounding error."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mayfly.core.errors import InputError

if TYPE_CHECKING:
    from fractions import Fraction

    Amount = int | Fraction
    Amounts = dict[str, Amount]
    from decimal import Decimal

# Dollars are counted in millionths: the smallest unit of the coins that agents pay with, and fine enough for a token.
MICROS = 1_000_000
_MICROS_OF_A_CENT = MICROS // 100


@dataclass(frozen=True, order=True)
class Money:
    """An amount of dollars as a whole number of millionths, so that sums and limits are exact.

    Where a bare number stands for money, in settings, in recorded events and in JSON, it is one of dollars: `Money.of`
    reads it and `dollars` writes it. An amount finer than a millionth is rounded up, since nobody may spend it unseen.
    """

    micros: int = 0

    @classmethod
    def of(cls, dollars: Money | float | Decimal | str) -> Money:
        """Return an amount of *dollars*, as it is written in decimals."""
        if isinstance(dollars, Money):
            return dollars
        if isinstance(dollars, int):
            return cls(dollars * MICROS)
        # Imported where it is used: it is slow to load, and most amounts are whole or none at all.
        from decimal import ROUND_CEILING, Context, Decimal

        exact = Decimal(repr(dollars) if isinstance(dollars, float) else dollars)
        if not exact.is_finite():
            raise ValueError(f"{dollars} is no amount of money")
        # Enough digits for any number that a float can hold.
        context = Context(prec=700, Emin=-999_999, Emax=999_999)
        return cls(int(context.multiply(exact, MICROS).to_integral_value(rounding=ROUND_CEILING)))

    @property
    def dollars(self) -> float:
        """The amount as a number of dollars, which `of` reads back as the same amount."""
        return self.micros / MICROS

    @property
    def cents(self) -> int:
        """The amount in whole cents, rounded up."""
        return -(-self.micros // _MICROS_OF_A_CENT)

    def __add__(self, other: Money) -> Money:
        return Money(self.micros + other.micros)

    def __bool__(self) -> bool:
        return self.micros != 0

    def __str__(self) -> str:
        return f"${self.dollars:.4f}"


NO_MONEY = Money()


def units_text(units: int, decimals: int) -> str:
    """Write an amount of an asset's smallest unit in whole coins, exactly, with two places at least where it has them.

    For people only: what counts is the whole number.
    """
    sign, digits = "-" if units < 0 else "", str(abs(units)).rjust(decimals + 1, "0")
    if not decimals:
        return sign + digits
    whole, part = digits[:-decimals], digits[-decimals:]
    return f"{sign}{whole}.{part.rstrip('0').ljust(min(2, decimals), '0')}"


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
