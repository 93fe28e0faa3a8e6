"""Knapsack, longest common subsequence, edit distance, coin change and the longest increasing run."""

import bisect

ARGUMENT = {"capacity": 50, "items": [[10, 60], [20, 100], [30, 120]], "a": "AGGTABXY", "b": "GXTXAYB"}


def knapsack(capacity, items):
    best = [0] * (capacity + 1)
    for weight, value in items:
        for room in range(capacity, weight - 1, -1):
            best[room] = max(best[room], best[room - weight] + value)
    return best[capacity]


def common(a, b):
    table = [[""] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            table[i + 1][j + 1] = table[i][j] + x if x == y else max(table[i][j + 1], table[i + 1][j], key=len)
    return table[-1][-1]


def levenshtein(a, b):
    previous = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        current = [i]
        for j, y in enumerate(b, 1):
            current.append(min(previous[j] + 1, current[-1] + 1, previous[j - 1] + (x != y)))
        previous = current
    return previous[-1]


def increasing(numbers):
    tails = []
    for number in numbers:
        position = bisect.bisect_left(tails, number)
        tails[position : position + 1] = [number]
    return len(tails)


def main(argument):
    coins = [0] + [10**9] * 99
    for amount in range(1, 100):
        coins[amount] = min(coins[amount - coin] + 1 for coin in (1, 5, 25) if coin <= amount)
    return {
        "knapsack": knapsack(argument["capacity"], argument["items"]),
        "common": common(argument["a"], argument["b"]),
        "distance": [levenshtein("kitten", "sitting"), levenshtein("", "abc"), levenshtein("flaw", "lawn")],
        "coins": coins[99],
        "increasing": increasing([10, 9, 2, 5, 3, 7, 101, 18]),
    }
