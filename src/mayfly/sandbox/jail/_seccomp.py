"""Compile the table of system calls into a seccomp program for this machine and this job's grants.

The rules of `syscalls.txt`:

allow         whatever the arguments
clone         threads only, as libc makes them: with one table of descriptors, so that its limit is one for the job
close-range   not with a table of descriptors of one's own
mmap          never executable; with a package grant, executable mappings of files but not of memory; without it, only
              where the kernel chooses: a page here and a page there needs more tables than pages
mremap        where the kernel chooses as well
no-exec       never executable
open-N        the flags in argument N neither write, create nor truncate; with a directory to write to they may, but
              what is created gets no set-user-id or set-group-id bits from the argument that follows, and no handle is
              had that neither reads nor writes: Landlock would not see it
self          only to this process itself (signals)
about-N       the process in argument N is this one: a job asks nothing about others
affinity      the same, and any other process does not exist: libc asks about its own threads, and does without
ioctl, fcntl, prctl  the harmless commands listed below; locks on parts of files with a workspace only
socketpair    unix stream and packet pairs
socket, connect  TCP and nothing that carries TCP, with a net grant only
send-N        the flags in argument N open no connection on the way: Landlock would not see it
sendmsg       the same, with a net grant only: it can send descriptors, and those on their way count nowhere
getsockopt    the plain properties of a socket, and nothing about who is at its other end
setsockopt    what clients set on TCP connections, with a net grant only: sizes of buffers are no memory of the process
write         with a directory to write to only: a workspace, or what a job about data spills to
lock          with a writable workspace only: a file that was handed in is others' to lock
rename        the same, and nothing is exchanged or left in the place of what was renamed
make-N        the same, and the mode in argument N sets no user or group id
mode-N        the same, and only where nothing but the workspace can be reached: Landlock does not govern modes
time          the same, for names in the workspace, not for descriptors that were handed in
enosys        answered as if the kernel were older, so that libc falls back
"""

from __future__ import annotations

import ctypes
import errno
import os
from typing import NamedTuple

_ALLOW = 0x7FFF0000
_ERRNO = 0x00050000
_KILL = 0x80000000
_ASK = 0x7FC00000  # SECCOMP_RET_USER_NOTIF
_ARCHITECTURE = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_NEWEST = 462

_LOAD = 0x20  # BPF_LD | BPF_W | BPF_ABS
_EQ = 0x15  # BPF_JMP | BPF_JEQ | BPF_K
_GE = 0x35
_JUMP = 0x05
_SET = 0x45
_AND = 0x54  # BPF_ALU | BPF_AND | BPF_K
_RETURN = 0x06

_EXEC = 4
_WRITE_PROT = 2
_ANONYMOUS = 0x20
_SET_IDS = 0o6000
# Both access modes that write, O_CREAT and O_TRUNC; the same bits on both machines. O_TMPFILE needs an access mode.
_WRITING = 0o1103
_ACCESS_MODES = (os.O_RDONLY, os.O_WRONLY, os.O_RDWR)
# VM, FS, FILES, SIGHAND, THREAD, SYSVSEM, SETTLS, PARENT_SETTID and CHILD_CLEARTID: what glibc asks for, and musl with
# a flag that does nothing (DETACHED).
_THREAD = (0x003D0F00, 0x007D0F00)
_UNSHARE = 2  # CLOSE_RANGE_UNSHARE
_MOVE = 2 | 4  # MREMAP_FIXED, MREMAP_DONTUNMAP
_IOCTLS = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
_FCNTLS = (0, 1, 2, 3, 4, 1030, 1032, 1034)
_LOCKS = (5, 6, 7)  # F_GETLK, F_SETLK, F_SETLKW: one lock for every second byte of a file, and each is kernel memory
_PRCTLS = (3, 15, 16, 0x53564D41)
_AF_UNIX = 1
_AF_INET = (2, 10)
_STREAM, _SEQPACKET = 1, 5
# The default of a stream, and TCP by its number. MPTCP, SCTP and SMC are streams too, and Landlock's rule for ports
# does not know all of them.
_TCP = (0, 6)
_MSG_FASTOPEN = 0x20000000
_AT_FDCWD = 0xFFFFFF9C
# Plain rename, and RENAME_NOREPLACE. RENAME_WHITEOUT leaves a device, RENAME_EXCHANGE is nothing that Python has.
_RENAMES = (0, 1)
# By level, SOL_SOCKET and IPPROTO_TCP. What is read: REUSEADDR TYPE ERROR SNDBUF RCVBUF KEEPALIVE LINGER RCVTIMEO
# SNDTIMEO ACCEPTCONN PROTOCOL DOMAIN; NODELAY MAXSEG KEEPIDLE KEEPINTVL KEEPCNT USER_TIMEOUT. No PEERCRED.
_READ_OPTIONS: dict[int, tuple[int, ...]] = {1: (2, 3, 4, 7, 8, 9, 13, 20, 21, 30, 38, 39), 6: (1, 2, 4, 5, 6, 18)}
# What is set: REUSEADDR KEEPALIVE LINGER RCVTIMEO SNDTIMEO; NODELAY KEEPIDLE KEEPINTVL KEEPCNT USER_TIMEOUT. Sizes of
# buffers are memory that no limit of a process counts; filters, upper protocols and zero-copy are ways into the kernel.
_SET_OPTIONS: dict[int, tuple[int, ...]] = {1: (2, 9, 13, 20, 21), 6: (1, 4, 5, 6, 18)}

# NEWTIME, NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. The first is a signal's bits to clone, where it
# cannot be asked for, and no signal has that number.
_NAMESPACE_FLAGS = 0x80 | 0x00020000 | 0x02000000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x20000000 | 0x40000000
_FAMILIES = (1, 2, 10, 16)  # AF_UNIX, AF_INET, AF_INET6, AF_NETLINK; AF_VSOCK would lead to whoever runs the machine

_LONGEST_JUMP = 255

Instruction = tuple[int, int, int, int]
Body = list[Instruction]


class Policy(NamedTuple):
    """What the grants open."""

    write: bool = False
    modes: bool = False
    net: bool = False
    package: bool = False
    workspace: bool = False


def compile_filter(machine: str, policy: Policy, table: str) -> Body:
    """Return the program; the process id that `self` rules compare with is filled in by `Filter`.

    It is a search tree: the kernel tries a new filter on every system call there is, so the length of a path, not of
    the program, is what a worker pays when it is confined.
    """
    actions = {number: body for number, rule in _rules(machine, table) if (body := _body(rule, policy)) is not None}
    return _assemble(machine, actions, _DENIED)


def compile_deny_list(machine: str, table: str, *, network: bool) -> Body:
    """Return a program that opens all but what *table* lists, for whole programs of the machine.

    deny          answers EPERM
    namespaces    no new namespaces by the flags in argument 0
    personality   the plain one, or the question which it is
    terminal      no input put into a terminal, and none of the console's own
    socket        unix, internet and route netlink sockets; without *network* none: who has no network of its own would
                  reach that of the machine, and unix sockets are the doors of its services
    owner         open where files that are not the command's own are out of reach, so not without *network*
    enosys        answered as if the kernel were older
    """
    bodies = {
        "deny": _DENIED,
        "enosys": _UNKNOWN,
        "namespaces": _refuse_bits(0, _NAMESPACE_FLAGS),
        "personality": _one_of(0, (0, 0xFFFFFFFF)),
        "terminal": _none_of(1, (0x5412, 0x541C)),  # TIOCSTI, TIOCLINUX
        "socket": _one_of(0, _FAMILIES) if network else _DENIED,
        "owner": [_PASS] if network else _DENIED,
    }
    return _assemble(machine, {number: bodies[rule] for number, rule in _rules(machine, table)}, [_PASS])


def compile_questions(machine: str, calls: tuple[int, ...]) -> Body:
    """Return a program that has the kernel hold *calls* and ask whoever listens; all others pass."""
    return _assemble(machine, {call: [(_RETURN, 0, 0, _ASK)] for call in calls}, [_PASS])


def _assemble(machine: str, actions: dict[int, Body], otherwise: Body) -> Body:
    starts: list[tuple[int, Body]] = []
    for number in range(_NEWEST + 1):
        body = actions.get(number, otherwise)
        if not starts or starts[-1][1] != body:
            starts.append((number, body))
    starts.append((_NEWEST + 1, _UNKNOWN))
    prologue: list[Instruction] = [
        (_LOAD, 0, 0, 4),
        (_EQ, 1, 0, _ARCHITECTURE[machine]),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, 0),
    ]
    return prologue + _search(starts)


def _search(starts: list[tuple[int, Body]]) -> Body:
    if len(starts) == 1:
        return list(starts[0][1])
    middle = len(starts) // 2
    low, high = _search(starts[:middle]), _search(starts[middle:])
    if len(low) <= _LONGEST_JUMP:
        return [(_GE, len(low), 0, starts[middle][0]), *low, *high]
    return [(_GE, 0, 1, starts[middle][0]), (_JUMP, 0, 0, len(low)), *low, *high]


class Filter:
    """A program ready to install, but for the process id that some rules compare with."""

    def __init__(self, program: list[Instruction]) -> None:
        self._encoded = (ctypes.c_uint64 * len(program))(
            *(code | yes << 16 | no << 24 | max(k, 0) << 32 for code, yes, no, k in program)
        )
        self._own = [(i, code | yes << 16 | no << 24) for i, (code, yes, no, k) in enumerate(program) if k == _OWN_PID]
        self.program = (ctypes.c_uint64 * 2)(len(program), ctypes.addressof(self._encoded))

    def fill_in(self, pid: int) -> None:
        """Say which process is the one that asks."""
        for index, instruction in self._own:
            self._encoded[index] = instruction | pid << 32


_DENY: Instruction = (_RETURN, 0, 0, _ERRNO | errno.EPERM)
_PASS: Instruction = (_RETURN, 0, 0, _ALLOW)
_DENIED: Body = [_DENY]
_UNKNOWN: Body = [(_RETURN, 0, 0, _ERRNO | errno.ENOSYS)]
_OWN_PID = -1
# Both halves of the first argument.
_NO_ADDRESS: Body = [(_LOAD, 0, 0, 16), (_EQ, 1, 0, 0), _DENY, (_LOAD, 0, 0, 20), (_EQ, 1, 0, 0), _DENY]


def _rules(machine: str, table: str) -> list[tuple[int, str]]:
    column = {"x86_64": 1, "aarch64": 2}[machine]
    rows = [line.split() for line in table.splitlines() if line and not line.startswith("#")]
    return [(int(row[column]), row[3]) for row in rows if row[column] != "-"]


def _body(rule: str, policy: Policy) -> Body | None:
    """Return the instructions for *rule*, or None where the grants do not open it."""
    opened = {"allow": True, "write": policy.write, "lock": policy.write and policy.workspace}
    if rule in opened:
        return [_PASS] if opened[rule] else None
    if not _is_granted(rule, policy):
        return None
    kind, _, index = rule.rpartition("-")
    if index.isdigit():
        return _about_argument(kind, int(index), policy)
    return {
        "clone": _one_of(0, _THREAD),
        "close-range": _refuse_bits(2, _UNSHARE),
        "mremap": _refuse_bits(3, _MOVE),
        "sendmsg": _refuse_bits(2, _MSG_FASTOPEN),
        "mmap": _mmap(policy),
        "no-exec": _refuse_bits(2, _EXEC),
        "self": _one_of(0, (_OWN_PID,)),
        "affinity": _one_of(0, (0, _OWN_PID), otherwise=_UNKNOWN),
        "ioctl": _one_of(1, _IOCTLS),
        "fcntl": _one_of(1, _FCNTLS + (_LOCKS if policy.workspace else ())),
        "prctl": _one_of(0, _PRCTLS),
        "socketpair": _sockets((_AF_UNIX,), (_STREAM, _SEQPACKET), (0,)),
        "socket": _sockets(_AF_INET, (_STREAM,), _TCP),
        "connect": [_PASS],
        "getsockopt": _options(_READ_OPTIONS),
        "setsockopt": _options(_SET_OPTIONS),
        "rename": _one_of(4, _RENAMES),
        "time": _one_of(0, (_AT_FDCWD,)),
        "enosys": _UNKNOWN,
    }[rule]


def _is_granted(rule: str, policy: Policy) -> bool:
    if rule in ("socket", "connect", "sendmsg", "setsockopt"):
        return policy.net
    if rule.startswith("mode") or rule == "time":
        return policy.modes
    return policy.write or not (rule.startswith("make") or rule == "rename")


def _about_argument(kind: str, index: int, policy: Policy) -> Body:
    """Return the instructions for a rule that names the argument it looks at."""
    if kind == "open":
        if not policy.write:
            return _refuse_bits(index, _WRITING)
        return [*_unless(index, os.O_ACCMODE, _ACCESS_MODES), *_refuse_bits(index + 1, _SET_IDS)]
    return {
        "make": _refuse_bits(index, _SET_IDS),
        "mode": _refuse_bits(index, _SET_IDS),
        "send": _refuse_bits(index, _MSG_FASTOPEN),
        "about": _one_of(index, (0, _OWN_PID)),
    }[kind]


def _argument(index: int) -> Instruction:
    return (_LOAD, 0, 0, 16 + 8 * index)


def _refuse_bits(index: int, bits: int) -> Body:
    return [_argument(index), (_SET, 0, 1, bits), _DENY, _PASS]


def _one_of(index: int, values: tuple[int, ...], *, otherwise: Body | None = None) -> Body:
    program: Body = [_argument(index)]
    for value in values:
        program += [(_EQ, 0, 1, value), _PASS]
    return [*program, *(otherwise or _DENIED)]


def _none_of(index: int, values: tuple[int, ...]) -> Body:
    program: Body = [_argument(index)]
    for value in values:
        program += [(_EQ, 0, 1, value), _DENY]
    return [*program, _PASS]


def _unless(index: int, mask: int, values: tuple[int, ...]) -> Body:
    """Refuse unless the bits of *mask* in an argument are one of *values*; go on behind these instructions if so."""
    tests = [(_EQ, len(values) - position, 0, value) for position, value in enumerate(values)]
    return [_argument(index), (_AND, 0, 0, mask), *tests, _DENY]


def _sockets(families: tuple[int, ...], kinds: tuple[int, ...], protocols: tuple[int, ...]) -> Body:
    # The type has flags above its lowest four bits: not blocking, closed on exec.
    whole = 0xFFFFFFFF
    return [*_unless(0, whole, families), *_unless(1, 0xF, kinds), *_unless(2, whole, protocols), _PASS]


def _options(names: dict[int, tuple[int, ...]]) -> Body:
    program: Body = [_argument(1)]
    for level, listed in names.items():
        body = _one_of(2, listed)
        program += [(_EQ, 0, len(body), level), *body]
    return [*program, _DENY]


def _mmap(policy: Policy) -> Body:
    if not policy.package:
        return [*_NO_ADDRESS, *_refuse_bits(2, _EXEC)]
    return [
        _argument(2),
        (_SET, 1, 0, _EXEC),
        _PASS,
        (_SET, 0, 1, _WRITE_PROT),
        _DENY,
        _argument(3),
        (_SET, 0, 1, _ANONYMOUS),
        _DENY,
        _PASS,
    ]
