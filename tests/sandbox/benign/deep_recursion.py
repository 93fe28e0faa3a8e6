"""Recursion 800 deep, within Python's own limit."""

ARGUMENT = 800


def depth(n):
    return 0 if n == 0 else 1 + depth(n - 1)


def nested(n):
    return [] if n == 0 else [nested(n - 1)]


def main(argument):
    value, levels = nested(argument), 0
    while value:
        value, levels = value[0], levels + 1
    try:
        depth(100_000)
    except RecursionError:
        limited = True
    return [depth(argument), levels, limited]
