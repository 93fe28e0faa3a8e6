"""Tables that are shipped beside the code, as TOML."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mayfly._start import kept_table


def shipped_table(path: Path) -> dict[str, Any]:
    """Return a table of ours; commands keep it parsed, which takes a hundredth of the time."""
    table: dict[str, Any] = kept_table(str(path), _read)
    return table


def _read(path: str) -> dict[str, Any]:
    import tomllib

    return tomllib.loads(Path(path).read_text(encoding="utf-8"))
