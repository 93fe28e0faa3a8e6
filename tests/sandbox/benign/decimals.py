"""decimal with contexts and rounding."""

from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal, getcontext, localcontext

ARGUMENT = ["19.99", "0.005", "1e-7", "-3.5"]


def main(argument):
    prices = [Decimal(text) for text in argument]
    getcontext().prec = 30
    with localcontext() as context:
        context.prec = 6
        third = Decimal(1) / Decimal(3)
    return {
        "sum": str(sum(prices)),
        "half_up": [str(price.quantize(Decimal("0.01"), ROUND_HALF_UP)) for price in prices],
        "half_even": [str(price.quantize(Decimal("0.01"), ROUND_HALF_EVEN)) for price in prices],
        "third": str(third),
        "root": str(Decimal(2).sqrt()),
        "text": f"{prices[0]:.1f} {Decimal('1234567.891'):,.2f}",
    }
