"""Start commands for one workbench: a process of its own, exec'd fresh, that forks one room for each of them.

host → launcher    one byte with the channel of a command to come
launcher → host    READY, or why there is no such level
command → host     on its channel, JSON: its processes with descriptors for them, its doors, and how it ended
host → command     GO, once its processes are counted; then, when there is something to do, one byte with three
                   descriptors: the request (JSON), its input, its output
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import select
import signal
import socket
import sys
from typing import NoReturn

from . import _bench_confined, _kernel
from ._bench_owner import Owner, ShiftedOwner

READY = b"Z"


def main(descriptor: int) -> NoReturn:
    """Serve until the host hangs up."""
    control = socket.socket(fileno=descriptor)
    host = os.pidfd_open(os.getppid())
    os.environ.clear()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody asks how they ended: they say so themselves
    level = control.recv(64).decode()
    try:
        owner = _owner(level)
    except OSError as error:
        control.send(json.dumps({"error": str(error), "errno": error.errno}).encode())
        os._exit(1)
    control.send(READY)
    poll = select.poll()
    for one in (control.fileno(), host):
        poll.register(one, select.POLLIN)
    while True:
        # Others may have the host's end of the channel, too: children it forked.
        if host in dict(poll.poll()):
            os._exit(0)
        try:
            message, descriptors, _, _ = socket.recv_fds(control, 1, 1)
        except OSError:
            os._exit(0)
        if not message:
            os._exit(0)
        here = os.getpid()
        with contextlib.suppress(OSError):
            if os.fork() == 0:
                control.close()
                _start(here, level, owner, *descriptors)
        for one in descriptors:
            os.close(one)


def _owner(level: str) -> Owner:
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    try:
        if os.geteuid() != 0 or level != "namespaces":
            return Owner()
        try:
            return ShiftedOwner()
        except OSError:
            # The root of a container that has few uids is nobody outside of it, and may keep its own.
            if _has_all_users():
                raise
            return Owner()
    finally:
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)


def _has_all_users() -> bool:
    with open("/proc/self/uid_map") as file:
        return file.read().split() == ["0", "0", "4294967295"]


def _start(launcher: int, level: str, owner: Owner, channel: int) -> NoReturn:
    """In a process of its own: raise the walls around one command, and tell what went wrong where it did."""
    speaking = socket.socket(fileno=channel)
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.setsid()
        _bench_confined.end_with(launcher)
        socket.send_fds(speaking, [b'{"began": true}'], [os.pidfd_open(os.getpid())])
        confined = _bench_confined.Confined(owner, speaking)
        if level == "namespaces":
            confined.enter_namespaces()
        else:
            confined.enter_landlock()
    except BaseException as error:
        tell_failure(speaking, error)
    os._exit(70)


def tell_failure(channel: socket.socket, error: BaseException) -> None:
    """Say that the walls could not be raised."""
    number = error.errno if isinstance(error, OSError) else errno.EINVAL
    where = " > ".join(_kernel.steps_to(error))
    with contextlib.suppress(OSError):
        text = str(error or type(error).__name__)
        channel.send(json.dumps({"error": text, "errno": number, "where": where}).encode())
    sys.exit(70)
