"""One command behind its walls: what is given up before it starts, and the first process that waits for it."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import resource
import select
import signal
import socket
import struct
from collections.abc import Sequence
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
_SECCOMP = {"x86_64": 317, "aarch64": 277}
# How a shell says that a program could not be started: not found, not executable.
_NOT_FOUND, _NOT_EXECUTABLE = 127, 126


class Confined:
    """Raise the walls, then be the first process behind them."""

    def __init__(self, owner: Owner, machine: str, channel: socket.socket) -> None:
        self._config: dict[str, Any] = {}
        self._owner = owner
        self._machine = machine
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
        Room(self._config, self._owner, self._machine).build()
        self._owner.step_down()
        _kernel.prctl(_kernel.PR_SET_PDEATHSIG, signal.SIGKILL)  # a change of uid forgets it
        self._close_ways(network=True)
        self._tell({"doors": len(doors)}, doors)
        self._attend()

    def enter_landlock(self) -> NoReturn:
        """Start the command in its copy of the workspace, where Landlock is all there is."""
        self._await_go()
        socket.send_fds(self._channel, [b"{}"], [os.pidfd_open(os.getpid())])
        self._await_request()
        family = self._make_family()
        ours, theirs = socket.socketpair()
        here = os.getpid()
        main = os.fork()
        if main == 0:
            try:
                self._restrict()
                end_with(here)
                if not self._config["user"]:  # whoever is nobody owns nothing but the copy
                    calls = tuple(_bench_asked.Modes.calls[self._machine])
                    _bench_asked.install(self._machine, theirs, calls)
            except BaseException as error:
                theirs.send(str(error or type(error).__name__).encode()[:1000])
                os._exit(70)
            theirs.close()
            self._execute()
        theirs.close()
        message, descriptors, _, _ = socket.recv_fds(ours, 1000, 1)
        if message not in (b"", b"L"):
            raise OSError(0, message.decode("utf-8", "replace"))
        self._close_streams()
        self._tell({"doors": 0}, [])
        places = [self._config["overlay"], *self._config["scratch"].values()]
        modes = _bench_asked.Modes(descriptors[0], self._machine, places) if descriptors else None
        self._attend_family(family, main, modes)

    def _make_family(self) -> Family:
        """Prepare for the processes of the command: there is no namespace to end with its first one."""
        user = self._config["user"]
        if not user:
            self._owner.step_down()  # with privileges left the kernel would not limit what it counts
        family = Family(user=user, tasks=self._config["tasks"], newest_landlock=self._config["newest_landlock"])
        self._config["limits"]["RLIMIT_NPROC"] = family.limit
        return family

    def _restrict(self) -> None:
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
            os.setgroups([])
            os.setresgid(user, user, user)
            os.setresuid(user, user, user)
        self._owner.step_down()
        self._close_ways(network=False)

    def _attend_family(self, family: Family, main: int, modes: _bench_asked.Modes | None) -> NoReturn:
        """Wait for the command, or for the host to hang up; then end all that descends from it."""
        poll = self._poll(main, modes)
        while True:
            ready = dict(poll.poll(_REAP_SECONDS * 1000))
            if self._channel.fileno() in ready or self._reap(main):
                family.end()
            self._answer(poll, ready, modes)

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
            self._raise_loopback()
        return [socket.create_server(("127.0.0.1", port), backlog=64) for port in ports]

    def _raise_loopback(self) -> None:
        with socket.socket() as control:
            fcntl.ioctl(control, 0x8914, struct.pack("16sh22x", b"lo", 1))  # SIOCSIFFLAGS, IFF_UP
        with open("/proc/sys/net/ipv4/ip_unprivileged_port_start", "w") as file:
            file.write("0")  # ports below 1024 are nobody's here

    def _close_ways(self, *, network: bool) -> None:
        """Limits, no new privileges, no system calls that programs never need."""
        for name, value in self._config["limits"].items():
            kind = getattr(resource, name)
            most = resource.getrlimit(kind)[1]
            value = value if most == resource.RLIM_INFINITY else min(value, most)
            resource.setrlimit(kind, (value, value))
        _kernel.prctl(_kernel.PR_SET_NO_NEW_PRIVS, 1)
        denied = _seccomp.Filter(_seccomp.compile_deny_list(self._machine, self._denied, network=network))
        _kernel.syscall("seccomp", _SECCOMP[self._machine], 1, 0, denied.program)

    def _attend(self) -> NoReturn:
        """Start the command, collect what it leaves behind, and report how it ended."""
        _kernel.prctl(_kernel.PR_SET_DUMPABLE, 0)  # nobody here looks into us, though we are of the same uid
        ours, theirs = socket.socketpair()
        main = os.fork()
        if main == 0:
            self._ask_about_renames(theirs)
            self._execute()
        self._close_streams()
        theirs.close()
        renames = self._hear_about_renames(ours)
        poll = self._poll(main, renames)
        while True:
            ready = dict(poll.poll(_REAP_SECONDS * 1000))
            self._answer(poll, ready, renames)
            if self._channel.fileno() in ready or self._reap(main):
                os._exit(0)  # all others end with us

    def _poll(self, main: int, asked: _bench_asked.Asked | None) -> select.poll:
        """Return what is to be waited for: the command's end, the host hanging up, the kernel's questions."""
        poll = select.poll()
        for descriptor in (os.pidfd_open(main), self._channel.fileno(), *([asked.listener] if asked else [])):
            poll.register(descriptor, select.POLLIN)
        return poll

    @staticmethod
    def _answer(poll: select.poll, ready: dict[int, int], asked: _bench_asked.Asked | None) -> None:
        """Answer the kernel's question, if it has one."""
        if asked is not None and ready.get(asked.listener, 0) & select.POLLIN:
            asked.answer()
        elif asked is not None and asked.listener in ready:
            poll.unregister(asked.listener)  # nobody is left who could ask

    def _ask_about_renames(self, channel: socket.socket) -> None:
        """Have renames told to the first process, where it has to help; without it directories cannot be renamed."""
        if not self._owner.renames and self._config["mode"] == "overlay":
            calls = tuple(_bench_asked.Renames.calls[self._machine])
            with contextlib.suppress(OSError):
                _bench_asked.install(self._machine, channel, calls)
        channel.close()

    def _hear_about_renames(self, channel: socket.socket) -> _bench_asked.Renames | None:
        _, descriptors, _, _ = socket.recv_fds(channel, 1, 1)
        channel.close()
        return _bench_asked.Renames(descriptors[0], self._machine) if descriptors else None

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

    def _close_streams(self) -> None:
        for descriptor in (self._stdin, self._output):
            os.close(descriptor)

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
