"""Integers far beyond 64 bits, and beyond Python's limit for printing them."""

import math

ARGUMENT = 2000


def main(argument):
    factorial = math.factorial(argument)
    return {
        "power": 2**5000,
        "factorial": factorial,
        "negative": -(3**4000),
        "bits": factorial.bit_length(),
        "inverse": pow(12345, -1, 2**127 - 1),
        "root": math.isqrt(10**400),
        "gcd": math.gcd(factorial, 2**3000) == 2 ** (argument - bin(argument).count("1")),
        "combinations": math.comb(500, 250),
    }
