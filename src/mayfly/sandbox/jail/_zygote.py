"""The zygote: started fresh, jailed once, then forked for every worker. No untrusted code ever runs in it."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import gc
import json
import os
import select
import signal
import socket
from typing import NamedTuple, NoReturn

from . import _chance, _kernel, _prepare, _seccomp, _walls, _wire
from ._confine import Confinement
from ._state import CHANNEL, HIGH, OUTPUT, Jail, high, open_channel

_KEPT_STATUSES = 1024
# What the host reads of a message; a longer one is cut by the kernel.
_MESSAGE = 256


def main(descriptor: int) -> NoReturn:
    """Jail this process, then serve spawn requests from the control socket until it closes."""
    control = socket.socket(fileno=high(descriptor))
    host = os.pidfd_open(os.getppid())
    jail = Jail(json.loads(control.recv(1 << 20)))
    _prepare.preload(net=jail.config["net"], brief=jail.config["brief"], lean=jail.config["lean"])
    os.environ.clear()
    try:
        if jail.config["data"]:
            _load_duckdb(jail)
        child = _walls.enter(jail)
    except (OSError, MemoryError) as error:
        _report(control, error)
    if child:
        control.close()
        _watch(child, host)
    os.close(host)
    try:
        confinement = _settle(jail)
    except (OSError, MemoryError) as error:
        _report(control, error)
    control.send(_wire.READY + json.dumps(jail.layers).encode())
    _serve(control, jail, confinement)


def _load_duckdb(jail: Jail) -> None:
    from . import _data  # which loads what no other zygote needs

    _data.preload(jail.config["data"]["places"])
    jail.furnish, jail.open_database = _data.furnish, _data.open_database


def _failure(error: OSError | MemoryError, text: str) -> bytes:
    number = error.errno if isinstance(error, OSError) else errno.ENOMEM
    return _wire.FAILURE.pack(_wire.FAILED, number or 0) + " ".join(text.split()).encode()


def _report(control: socket.socket, error: OSError | MemoryError) -> NoReturn:
    where = (_kernel.steps_to(error) or [""])[-1]
    control.send(_failure(error, f"{error or 'no memory'} (in {where})"))
    os._exit(1)


def _watch(child: int, host: int) -> NoReturn:
    """Wait outside the jail: when the host or the zygote dies, everything does."""
    zygote = os.pidfd_open(child)
    poll = select.poll()
    for descriptor in (zygote, host):
        poll.register(descriptor, select.POLLIN)
    poll.poll()
    with contextlib.suppress(ProcessLookupError):
        signal.pidfd_send_signal(zygote, signal.SIGKILL)
    os.waitpid(child, 0)
    os._exit(0)


def _settle(jail: Jail) -> Confinement:
    """In the zygote: everything that is done once and inherited by all workers."""
    _kernel.prctl(_kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
    _kernel.prctl(_kernel.PR_SET_NO_NEW_PRIVS, 1)
    _kernel.tune_malloc()
    _prepare.prepare_imports(jail)
    policy = _seccomp.Policy(
        write=jail.config["write"],
        modes=jail.config["write"] and jail.level == "namespaces" and not jail.config["data"],
        net=jail.config["net"],
        # Packages bring machine code in files, which may be mapped. Where no mount can forbid it for the files that the
        # job itself writes, only what is plain Python can be had of them.
        package=bool(jail.config["packages"]) and not (jail.config["write"] and jail.level == "landlock"),
        workspace=bool(jail.config["workspace"]),
    )
    program = _seccomp.compile_filter(_kernel.MACHINE, policy, jail.table)
    confinement = Confinement(jail, _seccomp.Filter(program), channel=CHANNEL, output=OUTPUT)
    _prepare.set_environment(jail)
    _prepare.hide_ourselves()
    _prepare.silence()
    if not jail.config["write"]:
        _prepare.write_to_nowhere()
    _prepare.open_worker(jail)
    _chance.find_generators(jail)
    if jail.config["brief"]:
        gc.freeze()
    else:
        _prepare.learn(jail, lambda: _confine(jail, confinement, 0, skip=("dup3", "close_range")))
    _chance.try_openssl(jail)
    jail.readable = _walls.readable_files(jail)
    if not jail.config["data"]:  # whose workers each have files of their own besides
        _walls.restrict_files(jail)
    return confinement


def _serve(control: socket.socket, jail: Jail, confinement: Confinement) -> NoReturn:
    """Fork a worker for each request; reap the dead; end when the host hangs up."""
    poll = select.poll()
    poll.register(control, select.POLLIN)
    running: dict[int, Running] = {}
    ended: dict[int, Ended] = {}
    number = 0
    while True:
        ready = [descriptor for descriptor, _ in poll.poll()]
        for descriptor in ready:  # the dead first: answering a question below may reap one of them
            if descriptor in running:
                poll.unregister(descriptor)
                _reap(running.pop(descriptor), ended)
        if control.fileno() in ready:
            request = control.recv(64)
            if not request:
                os._exit(0)
            if request[:1] == _wire.ASK:
                control.send(_status(int.from_bytes(request[1:], "little"), poll, running, ended))
                continue
            number = (number + 1) & 0x7FFFFFFF
            try:
                started = _spawn(control, jail, confinement, number)
            except (OSError, MemoryError) as error:
                control.send(_failure(error, str(error))[:_MESSAGE])
                continue
            running[started.handle] = started
            poll.register(started.handle, select.POLLIN)


class Running(NamedTuple):
    """A worker that has not ended: its number, process id and a descriptor that tells of its end."""

    number: int
    pid: int
    handle: int


class Ended(NamedTuple):
    """How a worker ended: its wait status, and the processor seconds it has used."""

    status: int
    used: float = 0.0


def _reap(worker: Running, ended: dict[int, Ended]) -> None:
    _, status, usage = os.wait4(worker.pid, 0)
    ended[worker.number] = Ended(status, usage.ru_utime + usage.ru_stime)
    os.close(worker.handle)
    if len(ended) > _KEPT_STATUSES:
        del ended[next(iter(ended))]


def _status(asked: int, poll: select.poll, running: dict[int, Running], ended: dict[int, Ended]) -> bytes:
    """Answer how a worker ended; the host asks only after it has seen the end of the channel."""
    for worker in [w for w in running.values() if w.number == asked]:
        os.kill(worker.pid, signal.SIGKILL)
        poll.unregister(worker.handle)
        _reap(running.pop(worker.handle), ended)
    return _wire.STATUS.pack(_wire.ASK, asked, *ended.pop(asked, Ended(-1)))


def _spawn(control: socket.socket, jail: Jail, confinement: Confinement, number: int) -> Running:
    """Fork a worker and hand its descriptors to the host; all that is made for it lies below `HIGH`, and is closed."""
    try:
        theirs = open_channel()
        readable = _sealed_output(jail.config["output"])
        output = os.open(f"self/fd/{readable}", os.O_WRONLY | os.O_CLOEXEC, dir_fd=jail.proc)
        if output != OUTPUT:
            raise OSError(errno.EBADF, f"descriptor {output} is not where the output belongs")
        sent = [theirs, readable, output]
        if jail.config["net"]:
            sent.append(_walls.open_door().detach())
        gc.freeze()  # what we have made since the last one is not the worker's to look through
        pid = jail.fork()
        if pid == 0:
            _become_worker(jail, confinement, number)
        return _announce(control, number, pid, sent)
    finally:
        os.closerange(CHANNEL, HIGH)


def _announce(control: socket.socket, number: int, pid: int, sent: list[int]) -> Running:
    """Tell the host of a new worker; one it cannot be told of must not live."""
    handle = high(os.pidfd_open(pid))
    try:
        message = _wire.WORKER.pack(_wire.SPAWN, number, pid)
        socket.send_fds(control, [message], [handle, *sent])
        return Running(number, pid, handle)
    except BaseException:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(handle)
        raise


def _sealed_output(size: int) -> int:
    """Return a memory file that cannot grow: printing more fails in the kernel.

    A worker gets it for writing only. What cannot be read cannot be mapped either: it never becomes code.
    """
    descriptor = os.memfd_create("output", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.truncate(descriptor, size)
    os.fchmod(descriptor, 0o200)  # nor is it opened again for reading, by its name below /proc
    fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL)
    return descriptor


def _become_worker(jail: Jail, confinement: Confinement, number: int) -> NoReturn:
    """Confine this process for good, then serve. If any wall fails, end without having read a job."""
    try:
        jail.first.populate()
        setup = jail.furnish(jail, jail.user_of(number))
        _confine(jail, confinement, number)
        jail.open_database(jail, setup)
        jail.worker.serve(jail.base, jail.later)
    except BaseException as error:
        with contextlib.suppress(BaseException):
            text = f"{type(error).__name__}: {error}".encode()[: _wire.ERROR_SIZE]
            jail.worker.channel.sendall(_wire.REPLY.pack(bytes(_wire.NONCE), _wire.BROKEN, 0, len(text), 0) + text)
    os._exit(70)


def _confine(jail: Jail, confinement: Confinement, number: int, *, skip: tuple[str, ...] = ()) -> None:
    if jail.level == "landlock" and jail.root:
        _walls.become(jail.user_of(number))
    _chance.seed(jail)
    gc.enable()
    confinement.enter(skip=skip)
