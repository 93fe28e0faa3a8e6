"""What a job may hold in all: memory of the kernel's, values in a result, files in a workspace."""

import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from mayfly.core import SandboxSettings
from mayfly.sandbox import Sandbox, _cgroup, diagnose
from mayfly.sandbox._workspace import Usage, measure

from .test_faults import DOUBLE, descendants, eventually, launcher_of, served

MIB = 1 << 20


@pytest.fixture(scope="module")
def groups() -> Iterator[_cgroup.Groups]:
    try:
        found = _cgroup.find()
    except _cgroup.NoGroups as error:
        pytest.skip(f"no control groups here: {error}")
    found.join()
    yield found
    found.leave()


def groups_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cgroup").read_text()
    except OSError:
        return ""


def test_w1_every_waiting_worker_is_in_a_control_group_of_its_own(groups: _cgroup.Groups, level: str) -> None:
    with Sandbox(level=level) as box:
        assert served(box)

        def places() -> list[str]:
            zygote = next(iter(descendants(launcher_of(box))), 0)
            return [groups_of(pid) for pid in descendants(zygote)]

        def apart() -> bool:
            found = places()
            return len(found) >= 2 and all("mayfly-" in text for text in found) and len(set(found)) == len(found)

        assert eventually(apart)


def test_w1_no_control_group_is_left_behind(groups: _cgroup.Groups, level: str) -> None:
    program = (
        "import os\nfrom mayfly.sandbox import Sandbox\n"
        f"with Sandbox(level={level!r}) as box:\n    for n in range(5): box.run('def f(x): return x', 'f', n)\n"
        "print(os.getpid())\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert not left_by(int(done.stdout))


def left_by(pid: int) -> list[Path]:
    """Return the control groups below those of a process that was here; ours that others use are not among them."""
    try:
        branches = _cgroup.find()._branches
    except _cgroup.NoGroups:
        return []
    return [inner for b in branches for place in b.parent.glob(f"mayfly-*-{pid}-*") for inner in place.glob("[1-9]*")]


def test_w1_what_is_held_beyond_a_control_groups_limit_is_a_matter_of_memory(
    groups: _cgroup.Groups, level: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_cgroup, "_OWN", -16 * MIB)
    source = "import time\ndef f(size):\n    time.sleep(0.3)\n    return len(b'x' * size)\n"
    with Sandbox(SandboxSettings(memory=64 * MIB), level=level) as box:
        result = box.run(source, "f", 62 * MIB)
        assert (result.status, result.value) == ("memory", None)
        assert "67108864" in str(result.error)
        assert served(box)


def test_w1_a_jobs_own_limit_is_that_of_its_control_group(groups: _cgroup.Groups, level: str) -> None:
    with Sandbox(level=level) as box:
        assert box.run(DOUBLE, "f", 1, memory=32 * MIB).ok
        seen: set[int] = set()
        job = threading.Thread(
            # Long enough for a look on a busy machine; it ends with its box as soon as both limits were seen.
            target=lambda: box.run("import time\ndef f(x): time.sleep(10)", "f", memory=32 * MIB),
            daemon=True,
        )
        job.start()
        wanted = {32 * MIB, 512 * MIB}
        while job.is_alive() and not wanted <= seen:
            for group in left_by(os.getpid()):
                for name in ("memory.limit_in_bytes", "memory.max"):
                    if (group / name).exists():
                        seen.add(int((group / name).read_text()) - _cgroup._OWN)
            time.sleep(0.02)
        assert wanted <= seen


def test_w1_a_group_is_free_when_its_dead_are_no_longer_counted_and_holds_its_new_worker_to_its_own_threads(
    groups: _cgroup.Groups,
) -> None:
    """The kernel counts a dead process until it is reaped: a worker that follows too soon has a thread too few."""
    groups.join()
    try:
        first = groups.take(memory=64 * MIB, tasks=16)
        if "pids" not in first._paths:
            pytest.skip("no controller for tasks here")
        child = subprocess.Popen(["/bin/sh", "-c", "read line"], stdin=subprocess.PIPE)
        first.add(child.pid)
        child.kill()
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        groups.give_back(first)
        assert not first.empty
        child.communicate()
        assert eventually(lambda: first.empty)
        taken = [groups.take(memory=64 * MIB, tasks=4) for _ in range(len(groups._free))]
        assert first in taken
        assert (first._paths["pids"] / "pids.max").read_text() == "4\n"
        for group in taken:
            group.give_back()
    finally:
        groups.leave()


def test_w1_a_process_outside_python_is_killed_at_the_limit(groups: _cgroup.Groups) -> None:
    group = groups.take(memory=16 * MIB, tasks=16)
    program = "import sys; sys.stdin.readline(); bytearray(300 << 20); print('alive')"
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as job:
        group.add(job.pid)
        assert not group.empty
        assert job.communicate(b"\n")[0] == b""
    assert group.was_killed()
    assert not group.was_killed()
    assert eventually(lambda: group.empty)
    groups.give_back(group)


def test_w1_the_groups_of_a_killed_host_are_removed_by_the_next(groups: _cgroup.Groups) -> None:
    program = (
        "import os, sys, time\nfrom mayfly.sandbox import Sandbox\nbox = Sandbox()\n"
        "assert box.run('def f(x): return x', 'f', 1).ok\nprint('ready', flush=True)\ntime.sleep(600)\n"
    )
    host = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert host.stdout is not None
    assert host.stdout.readline() == "ready\n"
    assert eventually(lambda: left_by(host.pid))
    host.kill()
    host.wait()
    host.stdout.close()

    def next_host_removes_them() -> bool:
        for branch in groups._branches:
            _cgroup._remove_leftovers(branch.parent)
        return not left_by(host.pid)

    assert eventually(next_host_removes_them)


def test_w1_the_doctor_says_whether_there_are_control_groups() -> None:
    layer = next(layer for layer in diagnose().layers if layer.name == "cgroup")
    assert layer.ok
    assert "memory" in layer.detail or "none (" in layer.detail


MOUNTS = "35 24 0:30 / {place} rw shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"


def delegated(root: Path, *groups: str) -> None:
    """Make directories that look like groups of the second version."""
    for group in ("", *groups):
        place = root / group
        place.mkdir(parents=True, exist_ok=True)
        for name in ("controllers", "subtree_control"):
            (place / f"cgroup.{name}").write_text("cpu memory pids\n")
        (place / "cgroup.procs").write_text("")
        if group:
            (place / "cgroup.type").write_text("domain\n")


def test_w1_a_delegated_group_gives_a_place_beside_our_own(tmp_path: Path) -> None:
    delegated(tmp_path, "user.slice", "user.slice/app.slice", "user.slice/app.slice/terminal.scope")
    (branch,) = _cgroup.branches(MOUNTS.format(place=tmp_path), "0::/user.slice/app.slice/terminal.scope\n")
    assert branch.parent == tmp_path / "user.slice/app.slice"
    assert (branch.version, set(branch.controls)) == (2, {"memory", "pids", "cpu"})


def test_w1_the_root_of_all_groups_holds_ours(tmp_path: Path) -> None:
    delegated(tmp_path)
    (branch,) = _cgroup.branches(MOUNTS.format(place=tmp_path), "0::/\n")
    assert branch.parent == tmp_path


def test_w1_a_container_that_holds_us_alone_makes_room(tmp_path: Path) -> None:
    root = tmp_path / "mount"
    delegated(root)
    (root / "cgroup.type").write_text("domain\n")
    (root / "cgroup.procs").write_text("1\n2\n")
    with pytest.raises(_cgroup.NoGroups, match="other processes"):
        _cgroup.branches(MOUNTS.format(place=root), "0::/\n")
    (root / "cgroup.procs").write_text(f"{os.getpid()}\n")
    (branch,) = _cgroup.branches(MOUNTS.format(place=root), "0::/\n")
    assert branch.parent == root
    assert [path.read_text() for path in root.glob("mayfly-*-host/cgroup.procs")] == [str(os.getpid())]


@pytest.mark.parametrize(("mounts", "own"), [("", "0::/\n"), (MOUNTS.format(place="/nowhere"), "0::/a\n")])
def test_w1_where_nothing_is_delegated_the_reason_is_said(mounts: str, own: str) -> None:
    with pytest.raises(_cgroup.NoGroups):
        _cgroup.branches(mounts, own)


# What a job can hold beside its memory without a control group, as docs/trust.md says.
HELD = """
import os, select, socket
def pairs(x):
    kept, total = [], 0
    try:
        while True:
            for end in socket.socketpair():
                end.setblocking(False)
                kept.append(end)
                try:
                    while True: total += end.send(bytes(1 << 16))
                except BlockingIOError: pass
    except OSError: return total
def pipes(x):
    kept, total = [], 0
    try:
        while True:
            reader, writer = os.pipe()
            kept += [reader, writer]
            os.set_blocking(writer, False)
            try:
                while True: total += os.write(writer, bytes(1 << 16))
            except BlockingIOError: pass
    except OSError: return total
"""


@pytest.mark.parametrize("entry", ["pairs", "pipes"])
def test_w1_buffers_hold_no_more_than_is_written_down(box: Sandbox, entry: str) -> None:
    result = box.run(HELD, entry)
    assert result.ok
    assert isinstance(result.value, int)
    assert 0 < result.value <= 32 * MIB


@pytest.mark.parametrize("lane", ["one-shot", "pinned"])
def test_w6_a_result_has_a_budget_of_values(level: str, lane: str) -> None:
    with Sandbox(SandboxSettings(nodes=1000), level=level) as box:
        fits = box.run("def f(n): return [[] for _ in range(n)]", "f", 400, lane=lane)  # type: ignore[arg-type]
        assert fits.value == [[]] * 400
        over = box.run("def f(n): return [[] for _ in range(n)]", "f", 700, lane=lane)  # type: ignore[arg-type]
        assert (over.status, over.error) == ("error", "the result holds more than 1000 values, keys included")
        assert box.run("def f(n): return ',[{' * n", "f", 5000, lane=lane).ok  # type: ignore[arg-type]


def test_w6_streamed_items_have_the_same_budget_together(level: str) -> None:
    with Sandbox(SandboxSettings(nodes=1000), level=level) as box:
        over = box.run("def f(n):\n    for _ in range(n): yield [[]]\n", "f", 900)
        assert (over.status, over.error) == ("error", "the result holds more than 1000 values, keys included")
        assert len(box.run("def f(n):\n    for _ in range(n): yield 1\n", "f", 900).value) == 900  # type: ignore[arg-type]


LIAR = """
import sys
def f(n):
    worker = sys._getframe(1).f_locals["self"]
    worker.nodes = worker.limit = 1 << 60
    return [[] for _ in range(n)]
"""


def test_w6_the_host_counts_for_itself(level: str) -> None:
    with Sandbox(SandboxSettings(nodes=1000), level=level) as box:
        result = box.run(LIAR, "f", 5000)
        assert (result.status, result.error) == ("error", "the result holds more than 1000 values, keys included")


@pytest.mark.later
def test_w6_a_large_result_costs_the_host_a_few_times_its_size_and_no_other_thread_its_turn(level: str) -> None:
    def resident() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

    with Sandbox(level=level) as box:
        assert served(box)
        before, most = resident(), 0
        done = threading.Event()

        def watch() -> None:
            nonlocal most
            while not done.wait(0.005):
                most = max(most, resident())

        watcher = threading.Thread(target=watch)
        watcher.start()
        result = box.run("def f(n): return [[] for _ in range(n)]", "f", 5_000_000, timeout=100)
        done.set()
        watcher.join()
        assert result.status == "error"
        assert most - before < 6 * 16 * MIB


WRITE = "def f(x):\n    import time\n    for n in range(x['files']):\n"
MANY = WRITE + "        open(f'{n}', 'w').write('x')\n    time.sleep(x['then'])\n    return 'done'\n"
LARGE = WRITE + "        open(f'{n}', 'wb').write(bytes(1 << 20))\n    time.sleep(x['then'])\n    return 'done'\n"
HIDDEN = (
    "def f(x):\n    import os, time\n    kept = []\n    for n in range(x['files']):\n"
    "        kept.append(open(f'{n}', 'wb')); kept[-1].write(bytes(1 << 20)); kept[-1].flush(); os.unlink(f'{n}')\n"
    "    time.sleep(x['then'])\n    return 'done'\n"
)


@pytest.fixture
def place() -> Iterator[Path]:
    """A workspace that the user can enter whom root steps down to."""
    with tempfile.TemporaryDirectory(prefix="mayfly-test-") as above:
        os.chmod(above, 0o755)
        workspace = Path(above) / "workspace"
        workspace.mkdir()
        workspace.chmod(0o777)
        yield workspace


BUDGET = SandboxSettings(workspace_size=8 * MIB, workspace_files=100)


@pytest.mark.first(3)
@pytest.mark.parametrize("then", [0, 30])
@pytest.mark.parametrize(("source", "said"), [(MANY, "100 files"), (LARGE, "8388608 bytes"), (HIDDEN, "8388608 bytes")])
def test_w9_a_workspace_has_a_budget_of_bytes_and_files(
    level: str, place: Path, source: str, said: str, then: int
) -> None:
    if source is HIDDEN and not then:
        pytest.skip("what had no name is gone with the job")
    with Sandbox(BUDGET, level=level, workspace=place) as box:
        amount = {"files": 200 if source is MANY else 20, "then": then}
        result = box.run(source, "f", amount, grants=["fs:workspace:rw"], timeout=25)
        assert (result.status, result.value) == ("error", None)
        assert result.error == f"the workspace holds more than its limit of {said}"
        few = box.run(source, "f", {"files": 0, "then": 0}, grants=["fs:workspace:rw"])
        assert few.value == "done", "one that is larger already may stay so"


def test_w9_what_stays_within_the_budget_passes(level: str, place: Path) -> None:
    with Sandbox(BUDGET, level=level, workspace=place) as box:
        for lane in ("one-shot", "pinned", "pinned"):
            result = box.run(LARGE, "f", {"files": 5, "then": 0}, grants=["fs:workspace:rw"], lane=lane)
            assert result.value == "done"
            for file in place.iterdir():  # at level landlock, every worker of root's has a uid of its own
                file.unlink()
        with box.stream("def f(x):\n    yield 1\n    yield 2\n", "f", grants=["fs:workspace:rw"]) as stream:
            assert list(stream) == [1, 2]


def test_w9_what_a_job_wrote_last_counts_however_long_a_look_takes(level: str, place: Path) -> None:
    more = "def f(names):\n    for n in range(*names):\n        open(f'{n}', 'w').close()\n    return 'done'\n"
    with Sandbox(SandboxSettings(workspace_files=4000), level=level, workspace=place) as box:
        assert box.run(more, "f", [0, 3900], grants=["fs:workspace:rw"]).value == "done"
        result = box.run(more, "f", [3900, 4001], grants=["fs:workspace:rw"])
        assert result.error == "the workspace holds more than its limit of 4000 files"


def test_w9_a_directory_that_was_closed_hides_nothing() -> None:
    ours = """
import os, sys
from mayfly.sandbox._workspace import measure
if not os.geteuid():
    os.setgid(65534), os.setuid(65534)
os.mkdir(sys.argv[1] + "/closed", 0)
print(measure(sys.argv[1]).closed, measure(sys.argv[1] + "/closed").closed, measure(sys.argv[2]).closed)
"""
    with tempfile.TemporaryDirectory() as open_to_all, tempfile.TemporaryDirectory() as another:
        Path(open_to_all).chmod(0o777)
        Path(another).chmod(0)
        command = [sys.executable, "-c", ours, open_to_all, another if not os.geteuid() else "/proc/1/fd"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    # What another has closed, or the system, was not made by a job.
    assert done.stdout.split() == ["1", "1", "0"]


def test_w9_a_workspace_is_measured_whatever_is_in_it(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "file").write_bytes(bytes(10_000))
    (tmp_path / "loop").symlink_to(tmp_path)
    usage = measure(str(tmp_path))
    assert usage.files == 3
    assert usage.size >= 10_000
    assert measure(str(tmp_path / "none")) == Usage(0, 0)
    here = os.open(tmp_path, os.O_RDONLY)
    made = []
    for _ in range(30):  # deeper than any name the kernel takes
        os.mkdir("d" * 200, dir_fd=here)
        made.append(here)
        here = os.open("d" * 200, os.O_RDONLY, dir_fd=here)
    assert measure(str(tmp_path), 100).files > 100
    os.close(here)
    while made:
        here = made.pop()
        os.rmdir("d" * 200, dir_fd=here)
        os.close(here)
