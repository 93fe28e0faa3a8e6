"""Whatever was found occurs in the input, whatever its case and spacing."""

import re

NUMBER = re.compile(r"-?\d[\d,_ ]*\.?\d*(?:[eE][-+]?\d+)?")


def leaves(value):
    found, waiting = [], [value]
    while waiting:
        inner = waiting.pop()
        if isinstance(inner, dict):
            waiting.extend(inner.values())
        elif isinstance(inner, (list, tuple)):
            waiting.extend(inner)
        elif inner is not None and not isinstance(inner, bool):
            found.append(inner)
    return found


def plain(text):
    return " ".join(text.casefold().split())


def number(text):
    try:
        return float(re.sub(r"[,_ ]", "", text))
    except ValueError:
        return None


def check(input, output):
    if output is None:
        return True
    given = leaves(input)
    texts = [leaf for leaf in given if isinstance(leaf, str)] + [key for key in keys(input)]
    haystack = plain("\n".join(texts + [repr(leaf) for leaf in given if not isinstance(leaf, str)]))
    numbers = {number(found) for text in texts for found in NUMBER.findall(text)}
    numbers |= {float(leaf) for leaf in given if isinstance(leaf, (int, float)) and abs(leaf) < 1e300}

    def occurs(leaf):
        if isinstance(leaf, str):
            return plain(leaf) in haystack
        return not texts or repr(leaf) in haystack or (abs(leaf) < 1e300 and float(leaf) in numbers)

    items = output if isinstance(output, (list, tuple)) else [output]
    return all(not leaves(item) or any(map(occurs, leaves(item))) for item in items)


def keys(value):
    found, waiting = [], [value]
    while waiting:
        inner = waiting.pop()
        if isinstance(inner, dict):
            found.extend(key for key in inner if isinstance(key, str))
            waiting.extend(inner.values())
        elif isinstance(inner, (list, tuple)):
            waiting.extend(inner)
    return found
