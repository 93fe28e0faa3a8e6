"""How the processes of the sandbox are started, fresh, isolated and with nothing inherited, and how they end."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_PATIENCE = 2.0
_JAIL = str(Path(__file__).parent / "jail")


def command(role: str, *arguments: str) -> list[str]:
    """Return the command line that starts *role* in an interpreter with no environment and no site packages."""
    python = getattr(sys, "_base_executable", "") or sys.executable
    return [python, "-I", "-S", "-X", "utf8", _JAIL, role, *arguments]


def end(process: subprocess.Popen[bytes]) -> None:
    """Wait for a process whose channel was closed; kill it if it does not end by itself."""
    try:
        process.wait(_PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
