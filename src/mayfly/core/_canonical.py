"""The one text that equal values share, and the one address that equal texts share."""

from __future__ import annotations

import hashlib
import json


def canonical_json(value: object) -> str:
    """Write *value* as the one JSON text that equal values share, whatever the order of their keys."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def content_hash(data: bytes | str) -> str:
    """Return the address of *data*: its SHA-256 in hex."""
    return hashlib.sha256(data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data).hexdigest()
