"""Every kind of value that JSON has, nested."""

ARGUMENT = {"deep": [[[[[[[[[[1]]]]]]]]]], "text": "\u2028\u0000\"\\/", "empty": [{}, [], "", None]}


def main(argument):
    return {
        "argument": argument,
        "numbers": [0, -1, 1.0, 1e100, 1e-7, 123456789012345678901234567890, -0.0],
        "booleans": [True, False, None],
        "tuple": (1, (2, ())),
        "keys": {1: "int", None: "none", True: "bool", 2.5: "float"},
        "unicode": "🦋 é \u202e",
        "long": "x" * 10_000,
        "nested": [[[{"a": [{"b": ({"c": 1},)}]}]]],
    }
