"""A start that meets ENOMEM, EMFILE or ENOSPC at any of its system calls, and processes that are killed in between."""

import contextlib
import errno
import os
import random
import signal
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from mayfly.sandbox import Sandbox, _pool, _python
from mayfly.sandbox.attacks._descendants import adopting_orphans, descendants

from .chaos import _collect_orphans, _nobody
from .test_faults import DOUBLE, launcher_of

COMMAND = _python.command

# A filter of one rule in front of all that the zygote does: the call is answered with an error.
INJECT = """
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
program = bytes.fromhex(sys.argv[1])
code = ctypes.create_string_buffer(program, len(program))
class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_void_p)]
libc.prctl(38, 1, 0, 0, 0)
assert libc.prctl(22, 2, ctypes.byref(Program(len(program) // 8, ctypes.addressof(code)))) == 0
os.execv(sys.argv[2], sys.argv[2:])
"""

# Number on x86_64, number on aarch64.
CALLS = {
    "openat": (257, 56),
    "read": (0, 63),
    "write": (1, 64),
    "mmap": (9, 222),
    "mprotect": (10, 226),
    "brk": (12, 214),
    "fcntl": (72, 25),
    "dup3": (292, 24),
    "pipe2": (293, 59),
    "getdents64": (217, 61),
    "newfstatat": (262, 79),
    "readlinkat": (267, 78),
    "socket": (41, 198),
    "socketpair": (53, 199),
    "sendmsg": (46, 211),
    "sendto": (44, 206),
    "recvfrom": (45, 207),
    "ppoll": (271, 73),
    "clone": (56, 220),
    "wait4": (61, 260),
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "open_tree": (428, 428),
    "mount_setattr": (442, 442),
    "mkdirat": (258, 34),
    "sethostname": (170, 161),
    "setgroups": (116, 159),
    "setresuid": (117, 147),
    "capset": (126, 91),
    "prlimit64": (302, 261),
    "memfd_create": (319, 279),
    "pidfd_open": (434, 434),
    "madvise": (28, 233),
    "close_range": (436, 436),
    "getrandom": (318, 278),
    "landlock_create_ruleset": (444, 444),
    "landlock_add_rule": (445, 445),
    "landlock_restrict_self": (446, 446),
    "ftruncate": (77, 46),
}
ERRORS = (errno.ENOMEM, errno.EMFILE, errno.ENOSPC)


def rule(call: int, error: int) -> str:
    """Return the program: load the number; if it is *call* answer *error*, else go on."""
    rows = ((0x20, 0, 0, 0), (0x15, 0, 1, call), (0x06, 0, 0, 0x00050000 | error), (0x06, 0, 0, 0x7FFF0000))
    return b"".join(struct.pack("=HBBI", *row) for row in rows).hex()


@pytest.mark.parametrize("name", CALLS)
def test_w2_a_start_whose_system_calls_fail_is_refused_and_forgotten(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = CALLS[name][0 if os.uname().machine == "x86_64" else 1]
    error = ERRORS[list(CALLS).index(name) % len(ERRORS)]
    monkeypatch.setattr(_pool, "_TRIES", 2)
    failing = True

    def command(role: str, *arguments: str) -> list[str]:
        usual = COMMAND(role, *arguments)
        return [sys.executable, "-I", "-S", "-c", INJECT, rule(number, error), *usual] if failing else usual

    monkeypatch.setattr(_python, "command", command)
    with Sandbox(brief=True) as box:
        result = box.run(DOUBLE, "f", 21, timeout=5)
        assert result.status in ("ok", "refused", "died"), result
        assert "\n" not in (result.error or "")
        assert result.ok or result.error
        failing = False
        with Sandbox(brief=True) as other:
            best = other.warm()
        for zygote in list(box._pool._zygotes.values()):
            box._pool.discard(zygote)
        after = box.run(DOUBLE, "f", 21)
        assert (after.value, after.level) == (42, best)


HOST = """
import sys, ctypes
from mayfly.sandbox import Sandbox
box = Sandbox()
level = box.run("def f(x): return x", "f", 1).level
for zygote in list(box._pool._zygotes.values()):
    box._pool.discard(zygote)
exec(sys.argv[2].rpartition("os.execv")[0])
result = box.run("def f(x): return x", "f", 1, timeout=2)
print(result.status in ("ok", "refused"), result.level in (level, "none"), chr(10) in (result.error or ""))
"""


@pytest.mark.parametrize("name", ["memfd_create", "socketpair", "pipe2", "clone", "pidfd_open"])
@pytest.mark.parametrize("error", ERRORS)
def test_w2_a_host_whose_own_system_calls_fail_says_so(name: str, error: int) -> None:
    number = CALLS[name][0 if os.uname().machine == "x86_64" else 1]
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", HOST, rule(number, error), INJECT],
        env={**os.environ, "PYTHONPATH": f"{root / 'src'}:{root}"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.stdout == "True True False\n", done.stderr


def test_w2_whichever_process_is_killed_the_next_job_is_right(level: str) -> None:
    """The storm of chaos.py with every kill at a place of its own, between two jobs."""
    chance = random.Random(7)
    before = descendants()
    with adopting_orphans():
        with Sandbox(level=level) as box:
            assert box.run(DOUBLE, "f", 1).level == level
            for number in range(120):
                if number % 6 == 0 and (found := sorted(descendants(before))):
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(chance.choice(found), signal.SIGKILL)
                result = box.run(DOUBLE, "f", number, lane="pinned" if number % 3 else "one-shot")
                told = result.status in ("died", "refused") and "\n" not in str(result.error)
                assert told or (result.value, result.level) == (2 * number, level), result
                if number % 6 == 3:
                    # One death may end others with it, and on a busy machine that takes a while.
                    results = (box.run(DOUBLE, "f", number, lane="one-shot") for _ in range(20))
                    assert any((one.status, one.level) == ("ok", level) for one in (result, *results)), result
            assert launcher_of(box)
        assert _nobody(before)
        _collect_orphans()
