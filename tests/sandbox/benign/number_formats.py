"""Formatting numbers without locales."""

import math

ARGUMENT = [0.1 + 0.2, 1e21, 123456.789, -0.0, 1 / 3]


def human(size):
    for unit in ("B", "KiB", "MiB", "GiB"):
        if abs(size) < 1024:
            return f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} TiB"


def main(argument):
    return {
        "numbers": argument,
        "repr": [repr(number) for number in argument],
        "fixed": [f"{number:.3f}" for number in argument],
        "science": [f"{number:.2e}" for number in argument],
        "general": ["%g" % number for number in argument],
        "grouped": f"{1234567.891:,.2f} {1234567:_}",
        "human": [human(size) for size in (500, 123456, 5 * 2**30)],
        "rounded": [round(2.5), round(3.5), round(2.675, 2), round(1234, -2)],
        "close": math.isclose(argument[0], 0.3),
        "hex": (0.1).hex(),
        "ratio": (0.5).as_integer_ratio(),
        "sum": [sum([0.1] * 10), math.fsum([0.1] * 10)],
        "floor": [-7 // 2, -7 % 3, math.trunc(-2.7), divmod(-7, 2)],
    }
