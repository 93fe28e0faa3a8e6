"""The same items, each as often as before, in order: ascending, descending, or by a key nobody named."""

import json
from collections import Counter

# "up", "down", "either" or "any".
ORDER = "any"


def key(item):
    """Return what stands for an item in a set: True is not 1, and lists and records can be looked up too."""
    return item if type(item) in (str, int, float) else ("", json.dumps(item, sort_keys=True))


def readings(value):
    if isinstance(value, list):
        return [value]
    if isinstance(value, dict):
        return [[[name, item] for name, item in value.items()]]
    return [read(value) for read in (str.splitlines, str.split, list)] + [value.split(",")]


def check(input, output):
    if not isinstance(output, (list, dict, str)) or not isinstance(input, (list, dict, str)):
        return False
    pairs = [(before, after) for before in readings(input) for after in readings(output)]
    found = [after for before, after in pairs if Counter(map(key, before)) == Counter(map(key, after))]
    # A text read as one item is always in order, which says nothing where it can be read as several.
    several = any(len(before) > 1 for before, _ in pairs)
    return any(in_order(after) for after in found if len(after) > 1 or not several)


def in_order(items):
    if ORDER == "any":
        return True
    up = any(rises(items, by) for by in KEYS)
    down = any(rises(items[::-1], by) for by in KEYS)
    return {"up": up, "down": down, "either": up or down}[ORDER]


def rises(items, by):
    try:
        keys = [by(item) for item in items]
        return all(one <= other for one, other in zip(keys, keys[1:]))
    except (TypeError, ValueError, AttributeError, KeyError, IndexError):
        return False


KEYS = (lambda item: item, lambda item: item.casefold(), float, lambda item: str(item))
