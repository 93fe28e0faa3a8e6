"""How the processes of the sandbox are started, fresh, isolated and with nothing inherited, and how they end."""

from __future__ import annotations

import contextlib
import errno
import resource
import subprocess
import sys
from pathlib import Path

_PATIENCE = 2.0
_JAIL = str(Path(__file__).parent / "jail")


def command(role: str, *arguments: str) -> list[str]:
    """Return the command line that starts *role* in an interpreter with no environment and no site packages."""
    python = getattr(sys, "_base_executable", "") or sys.executable
    return [python, "-I", "-S", "-X", "utf8", _JAIL, role, *arguments]


def end(process: subprocess.Popen[bytes], *, now: bool = False) -> None:
    """Wait for a process whose channel was closed; kill it if it does not end by itself, or *now*."""
    if now:
        process.kill()
    try:
        process.wait(_PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def is_stopped(pid: int) -> bool:
    """Say whether a process or a child of its first thread was stopped (SIGSTOP): it is alive and never answers."""
    family = [str(pid)]
    with contextlib.suppress(OSError):  # a kernel may be built without the list of children
        family += Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    for one in family:
        with contextlib.suppress(OSError):
            if Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()[0] in "Tt":
                return True
    return False


def pid_of(process: int) -> int:
    """Return the number, as we see it, of the process behind a descriptor; -1 if it has ended."""
    words = Path(f"/proc/self/fdinfo/{process}").read_text().split()
    return int(words[words.index("Pid:") + 1]) if "Pid:" in words else -1


def explain(error: OSError) -> str:
    """Return the error in one line; where descriptors ran out, with the limit that was met."""
    if error.errno != errno.EMFILE:
        return str(error)
    return f"{error.strerror}: this process may have {resource.getrlimit(resource.RLIMIT_NOFILE)[0]} (RLIMIT_NOFILE)"
