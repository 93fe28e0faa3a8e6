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
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        if one == other or (isinstance(one, int) and isinstance(other, int)):
            return one == other
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    return type(one) is type(other) and one == other


def check(input, output):
    return same(output, expected(input))
