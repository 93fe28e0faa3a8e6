"""What was kept comes from the input: whole items at most as often as they were there, or parts of them."""

import json
from collections import Counter


def key(item):
    """Return what stands for an item in a set: True is not 1, and lists and records can be looked up too."""
    return item if type(item) in (str, int, float) else ("", json.dumps(item, sort_keys=True))


def leaves(value):
    found, waiting = [], [value]
    while waiting:
        inner = waiting.pop()
        if isinstance(inner, dict):
            waiting.extend(inner.values())
        elif isinstance(inner, (list, tuple)):
            waiting.extend(inner)
        else:
            found.append(inner)
    return found


def check(input, output):
    if output is None:
        return False
    left = Counter(map(key, input))
    known = {key(leaf) for item in input if isinstance(item, (dict, list)) for leaf in leaves(item)}
    haystack = "\n".join(leaf for leaf in leaves(input) if isinstance(leaf, str))
    for item in output if isinstance(output, list) else [output]:
        if left[key(item)] > 0:
            left[key(item)] -= 1
        elif item in ({}, [], "") or not all(key(leaf) in known or within(leaf, haystack) for leaf in leaves(item)):
            return False
    return True


def within(leaf, haystack):
    """Whether a part of a text was kept; a number that is an item by itself has no parts."""
    if isinstance(leaf, str):
        return leaf in haystack
    return not isinstance(leaf, bool) and leaf is not None and bool(haystack) and repr(leaf) in haystack
