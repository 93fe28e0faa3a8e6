"""Run by the doctor inside the sandbox: try what must not work and report how it ended."""

import ctypes
import errno
import os
import resource
import socket
from collections.abc import Callable


def attempt(action: Callable[[], object]) -> str | None:
    """Return None if *action* worked, else what it was told."""
    try:
        action()
    except OSError as error:
        return error.strerror
    return None


def capabilities() -> int:
    """Return the permitted and effective capabilities as one number."""
    header, data = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    number = {"x86_64": 125, "aarch64": 90}[os.uname().machine]
    ctypes.CDLL(None).syscall(number, header, data)
    return sum(data)


def signal_to(host: int) -> None:
    """Send nothing to the host; one that is the first process has a number that means ourselves in our namespace."""
    if host == os.getpid():
        raise ProcessLookupError(errno.ESRCH, "it has no number here")
    os.kill(host, 0)


def probe(argument: dict[str, int]) -> dict[str, object]:
    """Try one thing for each layer."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace(0, 0, 0, 0)
    return {
        "pid": os.getpid(),
        "passwd": attempt(lambda: open("/etc/passwd").close()),
        "write": attempt(lambda: open("/tmp/mayfly-probe", "w").close()),
        "socket": attempt(socket.socket),
        "interfaces": len(socket.if_nameindex()) if not attempt(socket.if_nameindex) else 0,
        "fork": attempt(os.fork),
        "exec": attempt(lambda: os.execv("/bin/true", ["true"])),
        "kill": attempt(lambda: signal_to(argument["host"])),
        "ptrace": os.strerror(ctypes.get_errno()),
        "capabilities": capabilities(),
        "environment": len(os.environ),
        "threads": resource.getrlimit(resource.RLIMIT_NPROC)[0],
        "memory": resource.getrlimit(resource.RLIMIT_AS)[0],
    }
