"""How the processes of the sandbox are started, fresh, isolated and with nothing inherited, and how they end."""

from __future__ import annotations

import contextlib
import errno
import resource
import select
import socket
import subprocess
import sys
from pathlib import Path

_PATIENCE = 2.0
_JAIL = str(Path(__file__).parent / "jail")
# Answers of a kernel or a container that does not have what was asked for, and will not have it the next moment.
_FEATURES = (errno.EPERM, errno.EACCES, errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP, errno.ENODEV)
_NAMESPACES = Path("/proc/sys/user/max_user_namespaces")


def command(role: str, *arguments: str) -> list[str]:
    """Return the command line that starts *role* in an interpreter with no environment and no site packages."""
    python = getattr(sys, "_base_executable", "") or sys.executable
    return [python, "-I", "-S", "-X", "utf8", _JAIL, role, *arguments]


def start(
    role: str, *arguments: str, errors: int = subprocess.DEVNULL
) -> tuple[subprocess.Popen[bytes], socket.socket]:
    """Start *role* with a channel to it as its first argument; return the process and our end."""
    control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        try:
            process = subprocess.Popen(
                command(role, str(theirs.fileno()), *arguments),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                env={},
                cwd="/",
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
            )
        except BaseException:
            control.close()
            raise
    return process, control


def is_permanent(number: int) -> bool:
    """Whether an error of the system is the kernel's answer that there is no such wall; others may pass."""
    none = number == errno.ENOSPC and _NAMESPACES.exists() and _NAMESPACES.read_text().strip() == "0"
    return none or number in _FEATURES


def end(process: subprocess.Popen[bytes], *, now: bool = False) -> None:
    """Wait for a process whose channel was closed; kill it if it does not end by itself, or *now*."""
    if now:
        process.kill()
    try:
        process.wait(_PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def wait_for_end(process: int) -> None:
    """Wait for the process behind a descriptor, which was killed, for as long as that should take at most."""
    poll = select.poll()
    poll.register(process, select.POLLIN)
    poll.poll(_PATIENCE * 1000)


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
