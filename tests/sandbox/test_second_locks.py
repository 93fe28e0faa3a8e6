"""What one lock held alone: each door is tried with the other lock open, or where only one of them stands."""

import json
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from mayfly.sandbox import Sandbox, _zygote

PRELUDE = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
MACHINE = os.uname().machine

def call(numbers, *arguments):
    '''Make a system call past every library; give 0 or the number of the error.'''
    values = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    number = numbers[MACHINE == 'aarch64']
    return 0 if libc.syscall(ctypes.c_long(number), *values) >= 0 else ctypes.get_errno()

OPENAT, RENAMEAT2, LINKAT, UTIMENSAT = (257, 56), (316, 276), (265, 37), (280, 88)
FCHMOD, FCHOWN, SOCKET, SETSOCKOPT, GETSOCKOPT = (91, 52), (93, 55), (41, 198), (54, 208), (55, 209)
"""


@pytest.fixture(params=["the version of this kernel", "version 2"])
def landlock(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Landlock as it is here, or as it was before Linux 6.2, where it let files be truncated."""
    if request.param == "version 2":
        monkeypatch.setattr(_zygote, "NEWEST_LANDLOCK", 2)
    return str(request.param)


@pytest.fixture
def place() -> Iterator[Path]:
    """A directory with a workspace in it and a file beside that, which anybody may write as far as their modes say."""
    with tempfile.TemporaryDirectory() as folder:
        above = Path(folder)
        (above / "workspace").mkdir()
        for path in (above / "outside", above / "workspace" / "note", above / "workspace" / "other"):
            path.write_text("untouched")
            path.chmod(0o666)
            os.utime(path, (1000, 1000))
        above.chmod(0o777)
        (above / "workspace").chmod(0o777)
        yield above


def looks(place: Path) -> dict[str, object]:
    """Return everything about the files of *place* that a job could have changed."""
    seen: dict[str, object] = {}
    for path in sorted(place.rglob("*")):
        at = path.lstat()
        text = path.read_text() if stat.S_ISREG(at.st_mode) else ""
        times = at.st_mtime if stat.S_ISREG(at.st_mode) else 0
        seen[str(path.relative_to(place))] = (at.st_mode, at.st_uid, at.st_nlink, times, text)
    return seen


WAYS_TO_WRITE = {
    "truncate while reading": "os.O_RDONLY | os.O_TRUNC",
    "write": "os.O_WRONLY",
    "read and write": "os.O_RDWR",
    "neither, which some devices know": "3",
    "create": "os.O_RDONLY | os.O_CREAT",
    "append": "os.O_WRONLY | os.O_APPEND",
    "a file without a name": "os.O_RDWR | os.O_TMPFILE",
}


@pytest.mark.first(4)
@pytest.mark.parametrize("flags", WAYS_TO_WRITE.values(), ids=WAYS_TO_WRITE)
def test_w3_nothing_is_opened_for_writing_without_a_grant_to_write(
    level: str, place: Path, flags: str, landlock: str
) -> None:
    if (level, landlock) == ("landlock", "version 2"):
        pytest.skip("that level is refused with this version")
    before = looks(place)
    source = PRELUDE + (
        "def f(paths):\n"
        f"    return [call(OPENAT, -100, path.encode(), {flags}, 0o644)\n"
        "            for path in (*paths, os.__file__, '/dev/null')]\n"
    )
    paths = ["note", ".", "new", str(place / "outside"), str(place / "workspace" / "note")]
    with Sandbox(level=level, workspace=place / "workspace") as box:
        for grants in ([], ["fs:workspace"], ["fs:workspace", "package"]):
            errors = box.run(source, "f", paths, grants=grants).value
            assert errors == [1] * (len(paths) + 2), "the filter answers, whatever a path has to say"
    assert looks(place) == before


def test_w3_a_file_is_read_without_a_grant_to_write_by_all_harmless_flags(box: Sandbox) -> None:
    source = PRELUDE + ("def f(flags):\n    return [call(OPENAT, -100, b'/dev/urandom', one) for one in flags]\n")
    harmless = [0, os.O_CLOEXEC, os.O_NONBLOCK, os.O_NOFOLLOW | os.O_CLOEXEC, os.O_PATH]
    assert box.run(source, "f", harmless).value == [0] * len(harmless)


def test_w3_landlock_alone_is_no_level_where_it_does_not_govern_truncation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_zygote, "NEWEST_LANDLOCK", 2)
    with Sandbox(level="landlock") as box:
        result = box.run("def f(x): return 1", "f")
    assert result.status == "refused"
    assert "Landlock here has version 2 and does not govern truncation" in str(result.error)
    assert "Linux 6.2" in str(result.error)
    monkeypatch.setattr(_zygote, "NEWEST_LANDLOCK", 3)
    with Sandbox(level="landlock") as box:
        assert box.run("def f(x): return 1", "f").value == 1


def test_w3_namespaces_stand_with_an_older_landlock_and_without_any(monkeypatch: pytest.MonkeyPatch) -> None:
    for newest in (2, 0):
        monkeypatch.setattr(_zygote, "NEWEST_LANDLOCK", newest)
        with Sandbox(level="namespaces") as box:
            assert box.run("def f(x): return 1", "f").level == "namespaces"


def test_w3_what_is_shown_read_only_cannot_be_emptied_where_only_mounts_protect_it(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A job that may write has no filter on write modes, and this kernel no Landlock: read-only mounts are left."""
    monkeypatch.setattr(_zygote, "NEWEST_LANDLOCK", 0)
    source = (
        "import os\ndef f(paths):\n    said = []\n    for path in paths:\n"
        "        try: os.close(os.open(path, os.O_RDONLY | os.O_TRUNC))\n"
        "        except OSError as error: said.append(error.errno)\n    return said\n"
    )
    with Sandbox(level="namespaces", workspace=place / "workspace") as box:
        result = box.run(source, "f", [json.__file__, os.__file__], grants=["fs:workspace:rw"])
    assert result.value == [30, 30]


def test_w3_output_to_nowhere_still_works(box: Sandbox) -> None:
    source = (
        "import contextlib, io, os, pathlib\ndef f(x):\n    with open(os.devnull, 'w') as null:\n"
        "        with contextlib.redirect_stdout(null):\n            print('lost')\n"
        "        null.write('lost')\n    with io.open('/dev/null', 'ab') as null: null.write(b'lost')\n"
        "    with pathlib.Path(os.devnull).open(mode='w+') as null: null.write('lost')\n"
        "    print('kept', end='')\n    return open(os.devnull).read()\n"
    )
    result = box.run(source, "f")
    assert (result.status, result.value, result.output) == ("ok", "", "kept"), result


WAYS_TO_LINK = {
    "os.link": "os.link('note', 'second')",
    "a link to what is outside": "os.link(outside, 'second')",
    "the raw call": "check(call(LINKAT, -100, b'note', -100, b'second', 0))",
    "a link to an open file": "check(call(LINKAT, os.open('note', 0), b'', -100, b'second', 0x1000))",
    "os.symlink": "os.symlink(outside, 'second')",
    "a whiteout, which is a device": "check(call(RENAMEAT2, -100, b'note', -100, b'moved', 4))",
    "an exchange": "check(call(RENAMEAT2, -100, b'note', -100, b'other', 2))",
    "an exchange with what is outside": "check(call(RENAMEAT2, -100, b'note', -100, outside.encode(), 2))",
    "flags of tomorrow": "check(call(RENAMEAT2, -100, b'note', -100, b'moved', 8))",
}


@pytest.mark.first(4)
@pytest.mark.parametrize("way", WAYS_TO_LINK.values(), ids=WAYS_TO_LINK)
def test_w10_no_link_and_no_device_comes_out_of_a_workspace(level: str, place: Path, way: str) -> None:
    before = looks(place)
    source = PRELUDE + (
        f"def check(number):\n    if number: raise OSError(number, os.strerror(number))\ndef f(outside):\n    {way}\n"
    )
    with Sandbox(level=level, workspace=place / "workspace") as box:
        result = box.run(source, "f", str(place / "outside"), grants=["fs:workspace:rw"])
    assert (result.status, "PermissionError" in str(result.error)) == ("error", True), result
    assert looks(place) == before


def test_w10_a_plain_rename_and_one_that_replaces_nothing_work(level: str, place: Path) -> None:
    source = PRELUDE + (
        "def f(x):\n    os.rename('note', 'moved')\n"
        "    return [call(RENAMEAT2, -100, b'moved', -100, name, 1) for name in (b'other', b'n')]\n"
    )
    with Sandbox(level=level, workspace=place / "workspace") as box:
        assert box.run(source, "f", grants=["fs:workspace:rw"]).value == [17, 0]
    assert sorted(path.name for path in (place / "workspace").iterdir()) == ["n", "other"]


WAYS_TO_DATE = {
    "by name": "os.utime(path, (5, 5))",
    "by name, now": "os.utime(path)",
    "by descriptor": "os.utime(os.open(path, os.O_RDONLY), (5, 5))",
    "by an empty name": "check(call(UTIMENSAT, os.open(path, os.O_PATH), b'', None, 0x1000))",
    "from a directory": "os.utime(os.path.basename(path), dir_fd=os.open(os.path.dirname(path), os.O_PATH))",
}


@pytest.mark.first(2)
@pytest.mark.parametrize("way", WAYS_TO_DATE.values(), ids=WAYS_TO_DATE)
def test_w5_no_file_outside_the_workspace_gets_another_time(level: str, place: Path, way: str) -> None:
    source = PRELUDE + (
        "def check(number):\n    if number: raise OSError(number, os.strerror(number))\n"
        f"def f(path):\n    path = path or os.__file__\n    {way}\n"
    )
    library = Path(os.__file__).stat().st_mtime_ns
    with Sandbox(level=level, workspace=place / "workspace") as box:
        for path in (str(place / "outside"), ""):
            assert box.run(source, "f", path, grants=["fs:workspace:rw"]).status == "error"
    assert (place / "outside").stat().st_mtime == 1000
    assert Path(os.__file__).stat().st_mtime_ns == library


def test_w5_times_in_the_workspace_are_the_jobs_to_set_where_nothing_else_can_be_reached(place: Path) -> None:
    with Sandbox(level="namespaces", workspace=place / "workspace") as box:
        assert box.run("import os\ndef f(x): os.utime('note', (5, 5))\n", "f", grants=["fs:workspace:rw"]).ok
    assert (place / "workspace" / "note").stat().st_mtime == 5


def test_w5_a_file_is_touched_at_both_levels(level: str, place: Path) -> None:
    source = "import pathlib\ndef f(x):\n    pathlib.Path('note').touch()\n    pathlib.Path('new').touch()\n"
    with Sandbox(level=level, workspace=place / "workspace") as box:
        assert box.run(source, "f", grants=["fs:workspace:rw"]).ok


def test_w10_modes_and_owners_of_open_files_are_nobodys_to_set(level: str, place: Path) -> None:
    source = PRELUDE + (
        "def f(x):\n    own = os.open('new', os.O_CREAT | os.O_RDWR, 0o600)\n"
        "    return [call(number, fd, *rest) for fd in (0, 1, 2, 3, own) for number, *rest in "
        "((FCHMOD, 0o777), (FCHOWN, os.getuid(), os.getgid()))]\n"
    )
    with Sandbox(level=level, workspace=place / "workspace") as box:
        assert box.run(source, "f", grants=["fs:workspace:rw"]).value == [1] * 10


PROTOCOLS = {"MPTCP": 262, "SCTP": 132, "SMC": 256, "DCCP": 33, "L2TP": 115, "UDP-Lite": 136, "raw": 255}


@pytest.mark.first(2)
@pytest.mark.parametrize("protocol", PROTOCOLS.values(), ids=PROTOCOLS)
def test_w11_no_stream_but_tcp_is_had_with_a_net_grant(protocol: int) -> None:
    source = PRELUDE + (
        "def f(protocol):\n"
        "    wrong = [call(SOCKET, family, 1, protocol) for family in (2, 10)]\n"
        "    return wrong + [call(SOCKET, 2, 1, number) for number in (0, 6)]\n"
    )
    with Sandbox(level="namespaces") as box:
        assert box.run(source, "f", protocol, grants=["net:127.0.0.1"]).value == [1, 1, 0, 0]


@pytest.mark.later
def test_w10_options_of_sockets_are_set_by_list() -> None:
    """Sizes of buffers, filters, zero copy, upper protocols, devices and marks; then what clients set every day."""
    source = PRELUDE + (
        "import socket\n"
        "def f(options):\n    said = []\n    number = ctypes.c_int(1)\n"
        "    for level, option in options:\n        with socket.socket() as s:\n"
        "            said.append(call(SETSOCKOPT, s.fileno(), level, option, ctypes.byref(number), 4))\n"
        "    return said\n"
    )
    dangerous = [(1, n) for n in (7, 8, 25, 26, 32, 33, 36, 50, 52, 60, 16, 76)] + [
        (6, n) for n in (31, 13, 30, 19, 35)
    ]
    dangerous += [(0, 1), (0, 4), (0, 41), (41, 26), (41, 1), (263, 1), (282, 1)]
    harmless = [(1, 2), (1, 9), (6, 1), (6, 4), (6, 5), (6, 6), (6, 18)]
    with Sandbox(level="namespaces") as box:
        assert box.run(source, "f", dangerous, grants=["net:127.0.0.1"]).value == [1] * len(dangerous)
        assert box.run(source, "f", harmless, grants=["net:127.0.0.1"]).value == [0] * len(harmless)


def test_w10_no_socket_tells_who_is_at_its_other_end(box: Sandbox) -> None:
    """SO_PEERCRED, SO_PEERSEC, SO_PEERGROUPS, SO_COOKIE and SO_PEERPIDFD, which is a handle on a process."""
    source = PRELUDE + (
        "def f(x):\n    text, size = ctypes.create_string_buffer(64), ctypes.c_int(64)\n"
        "    return [call(GETSOCKOPT, 3, 1, option, text, ctypes.byref(size)) for option in (17, 31, 59, 57, 77)]\n"
        "    \n"
        "def g(x):\n    value = ctypes.c_int(1)\n"
        "    return [call(SETSOCKOPT, 3, 1, option, ctypes.byref(value), 4) for option in (7, 8, 16, 76, 42)]\n"
    )
    for entry in ("f", "g"):
        assert box.run(source, entry).value == [1] * 5


def test_w10_a_job_learns_nothing_about_other_processes_from_the_kernel(box: Sandbox) -> None:
    source = PRELUDE + (
        "import os\ndef f(pid):\n    said = []\n"
        "    for ask in (os.getpgid, os.getsid, os.sched_getaffinity, os.sched_getparam, os.sched_getscheduler,\n"
        "                lambda pid: os.getpriority(os.PRIO_PROCESS, pid)):\n"
        "        ask(0)\n        ask(os.getpid())\n"
        "        try: said.append(str(ask(pid)))\n        except OSError as error: said.append(error.errno)\n"
        "    return said\n"
    )
    assert box.run(source, "f", os.getpid()).value == [1, 1, 38, 1, 1, 1]
