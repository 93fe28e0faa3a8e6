"""What was generated fits the schema that was asked for: types, required keys, items, allowed values."""

SCHEMA = {}

KINDS = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "integer": int,
    "number": (int, float),
    "null": type(None),
}


def fits(schema, value):
    if "enum" in schema and value not in schema["enum"]:
        return False
    kinds = schema.get("type")
    kinds = [kinds] if isinstance(kinds, str) else kinds or []
    if kinds and not any(is_kind(kind, value) for kind in kinds):
        return False
    if isinstance(value, dict):
        inner = schema.get("properties", {})
        missing = [key for key in schema.get("required", []) if key not in value]
        return not missing and all(fits(inner[key], value[key]) for key in inner if key in value)
    if isinstance(value, list):
        return all(fits(schema.get("items", {}), item) for item in value)
    return True


def is_kind(kind, value):
    if isinstance(value, bool):
        return kind == "boolean"
    return isinstance(value, KINDS[kind])


def check(input, output):
    return fits(SCHEMA, output)
