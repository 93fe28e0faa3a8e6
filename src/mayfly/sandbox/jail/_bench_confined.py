"""One command behind its walls: what is given up before it starts, and the first process that waits for it."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import select
import signal
import socket
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NoReturn

from . import _bench_asked, _kernel, _landlock, _seccomp
from ._bench_family import Family
from ._bench_owner import Owner
from ._bench_room import Room
from ._wire import PORT

GO = b"G"
# Seconds until a process that nobody waits for is collected.
_REAP_SECONDS = 0.5
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty")
# All rights on files that there are; those that this kernel does not know are left out.
_EVERYTHING = (1 << 16) - 1
_HERE = os.path.dirname(__file__)
# How a shell says that a program could not be started: not found, not executable.
_NOT_FOUND, _NOT_EXECUTABLE = 127, 126


class Confined:
    """Raise the walls, then be the first process behind them."""

    def __init__(self, owner: Owner, channel: socket.socket) -> None:
        self._config: dict[str, Any] = {}
        self._owner = owner
        self._channel = channel
        self._stdin = self._output = -1
        with open(os.path.join(_HERE, "bench_denied.txt"), encoding="utf-8") as file:
            self._denied = file.read()

    def enter_namespaces(self) -> NoReturn:
        """Build the room and start the command as a child of its first process."""
        self._owner.enter()
        self._await_go()
        first = os.fork()
        if first:
            # The namespace ends with its first process, and that one with us.
            socket.send_fds(self._channel, [b"{}"], [os.pidfd_open(first)])
            self._channel.close()
            os.waitpid(first, 0)
            os._exit(0)
        _kernel.prctl(_kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
        socket.sethostname("mayfly")
        doors = self._open_doors((PORT,), first=True)
        self._await_request()
        doors += self._open_doors(self._config["ports"])
        Room(self._config, self._owner).build()
        self._owner.step_down()
        _kernel.prctl(_kernel.PR_SET_PDEATHSIG, signal.SIGKILL)  # a change of uid forgets it
        self._close_ways(network=True)
        _kernel.prctl(_kernel.PR_SET_DUMPABLE, 0)  # nobody here looks into us, though we are of the same uid
        main, listener = self._start(self._ask_about_renames)
        self._tell({"doors": len(doors)}, doors)
        # All others end with the first process.
        self._attend(main, None if listener is None else _bench_asked.Renames(listener), lambda: os._exit(0))

    def enter_landlock(self) -> NoReturn:
        """Start the command in its copy of the workspace, where Landlock is all there is."""
        self._await_go()
        socket.send_fds(self._channel, [b"{}"], [os.pidfd_open(os.getpid())])
        self._await_request()
        family = self._make_family()
        main, listener = self._start(partial(self._restrict, os.getpid()))
        self._tell({"doors": 0}, [])
        places = [self._config["overlay"], *self._config["scratch"].values()]
        self._attend(main, None if listener is None else _bench_asked.Modes(listener, places), family.end)

    def _make_family(self) -> Family:
        """Prepare for the processes of the command: there is no namespace to end with its first one."""
        user = self._config["user"]
        if not user:
            self._owner.step_down()  # with privileges left the kernel would not limit what it counts
        family = Family(user=user, tasks=self._config["tasks"], newest_landlock=self._config["newest_landlock"])
        self._config["limits"]["RLIMIT_NPROC"] = family.limit
        return family

    def _restrict(self, parent: int, channel: socket.socket) -> None:
        """In the command's own process: leave it with what it may touch, and have modes and times asked about."""
        user = self._config["user"]
        devices = [path for path in _DEVICES if os.path.exists(path)]
        rights = dict.fromkeys(devices, _landlock.READ | _landlock.WRITE_FILE)
        config = self._config
        for path in (*config["shown"], *config["tools"], *config["granted"], *config["readable"]):
            rights[path] = _landlock.READ | _landlock.EXECUTE
        for path in (self._config["overlay"], *self._config["scratch"].values()):
            rights[path] = _EVERYTHING
        _kernel.prctl(_kernel.PR_SET_NO_NEW_PRIVS, 1)
        newest = self._config["newest_landlock"]
        _landlock.restrict(rights, oldest=_landlock.OLDEST_ALONE, newest=newest)
        if user:
            _kernel.become(user)
        self._owner.step_down()
        self._close_ways(network=False)
        end_with(parent)
        if not user:  # whoever is nobody owns nothing but the copy
            _bench_asked.Modes.install(channel)

    def _start(self, prepare: Callable[[socket.socket], None]) -> tuple[int, int | None]:
        """Start the command; return its process, and the descriptor by which the kernel asks about it, if it does.

        *prepare* is called in that process before, with a channel for that descriptor.
        """
        ours, theirs = socket.socketpair()
        main = os.fork()
        if main == 0:
            try:
                prepare(theirs)
            except BaseException as error:
                theirs.send((str(error) or type(error).__name__).encode()[:1000])
                os._exit(70)
            theirs.close()
            self._execute()
        theirs.close()
        with ours:
            message, descriptors, _, _ = socket.recv_fds(ours, 1000, 1)
        if message not in (b"", b"L"):
            raise OSError(0, message.decode("utf-8", "replace"))
        for descriptor in (self._stdin, self._output):
            os.close(descriptor)
        return main, descriptors[0] if descriptors else None

    def _attend(self, main: int, asked: _bench_asked.Asked | None, end: Callable[[], NoReturn]) -> NoReturn:
        """Answer the kernel's questions until the command has ended or the host hangs up; then *end* what is left."""
        poll = select.poll()
        for descriptor in (os.pidfd_open(main), self._channel.fileno(), *([asked.listener] if asked else [])):
            poll.register(descriptor, select.POLLIN)
        while True:
            ready = dict(poll.poll(_REAP_SECONDS * 1000))
            if self._channel.fileno() in ready or self._reap(main):
                end()
            if asked is not None and ready.get(asked.listener, 0) & select.POLLIN:
                asked.answer()
            elif asked is not None and asked.listener in ready:
                poll.unregister(asked.listener)  # nobody is left who could ask

    def _await_go(self) -> None:
        """Wait until the host has put us into a group where all our children will be counted."""
        if self._channel.recv(1) != GO:
            os._exit(0)

    def _await_request(self) -> None:
        """Wait for something to do; whoever hangs up instead had nothing."""
        message, descriptors, _, _ = socket.recv_fds(self._channel, 1, 3)
        if not message:
            os._exit(0)
        request, self._stdin, self._output = descriptors
        with open(request, encoding="utf-8", errors="surrogateescape") as file:
            self._config = json.load(file)

    def _tell(self, said: dict[str, Any], sockets: list[socket.socket]) -> None:
        socket.send_fds(self._channel, [json.dumps(said).encode()], [one.fileno() for one in sockets])
        for one in sockets:
            one.close()

    def _open_doors(self, ports: Sequence[int], *, first: bool = False) -> list[socket.socket]:
        """Listen on the loopback of a network that leads nowhere, for whoever answers outside."""
        if first:
            _kernel.raise_loopback()
            with open("/proc/sys/net/ipv4/ip_unprivileged_port_start", "w") as file:
                file.write("0")  # ports below 1024 are nobody's here
        return [socket.create_server(("127.0.0.1", port), backlog=64) for port in ports]

    def _close_ways(self, *, network: bool) -> None:
        """Limits, no new privileges, no system calls that programs never need."""
        for name, value in self._config["limits"].items():
            kind = getattr(resource, name)
            most = resource.getrlimit(kind)[1]
            value = value if most == resource.RLIM_INFINITY else min(value, most)
            resource.setrlimit(kind, (value, value))
        _kernel.prctl(_kernel.PR_SET_NO_NEW_PRIVS, 1)
        denied = _seccomp.Filter(_seccomp.compile_deny_list(_kernel.MACHINE, self._denied, network=network))
        _kernel.syscall("seccomp", 1, 0, denied.program)

    def _ask_about_renames(self, channel: socket.socket) -> None:
        """Have renames told to the first process, where it has to help; without it directories cannot be renamed."""
        if not self._owner.renames and self._config["mode"] == "overlay":
            with contextlib.suppress(OSError):
                _bench_asked.Renames.install(channel)

    def _reap(self, main: int) -> bool:
        """Collect the dead; when the command is among them, say how it ended."""
        with contextlib.suppress(ChildProcessError):
            while (found := os.waitpid(-1, os.WNOHANG))[0]:
                pid, status = found
                if pid == main:
                    code = os.waitstatus_to_exitcode(status)
                    self._channel.send(json.dumps({"code": code if code >= 0 else 128 - code}).encode())
                    return True
        return False

    def _execute(self) -> NoReturn:
        """Become the command."""
        config = self._config
        os.setsid()
        os.dup2(self._stdin, 0)
        os.dup2(self._output, 1)
        os.dup2(self._output, 2)
        for number in range(1, signal.NSIG):
            if number not in (signal.SIGKILL, signal.SIGSTOP, 32, 33):
                signal.signal(number, signal.SIG_DFL)
        environment = {key: str(value) for key, value in config["environment"].items()}
        code = _NOT_EXECUTABLE
        try:
            os.chdir(config["cwd"])
            os.closerange(3, 1 << 16)
            os.execvpe(config["command"][0], config["command"], environment)
        except FileNotFoundError as error:
            code, text = _NOT_FOUND, f"{error.filename or config['command'][0]}: not found"
        except (OSError, ValueError) as error:
            text = f"{config['command'][0]}: {error}"
        os.write(2, f"mayfly: {text}\n".encode("utf-8", "surrogateescape"))
        os._exit(code)


def end_with(parent: int) -> None:
    """Have the kernel kill this process when its parent ends, also where that has happened before."""
    _kernel.prctl(_kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(70)
