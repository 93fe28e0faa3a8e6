"""Every item of the input is there, and each only once."""

import json


def key(item):
    """Return what stands for an item in a set: True is not 1, and lists and records can be looked up too."""
    return item if type(item) in (str, int, float) else ("", json.dumps(item, sort_keys=True))


def check(input, output):
    if isinstance(input, str) and isinstance(output, str):
        return any(once(read(input), read(output)) for read in (list, str.split, str.splitlines))
    if not isinstance(input, list) or not isinstance(output, list):
        return False
    return once(input, output)


def once(items, output):
    kept = [key(item) for item in output]
    return len(set(kept)) == len(kept) and set(kept) == {key(item) for item in items}
