"""A count is a whole number from 0, not above what can be counted; several counts are a record or a list of them."""

# Whether there may be more of it than the input is long.
MANY = False


def most(value):
    """Return how many things *value* can hold: its parts and its letters."""
    total, waiting = 1, [value]
    while waiting:
        inner = waiting.pop()
        if isinstance(inner, dict):
            waiting.extend(inner)
            waiting.extend(inner.values())
        elif isinstance(inner, (list, tuple)):
            waiting.extend(inner)
        total += 1 + (len(inner) if isinstance(inner, str) else 0)
    return total


def bounded(input):
    if MANY or not isinstance(input, (str, list, dict)):
        return False
    # A name of a file says nothing about what is in it.
    return not (isinstance(input, str) and "\n" not in input and ("/" in input or "." in input[-6:]))


def is_count(value):
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def counts(value):
    """Return the counts in a result, or None where it holds something else."""
    if is_count(value):
        return [value]
    if isinstance(value, dict):
        inner = [counts(item) for item in value.values()]
    elif isinstance(value, (list, tuple)):
        inner = [counted(item) for item in value]
    else:
        return None
    return None if None in inner else [number for numbers in inner for number in numbers]


def counted(item):
    """Return the counts of one row: a number, a pair with a number, a record with a number."""
    if isinstance(item, dict):
        item = list(item.values())
    if isinstance(item, (list, tuple)):
        found = [part for part in item if is_count(part)]
        return found[-1:] if found else None
    return [item] if is_count(item) else None


def check(input, output):
    found = counts(output)
    if found is None:
        return False
    return not bounded(input) or sum(found) <= most(input)
