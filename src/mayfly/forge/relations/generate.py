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
    if not isinstance(schema, dict):
        return schema is not False
    if "enum" in schema and not any(equals(value, allowed) for allowed in schema["enum"]):
        return False
    if "const" in schema and not equals(value, schema["const"]):
        return False
    kinds = schema.get("type")
    kinds = [kinds] if isinstance(kinds, str) else kinds or []
    if kinds and not any(is_kind(kind, value) for kind in kinds):
        return False
    if isinstance(value, dict):
        inner = schema.get("properties", {})
        missing = [key for key in schema.get("required", []) if key not in value]
        if schema.get("additionalProperties") is False and not value.keys() <= inner.keys():
            return False
        return not missing and all(fits(inner[key], value[key]) for key in inner if key in value)
    return fits_size(schema, value) and fits_items(schema, value)


def fits_size(schema, value):
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return schema.get("minimum", value) <= value <= schema.get("maximum", value)
    if isinstance(value, str):
        return schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", len(value))
    if isinstance(value, list):
        return schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value))
    return True


def fits_items(schema, value):
    return not isinstance(value, list) or all(fits(schema.get("items", {}), item) for item in value)


def equals(one, other):
    return isinstance(one, bool) == isinstance(other, bool) and one == other


def is_kind(kind, value):
    if isinstance(value, bool):
        return kind == "boolean"
    if kind == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, KINDS.get(kind, object))


def check(input, output):
    return fits(SCHEMA, output)
