"""Whatever was found occurs in the input."""


def leaves(value):
    if isinstance(value, dict):
        return [leaf for inner in value.values() for leaf in leaves(inner)]
    if isinstance(value, list):
        return [leaf for inner in value for leaf in leaves(inner)]
    return [] if value is None or isinstance(value, bool) else [value if isinstance(value, str) else repr(value)]


def check(input, output):
    if output is None:
        return True
    haystack = "\n".join([*leaves(input), *(input if isinstance(input, dict) else ())])
    items = output if isinstance(output, list) else [output]
    return all(not leaves(item) or any(leaf in haystack for leaf in leaves(item)) for item in items)
