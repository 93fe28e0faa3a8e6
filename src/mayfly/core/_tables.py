"""Tables that are shipped beside the code, as TOML."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def shipped_table(path: Path) -> dict[str, Any]:
    """Return a table of ours."""
    import tomllib

    return tomllib.loads(path.read_text(encoding="utf-8"))
