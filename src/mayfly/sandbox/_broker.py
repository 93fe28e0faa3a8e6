"""The host's end of the process behind a `net` grant's door."""

from __future__ import annotations

import json
import os
import socket
import subprocess

from mayfly.sandbox._grants import split_host
from mayfly.sandbox._python import command, end


class Broker:
    """Hand a listening socket to a proxy of its own process; it ends when this object is closed, or the host dies."""

    def __init__(self, listener: int, hosts: tuple[str, ...]) -> None:
        self._control, theirs = socket.socketpair()
        grants = json.dumps([split_host(host) for host in hosts])
        with theirs:
            self._process = subprocess.Popen(
                command("broker", str(listener), str(theirs.fileno()), grants),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={},
                cwd="/",
                pass_fds=(listener, theirs.fileno()),
                start_new_session=True,
            )
        os.close(listener)

    def close(self) -> None:
        """End the proxy."""
        self._control.close()
        end(self._process)

    def abandon(self) -> None:
        """In a forked child: let go of it."""
        self._process.returncode = 0
        self._control.close()
