"""How tools describe their arguments."""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]
PATH: Schema = {"type": "string", "description": "a path beneath the workspace", "minLength": 1, "maxLength": 4096}
TEXT: Schema = {"type": "string"}
COUNT: Schema = {"type": "integer", "minimum": 1}


def takes(*required: str, **properties: Schema) -> Schema:
    """Return the schema of an object with these properties and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def said(schema: Schema, description: str, **more: Any) -> Schema:
    """Return *schema* with a description of its own."""
    return {**schema, "description": description, **more}


def listed(items: Schema, description: str) -> Schema:
    """Return the schema of a list."""
    return {"type": "array", "items": items, "description": description}
