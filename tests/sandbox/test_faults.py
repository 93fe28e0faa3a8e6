"""Workers, zygotes and hosts that die; jobs that will not; nothing is left behind."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from mayfly.core import SandboxSettings
from mayfly.sandbox import Sandbox

DOUBLE = "def f(x):\n    return x * 2\n"


def served(box: Sandbox) -> bool:
    return box.run(DOUBLE, "f", 21).value == 42


def descendants(root: int | None = None) -> dict[int, str]:
    """Return every process below *root* with its state."""
    parents: dict[int, tuple[int, str]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            fields = stat(int(entry.name))
            if fields == ["X"]:
                continue
            parents[int(entry.name)] = (int(fields[1]), fields[0])
    found: dict[int, str] = {}
    todo = [root or os.getpid()]
    while todo:
        parent = todo.pop()
        for pid, (above, state) in parents.items():
            if above == parent and pid not in found:
                found[pid] = state
                todo.append(pid)
    return found


def launcher_of(box: Sandbox) -> int:
    return next(iter(box._pool._zygotes.values()))._process.pid


def tree(box: Sandbox) -> dict[int, str]:
    """Return the processes of *box* with their states."""
    return descendants(launcher_of(box))


def alive(pids: Iterable[int]) -> bool:
    return any(Path(f"/proc/{pid}").exists() for pid in pids)


def stat(pid: int) -> list[str]:
    """Return what the kernel says of a process from its state on; one that is gone looks like one that is dead."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ["X"]


def ended(pids: Iterable[int]) -> bool:
    """Whether each of *pids* is gone, or dead and only not yet collected."""
    return all(stat(pid)[0] in "ZX" for pid in pids)


def turning(box: Sandbox) -> int | None:
    """Return the process of *box* that has computed for a while and still does, if there is one."""
    found = {pid: stat(pid) for pid in tree(box)}
    return next((pid for pid, fields in found.items() if fields[0] == "R" and int(fields[11]) > 10), None)


def eventually(true: Callable[[], object], seconds: float = 100) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if true():
            return True
        time.sleep(0.01)
    return bool(true())


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("import os; os._exit(0)", "exited with status 0 without an answer"),
        ("import os; os._exit(1)", "exited with status 1"),
        ("import ctypes; ctypes.string_at(0)", "SIGSEGV"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL); os.abort()", "without an answer|killed by signal"),
        ("import os\n    for n in range(64):\n        try: os.close(n)\n        except OSError: pass", ""),
        ("import os\n    os.closerange(0, 64)\n    while True: pass", ""),
    ],
)
def test_a_worker_that_ends_without_an_answer_is_no_success(box: Sandbox, body: str, said: str) -> None:
    result = box.run(f"def f(x):\n    {body}\n", "f", timeout=60)
    assert result.status == "died"
    assert any(part in str(result.error) for part in said.split("|"))
    assert served(box)


def test_a_job_that_dies_costs_no_other_job(own: Sandbox) -> None:
    """A worker's end and the question how it ended reach the zygote together, now in this order and now in that."""
    with own as box, ThreadPoolExecutor(3) as threads:
        zygote = launcher_of(box) if served(box) else 0

        def pair(_: int) -> tuple[str, object]:
            return box.run("import os\ndef f(x): os._exit(0)", "f").status, box.run(DOUBLE, "f", 21).value

        assert set(threads.map(pair, range(100))) == {("died", 42)}
        assert launcher_of(box) == zygote


FORGERS = {
    "json": 'b\'{"status": "ok", "value": 1}\'',
    "frame": "struct.pack('=16scIII', bytes(16), b'O', 1, 0, 0) + b'1'",
    "guess": "struct.pack('=16scIII', os.urandom(16), b'O', 1, 0, 0) + b'1'",
    "huge": "struct.pack('=16scIII', bytes(16), b'O', 2**32 - 1, 0, 0) + b'1'",
    "zeros": "bytes(4096)",
}


@pytest.mark.parametrize("frame", FORGERS.values(), ids=FORGERS)
@pytest.mark.parametrize("ending", ["os._exit(0)", "return 7", "time.sleep(60)"])
def test_a_forged_reply_is_never_a_result(box: Sandbox, frame: str, ending: str) -> None:
    source = (
        "import os, struct, time\ndef f(x):\n    for n in range(3, 64):\n"
        f"        try: os.write(n, {frame})\n        except OSError: pass\n    {ending}\n"
    )
    result = box.run(source, "f", timeout=0.5)
    assert result.status in ("died", "timeout")
    assert result.value is None
    assert served(box)


@pytest.mark.first(4)
@pytest.mark.parametrize(
    "body",
    [
        "while True: pass",
        "import time; time.sleep(3600)",
        "(1 << 100_000_000) ** 3",
        "import re; re.match(r'(a+)+$', 'a' * 64 + 'b')",
        "sum(range(10 ** 12))",
        "import threading; threading.Event().wait()",
        "import signal\n    for n in range(1, 32):\n        try: signal.signal(n, signal.SIG_IGN)\n"
        "        except (OSError, ValueError): pass\n    while True: pass",
        "import asyncio\n    async def g(): await asyncio.Future()\n    asyncio.run(g())",
        "try:\n        while True: pass\n    except BaseException: pass\n    while True: pass",
    ],
)
def test_the_deadline_holds_whatever_the_job_does(box: Sandbox, body: str) -> None:
    started = time.monotonic()
    result = box.run(f"def f(x):\n    {body}\n", "f", timeout=0.3)
    assert result.status in ("timeout", "memory")
    assert time.monotonic() - started < 60
    if result.status == "timeout":
        assert result.error == "Sandbox timeout after 300ms"
    assert served(box)


@pytest.mark.parametrize(
    "expression",
    ["[0] * 10**10", "bytearray(2 * 1024**3)", "'x' * 2 * 1024**3", "[bytearray(2**20) for _ in range(4096)]"],
)
def test_memory_is_limited(box: Sandbox, expression: str) -> None:
    result = box.run(f"def f(x):\n    return len({expression})\n", "f", timeout=100)
    assert result.status == "memory"
    assert "536870912" in str(result.error)
    assert served(box)


@pytest.mark.parametrize("place", [0, 10, 2**40, 2**62])
def test_a_moved_output_position_gives_no_more_than_the_limit(box: Sandbox, place: int) -> None:
    result = box.run(
        "import os\ndef f(n):\n    print('x', flush=True)\n    os.lseek(1, n, 0)\n    return 1\n", "f", place
    )
    assert result.ok
    assert len(result.output) <= 1_000_000
    assert served(box)


def test_threads_that_outlive_the_call_are_gone_with_their_worker(own: Sandbox) -> None:
    source = (
        "import threading, time\ndef f(x):\n    for _ in range(5):\n"
        "        threading.Thread(target=lambda: [None for _ in iter(int, 1)]).start()\n    return 'back'\n"
    )
    with own as box:
        assert box.run(source, "f").value == "back"
        assert box.run(source, "f", lane="pinned").value == "back"
        assert served(box)
        assert eventually(lambda: "R" not in tree(box).values())


def test_no_process_is_left_after_close(own: Sandbox) -> None:
    with own as box:
        assert served(box)
        assert eventually(lambda: len(tree(box)) >= 2)
        below = {launcher_of(box), *tree(box)}
    assert eventually(lambda: not alive(below))


def test_no_zombie_is_left_while_open(own: Sandbox) -> None:
    with own as box:
        for n in range(20):
            assert box.run(DOUBLE, "f", n).ok
        box.run("import os\ndef f(x): os._exit(3)", "f")
        assert eventually(lambda: "Z" not in tree(box).values() and len(tree(box)) < 6)


def test_a_job_whose_worker_is_killed_died_and_the_next_is_served(own: Sandbox) -> None:
    with own as box, ThreadPoolExecutor() as threads:
        assert served(box)
        running = threads.submit(box.run, "def f(x):\n    while True: pass\n", "f", timeout=200)
        assert eventually(lambda: turning(box))
        os.kill(turning(box) or 0, signal.SIGKILL)
        result = running.result(100)
        assert result.status == "died"
        assert "SIGKILL" in str(result.error)
        assert served(box)


def test_workers_killed_while_they_wait_cost_no_job(own: Sandbox) -> None:
    with own as box:
        assert served(box)
        zygote = next(pid for pid in tree(box))
        assert eventually(lambda: set(descendants(zygote).values()) == {"S"})
        waiting = set(descendants(zygote))
        for pid in waiting:
            os.kill(pid, signal.SIGKILL)
        assert eventually(lambda: ended(waiting))
        assert served(box)


def test_workers_killed_before_they_have_read_their_job_cost_none(own: Sandbox) -> None:
    with own:
        assert served(own)
        (zygote,) = own._pool._zygotes.values()
        assert eventually(lambda: bool(zygote._idle))
        waiting = [worker.process for worker in zygote._idle]
        for process in waiting:
            signal.pidfd_send_signal(process, signal.SIGSTOP)
        with ThreadPoolExecutor(len(waiting)) as threads:
            jobs = [threads.submit(served, own) for _ in waiting]
            time.sleep(0.2)
            for process in waiting:
                signal.pidfd_send_signal(process, signal.SIGKILL)
            assert all(job.result() for job in jobs)


@pytest.mark.parametrize("who", ["launcher", "zygote"])
def test_a_killed_zygote_is_started_again(own: Sandbox, who: str) -> None:
    with own as box:
        assert served(box)
        launcher = launcher_of(box)
        zygote = next(pid for pid in descendants(launcher))
        below = {launcher, *tree(box)}
        os.kill(launcher if who == "launcher" else zygote, signal.SIGKILL)
        # A worker ends with its zygote, if an instant later: until then a job may still reach it, and end with it.
        assert eventually(lambda: served(box) and launcher_of(box) != launcher)
        assert box.run(DOUBLE, "f", 1, lane="pinned").value == 2
        assert eventually(lambda: not alive(below))


def test_nothing_survives_a_killed_host(level: str) -> None:
    program = (
        "import os, sys, threading, time\nfrom mayfly.sandbox import Sandbox\n"
        f"box = Sandbox(level={level!r})\nassert box.run('def f(x): return x', 'f', 1).ok\n"
        "loop = 'def f(x):\\n    while True: pass\\n'\n"
        "threading.Thread(target=lambda: box.run(loop, 'f'), daemon=True).start()\n"
        "print('ready', flush=True)\ntime.sleep(600)\n"
    )
    host = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert host.stdout is not None
    assert host.stdout.readline() == "ready\n"
    assert eventually(lambda: len(descendants(host.pid)) >= 4 and "R" in descendants(host.pid).values())
    below = set(descendants(host.pid))
    host.kill()
    host.wait()
    host.stdout.close()
    assert eventually(lambda: not alive(below))


def test_a_forked_child_has_a_sandbox_of_its_own(own: Sandbox) -> None:
    with own as box:
        assert served(box)
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.write(writer, b"yes" if served(box) else b"no")
            box.close()
            os._exit(0)
        os.close(writer)
        assert os.read(reader, 10) == b"yes"
        os.close(reader)
        os.waitpid(child, 0)
        assert served(box)


def test_many_threads_get_their_own_answers(box: Sandbox) -> None:
    with ThreadPoolExecutor(8) as threads:
        lanes = [("one-shot", "pinned")[n % 2] for n in range(200)]
        results = list(threads.map(lambda n: box.run(DOUBLE, "f", n, lane=lanes[n]).value, range(200)))  # type: ignore[arg-type]
    assert results == [2 * n for n in range(200)]


def test_no_more_jobs_run_at_once_than_allowed() -> None:
    with Sandbox(SandboxSettings(jobs=2)) as box, ThreadPoolExecutor(6) as threads:
        assert served(box)
        started = time.monotonic()
        sleep = "import time\ndef f(x): time.sleep(0.2)\n"
        assert all(r.ok for r in threads.map(lambda _: box.run(sleep, "f"), range(6)))
        assert time.monotonic() - started >= 0.6


def test_the_event_loop_stays_responsive_and_cancelling_kills_the_job(own: Sandbox) -> None:
    async def scenario(box: Sandbox) -> None:
        await box.arun(DOUBLE, "f", 1)
        job = asyncio.create_task(box.arun("def f(x):\n    while True: pass\n", "f", timeout=200))
        while not turning(box):
            await asyncio.sleep(0.005)
        for _ in range(100):
            await asyncio.sleep(0)
        assert not job.done(), "the loop turned a hundred times while the job ran"
        job.cancel()
        with pytest.raises(asyncio.CancelledError):
            await job
        assert (await box.arun(DOUBLE, "f", 21)).value == 42

    with own as box:
        asyncio.run(scenario(box))
        assert eventually(lambda: "R" not in tree(box).values())


@pytest.mark.later
def test_the_hosts_memory_and_descriptors_stay_flat() -> None:
    def resident() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1])

    with Sandbox() as box:
        for n in range(50):
            box.run(DOUBLE, "f", n)
            box.run(DOUBLE, "f", n, lane="pinned")
        files, pages = len(os.listdir("/proc/self/fd")), resident()
        for n in range(300):
            assert box.run(DOUBLE, "f", n).ok
        for n in range(10_000):
            assert box.run(DOUBLE, "f", n, lane="pinned").ok
        # A worker more may be waiting, with four descriptors, and one is open for the list itself.
        assert len(os.listdir("/proc/self/fd")) <= files + 5
        assert resident() - pages < 1024


def test_no_file_is_left_anywhere_we_can_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    before = left_in_tmp()
    with Sandbox() as box:
        threads = [threading.Thread(target=served, args=(box,)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not list(tmp_path.iterdir())
    assert left_in_tmp() <= before


def left_in_tmp() -> set[str]:
    """Return what is in /tmp by our name, but for what other tests put there by theirs while this one runs."""
    others = ("bench", "chaos", "pg", "python", "ray", "stage", "test", "types")
    names = (path.name for path in Path("/tmp").iterdir())
    return {
        name
        for name in names
        if name.startswith("mayfly") and not name.startswith(tuple(f"mayfly-{one}" for one in others))
    }
