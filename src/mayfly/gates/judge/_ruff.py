"""Ask ruff, where it is installed, what it would say about a source; it reads the text and runs nothing."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

# Mistakes and clumsiness; what is unused or badly named is judged here already, with or without ruff.
RULES = "B,C4,E7,F,PIE,SIM"
IGNORED = "B905,E701,E702,E741,F401,F841,SIM105,SIM108"
SECONDS = 5.0


class Finding(NamedTuple):
    """One remark: the rule, the line, and what it says."""

    rule: str
    line: int
    message: str


@cache
def ruff_program() -> str | None:
    """Return the path of ruff: beside this Python, or on the path; None if there is none."""
    beside = Path(sys.executable).with_name("ruff")
    return str(beside) if beside.is_file() else shutil.which("ruff")


def run_ruff(source: bytes, *options: str, seconds: float = SECONDS) -> tuple[int, bytes] | None:
    """Return how `ruff check` with *options* ended on a source, and what it printed; None where it gives no answer.

    No file and no variable of this machine has a say.
    """
    program = ruff_program()
    if program is None:
        return None
    fixed = ("--isolated", "--no-cache", "--quiet", "--stdin-filename=source.py")
    try:
        ran = subprocess.run(
            [program, "check", *fixed, *options, "-"],
            input=source,
            capture_output=True,
            timeout=seconds,
            check=False,
            env={},
            cwd="/",
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return ran.returncode, ran.stdout


def ruff_findings(text: str) -> tuple[Finding, ...] | None:
    """Return what ruff finds in *text*, or None if there is no ruff or it gives no answer."""
    source = text.encode("utf-8", "replace")
    code, said = run_ruff(source, "--output-format=json", f"--select={RULES}", f"--ignore={IGNORED}") or (2, b"")
    try:
        found = json.loads(said or b"null")
    except ValueError:
        return None
    return tuple(map(_finding, found)) if code in (0, 1) and isinstance(found, list) else None


def _finding(item: dict[str, object]) -> Finding:
    place = item.get("location")
    line = place.get("row", 1) if isinstance(place, dict) else 1
    return Finding(str(item.get("code") or "syntax"), int(line), str(item.get("message", "")))
