"""fractions, statistics and a seeded random generator."""

import random
import statistics
from fractions import Fraction

ARGUMENT = [2, 4, 4, 4, 5, 5, 7, 9]


def main(argument):
    generator = random.Random(2024)
    sample = [generator.gauss(0, 1) for _ in range(200)]
    random.seed(7)
    deck = list(range(10))
    random.shuffle(deck)
    return {
        "fraction": str(sum(Fraction(1, n) for n in range(1, 11))),
        "limited": str(Fraction(3.14159265).limit_denominator(1000)),
        "mean": statistics.mean(argument),
        "median": statistics.median(argument),
        "mode": statistics.mode(argument),
        "deviation": statistics.pstdev(argument),
        "quantiles": statistics.quantiles(argument, n=4),
        "sample_mean": round(statistics.fmean(sample), 12),
        "deck": deck,
        "choices": random.choices("abc", weights=[5, 1, 1], k=8),
        "drawn": generator.sample(range(100), 5),
    }
