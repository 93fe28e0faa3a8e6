"""How the processes of the sandbox are started: fresh, isolated, with nothing inherited."""

from __future__ import annotations

import sys
from pathlib import Path

_JAIL = str(Path(__file__).parent / "jail")


def command(role: str, *arguments: str) -> list[str]:
    """Return the command line that starts *role* in an interpreter with no environment and no site packages."""
    python = getattr(sys, "_base_executable", "") or sys.executable
    return [python, "-I", "-S", "-X", "utf8", _JAIL, role, *arguments]
