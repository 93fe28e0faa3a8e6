"""What was asked to be an integer, a list, a record is one, or a list of them."""

KIND = ""


def is_a(value):
    if KIND == "boolean" or isinstance(value, bool):
        return KIND == "boolean" and isinstance(value, bool)
    if KIND == "number":
        return isinstance(value, (int, float))
    return isinstance(value, {"integer": int, "text": str, "list": list, "record": dict}[KIND])


def check(input, output):
    if is_a(output):
        return True
    return isinstance(input, list) and isinstance(output, list) and len(output) == len(input) and all(map(is_a, output))
