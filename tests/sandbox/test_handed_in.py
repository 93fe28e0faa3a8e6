"""What a job is handed: lines, an output, a channel. None of them gives more than it was given for."""

import errno
import fcntl
import gzip
import os
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mayfly.core import InputError
from mayfly.sandbox import Sandbox, _grants

from .test_second_locks import PRELUDE

COUNT = "def f(lines): return sum(1 for _ in lines)"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "log"
    path.write_text("one\ntwo\n")
    path.chmod(0o600)
    os.utime(path, (1000, 1000))
    return path


def _fifo(path: Path) -> None:
    os.mkfifo(path)


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(path))


def _link_to_fifo(path: Path) -> None:
    _fifo(path.with_name("pipe"))
    path.symlink_to(path.with_name("pipe"))


KINDS: dict[str, Callable[[Path], None]] = {
    "a directory": Path.mkdir,
    "a FIFO": _fifo,
    "a socket": _socket,
    "a device": lambda path: path.symlink_to("/dev/zero"),
    "a FIFO ": _link_to_fifo,
}


@pytest.mark.parametrize("kind", KINDS)
def test_w4_lines_come_from_regular_files_only_and_nobody_waits(best: Sandbox, tmp_path: Path, kind: str) -> None:
    path = tmp_path / "given"
    KINDS[kind](path)
    with pytest.raises(InputError) as said:
        best.run(COUNT, "f", lines=path)
    assert str(said.value) == f"{path} is {kind.strip()}; lines are read from regular files only"
    with pytest.raises(InputError, match="regular files only"), best.stream(COUNT, "f", lines=path):
        pass


@pytest.mark.parametrize("path", ["/nowhere/log", "", "a\0b", "/dev/null/x", "\udcff"])
def test_w4_a_path_that_leads_nowhere_is_one_line(best: Sandbox, path: str) -> None:
    with pytest.raises(InputError) as said:
        best.run(COUNT, "f", lines=path)
    assert len(str(said.value).splitlines()) == 1


def test_w4_a_file_that_becomes_a_fifo_before_it_is_opened_blocks_nobody(
    best: Sandbox, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The look before the opening sees a file, the opening meets a FIFO without a writer."""
    status = os.stat(log)
    log.unlink()
    os.mkfifo(log)
    monkeypatch.setattr(os, "stat", lambda *_, **__: status)
    with pytest.raises(InputError, match="is a FIFO"):
        best.run(COUNT, "f", lines=log)


def test_lines_packed_with_gzip_are_unpacked_and_half_of_them_are_none(best: Sandbox, log: Path) -> None:
    packed = gzip.compress(b"one\ntwo\n" * 1000)
    log.write_bytes(packed)
    assert best.run(COUNT, "f", lines=log).value == 2000
    log.write_bytes(packed[:-9])
    with pytest.raises(InputError, match="end-of-stream"):
        best.run(COUNT, "f", lines=log)


GRASP = (
    PRELUDE
    + """
import fcntl, mmap, socket, stat

def given(lines):
    '''Give the descriptor behind the lines, once the first has been read.'''
    next(lines)
    known = {0, 1, 2, 3}
    return next(fd for fd in range(4, 64) if fd not in known and is_open(fd))

def is_open(fd):
    try: os.fstat(fd)
    except OSError: return False
    return True

def said(action):
    try: return str(action())
    except (OSError, ValueError) as error: return type(error).__name__
"""
)

GRASPS = {
    "fchmod": "os.fchmod(fd, 0o777)",
    "fchown": "os.fchown(fd, os.getuid(), os.getgid())",
    "ftruncate": "os.ftruncate(fd, 0)",
    "fallocate": "os.posix_fallocate(fd, 0, 1 << 20)",
    "write": "os.write(fd, b'more')",
    "pwrite": "os.pwrite(fd, b'more', 0)",
    "send": "socket.socket(fileno=os.dup(fd)).send(b'more')",
    "utime": "os.utime(fd, (5, 5))",
    "fchdir": "os.fchdir(fd)",
    "seek": "os.lseek(fd, 0, 0)",
    "pread": "os.pread(fd, 1, 0)",
    "map": "mmap.mmap(fd, 1, prot=mmap.PROT_READ)",
    "reopen": "os.open(f'/proc/self/fd/{fd}', os.O_RDWR)",
    "reopen to read": "os.open(f'/proc/self/fd/{fd}', os.O_RDONLY)",
    "from it as a directory": "os.open('.', os.O_RDONLY, dir_fd=fd)",
    "lease": "fcntl.fcntl(fd, 1024, 0)",
    "owner": "fcntl.fcntl(fd, fcntl.F_SETOWN, 1)",
    "who sent it": "socket.socket(fileno=os.dup(fd)).getsockopt(1, 17, 12)",
    "receive credentials": "socket.socket(fileno=os.dup(fd)).setsockopt(1, 16, 1)",
    "extended attributes": "os.getxattr(fd, 'user.x')",
}


@pytest.mark.first(6)
@pytest.mark.parametrize("grasp", GRASPS.values(), ids=GRASPS)
def test_w4_the_file_behind_lines_is_out_of_reach(level: str, log: Path, tmp_path: Path, grasp: str) -> None:
    """With every right a job can have about files, so that no other lock is what holds."""
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    tmp_path.chmod(0o755)
    workspace.chmod(0o777)
    before = log.stat()
    source = GRASP + f"def f(lines):\n    fd = given(lines)\n    return said(lambda: {grasp})\n"
    with Sandbox(level=level, workspace=workspace) as box:
        for grants in ((), ("fs:workspace:rw",)):
            result = box.run(source, "f", lines=log, grants=grants)
            assert result.value in (
                *("PermissionError", "OSError", "FileNotFoundError", "NotADirectoryError", "BrokenPipeError"),
                *("InterruptedError", "BlockingIOError"),
            ), result
    after = log.stat()
    assert (after.st_mode, after.st_uid, after.st_size, after.st_mtime) == (before.st_mode, before.st_uid, 8, 1000)
    assert log.read_text() == "one\ntwo\n"


def test_w4_what_a_job_holds_of_its_lines_is_no_file(box: Sandbox, log: Path) -> None:
    source = GRASP + "def f(lines):\n    return stat.S_ISSOCK(os.fstat(given(lines)).st_mode)\n"
    assert box.run(source, "f", lines=log).value is True


@pytest.mark.first(3)
@pytest.mark.parametrize("size", [0, 1, 100, 60_000, 250_000, 5_000_000])
def test_w4_lines_of_every_size_arrive_whole(box: Sandbox, tmp_path: Path, size: int) -> None:
    log = tmp_path / "log"
    log.write_bytes(b"x" * 98 + b"\n" if size == 100 else b"x\n" * (size // 2))
    expected = log.read_bytes().count(b"\n")
    assert box.run(COUNT, "f", lines=log).value == expected
    with box.stream("def f(lines):\n    yield from lines\n", "f", lines=log) as stream:
        assert sum(1 for _ in stream) == expected


def test_w4_lines_nobody_reads_hold_nobody_up(box: Sandbox, tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(b"x\n" * 1_000_000)
    assert box.run("def f(lines): return 'no'", "f", lines=log).value == "no"
    # Workers that wait for a job have descriptors here too, and come in a moment after they were asked for.
    before, seen = -1, len(os.listdir("/proc/self/fd"))
    while seen != before:
        time.sleep(0.3)
        before, seen = seen, len(os.listdir("/proc/self/fd"))
    assert box.run("def f(lines): return next(lines)", "f", lines=log).value == "x"
    assert box.run("import time\ndef f(lines): time.sleep(60)", "f", lines=log, timeout=0.2).status == "timeout"
    assert box.run("import os\ndef f(lines): next(lines); os._exit(0)", "f", lines=log).status == "died"
    end = time.monotonic() + 60
    while len(os.listdir("/proc/self/fd")) > before + 5 and time.monotonic() < end:
        time.sleep(0.01)
    assert len(os.listdir("/proc/self/fd")) <= before + 5


def test_w4_a_process_forked_meanwhile_does_not_keep_lines_from_ending(best: Sandbox, tmp_path: Path) -> None:
    """A child holds every descriptor its parent had; the end of the file must not wait for the child's."""
    log = tmp_path / "log"
    log.write_bytes(b"x\n" * 500_000)
    source = "def f(lines):\n    for n, _ in enumerate(lines): \n        if n in (0, 499_999): yield n\n"
    with best.stream(source, "f", lines=log, timeout=100) as stream:
        child = os.fork()
        if child == 0:
            time.sleep(100)
            os._exit(0)
        try:
            assert list(stream) == [0, 499_999]
        finally:
            os.kill(child, 9)
            os.waitpid(child, 0)


def test_w4_a_file_that_cannot_be_read_to_its_end_is_no_short_file(best: Sandbox) -> None:
    """/proc/self/mem is a regular file whose first page is an error to read."""
    with pytest.raises(InputError, match="Input/output error"):
        best.run(COUNT, "f", lines="/proc/self/mem")


def test_w4_a_job_cannot_lock_the_file_behind_its_lines(level: str, log: Path, tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    source = (
        GRASP + "def f(lines):\n    fcntl.flock(given(lines), fcntl.LOCK_EX | fcntl.LOCK_NB)\n    return 'locked'\n"
    )
    with log.open() as file, Sandbox(level=level, workspace=workspace) as box:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert box.run(source, "f", lines=log, grants=["fs:workspace:rw"]).value == "locked", "it locked a socket"


@pytest.fixture
def packages(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Installed packages of another environment, open to everybody: one of them is Mayfly."""
    with tempfile.TemporaryDirectory() as place:
        site = Path(place) / "site-packages"
        for name in ("mayfly", "useful", "mayfly/core"):
            (site / name).mkdir(parents=True, exist_ok=True)
            (site / name / "__init__.py").write_text("value = 'imported'\n")
        Path(place).chmod(0o755)
        monkeypatch.setattr(_grants, "site_packages", lambda: (str(site),))
        yield site


def test_w10_mayfly_is_not_there_to_be_imported_with_package(level: str, packages: Path) -> None:
    """By taking our finder away, by a finder of one's own, by reading the files."""
    source = (
        "import importlib.machinery, importlib.util, os, sys\n"
        "def f(site):\n    sys.meta_path[:] = [importlib.machinery.PathFinder]\n    said = []\n"
        "    import useful\n    said.append(useful.value)\n    sys.path_importer_cache.clear()\n"
        "    for way in (lambda: __import__('mayfly'), lambda: __import__('mayfly.core'),\n"
        "                lambda: open(site + '/mayfly/__init__.py').read(),\n"
        "                lambda: open(site + '/mayfly/core/__init__.py').read(),\n"
        "                lambda: importlib.machinery.SourceFileLoader('m', site + '/mayfly/__init__.py')"
        ".load_module()):\n"
        "        try: said.append(str(getattr(way(), 'value', 'an empty name')))\n"
        "        except (OSError, ImportError): said.append('refused')\n    return said\n"
    )
    with Sandbox(level=level) as box:
        result = box.run(source, "f", str(packages), grants=["package"])
    assert isinstance(result.value, list), result
    assert result.value[0] == "imported"
    assert set(result.value[1:]) <= {"refused", "an empty name"}, result.value


def test_w10_packages_find_each_others_versions(level: str, packages: Path) -> None:
    (packages / "useful-1.2.dist-info").mkdir()
    (packages / "useful-1.2.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: useful\nVersion: 1.2\n")
    source = "import importlib.metadata\ndef f(x): return importlib.metadata.version('useful')"
    with Sandbox(level=level) as box:
        assert box.run(source, "f", grants=["package"]).value == "1.2"


MACHINE_CODE = """
import ctypes, mmap, os
CODES = {'x86_64': b'\\xb8\\x2a\\x00\\x00\\x00\\xc3', 'aarch64': b'\\x40\\x05\\x80\\x52\\xc0\\x03\\x5f\\xd6'}
CODE = CODES[os.uname().machine]
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]

def mapped(fd, protection, flags):
    address = libc.mmap(None, 4096, protection, flags, fd, 0)
    return None if address in (None, 2**64 - 1) else address

def run_file(fd):
    '''Write machine code to a file and have it run.'''
    for flags in (1, 2):
        if address := mapped(fd, 5, flags):
            return ctypes.CFUNCTYPE(ctypes.c_int)(address)()
    return ctypes.get_errno()
"""


@pytest.mark.parametrize("grants", [(), ("package",), ("package", "fs:workspace")], ids=str)
def test_w10_what_a_job_prints_never_becomes_code(level: str, tmp_path: Path, grants: tuple[str, ...]) -> None:
    source = MACHINE_CODE + (
        "def f(x):\n    os.write(1, CODE)\n    said = [run_file(fd) for fd in (1, 2)]\n"
        "    for fd in (1, 2):\n        os.lseek(fd, 0, 0)\n"
        "        try: said.append(os.read(fd, 4).hex())\n        except OSError as error: said.append(error.errno)\n"
        "    return said + [mapped(1, 1, 1), mapped(1, 3, 2), mapped(1, 2, 1)]\n"
    )
    tmp_path.chmod(0o755)
    with Sandbox(level=level, workspace=tmp_path) as box:
        result = box.run(source, "f", grants=grants)
    refused = errno.EACCES if "package" in grants else errno.EPERM
    assert result.value == [refused, refused, errno.EBADF, errno.EBADF, None, None, None], result


@pytest.mark.parametrize("level", ["namespaces", "landlock"])
def test_w10_what_a_job_writes_to_its_workspace_never_becomes_code(level: str) -> None:
    """At level landlock, where no mount can forbid it, the two grants together give no machine code of packages."""
    source = MACHINE_CODE + (
        "def f(x):\n    fd = os.open('code', os.O_RDWR | os.O_CREAT, 0o700)\n    os.write(fd, CODE + bytes(4096))\n"
        "    return run_file(fd)\n"
    )
    grants = ["package", "fs:workspace:rw"]
    with tempfile.TemporaryDirectory() as place, Sandbox(level=level, workspace=place) as box:
        os.chmod(place, 0o777)  # for the user whom root steps down to
        assert box.run(source, "f", grants=grants).value == errno.EPERM
        assert box.run("import pytest\ndef f(x):\n    return pytest.__name__\n", "f", grants=grants).value == "pytest"


def test_w10_a_job_leaves_no_note_in_the_flags_of_a_descriptor(box: Sandbox) -> None:
    """Descriptors that all workers inherit are one file to the kernel, with one set of flags and one position."""
    write = (
        "import fcntl, os\ndef f(x):\n    for fd in range(64):\n"
        "        try: fcntl.fcntl(fd, fcntl.F_SETFL, os.O_APPEND | os.O_NONBLOCK)\n        except OSError: pass\n"
    )
    read = (
        "import fcntl, os\ndef f(x):\n    found = []\n    for fd in range(64):\n"
        "        try: found.append(fcntl.fcntl(fd, fcntl.F_GETFL) & (os.O_APPEND | os.O_NONBLOCK))\n"
        "        except OSError: pass\n    return max(found)\n"
    )
    assert box.run(read, "f").value == 0
    assert box.run(write, "f").status in ("ok", "died")
    assert [box.run(read, "f").value for _ in range(4)] == [0] * 4


FORGE = """
import json, os, struct, sys

def harness():
    '''Walk to whoever called us and take its channel and its nonce.'''
    frame = sys._getframe()
    while frame is not None:
        found = frame.f_locals.get('self')
        if hasattr(found, 'nonce') and hasattr(found, 'channel'):
            return found
        frame = frame.f_back

def frame(kind, value=b'', error=b'', trace=b'', nonce=None, size=None):
    worker = harness()
    nonce, size = worker.nonce if nonce is None else nonce, len(value) if size is None else size
    header = struct.pack('=16scIII', nonce, kind, size, len(error), len(trace))
    worker.channel.sendall(header + value + error + trace)
"""


CHECKED_ALL_THE_SAME = {
    "not a number": ("frame(b'O', b'NaN')", "error"),
    "not JSON": ("frame(b'O', b'{')", "error"),
    "nothing": ("frame(b'O', b'')", "error"),
    "too deep": ("frame(b'O', b'[' * 100_000 + b']' * 100_000)", "error"),
    "too large": ("frame(b'O', size=1 << 31)", "died"),
    "a part that is no list": ("frame(b'P', b'1')", "died"),
    "parts without end": ("[frame(b'P', b'[' + b'1,' * 500_000 + b'1]') for _ in iter(int, 1)]", "error"),
    "no kind of frame": ("frame(b'X', b'1')", "died"),
    "the level": ("frame(b'O', b'1', nonce=bytes(16))", "died"),
    "a text that is none": ("frame(b'E', b'', b'\\xff\\xfe\\n\\nsecond')", "error"),
}


@pytest.mark.parametrize(("action", "status"), CHECKED_ALL_THE_SAME.values(), ids=CHECKED_ALL_THE_SAME)
def test_w10_a_frame_made_with_the_harness_own_nonce_is_checked_like_any_result(
    box: Sandbox, action: str, status: str
) -> None:
    result = box.run(FORGE + f"def f(x):\n    {action}\n    os._exit(0)\n", "f", timeout=60)
    assert (result.status, result.value) == (status, None), result
    assert len(str(result.error).splitlines()) == 1
    assert box.run("def f(x): return 1", "f").value == 1


def test_w10_a_forged_answer_is_the_jobs_own_and_no_more(box: Sandbox) -> None:
    """A job can lie about its result, as it can by returning a lie; not about the level, its output or its lane."""
    forged = box.run(
        FORGE + "def f(x):\n    print('seen', flush=True)\n    frame(b'O', b'[1]')\n    os._exit(0)\n", "f"
    )
    honest = box.run("def f(x):\n    print('seen')\n    return [1]\n", "f")
    assert (forged.status, forged.value, forged.level) == (honest.status, honest.value, honest.level)
    assert (forged.output, forged.lane) == (honest.output, honest.lane)


def test_w10_no_answer_to_one_call_is_taken_for_an_answer_to_another(box: Sandbox) -> None:
    """Left in the channel of a pinned worker behind the true answer, for whoever calls next."""
    source = FORGE + (
        "def f(x):\n    worker = harness()\n    if x == 1:\n        reply = type(worker).reply\n"
        "        def twice(self, *parts):\n            reply(self, *parts)\n"
        "            reply(self, b'O', b'\"stale\"')\n"
        "        type(worker).reply = twice\n    return x\n"
    )
    assert box.run(source, "f", 1, lane="pinned", tenant="stale").value == 1
    after = [box.run(source, "f", 2, lane="pinned", tenant="stale") for _ in range(3)]
    assert [result.value for result in after] == [None, 2, 2], after
    assert after[0].status == "died"
    assert box.run("def f(x): return x", "f", 3).value == 3


LINE_BREAKS = ["\n", "\r\n", "\r", "\v", "\f", "\x1c", "\x85", "\u2028", "\u2029"]


@pytest.mark.parametrize("mark", LINE_BREAKS, ids=ascii)
def test_w10_an_error_is_one_line_whatever_the_job_raises(box: Sandbox, mark: str) -> None:
    source = "def f(mark):\n    raise ValueError(f'one{mark}{mark}  ok: two{mark}')\n"
    result = box.run(source, "f", mark)
    assert result.error == "ValueError: one ok: two (line 2, in f)"
    named = box.run("def f(mark):\n    raise type(f'A{mark}B', (Exception,), {})('x')\n", "f", mark)
    assert len(str(named.error).splitlines()) == 1
    assert box.run("def f(x): return 1", f"no{mark}such").error is not None
    assert len(str(box.run("def f(x): return 1", f"no{mark}such").error).splitlines()) == 1


def test_w4_many_threads_may_hand_in_lines_at_once(best: Sandbox, tmp_path: Path) -> None:
    found: list[tuple[int, object]] = []

    def work(n: int) -> None:
        log = tmp_path / f"log{n}"
        log.write_bytes(b"x\n" * (n * 50_000))
        found.append((n * 50_000, best.run(COUNT, "f", lines=log, timeout=100).value))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 6
    assert all(wanted == had for wanted, had in found)
