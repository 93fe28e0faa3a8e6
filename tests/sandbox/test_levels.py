"""Levels never fall in silence: what happens to a start says something about the level only if the kernel says it."""

import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from mayfly.sandbox import Level, Sandbox, _python, diagnose

from .test_faults import DOUBLE, descendants, eventually, launcher_of, served, stat

HERE = Path(__file__).parents[2]
COMMAND = _python.command


class Starts:
    """Stand between the host and its zygotes: do something else instead of the first starts."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *programs: str) -> None:
        self.programs = list(programs)
        self.count = 0
        monkeypatch.setattr(_python, "command", self)

    def __call__(self, role: str, *arguments: str) -> list[str]:
        self.count += 1
        if not self.programs:
            return COMMAND(role, *arguments)
        return [sys.executable, "-I", "-S", "-c", self.programs.pop(0), *arguments]


KILLED = "import os; os.kill(os.getpid(), 9)"
STOPPED = "import os; os.kill(os.getpid(), 19)"
CRASHED = "raise SystemError('out of luck')"
FAILS = (
    "import socket, struct, sys; s = socket.socket(fileno=int(sys.argv[1])); s.recv(1 << 20)\n"
    "s.send(struct.pack('=ci', b'F', {number}) + b'as we said')"
)
NO_MEMORY, NO_DESCRIPTOR, NOT_PERMITTED = (FAILS.format(number=n) for n in (12, 24, 1))
ACCIDENTS = {"killed": KILLED, "stopped": STOPPED, "crashed": CRASHED, "memory": NO_MEMORY, "files": NO_DESCRIPTOR}


@pytest.mark.first(2)
@pytest.mark.parametrize("accident", ACCIDENTS.values(), ids=ACCIDENTS)
def test_w2_a_start_that_meets_an_accident_is_tried_again_at_the_same_level(
    monkeypatch: pytest.MonkeyPatch, accident: str
) -> None:
    with Sandbox() as box:
        best = box.warm()
    starts = Starts(monkeypatch, accident, accident)
    with Sandbox() as box:
        result = box.run(DOUBLE, "f", 21)
        assert (result.status, result.value, result.level) == ("ok", 42, best)
        assert starts.count == 3


def test_w2_accidents_without_end_are_refused_with_the_reason_and_the_next_job_is_served(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with Sandbox() as box:
        best = box.run(DOUBLE, "f", 1).level
        starts = Starts(monkeypatch, *[NO_MEMORY] * 99)
        os.kill(launcher_of(box), signal.SIGKILL)
        eventually(lambda: box.run(DOUBLE, "f", 1, timeout=1).status == "refused")
        result = box.run(DOUBLE, "f", 1, timeout=1)
        assert (result.status, result.level) == ("refused", "none")
        assert str(result.error).startswith("no sandbox could be had just now: ")
        assert "as we said" in str(result.error)
        starts.programs.clear()
        assert (box.run(DOUBLE, "f", 1).value, box.run(DOUBLE, "f", 1).level) == (2, best)


def test_w2_only_the_kernels_own_answer_leads_to_the_next_level(monkeypatch: pytest.MonkeyPatch) -> None:
    Starts(monkeypatch, NOT_PERMITTED)
    with Sandbox() as box:
        assert [box.run(DOUBLE, "f", 1).level for _ in range(3)] == ["landlock"] * 3
        assert box.warm() == "landlock"


def test_w2_a_sandbox_that_stood_at_a_level_never_takes_another(monkeypatch: pytest.MonkeyPatch) -> None:
    with Sandbox(level="namespaces") as box:
        if box.warm() == "none":
            pytest.skip("this machine has one level only")
    with Sandbox() as box:
        assert box.run(DOUBLE, "f", 1).level == "namespaces"
        starts = Starts(monkeypatch, *[NOT_PERMITTED] * 2)
        os.kill(launcher_of(box), signal.SIGKILL)
        seen = [box.run(DOUBLE, "f", 1) for _ in range(20)]
        assert {result.level for result in seen if result.ok} == {"namespaces"}
        assert "namespaces: as we said" in " ".join(str(result.error) for result in seen)
        assert starts.programs == []


def test_w2_grants_that_a_level_cannot_give_do_not_lower_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with Sandbox(level="namespaces") as box:
        if box.warm() == "none":
            pytest.skip("this machine has one level only")
    Starts(monkeypatch, NOT_PERMITTED)
    with Sandbox(workspace=tmp_path) as box:
        refused = box.run(DOUBLE, "f", 1, grants=["fs:workspace:rw"])
        assert (refused.status, refused.level) == ("refused", "none")
        assert box.run(DOUBLE, "f", 1).level == "namespaces"


@pytest.mark.first(2)
@pytest.mark.parametrize("who", ["zygote", "everybody"])
def test_w11_a_stopped_zygote_costs_a_job_no_more_than_its_timeout(level: str, who: str) -> None:
    with Sandbox(level=level) as box:
        assert served(box)
        launcher = launcher_of(box)
        assert eventually(lambda: descendants(launcher))
        family = list(descendants(launcher))
        for pid in family if who == "everybody" else family[:1]:
            with suppress(ProcessLookupError):  # a helper of the start may just have ended
                os.kill(pid, signal.SIGSTOP)
        began = time.monotonic()
        seen = [box.run(DOUBLE, "f", 21, timeout=1) for _ in range(5)]
        assert time.monotonic() - began < 20
        assert {result.status for result in seen} <= {"ok", "timeout"}
        assert {result.level for result in seen} == {level}
        assert seen[-1].value == 42


def in_a_process(program: str, *, wrap: tuple[str, ...] = ()) -> str:
    """Return what *program* prints, run by an interpreter of its own."""
    environment = {**os.environ, "PYTHONPATH": f"{HERE / 'src'}:{HERE}"}
    done = subprocess.run(
        [*wrap, sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


FEW_DESCRIPTORS = """
import resource
from mayfly.sandbox import Sandbox
before = resource.getrlimit(resource.RLIMIT_NOFILE)
with Sandbox() as box:
    resource.setrlimit(resource.RLIMIT_NOFILE, ({limit}, before[1]))
    for _ in range({jobs}):
        result = box.run("def f(x): return x", "f", 1, timeout=1, lane="{lane}")
    print(result.status, "|", result.error)
    resource.setrlimit(resource.RLIMIT_NOFILE, before)
    print(box.run("def f(x): return x", "f", 1).status)
"""


@pytest.mark.first(2)
@pytest.mark.parametrize("limit", [8, 9, 10, 12, 15, 20])
def test_w11_few_descriptors_are_refused_with_the_reason_and_forgotten_when_there_are_more(limit: int) -> None:
    first, second = in_a_process(FEW_DESCRIPTORS.format(limit=limit, jobs=1, lane="one-shot")).splitlines()
    assert first.startswith(("refused | no sandbox could be had just now: ", "ok | None"))
    if "refused" in first:
        assert "open files" in first or "RLIMIT_NOFILE" in first or "descriptor" in first
    assert second == "ok"


def test_w11_forty_descriptors_are_enough_for_jobs_one_after_another() -> None:
    text = in_a_process(FEW_DESCRIPTORS.format(limit=40, jobs=20, lane="pinned"))
    assert text.splitlines() == ["ok | None", "ok"]


def test_w11_more_jobs_at_once_than_descriptors_are_answered_not_raised() -> None:
    program = (
        "import resource\nfrom concurrent.futures import ThreadPoolExecutor\nfrom mayfly.sandbox import Sandbox\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))\n"
        "with Sandbox() as box, ThreadPoolExecutor(16) as threads:\n"
        "    jobs = [threads.submit(box.run, 'import time\\ndef f(x): time.sleep(0.5)', 'f') for _ in range(16)]\n"
        "    print(*sorted({job.result().status for job in jobs}))\n"
        "    print(box.run('def f(x): return x', 'f', 1).status)\n"
    )
    statuses, afterwards = in_a_process(program).splitlines()
    assert set(statuses.split()) <= {"ok", "refused"}
    assert afterwards == "ok"


@pytest.mark.later
def test_w11_a_workspace_that_was_made_again_is_the_new_one(level: str, tmp_path: Path) -> None:
    place = tmp_path / "work"
    with Sandbox(level=level, workspace=place) as box:
        for text in ("first", "second", "third"):
            place.mkdir()
            (place / "name").write_text(text)
            for _ in range(2):
                result = box.run("def f(x): return open('name').read()", "f", grants=["fs:workspace"])
                assert result.value == text, result
            shutil.rmtree(place)


def test_w11_the_doctor_raises_no_alarm_as_the_first_process() -> None:
    wrap: tuple[str, ...] = ("unshare", "--fork", "--pid", "--mount-proc", "--kill-child")
    wrap = wrap if os.geteuid() == 0 else (wrap[0], "--map-root-user", *wrap[1:])
    if subprocess.run([*wrap, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no pid namespace can be had here")
    program = (
        "import os\nfrom mayfly.sandbox import diagnose\nd = diagnose()\n"
        "print(os.getpid(), d.level, *[layer.name for layer in d.layers if not layer.ok])\n"
    )
    said = in_a_process(program, wrap=wrap).split()
    if said[1] == "none":
        pytest.skip("no level can be had in there")
    assert (said[0], said[2:]) == ("1", [])


def test_w11_a_user_namespace_of_one_uid_gets_the_right_advice() -> None:
    wrap: tuple[str, ...] = ("unshare", "--user", "--map-root-user")
    if subprocess.run([*wrap, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no user namespace can be had here")
    program = (
        "from mayfly.sandbox import diagnose\nd = diagnose()\n"
        "print(d.level, '|', *[layer.fix for layer in d.layers if layer.fix and not layer.ok])\n"
    )
    said = in_a_process(program, wrap=wrap)
    assert "Docker" not in said
    assert "5.13" not in said
    assert said.startswith("none | ")
    assert "one user" in said


@pytest.mark.later
def test_w7_a_killed_or_stopped_broker_is_replaced() -> None:
    with Sandbox(level="namespaces") as box:
        if box.warm() == "none":
            pytest.skip("net grants need namespaces")
        source = (
            "import urllib.request, urllib.error\ndef f(url):\n    try: urllib.request.urlopen(url, timeout=20)\n"
            "    except urllib.error.HTTPError as error: return error.code\n"
        )
        ask = partial(box.run, source, "f", "http://127.0.0.2:1/", grants=["net:example.org"])
        assert ask().value == 403
        broker = next(zygote.broker for zygote in box._pool._zygotes.values() if zygote.broker)
        for number in (signal.SIGKILL, signal.SIGSTOP):
            before = broker._process.pid
            os.kill(before, number)
            assert eventually(lambda: stat(before)[0] in "TZX")  # noqa: B023
            assert ask().value == 403
            assert broker._process.pid != before


RANDOM_BYTES = "import ssl\ndef f(n): return ssl.RAND_bytes(16).hex()\n"


def test_w11_no_two_workers_share_openssls_random_bytes_even_if_the_zygote_has_used_them(
    level: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seeded = (
        "import os, sys, ssl; sys.path.insert(0, os.path.dirname({path!r}))\n"
        "from jail import _prepare, _zygote; learn = _prepare.learn\n"
        "def seed(*arguments):\n    ssl.RAND_bytes(16); learn(*arguments)\n"
        "_prepare.learn = seed; del sys.path[0]; _zygote.main(int({arguments!r}[1]))"
    )

    def command(role: str, *arguments: str) -> list[str]:
        usual = COMMAND(role, *arguments)
        return [*usual[:-3], "-c", seeded.format(path=usual[-3], arguments=usual[-2:])]

    monkeypatch.setattr(_python, "command", command)
    with Sandbox(level=level) as box:
        seen = [box.run(RANDOM_BYTES, "f", n) for n in range(6)]
        assert all(result.ok for result in seen), seen[0]
        assert len({result.value for result in seen}) == 6


def test_w2_the_doctor_says_what_happened_to_a_start(monkeypatch: pytest.MonkeyPatch) -> None:
    Starts(monkeypatch, *[NOT_PERMITTED] * 2)
    diagnosis = diagnose()
    assert diagnosis.level == "none"
    assert "as we said" in diagnosis.reason


def test_w2_few_descriptors_do_not_lower_the_level() -> None:
    with Sandbox() as box:
        best: Level = box.warm()
        before = resource.getrlimit(resource.RLIMIT_NOFILE)
        used = max(int(name) for name in os.listdir("/proc/self/fd"))
        os.kill(launcher_of(box), signal.SIGKILL)
        resource.setrlimit(resource.RLIMIT_NOFILE, (used + 1, before[1]))
        try:
            seen = {box.run(DOUBLE, "f", 1, timeout=1).level for _ in range(3)}
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, before)
        assert seen <= {"none", best}
        assert eventually(lambda: box.run(DOUBLE, "f", 1).level == best)
