import importlib.util
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from mayfly.gates.types import _gate, _server
from mayfly.gates.types._gate import TypeGate
from mayfly.gates.types._server import MIB, ServerGone, TypeOptions
from mayfly.gates.types.typeserver import _wire

GOOD = "x: int = 1\n"
BAD = "x: int = 'one'\n"
# Each line doubles the type of the one before.
ENDLESS = (
    "from typing import TypeVar\nT = TypeVar('T')\n\n\ndef f(x: T) -> tuple[T, T]:\n    return (x, x)\n\n\nx0 = f(1)\n"
    + "".join(f"x{number + 1} = f(x{number})\n" for number in range(40))
    + "y: int = x40\n"
)
TOO_DEEP = "x = " + " + ".join(["1"] * 20_000) + "\n"


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.getbasetemp() / "mypy-cache"


@pytest.fixture
def gate(cache: Path) -> Iterator[TypeGate]:
    """A gate to be broken."""
    with TypeGate(cache_dir=cache) as made:
        yield made


def pid(gate: TypeGate) -> int:
    server = gate._lane._server
    assert server is not None
    return server.pid


def code(gate: TypeGate, source: str) -> str:
    return gate.check(source).verdicts[0].code


def test_a_server_that_was_killed_is_replaced(gate: TypeGate) -> None:
    gate.check(GOOD)
    first = pid(gate)
    os.kill(first, signal.SIGKILL)
    assert [code(gate, source) for source in (BAD, GOOD)] == ["ASSIGNMENT", "OK"]
    assert gate.check(BAD).how == "warm"
    assert pid(gate) != first


@pytest.mark.parametrize("options", [TypeOptions(checks=1), TypeOptions(memory=40 * MIB)], ids=["checks", "memory"])
def test_a_server_that_has_grown_is_replaced(cache: Path, options: TypeOptions) -> None:
    with TypeGate(cache_dir=cache, options=options) as gate:
        gate.check(GOOD)
        first = pid(gate)
        for _ in range(500):
            assert code(gate, BAD) == "ASSIGNMENT"
            if pid(gate) != first:
                break
        assert pid(gate) != first


def test_a_source_that_takes_too_long_is_refused_and_the_server_lives(cache: Path) -> None:
    with TypeGate(cache_dir=cache, options=TypeOptions(seconds=4)) as gate:
        gate.check(GOOD)
        first = pid(gate)
        (verdict,) = gate.check(ENDLESS).verdicts
        assert (verdict.decision, verdict.code, verdict.limit) == ("reject", "TYPES_TIMEOUT", 4)
        assert gate.check(BAD).how == "warm"
        assert pid(gate) == first


def test_a_source_that_crashes_mypy_is_refused_and_the_server_lives(gate: TypeGate) -> None:
    gate.check(GOOD)
    first = pid(gate)
    report = gate.check(TOO_DEEP)
    assert [verdict.code for verdict in report.verdicts] == ["TYPES_CRASH"]
    assert report.how == "cold"
    assert code(gate, BAD) == "ASSIGNMENT"
    assert pid(gate) == first


def test_a_server_that_hangs_is_replaced(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with TypeGate(cache_dir=cache, options=TypeOptions(seconds=100)) as gate:
        gate.check(GOOD)
        first = pid(gate)
        monkeypatch.setattr(_server, "_GRACE", -99.5)
        os.kill(first, signal.SIGSTOP)
        assert code(gate, BAD) == "ASSIGNMENT"
        assert code(gate, GOOD) == "OK"
        assert gate._lane._server is None or pid(gate) != first


def test_an_answer_nobody_waited_for_is_not_given_to_the_next(gate: TypeGate, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    gate.check(GOOD)
    with monkeypatch.context() as patch:
        patch.setattr(_server.TypeServer, "receive", interrupted)
        with pytest.raises(KeyboardInterrupt):
            gate.check(BAD)
    assert code(gate, GOOD) == "OK"


def test_without_a_server_a_fresh_process_answers(gate: TypeGate, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object, **__: object) -> None:
        raise ServerGone("no")

    monkeypatch.setattr(_gate, "TypeServer", fails)
    reports = [gate.check(source) for source in (GOOD, BAD, "def f(x):\n    return x\n")]
    assert [report.how for report in reports] == ["cold"] * 3
    assert [report.verdicts[0].code for report in reports] == ["OK", "ASSIGNMENT", "NO_UNTYPED_DEF"]


def test_without_mypy_everything_is_refused_with_the_reason(gate: TypeGate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    (verdict,) = gate.check(GOOD).verdicts
    assert (verdict.decision, verdict.code) == ("reject", "TYPES_CRASH")
    assert "mypy is not installed" in verdict.message


def test_a_module_the_server_has_not_loaded_is_left_to_a_fresh_process(gate: TypeGate) -> None:
    source = "import asyncio\n\n\nasync def nap() -> None:\n    x: int = asyncio.sleep(1)\n"
    report = gate.check(source)
    assert (report.how, report.verdicts[0].code) == ("cold", "ASSIGNMENT")


def test_no_source_is_left_on_disk(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    mark = "a_name_that_nobody_else_uses"
    with TypeGate(cache_dir=cache) as gate:
        gate.check(f"def {mark}(x: int) -> str:\n    return x\n")
        gate.check(f"import asyncio\n\n\nasync def {mark}(x: int) -> str:\n    return x\n")
    files = [path for path in cache.rglob("*") if path.is_file()]
    assert files
    assert not [path for path in files if mark.encode() in path.read_bytes()]
    assert not list(tmp_path.iterdir())


def test_without_a_cache_directory_nothing_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with TypeGate(cache_dir=None) as gate:
        gate.start()
    assert not list(tmp_path.iterdir())


def test_the_cache_is_for_its_owner_only(gate: TypeGate, cache: Path) -> None:
    gate.check(GOOD)
    assert cache.stat().st_mode & 0o777 == 0o700


def test_a_broken_cache_is_removed(gate: TypeGate, cache: Path, tmp_path: Path) -> None:
    gate.check(GOOD)
    broken = shutil.copytree(cache, tmp_path / "mypy-cache")
    for path in broken.rglob("*.ff"):
        path.write_bytes(b"broken")
    with TypeGate(cache_dir=broken) as other:
        assert [code(other, source) for source in (GOOD, BAD)] == ["OK", "ASSIGNMENT"]
    assert b"broken" not in {path.read_bytes() for path in broken.rglob("*.ff") if ".once" not in str(path)}


def test_the_server_knows_nothing_of_our_environment(gate: TypeGate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "s3cret")
    gate.check(GOOD)
    found = Path(f"/proc/{pid(gate)}/environ").read_bytes().split(b"\0")
    assert {entry.split(b"=")[0] for entry in found if entry} == {b"PATH", b"LANG", b"HOME"}


def test_the_server_has_a_session_of_its_own(gate: TypeGate) -> None:
    gate.start()
    assert os.getsid(pid(gate)) == pid(gate)


def test_the_server_ends_with_the_process_that_started_it(cache: Path) -> None:
    script = (
        "import os, signal, sys, pathlib\nfrom mayfly.gates.types._gate import TypeGate\n"
        "gate = TypeGate(cache_dir=pathlib.Path(sys.argv[1]))\ngate.check('x: int = 1')\n"
        "print(gate._lane._server.pid, flush=True)\nsys.stdin.readline()\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    command = [sys.executable, "-c", script, str(cache)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout is not None
        server = os.pidfd_open(int(owner.stdout.readline()))
        owner.communicate("die\n")
    ended, _, _ = select.select([server], [], [], 100)
    os.close(server)
    assert ended


def test_closing_ends_the_process_and_may_be_done_twice(cache: Path) -> None:
    gate = TypeGate(cache_dir=cache)
    gate.check(GOOD)
    server = os.pidfd_open(pid(gate))
    gate.close()
    gate.close()
    assert select.select([server], [], [], 0)[0]
    os.close(server)


def test_a_forked_child_has_a_server_of_its_own(gate: TypeGate) -> None:
    gate.check(GOOD)
    first = pid(gate)
    child = os.fork()
    if child == 0:
        fine = False
        try:
            fine = code(gate, BAD) == "ASSIGNMENT" and pid(gate) != first
            gate.close()
        finally:
            os._exit(0 if fine else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert gate.check(BAD).how == "warm"
    assert pid(gate) == first


def test_a_frame_that_claims_to_be_too_large_is_no_frame() -> None:
    reader, writer = os.pipe()
    os.write(writer, (_wire.LARGEST + 1).to_bytes(4, "big"))
    with pytest.raises(_wire.Closed):
        _wire.receive(reader)
    os.close(reader)
    os.close(writer)


def test_a_frame_that_is_no_object_is_no_frame() -> None:
    reader, writer = os.pipe()
    os.write(writer, (2).to_bytes(4, "big") + b"[]")
    with pytest.raises(_wire.Closed):
        _wire.receive(reader)
    os.close(reader)
    os.close(writer)
