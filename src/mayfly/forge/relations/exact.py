"""What can be computed again is: a sum, a mean, the largest, the smallest, the reverse."""

import math

OPERATION = ""


def expected(input):
    if OPERATION == "reverse":
        return input[::-1]
    if OPERATION == "sum":
        return sum(input) if all(isinstance(item, int) for item in input) else math.fsum(input)
    if OPERATION == "mean":
        return math.fsum(input) / len(input)
    return max(input) if OPERATION == "max" else min(input)


def same(one, other):
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, float) or isinstance(other, float):
        both = isinstance(one, (int, float)) and isinstance(other, (int, float))
        return both and math.isclose(one, other, rel_tol=1e-6, abs_tol=1e-9)
    return type(one) is type(other) and one == other


def check(input, output):
    return same(output, expected(input))
