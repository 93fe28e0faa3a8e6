"""Workers that are put back after a job: nothing of it is left, and what does more than compute is run elsewhere."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import pytest

from mayfly.core import SandboxSettings
from mayfly.sandbox import Sandbox
from mayfly.sandbox._pool import NoWall
from mayfly.sandbox._worker import Worker
from mayfly.sandbox._zygote import Zygote
from mayfly.sandbox.attacks import run
from mayfly.sandbox.jail import _modules, _restore, _seccomp
from sandbox.test_seccomp import ALLOW, MACHINES, decide

HERE = Path(__file__).parent
TABLE = (Path(_restore.__file__).parent / "computing.txt").read_text()
ADD = "def f(x): return x + 1"


@pytest.fixture
def box() -> Iterator[Sandbox]:
    """A sandbox with one worker, which every job gets after the other."""
    try:
        _restore.check()
    except OSError as error:
        pytest.skip(f"this machine cannot say which pages were written to: {error}")
    with Sandbox(SandboxSettings(restore=True, workers=1)) as sandbox:
        assert sandbox.run(ADD, "f", 1).value == 2
        # Ordinary workers stand in wherever it fails, so it is asked whether one that is put back had the job.
        assert sandbox.restores
        assert zygote(sandbox).taken == 1
        yield sandbox


def zygote(box: Sandbox) -> Zygote:
    return next(zygote for outfit, zygote in box._pool._zygotes.items() if outfit.restored)


def worker(box: Sandbox) -> Worker:
    """Return the one worker, once it is back."""
    maker = zygote(box)
    with maker._lock:
        while not maker._idle:
            maker._wait(5.0)
            maker._read()
        return maker._idle[0]


def test_one_worker_has_one_job_after_the_other(box: Sandbox) -> None:
    assert [box.run(ADD, "f", n).value for n in range(50)] == list(range(1, 51))
    assert (worker(box).number, worker(box).jobs) == (1, 51)


TRACES = {
    "module": ("import json\njson.note = 1\ndef f(x): return 1", "import json\ndef f(x): return hasattr(json, 'note')"),
    "builtins": (
        "import builtins\nbuiltins.abs = builtins.note = lambda x: 42\ndef f(x): return abs(1)",
        "def f(x): return abs(-1) != 1 or hasattr(__import__('builtins'), 'note')",
    ),
    "type": (
        "import collections\ncollections.OrderedDict.note = 1\ndef f(x): return 1",
        "import collections\ndef f(x): return hasattr(collections.OrderedDict, 'note')",
    ),
    "modules": (
        "import sys\nsys.modules['note'] = sys\ndef f(x): return 1",
        "import sys\ndef f(x): return 'note' in sys.modules",
    ),
    "path": (
        "import sys\nsys.path.append('/note')\ndef f(x): return 1",
        "import sys\ndef f(x): return '/note' in sys.path",
    ),
    "interned": (
        "import sys\nkept = sys.intern('a note to you ' * 3)\ndef f(x): return id(kept)",
        "import gc\ndef f(x): return any(isinstance(o, dict) and 'a note to you ' * 3 in o for o in gc.get_objects())",
    ),
    "profile": (
        "import sys\nsys.setprofile(lambda *a: None)\ndef f(x): return 1",
        "import sys\ndef f(x): return sys.getprofile() is not None",
    ),
    "recursion": (
        "import sys\nsys.setrecursionlimit(77777)\ndef f(x): return 1",
        "import sys\ndef f(x): return sys.getrecursionlimit() == 77777",
    ),
    "collector": (
        "import gc\ngc.disable()\ngc.callbacks.append(print)\ndef f(x): return 1",
        "import gc\ndef f(x): return not gc.isenabled() or bool(gc.callbacks)",
    ),
    "environment": (
        "import os\nos.environ._data[b'NOTE'] = b'1'\ndef f(x): return 1",
        "import os\ndef f(x): return 'NOTE' in os.environ",
    ),
    "output": (
        "import sys\ndef f(x):\n    sys.stdout.write('kept back')\n    sys.stdout = None\n    return 1",
        "import sys\ndef f(x): return sys.stdout is None",
    ),
    "frames": (
        "import sys\ndef f(x):\n    sys._getframe(1).f_locals['self'].limit = 3\n    return 1",
        "def f(x): return False and 'a long result'",
    ),
    "digits": (
        "import sys\nsys.set_int_max_str_digits(0)\ndef f(x): return 1",
        "import sys\ndef f(x): return sys.get_int_max_str_digits() == 0",
    ),
    "a failure": (
        "import json\njson.note = 1\ndef f(x): raise ValueError('with its frames')",
        "import json, sys\ndef f(x): return hasattr(json, 'note') or sys.exc_info() != (None, None, None)",
    ),
}


@pytest.mark.parametrize("name", TRACES)
def test_a_job_finds_nothing_of_the_one_before(box: Sandbox, name: str) -> None:
    leave, find = TRACES[name]
    assert box.run(leave, "f").status in ("ok", "error")
    result = box.run(find, "f")
    assert (result.status, result.value, result.output) == ("ok", False, "")
    assert worker(box).number == 1, "it was the same process"


def test_what_was_printed_is_of_one_job(box: Sandbox) -> None:
    source = "def f(x):\n    print('a' * x)\n    return x"
    assert [box.run(source, "f", n).output for n in (50, 3, 0, 20)] == ["a" * 50 + "\n", "aaa\n", "\n", "a" * 20 + "\n"]
    assert worker(box).jobs == 5


def test_each_job_draws_its_own_random_numbers(box: Sandbox) -> None:
    source = "import os\nr = __import__('random')\ndef f(x): return [r.random(), os.urandom(4).hex()]"
    drawn = [box.run(source, "f").value for _ in range(10)]
    assert len({json.dumps(pair) for pair in drawn}) == 10


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("import os\ndef f(x): return os.getcwd()", "/"),
        ("def f(x):\n    with open('/dev/null') as file: return file.read()", ""),
        ("import time\ndef f(x): return time.process_time() >= 0", True),
        ("import _thread\ndef f(x):\n    _thread.start_new_thread(int, ())\n    return 5", 5),
        ("def f(x): return len(bytearray(64_000_000))", 64_000_000),
        ("def f(x): return len([{} for _ in range(200_000)])", 200_000),
        ("def f(x): return len('ab' * 3_000_000 + 'c')", 6_000_001),
        ("def f(x): return __import__('csv').__name__", "csv"),
        ("def f(x): return __import__('statistics').mean([1, 2, 3])", 2),
        ("def f(x):\n    def g(n): return n and 1 + g(n - 1)\n    return g(900)", 900),
    ],
)
def test_a_job_that_does_more_gets_its_answer_all_the_same(box: Sandbox, source: str, value: object) -> None:
    for _ in range(2):
        result = box.run(source, "f")
        assert (result.status, result.value) == ("ok", value), result.error
    assert box.run(ADD, "f", 1).value == 2


def test_what_did_more_once_does_not_begin_there_again(box: Sandbox) -> None:
    source = "import os\ndef f(x): return os.getcwd()"
    assert box.run(source, "f").value == "/"
    before = zygote(box).taken
    assert box.run(source, "f").value == "/"
    assert zygote(box).taken == before


def test_a_job_that_would_answer_for_the_next_one_does_not(box: Sandbox) -> None:
    # Its profiler is called when the answer has been sent, and has the channel.
    source = """
import sys
def f(x):
    worker = sys._getframe(1).f_locals["self"]
    def more(frame, event, argument):
        if event == "return" and frame.f_code.co_name == "reply":
            worker.reply(b"O", b'"forged"')
    sys.setprofile(more)
    return 1
"""
    box.run(source, "f")
    assert [box.run(ADD, "f", n).value for n in range(5)] == [1, 2, 3, 4, 5]


def test_a_worker_that_dies_between_two_jobs_is_replaced(box: Sandbox) -> None:
    for _ in range(3):
        waiting = worker(box)
        signal.pidfd_send_signal(waiting.process, signal.SIGKILL)
        assert select.select([waiting.channel], [], [], 5.0)[0], "its end is closed"
        assert box.run(ADD, "f", 1).value == 2


def test_a_job_that_is_late_or_dies_leaves_the_others_alone(box: Sandbox) -> None:
    assert box.run("def f(x):\n    while True: pass", "f", timeout=0.1).status == "timeout"
    assert box.run(ADD, "f", 1).value == 2
    assert box.run("def f(x): return len(bytearray(10 ** 10))", "f").status == "memory"
    assert box.run(ADD, "f", 1).value == 2


def test_many_at_once(box: Sandbox) -> None:
    source = "kept = []\ndef f(x):\n    kept.append(x)\n    return kept"
    wrong: list[object] = []

    def work(first: int) -> None:
        for n in range(first, first + 30):
            if (value := box.run(source, "f", n).value) != [n]:
                wrong.append((n, value))

    threads = [threading.Thread(target=work, args=(100 * n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_where_it_cannot_be_had_ordinary_workers_do(monkeypatch: pytest.MonkeyPatch) -> None:
    with Sandbox(SandboxSettings(restore=True), level="landlock") as box:
        assert box.run(ADD, "f", 1).value == 2
        assert not box.restores


@pytest.mark.timeout(900)
def test_every_attack_is_contained_where_it_begins_in_such_a_worker(
    box: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_modules, "is_lean", lambda source: True)
    report = run(level="namespaces", settings=SandboxSettings(restore=True))
    assert [(case.name, case.stopped_by) for case in report.escapes] == []
    assert report.survivors == 0


@pytest.mark.parametrize("learned", [[], ["learn"]])
@pytest.mark.parametrize("deed", ["nothing", "scribble"])
def test_memory_is_put_back_to_the_last_byte(box: Sandbox, deed: str, learned: list[str]) -> None:
    found = told(deed, 20, *learned)
    # Newer Pythons map memory for objects as they come: such a worker is refused and ended, which is as good.
    refused = sys.version_info >= (3, 12) and found == [[False, False]]
    assert refused or found == [[True, []]] * 20


@pytest.mark.parametrize(
    "deed", ["map_more", "take_away", "replace", "replace_a_part", "swap_places", "protect", "end"]
)
def test_other_mappings_are_seen_also_where_the_list_reads_the_same(box: Sandbox, deed: str) -> None:
    assert told(deed, 20) == [[False, False]]


def told(deed: str, times: int, *learned: str) -> object:
    command = [sys.executable, str(HERE / "scribbler.py"), deed, str(times), *learned]
    # Without rseq, where the kernel notes by itself which processor the process is on.
    environ = {**os.environ, "GLIBC_TUNABLES": "glibc.pthread.rseq=0"}
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120, env=environ)
    return json.loads(done.stdout)


@pytest.mark.parametrize("machine", MACHINES)
def test_the_filter_lets_nothing_through_that_leaves_a_trace(machine: str) -> None:
    program = _seccomp.compile_computing(machine, TABLE, channel=3)
    column = 1 if machine == "x86_64" else 2
    rows = {line.split()[0]: int(line.split()[column]) for line in TABLE.splitlines() if line and line[0] != "#"}

    def answer(name: str, *arguments: int) -> str:
        return decide(program, machine, rows[name], *arguments)

    listed = set(rows.values())
    assert all(decide(program, machine, call, 3, 0) == "kill" for call in range(463) if call not in listed)
    assert answer("recvfrom", 3) == answer("sendto", 3) == ALLOW
    assert {answer("recvfrom", 4), answer("sendto", 1), answer("sendto", 3, 0, 0, 1), answer("write", 3)} == {"kill"}
    assert answer("write", 1) == answer("write", 2) == ALLOW
    assert answer("mmap", 0, 4096, 3, 0x22) == ALLOW
    fixed, executable, shared, kept = (0x1000, 0, 3, 0x22), (0, 0, 7, 0x22), (0, 0, 3, 0x21), (0, 0, 3, 0x2022)
    for start, size, rights, flags in (fixed, executable, shared, kept, (1 << 40, 0, 3, 0x22)):
        assert answer("mmap", start, size, rights, flags) == "kill"
    assert answer("futex", 0, 0x80) == answer("futex", 0, 0x189) == ALLOW
    assert answer("futex", 0, 0x86) == answer("clock_gettime", 2) == answer("clock_nanosleep", 3) == "kill"
    assert answer("clock_gettime", 1) == ALLOW


def test_a_call_that_is_not_allowed_after_the_answer_costs_no_other_job(box: Sandbox) -> None:
    # It is made while the answer is on its way, so that the signal for it and the stop for putting back come together.
    source = "import os\nclass R(dict):\n    def __del__(self): os.getcwd()\ndef f(x): return R(n=x)"
    for n in range(100):
        # A source of its own each: what ended a worker is not given one again.
        box._pool.restorable.__init__()  # type: ignore[misc]
        assert box.run(f"{source}\n#{n}", "f", n).value == {"n": n}
        assert box.run(ADD, "f", n).value == n + 1


def test_a_job_that_does_more_has_all_of_its_time(box: Sandbox) -> None:
    source = (
        "import time, os\ndef f(x):\n    end = time.monotonic() + x\n"
        "    while time.monotonic() < end: pass\n    return os.getcwd()"
    )
    assert box.run(source, "f", 1.2, timeout=2.0).value == "/"


def test_recursion_goes_as_deep_as_elsewhere(box: Sandbox, best: Sandbox) -> None:
    source = "def f(n):\n    def g(k): return 0 if k == 0 else 1 + g(k - 1)\n    return g(n)"
    depths = range(990, 1010)
    expected = [best.run(source, "f", depth).status for depth in depths]
    assert [box.run(source, "f", depth).status for depth in depths] == expected
    assert set(expected) == {"ok", "error"}


def test_no_more_workers_stay_than_are_kept_ready(box: Sandbox) -> None:
    source = "import time\ndef f(x):\n    time.sleep(0.3)\n    return x"
    threads = [threading.Thread(target=box.run, args=(source, "f", n)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert box.run(ADD, "f", 1).value == 2
    worker(box)
    maker = zygote(box)
    with maker._lock:
        while maker._asked:
            maker._wait(5.0)
            maker._read()
    assert len(maker._idle) == 1


def test_an_accident_is_no_answer_about_it(box: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> NoReturn:
        raise NoWall("no descriptor is left")

    with monkeypatch.context() as patched:
        patched.setattr(box._pool, "take", fail)
        assert box.run(ADD, "f", 1).status == "refused"
    assert box.restores
    assert box.run(ADD, "f", 1).value == 2


def test_where_too_many_jobs_end_their_workers_ordinary_ones_serve(box: Sandbox) -> None:
    for n in range(30):
        assert box.run(f"import os\ndef f(x): return os.getcwd()\n#{n}", "f").value == "/"
    before = zygote(box).taken
    assert box.run(ADD, "f", 1).value == 2
    assert zygote(box).taken == before


def test_pages_tell_nothing_of_the_job_before(box: Sandbox) -> None:
    # How many pages cost a fault is the same whatever the last job wrote to; the fault counts of the kernel say it.
    large = "def f(n): return len('x' * n + 'y')"
    process = worker(box).process
    pid = next(
        int(line.split()[1]) for line in Path(f"/proc/self/fdinfo/{process}").read_text().splitlines() if "Pid:" in line
    )

    def faults(before: int) -> int:
        box.run(large, "f", before)
        worker(box)
        first = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[7])
        box.run(large, "f", 1_000_000)
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[7]) - first

    counts = [faults(size) for size in (1, 500_000, 1_500_000, 1) * 3]
    assert worker(box).number == 1
    # Half a megabyte lies on 122 pages: that many fewer faults would tell of it. The kernel itself adds or saves a few.
    assert max(counts) - min(counts) <= 20, counts
