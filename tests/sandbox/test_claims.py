"""Sentences of the trust page that nothing else attacks: each is tried to be made false."""

import os
import socket
import sysconfig
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from mayfly.sandbox import Sandbox

TRY = """
import os
def said(action):
    try: return str(action())[:60]
    except OSError as error: return f'errno {error.errno}'
    except Exception as error: return type(error).__name__
"""


def test_a_job_finds_nothing_of_the_host_in_what_it_starts_with(box: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """An inheritable descriptor, a variable and an argument of the host, looked for from inside."""
    monkeypatch.setenv("TOKEN", "secret-in-the-environment")
    reader, writer = os.pipe()
    os.set_inheritable(reader, True)
    os.write(writer, b"secret-in-a-pipe")
    source = TRY + (
        "import ctypes, fcntl, stat, sys\ndef f(x):\n    kinds = {}\n    for fd in range(1024):\n"
        "        try: kinds[fd] = stat.S_IFMT(os.fstat(fd).st_mode)\n        except OSError: pass\n"
        "    low = {fd: kind for fd, kind in kinds.items() if fd < 20}\n"
        "    environ = ctypes.POINTER(ctypes.c_char_p).in_dll(ctypes.CDLL(None), 'environ')\n"
        "    return [sorted(low), [kind for fd, kind in kinds.items() if fd >= 20 and stat.S_ISFIFO(kind)],\n"
        "            bool(environ and environ[0]), dict(os.environ), sys.argv]\n"
    )
    with Sandbox(level=box.warm()) as fresh:
        assert fresh.run(source, "f").value == [[0, 1, 2, 3], [], False, {}, [""]]
    os.close(reader)
    os.close(writer)


def test_no_installed_package_is_read_without_the_grant(box: Sandbox) -> None:
    """By its path, by putting that first, by listing where it is."""
    site = sysconfig.get_path("purelib")
    file = next(path for path in Path(site).rglob("*.py") if path.stat().st_size)
    source = TRY + (
        "import importlib, sys\ndef f(paths):\n    site, file = paths\n    sys.path.insert(0, site)\n"
        "    sys.path_importer_cache.clear()\n"
        "    return [said(lambda: open(file).read()), said(lambda: os.listdir(site)),\n"
        "            said(lambda: __import__('rich')), said(lambda: os.listdir(os.path.dirname(file)))]\n"
    )
    answers = box.run(source, "f", [site, str(file)]).value
    assert isinstance(answers, list)
    refused = {"errno 2", "errno 13", "errno 1", "ModuleNotFoundError", "[]"}
    assert set(answers) <= refused, answers


HIDDEN = (
    "cmdline",
    "environ",
    "status",
    "stat",
    "maps",
    "mem",
    "fd",
    "cwd",
    "root",
    "exe",
    "ns/net",
    "io",
    "comm",
    "task",
)


def test_what_level_landlock_shows_of_other_processes_is_what_the_page_says() -> None:
    """Whether one exists and whose it is, as of any path; nothing that the kernel tells about it besides."""
    source = TRY + (
        "def f(given):\n    pid, names = given\n    where = f'/proc/{pid}'\n    found = {}\n"
        "    for name in names:\n        path = f'{where}/{name}'\n"
        "        found[name] = [said(lambda: os.read(os.open(path, os.O_RDONLY), 10)),\n"
        "                       said(lambda: os.readlink(path)), said(lambda: os.listdir(path))]\n"
        "    return [os.stat(where).st_uid, os.path.exists('/proc/4000000'), found,\n"
        "            said(lambda: os.listdir('/proc')), os.uname().nodename, os.getppid() > 1]\n"
    )
    with Sandbox(level="landlock") as box:
        result = box.run(source, "f", [os.getpid(), HIDDEN])
    assert isinstance(result.value, list), result
    owner, missing, found, listing, name, parent = result.value
    assert (owner, missing, name, parent) == (os.geteuid(), False, socket.gethostname(), True)
    assert listing.startswith("errno")
    assert [path for path, answers in found.items() if not all(one.startswith("errno") for one in answers)] == []


@pytest.fixture
def shown() -> Iterator[Path]:
    """A file in a directory that anybody may enter."""
    with tempfile.TemporaryDirectory() as place:
        Path(place).chmod(0o755)
        file = Path(place) / "file"
        file.write_text("content")
        yield file


def test_what_level_landlock_shows_of_files_is_what_the_page_says(shown: Path) -> None:
    """That they exist, whose they are, how large, how old and where links lead; nothing of what is in them."""
    file, link = shown, shown.with_name("link")
    link.symlink_to(file)
    source = TRY + (
        "def f(paths):\n    file, link = paths\n    seen = os.stat(file)\n"
        "    return [seen.st_size, os.readlink(link), said(lambda: open(file).read()),\n"
        "            said(lambda: os.listdir(os.path.dirname(file))), said(lambda: os.getxattr(file, 'user.x')),\n"
        "            said(lambda: os.truncate(file, 0)), said(lambda: os.chmod(file, 0)),\n"
        "            said(lambda: os.remove(file))]\n"
    )
    with Sandbox(level="landlock") as box:
        result = box.run(source, "f", [str(file), str(link)])
    assert isinstance(result.value, list), result
    assert result.value[:2] == [7, str(file)]
    assert all(answer.startswith("errno") for answer in result.value[2:]), result.value
    assert file.read_text() == "content"


def test_level_namespaces_shows_none_of_it(tmp_path: Path) -> None:
    source = TRY + (
        "def f(given):\n    path, pid = given\n"
        "    return [said(lambda: os.stat(path)), said(lambda: os.stat('/proc')), os.uname().nodename, os.getpid()]\n"
    )
    with Sandbox(level="namespaces") as box:
        answers = box.run(source, "f", [str(tmp_path), os.getpid()]).value
    assert answers == ["errno 2", "errno 2", "mayfly", 1]
