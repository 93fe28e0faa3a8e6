"""The filter, on both architectures, run in a small interpreter of its own language."""

import errno
import itertools
import re
import struct
from pathlib import Path

import pytest

import mayfly.sandbox
from mayfly.sandbox.jail import _seccomp
from mayfly.sandbox.jail._seccomp import Instruction, Policy

TABLE = (Path(mayfly.sandbox.__file__).parent / "jail" / "syscalls.txt").read_text()
ROWS = [line.split() for line in TABLE.splitlines() if line and not line.startswith("#")]
MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
ALLOW = "allow"
OWN_PID = 7


def number(machine: str, name: str) -> int:
    column = 1 if machine == "x86_64" else 2
    return next(int(row[column]) for row in ROWS if row[0] == name)


def decide(program: list[Instruction], machine: str, call: int, *arguments: int) -> str:
    """Return what the program answers: allow, kill or the name of an error."""
    padded = [*arguments, *[0] * (6 - len(arguments))]
    data = struct.pack("=iIQ6Q", call, MACHINES[machine], 0, *(a & 0xFFFFFFFFFFFFFFFF for a in padded))
    accumulator, position = 0, 0
    for _ in range(200):
        code, yes, no, k = program[position]
        k = OWN_PID if k == _seccomp._OWN_PID else k
        position += 1
        if code == 0x20:
            accumulator = struct.unpack_from("=I", data, k)[0]
        elif code == 0x54:
            accumulator &= k
        elif code == 0x05:
            position += k
        elif code == 0x06:
            return {0x7FFF: ALLOW, 0x8000: "kill"}.get(k >> 16) or errno.errorcode[k & 0xFFFF]
        else:
            taken = {0x15: accumulator == k, 0x35: accumulator >= k, 0x45: bool(accumulator & k)}[code]
            position += yes if taken else no
    raise AssertionError("the program does not end")


@pytest.fixture(params=MACHINES)
def machine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def plain(machine: str) -> list[Instruction]:
    return _seccomp.compile_filter(machine, Policy(), TABLE)


def test_every_plainly_allowed_call_is_allowed_and_all_others_are_not(machine: str, plain: list[Instruction]) -> None:
    column = 1 if machine == "x86_64" else 2
    rules = {int(row[column]): row[3] for row in ROWS if row[column] != "-"}
    for call in range(600):
        answer = decide(plain, machine, call, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF)
        if rules.get(call) == "allow":
            assert answer == ALLOW, call
        elif call > 462 or rules.get(call) in ("enosys", "affinity"):
            assert answer == "ENOSYS", call
        else:
            assert answer == "EPERM", call


def test_another_architecture_is_killed_and_x32_calls_are_unknown(machine: str, plain: list[Instruction]) -> None:
    other = next(name for name in MACHINES if name != machine)
    assert decide(plain, other, 0) == "kill"
    assert decide(plain, machine, 0x40000000 | 1) == "ENOSYS"


@pytest.mark.parametrize(
    ("name", "arguments", "answer"),
    [
        ("clone", (0x3D0F00,), ALLOW),
        ("clone", (0x11,), "EPERM"),
        ("clone3", (), "ENOSYS"),
        ("mprotect", (0, 0, 3), ALLOW),
        ("mprotect", (0, 0, 5), "EPERM"),
        ("mmap", (0, 0, 3, 0x22), ALLOW),
        ("mmap", (0, 0, 5, 2), "EPERM"),
        ("mmap", (0, 0, 7, 0x22), "EPERM"),
        ("kill", (OWN_PID, 9), ALLOW),
        ("kill", (0, 9), "EPERM"),
        ("kill", (-1, 9), "EPERM"),
        ("kill", (-OWN_PID, 9), "EPERM"),
        ("tgkill", (OWN_PID + 1, 1, 9), "EPERM"),
        ("prlimit64", (0,), ALLOW),
        ("prlimit64", (OWN_PID,), ALLOW),
        ("prlimit64", (1,), "EPERM"),
        ("ioctl", (1, 0x5413), ALLOW),
        ("ioctl", (1, 0x5412), "EPERM"),
        ("fcntl", (1, 1030), ALLOW),
        ("fcntl", (1, 8), "EPERM"),
        ("prctl", (15,), ALLOW),
        ("prctl", (22,), "EPERM"),
        ("socketpair", (1, 0x80001), ALLOW),
        ("socketpair", (1, 2), "EPERM"),
        ("socketpair", (2, 1), "EPERM"),
        ("openat", (-100, 0, 0, 0), ALLOW),
        ("openat", (-100, 0, 0x80000, 0), ALLOW),
        ("openat", (-100, 0, 0x1, 0), "EPERM"),
        ("openat", (-100, 0, 0x2, 0), "EPERM"),
        ("openat", (-100, 0, 0x3, 0), "EPERM"),
        ("openat", (-100, 0, 0x40, 0o644), "EPERM"),
        ("openat", (-100, 0, 0x200, 0), "EPERM"),
        ("openat2", (-100, 0, 0, 0), "ENOSYS"),
        ("renameat2", (-100, 0, -100, 0, 0), "EPERM"),
        ("utimensat", (-100, 0, 0, 0), "EPERM"),
        ("setsockopt", (3, 6, 1), "EPERM"),
        ("getsockopt", (3, 1, 3), ALLOW),
        ("getsockopt", (3, 1, 17), "EPERM"),
        ("getsockopt", (3, 1, 77), "EPERM"),
        ("getsockopt", (3, 41, 3), "EPERM"),
        ("socketpair", (1, 1, 1), "EPERM"),
        ("sendto", (3, 0, 0, 0x4000), ALLOW),
        ("sendto", (3, 0, 0, 0x20000000), "EPERM"),
        ("getpgid", (0,), ALLOW),
        ("getpgid", (OWN_PID,), ALLOW),
        ("getpgid", (1,), "EPERM"),
        ("getpriority", (0, 0), ALLOW),
        ("getpriority", (0, 1), "EPERM"),
        ("sched_getaffinity", (0,), ALLOW),
        ("sched_getaffinity", (OWN_PID + 1,), "ENOSYS"),
        ("socket", (2, 1), "EPERM"),
        ("connect", (3,), "EPERM"),
        ("unlinkat", (), "EPERM"),
        ("mkdirat", (-100, 0, 0o755), "EPERM"),
    ],
)
def test_arguments_decide(
    machine: str, plain: list[Instruction], name: str, arguments: tuple[int, ...], answer: str
) -> None:
    assert decide(plain, machine, number(machine, name), *arguments) == answer


@pytest.mark.parametrize(
    ("policy", "name", "arguments", "answer"),
    [
        (Policy(net=True), "socket", (2, 1), ALLOW),
        (Policy(net=True), "socket", (10, 0x80801), ALLOW),
        (Policy(net=True), "socket", (2, 2), "EPERM"),
        (Policy(net=True), "socket", (1, 1), "EPERM"),
        (Policy(net=True), "socket", (16, 3), "EPERM"),
        (Policy(net=True), "socket", (2, 1, 6), ALLOW),
        (Policy(net=True), "socket", (2, 1, 262), "EPERM"),
        (Policy(net=True), "socket", (10, 0x80001, 132), "EPERM"),
        (Policy(net=True), "setsockopt", (3, 6, 1), ALLOW),
        (Policy(net=True), "setsockopt", (3, 1, 9), ALLOW),
        (Policy(net=True), "setsockopt", (3, 1, 7), "EPERM"),
        (Policy(net=True), "setsockopt", (3, 1, 8), "EPERM"),
        (Policy(net=True), "setsockopt", (3, 1, 26), "EPERM"),
        (Policy(net=True), "setsockopt", (3, 6, 31), "EPERM"),
        (Policy(net=True), "setsockopt", (3, 0, 1), "EPERM"),
        (Policy(net=True), "connect", (3,), ALLOW),
        (Policy(package=True), "mmap", (0, 0, 5, 2), ALLOW),
        (Policy(package=True), "mmap", (0, 0, 5, 0x22), "EPERM"),
        (Policy(package=True), "mmap", (0, 0, 7, 2), "EPERM"),
        (Policy(package=True), "mmap", (0, 0, 3, 0x22), ALLOW),
        (Policy(package=True), "mprotect", (0, 0, 5), "EPERM"),
        (Policy(write=True), "unlinkat", (), ALLOW),
        (Policy(write=True), "mkdirat", (-100, 0, 0o755), ALLOW),
        (Policy(write=True), "mkdirat", (-100, 0, 0o2755), "EPERM"),
        (Policy(write=True), "openat", (-100, 0, 0x241, 0o644), ALLOW),
        (Policy(write=True), "openat", (-100, 0, 0x41, 0o4755), "EPERM"),
        (Policy(write=True), "openat", (-100, 0, 0x2, 0), ALLOW),
        (Policy(write=True), "openat", (-100, 0, 0x3, 0), "EPERM"),
        (Policy(write=True), "openat", (-100, 0, 0x803, 0), "EPERM"),
        (Policy(write=True), "flock", (3, 2), "EPERM"),
        (Policy(write=True, workspace=True), "flock", (3, 2), ALLOW),
        (Policy(write=True), "fcntl", (3, 6), "EPERM"),
        (Policy(write=True), "renameat2", (-100, 0, -100, 0, 0), ALLOW),
        (Policy(write=True), "renameat2", (-100, 0, -100, 0, 1), ALLOW),
        (Policy(write=True), "renameat2", (-100, 0, -100, 0, 2), "EPERM"),
        (Policy(write=True), "renameat2", (-100, 0, -100, 0, 4), "EPERM"),
        (Policy(write=True), "utimensat", (-100, 0, 0, 0), "EPERM"),
        (Policy(write=True, modes=True), "utimensat", (-100, 0, 0, 0), ALLOW),
        (Policy(write=True, modes=True), "utimensat", (3, 0, 0, 0), "EPERM"),
        (Policy(write=True), "fchmodat", (-100, 0, 0o644), "EPERM"),
        (Policy(write=True, modes=True), "fchmodat", (-100, 0, 0o644), ALLOW),
        (Policy(write=True, modes=True), "fchmodat", (3, 0, 0o4755), "EPERM"),
    ],
)
def test_grants_open_what_they_say(
    machine: str, policy: Policy, name: str, arguments: tuple[int, ...], answer: str
) -> None:
    program = _seccomp.compile_filter(machine, policy, TABLE)
    assert decide(program, machine, number(machine, name), *arguments) == answer


def test_no_grant_opens_what_no_job_may_do(machine: str) -> None:
    forbidden = {
        "x86_64": {
            "fork": 57,
            "vfork": 58,
            "execve": 59,
            "ptrace": 101,
            "bind": 49,
            "listen": 50,
            "symlink": 88,
            "link": 86,
            "linkat": 265,
            "symlinkat": 266,
            "fchmod": 91,
            "fchown": 93,
            "mknod": 133,
            "mknodat": 259,
            "utime": 132,
            "utimes": 235,
            "futimesat": 261,
            "memfd_create": 319,
            "fchownat": 260,
            "setxattr": 188,
        },
        "aarch64": {
            "execve": 221,
            "ptrace": 117,
            "bind": 200,
            "listen": 201,
            "symlinkat": 36,
            "linkat": 37,
            "fchmod": 52,
            "fchown": 55,
            "mknodat": 33,
            "memfd_create": 279,
            "fchownat": 54,
            "setxattr": 5,
        },
    }[machine]
    for flags in itertools.product((False, True), repeat=4):
        program = _seccomp.compile_filter(machine, Policy(*flags), TABLE)
        for name, call in {**forbidden, "io_uring_setup": 425, "pidfd_open": 434, "open_tree": 428}.items():
            assert decide(program, machine, call) == "EPERM", name


@pytest.mark.parametrize(
    ("column", "header"),
    [(1, "/usr/include/x86_64-linux-gnu/asm/unistd_64.h"), (2, "/usr/include/asm-generic/unistd.h")],
)
def test_the_table_agrees_with_the_kernels_headers(column: int, header: str) -> None:
    if not Path(header).exists():
        assert len({row[column] for row in ROWS if row[column] != "-"}) == sum(row[column] != "-" for row in ROWS)
        return
    known = {m[1]: m[2] for m in re.finditer(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", Path(header).read_text())}
    known.setdefault("newfstatat", known.get("fstatat", ""))
    for row in ROWS:
        assert row[column] in (known.get(row[0], "-"), "-"), row[0]


@pytest.mark.parametrize(
    ("name", "arguments", "answer"),
    [
        ("clone", (0x3D0F00,), ALLOW),
        ("clone", (0x7D0F00,), ALLOW),
        ("clone", (0x3D0B00,), "EPERM"),  # without FILES
        ("clone", (0x3D0F00 | 0x20000000,), "EPERM"),
        ("clone", (0x10000,), "EPERM"),
        ("close_range", (3, 100, 0), ALLOW),
        ("close_range", (3, 100, 2), "EPERM"),
        ("close_range", (3, 100, 6), "EPERM"),
        ("mmap", (1 << 30, 4096, 3, 0x22), "EPERM"),
        ("mmap", (1 << 40, 4096, 3, 0x22), "EPERM"),
        ("mmap", (4096, 4096, 3, 0x32), "EPERM"),
        ("mremap", (0, 0, 0, 1), ALLOW),
        ("mremap", (0, 0, 0, 3), "EPERM"),
        ("mremap", (0, 0, 0, 5), "EPERM"),
        ("sendmsg", (3,), "EPERM"),
        ("setsockopt", (3, 1, 7), "EPERM"),
        ("fcntl", (3, 6), "EPERM"),
        ("fcntl", (3, 1031), "EPERM"),
        ("recvmsg", (3,), ALLOW),
    ],
)
def test_w1_arguments_that_would_multiply_what_is_held_are_refused(
    machine: str, plain: list[Instruction], name: str, arguments: tuple[int, ...], answer: str
) -> None:
    assert decide(plain, machine, number(machine, name), *arguments) == answer


def test_w1_grants_open_what_they_need(machine: str) -> None:
    with_net = _seccomp.compile_filter(machine, Policy(net=True), TABLE)
    assert decide(with_net, machine, number(machine, "sendmsg"), 3) == ALLOW
    with_package = _seccomp.compile_filter(machine, Policy(package=True), TABLE)
    assert decide(with_package, machine, number(machine, "mmap"), 1 << 40, 4096, 3, 0x12) == ALLOW
    with_files = _seccomp.compile_filter(machine, Policy(workspace=True), TABLE)
    assert decide(with_files, machine, number(machine, "fcntl"), 3, 6) == ALLOW
