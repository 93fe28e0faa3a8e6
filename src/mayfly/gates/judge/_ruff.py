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


def ruff_findings(text: str) -> tuple[Finding, ...] | None:
    """Return what ruff finds in *text*, or None if there is no ruff or it gives no answer."""
    program = ruff_program()
    if program is None:
        return None
    options = ["--isolated", "--no-cache", "--quiet", "--output-format", "json", "--select", RULES, "--ignore", IGNORED]
    command = [program, "check", *options, "--stdin-filename", "source.py", "-"]
    try:
        source = text.encode("utf-8", "replace")
        ran = subprocess.run(command, input=source, capture_output=True, timeout=SECONDS, check=False, env={})
        found = json.loads(ran.stdout or b"null")
    except (OSError, subprocess.SubprocessError, ValueError):
        return None
    if ran.returncode not in (0, 1) or not isinstance(found, list):
        return None
    return tuple(_finding(item) for item in found)


def _finding(item: dict[str, object]) -> Finding:
    place = item.get("location")
    line = place.get("row", 1) if isinstance(place, dict) else 1
    return Finding(str(item.get("code") or "syntax"), int(line), str(item.get("message", "")))
