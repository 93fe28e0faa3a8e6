"""`replace` for values that are changed all the time, such as the clauses of a request while it is read."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

__all__ = ["replace"]

if TYPE_CHECKING:
    # So that the fields and their types are checked.
    from dataclasses import replace
else:

    def replace(value: Any, /, **changes: object) -> Any:
        """Return a copy with other fields, as `dataclasses.replace` does, ten times as fast for a plain dataclass.

        That one looks at each field and has a frozen class set each anew. Where there is more to a class than its
        fields (slots, a check of its own, values worked out once and kept) it is asked all the same.
        """
        kind = type(value)
        names, held = kind.__dataclass_fields__, getattr(value, "__dict__", {})
        if held.keys() != names.keys() or not changes.keys() <= names.keys() or hasattr(kind, "__post_init__"):
            return dataclasses.replace(value, **changes)
        copied = object.__new__(kind)
        copied.__dict__.update(held, **changes)
        return copied
