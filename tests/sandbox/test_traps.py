"""The traps the design names: each cost somebody a day once."""

import contextlib
import importlib
import os
import sys
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor

import pytest

from mayfly.core import SandboxSettings
from mayfly.sandbox import Sandbox

THREADS = (
    "import threading\ndef f(wanted):\n    stop, made = threading.Event(), []\n    try:\n"
    "        for _ in range(wanted):\n            t = threading.Thread(target=stop.wait)\n"
    "            t.start()\n            made.append(t)\n    except RuntimeError: pass\n"
    "    stop.set()\n    return len(made)\n"
)


def test_one_zygote_forks_into_a_new_pid_namespace_again_and_again() -> None:
    """A second unshare(NEWPID) is EINVAL, and after the first child's death a fork is ENOMEM, without setns back."""
    with Sandbox(level="namespaces") as box:
        source = "import os\ndef f(x): return [os.getpid(), os.getppid()]\n"
        assert [box.run(source, "f").value for _ in range(10)] == [[1, 0]] * 10
        assert len(box._pool._zygotes) == 1


@pytest.mark.parametrize("settings", [SandboxSettings(), SandboxSettings(threads=4)])
def test_every_worker_has_its_own_count_of_threads(settings: SandboxSettings) -> None:
    """RLIMIT_NPROC counts by user: shared, neighbours starve; for root, nothing is limited at all."""
    with Sandbox(settings, level="namespaces") as box, ThreadPoolExecutor(4) as callers:
        barrier = threading.Barrier(4)

        def call(_: int) -> object:
            barrier.wait()
            return box.run(THREADS, "f", 40).value

        assert list(callers.map(call, range(4))) == [settings.threads - 1] * 4


def test_threads_fit_into_the_memory_of_a_small_job(box: Sandbox) -> None:
    """Each malloc arena reserves 64 MiB of address space: with the usual eight a core, a few threads fill 256 MiB."""
    work = THREADS.replace(
        "target=stop.wait", "target=lambda: (bytearray(100_000), [{} for _ in range(999)], stop.wait())"
    )
    assert box.run(work, "f", 15, memory=256 * 2**20).value == 15


def test_every_extension_module_can_be_imported_late(box: Sandbox) -> None:
    """A late dlopen maps executable memory, which a job may not: so all were loaded before."""
    source = (
        "import importlib\ndef f(names):\n    failed = []\n    for name in names:\n"
        "        try: importlib.import_module(name)\n        except Exception as e: failed.append(str(e))\n"
        "    return failed\n"
    )
    assert box.run(source, "f", _extension_modules()).value == []


def _extension_modules() -> list[str]:
    """Return the extension modules of the standard library that this interpreter itself can import."""
    skipped = ("_test", "_xx", "xx", "_tkinter", "readline", "_curses", "_dbm", "_gdbm", "nis", "ossaudiodev", "spwd")
    places = [p for p in sys.path if p.endswith("lib-dynload")]
    names = {n.split(".")[0] for p in places for n in os.listdir(p)}
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in sorted(n for n in names if not n.startswith(skipped)):
            with contextlib.suppress(ImportError):
                importlib.import_module(name)
                found.append(name)
    return found


def test_executable_memory_cannot_be_had(box: Sandbox) -> None:
    source = "import mmap\ndef f(x): mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)\n"
    assert "PermissionError" in str(box.run(source, "f").error)
