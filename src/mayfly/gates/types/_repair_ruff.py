"""Let ruff remove imports nobody uses and write type names the present way, where it is installed."""

from __future__ import annotations

import os
import subprocess

from mayfly.gates.judge import ruff_program

_RULES = "F401,UP006,UP007,UP035,UP045"
_SECONDS = 10.0


def tidy(source: str) -> str:
    """Return *source* as ruff leaves it, or as it is."""
    program = ruff_program()
    if program is None:
        return source
    command = [program, "check", "--fix-only", "--isolated", "--no-cache", "--quiet", "--target-version=py311"]
    try:
        ran = subprocess.run(
            [*command, f"--select={_RULES}", "--stdin-filename=source.py", "-"],
            input=source.encode(),
            capture_output=True,
            timeout=_SECONDS,
            env={"PATH": os.defpath, "LANG": "C.UTF-8"},
            cwd="/",
            check=False,
        )
        return ran.stdout.decode() if ran.returncode == 0 and ran.stdout else source
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return source
