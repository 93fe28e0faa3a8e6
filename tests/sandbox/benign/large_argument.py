"""A long list as the argument."""

ARGUMENT = [f"line {n} value={n * n % 97}" for n in range(20_000)]


def main(argument):
    totals = {}
    for line in argument:
        key = line.rsplit("=", 1)[1]
        totals[key] = totals.get(key, 0) + 1
    return totals
