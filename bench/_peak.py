"""The most memory that this process has had."""

from __future__ import annotations

import re
from pathlib import Path


def peak_kib() -> int:
    """Return it in KiB; `ru_maxrss` is at least what the process that started this one had, so it tells nothing."""
    found = re.search(r"^VmHWM:\s+(\d+) kB$", Path("/proc/self/status").read_text(encoding="ascii"), re.MULTILINE)
    assert found is not None, "the kernel says it of every process"
    return int(found[1])
