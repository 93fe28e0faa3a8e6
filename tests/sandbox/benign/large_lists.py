"""A list of 200,000 elements as the result."""

ARGUMENT = 200_000


def main(argument):
    numbers = [(n * 7919) % 100_003 for n in range(argument)]
    return {"numbers": numbers, "sorted": sorted(numbers)[:5], "distinct": len(set(numbers))}
