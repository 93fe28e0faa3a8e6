"""Unpacking, slices, dictionary merges, set algebra and nested comprehensions."""

ARGUMENT = {"a": [1, 2, 3], "b": [4, 5], "c": []}


def collect(first, *rest, sep="-", **options):
    return [first, list(rest), sep, options]


def main(argument):
    head, *middle, last = range(6)
    (x, y), z = [1, 2], 3
    x, y = y, x
    left, right = {1, 2, 3, 4}, {3, 4, 5}
    digits = list(range(10))
    digits[2:5] = ["x"]
    del digits[-2:]
    return {
        "star": [head, middle, last, x, y, z],
        "called": collect(*[1, 2], 3, **{"sep": "+", "k": 1}),
        "merged": {**argument, "d": [6]} | {"a": []},
        "inverted": {value: key for key, values in argument.items() for value in values},
        "table": [[row * column for column in range(1, 4)] for row in range(1, 4)],
        "sets": [sorted(left & right), sorted(left | right), sorted(left - right), sorted(left ^ right), left <= right],
        "slices": [digits, "abcdef"[::2], "abcdef"[-3:], [*"ab", *(1, 2)]],
        "any": [any(argument.values()), all(argument.values())],
        "zip": dict(zip("abc", [1, 2, 3])),
        "enumerate": list(enumerate("ab", start=1)),
        "chained": 1 < x < 5 != 6,
        "conditional": "empty" if not argument["c"] else "full",
    }
