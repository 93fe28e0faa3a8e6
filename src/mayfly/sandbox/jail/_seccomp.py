"""Compile the table of system calls into a seccomp program for this machine and this job's grants.

The rules of `syscalls.txt`:

allow         whatever the arguments
clone         threads only
mmap          never executable; with a package grant, executable mappings of files but not of memory
no-exec       never executable
open, openat  no set-user-id or set-group-id bits on what is created
self          only to this process itself (signals)
zero-or-self  only about this process itself (limits)
ioctl, fcntl, prctl  the harmless commands listed below
socketpair    unix stream and packet pairs
socket, connect  TCP, with a net grant only
write         with a writable workspace only
make-N        the same, and the mode in argument N sets no user or group id
mode-N        the same, and only where nothing but the workspace can be reached: Landlock does not govern modes
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
_CLONE_THREAD = 0x00010000
_IOCTLS = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
_FCNTLS = (0, 1, 2, 3, 4, 5, 6, 7, 1030, 1032, 1034)
_PRCTLS = (3, 15, 16, 0x53564D41)
_AF_UNIX = 1
_AF_INET = (2, 10)
_STREAM, _SEQPACKET = 1, 5

_LONGEST_JUMP = 255

Instruction = tuple[int, int, int, int]
Body = list[Instruction]


class Policy(NamedTuple):
    """What the grants open."""

    write: bool = False
    modes: bool = False
    net: bool = False
    package: bool = False


def compile_filter(machine: str, policy: Policy, table: str) -> Body:
    """Return the program; the process id that `self` rules compare with is filled in by `Filter`.

    It is a search tree: the kernel tries a new filter on every system call there is, so the length of a path, not of
    the program, is what a worker pays when it is confined.
    """
    actions = {number: body for number, rule in _rules(machine, table) if (body := _body(rule, policy)) is not None}
    starts: list[tuple[int, Body]] = []
    for number in range(_NEWEST + 1):
        body = actions.get(number, _DENIED)
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

    def for_this_process(self) -> None:
        """Fill in the process id."""
        pid = os.getpid() << 32
        for index, instruction in self._own:
            self._encoded[index] = instruction | pid


_DENY: Instruction = (_RETURN, 0, 0, _ERRNO | errno.EPERM)
_PASS: Instruction = (_RETURN, 0, 0, _ALLOW)
_DENIED: Body = [_DENY]
_UNKNOWN: Body = [(_RETURN, 0, 0, _ERRNO | errno.ENOSYS)]
_OWN_PID = -1


def _rules(machine: str, table: str) -> list[tuple[int, str]]:
    column = {"x86_64": 1, "aarch64": 2}[machine]
    rows = [line.split() for line in table.splitlines() if line and not line.startswith("#")]
    return [(int(row[column]), row[3]) for row in rows if row[column] != "-"]


def _body(rule: str, policy: Policy) -> Body | None:
    """Return the instructions for *rule*, or None where the grants do not open it."""
    if rule == "allow" or (rule == "write" and policy.write):
        return [_PASS]
    if rule.startswith(("write", "make", "mode")):
        granted = policy.modes if rule.startswith("mode") else policy.write
        return _refuse_bits(int(rule[-1]), _SET_IDS) if granted and rule != "write" else None
    if rule in {"socket", "connect"} and not policy.net:
        return None
    return {
        "clone": [_argument(0), (_SET, 0, 1, _CLONE_THREAD), _PASS, _DENY],
        "mmap": _mmap(policy),
        "no-exec": _refuse_bits(2, _EXEC),
        "open": _refuse_bits(2, _SET_IDS),
        "openat": _refuse_bits(3, _SET_IDS),
        "self": _one_of(0, (_OWN_PID,)),
        "zero-or-self": _one_of(0, (0, _OWN_PID)),
        "ioctl": _one_of(1, _IOCTLS),
        "fcntl": _one_of(1, _FCNTLS),
        "prctl": _one_of(0, _PRCTLS),
        "socketpair": _sockets((_AF_UNIX,), (_STREAM, _SEQPACKET)),
        "socket": _sockets(_AF_INET, (_STREAM,)),
        "connect": [_PASS],
        "enosys": _UNKNOWN,
    }[rule]


def _argument(index: int) -> Instruction:
    return (_LOAD, 0, 0, 16 + 8 * index)


def _refuse_bits(index: int, bits: int) -> Body:
    return [_argument(index), (_SET, 0, 1, bits), _DENY, _PASS]


def _one_of(index: int, values: tuple[int, ...]) -> Body:
    program: Body = [_argument(index)]
    for value in values:
        program += [(_EQ, 0, 1, value), _PASS]
    return [*program, _DENY]


def _sockets(families: tuple[int, ...], kinds: tuple[int, ...]) -> Body:
    kind = [_argument(1), (_AND, 0, 0, 0xF)]
    for value in kinds:
        kind += [(_EQ, 0, 1, value), _PASS]
    kind.append(_DENY)
    program = [_argument(0)]
    for position, family in enumerate(families, 1):
        program.append((_EQ, len(families) - position + 1, 0, family))
    return [*program, _DENY, *kind]


def _mmap(policy: Policy) -> Body:
    if not policy.package:
        return _refuse_bits(2, _EXEC)
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
