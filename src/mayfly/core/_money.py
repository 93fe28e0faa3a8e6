"""Money, counted exactly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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
