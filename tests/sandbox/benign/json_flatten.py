"""Flatten and unflatten nested JSON, with the json module's options."""

import json

ARGUMENT = {"user": {"name": "Ada", "tags": ["x", {"deep": True}]}, "n": None, "empty": {}}


def flatten(value, prefix=""):
    items = value.items() if isinstance(value, dict) else enumerate(value)
    flat = {}
    for key, inner in items:
        path = f"{prefix}.{key}" if prefix else str(key)
        if isinstance(inner, (dict, list)) and inner:
            flat.update(flatten(inner, path))
        else:
            flat[path] = inner
    return flat


class Encoder(json.JSONEncoder):
    def default(self, value):
        if isinstance(value, complex):
            return [value.real, value.imag]
        return super().default(value)


def main(argument):
    return {
        "flat": flatten(argument),
        "text": json.dumps(argument, indent=2, sort_keys=True),
        "compact": json.dumps(argument, separators=(",", ":")),
        "encoded": json.dumps(1 + 2j, cls=Encoder),
        "hooked": json.loads('{"a": 1.10}', parse_float=str),
        "pairs": json.loads('{"a": 1, "a": 2}', object_pairs_hook=list),
        "lines": [json.loads(line)["n"] for line in '{"n": 1}\n{"n": 2}'.splitlines()],
    }
