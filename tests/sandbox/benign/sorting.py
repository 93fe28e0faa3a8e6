"""Stable sorts, keys, reverse and custom comparison."""

from functools import cmp_to_key
from operator import attrgetter, itemgetter
from types import SimpleNamespace

ARGUMENT = [["b", 2], ["a", 2], ["c", 1], ["a", 1]]


def merge_sort(items):
    if len(items) < 2:
        return items
    middle = len(items) // 2
    left, right = merge_sort(items[:middle]), merge_sort(items[middle:])
    merged = []
    while left and right:
        merged.append((left if left[0] <= right[0] else right).pop(0))
    return merged + left + right


def quick_sort(items):
    if len(items) < 2:
        return items
    pivot, *rest = items
    return quick_sort([x for x in rest if x < pivot]) + [pivot] + quick_sort([x for x in rest if x >= pivot])


def main(argument):
    people = [SimpleNamespace(name=name, age=age) for name, age in argument]
    return {
        "by_number": sorted(argument, key=itemgetter(1)),
        "two_keys": sorted(argument, key=lambda row: (-row[1], row[0])),
        "reversed": sorted(argument, key=itemgetter(0), reverse=True),
        "attributes": [p.name for p in sorted(people, key=attrgetter("age", "name"))],
        "compared": sorted(["10", "9", "1"], key=cmp_to_key(lambda a, b: int(a) - int(b))),
        "merge": merge_sort([5, 2, 9, 1, 5, 6]),
        "quick": quick_sort([3, 7, 1, 1, 8]),
        "natural": sorted(["f10", "f9", "f1"], key=lambda text: int(text[1:])),
    }
