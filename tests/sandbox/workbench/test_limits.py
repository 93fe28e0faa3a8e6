"""A command that wants too much ends, says which limit it met, and leaves the machine well."""

import threading
import time
from pathlib import Path

import pytest

from mayfly.core import InputError, Stop
from mayfly.sandbox import _cgroup
from mayfly.sandbox.workbench import Workbench

from .conftest import Make

MIB = 1 << 20


def has_groups() -> bool:
    try:
        _cgroup.find()
    except _cgroup.NoGroups:
        return False
    return True


def test_a_command_that_hangs_ends_with_all_it_started(make: Make) -> None:
    ran = make().run("echo begun; (setsid sleep 1000 &) ; trap '' TERM INT HUP; while :; do sleep 1; done", timeout=0.5)
    assert ran.status == "timeout"
    assert ran.code is None
    assert ran.output == "begun\n"
    assert "0.5 s" in ran.reason


def test_what_was_left_in_the_background_ends_with_the_command(make: Make) -> None:
    bench = make()
    ran = bench.run("(while sleep 0.05; do echo x >> ticks; done) > /dev/null 2>&1 & sleep 0.2; echo done")
    assert (ran.status, ran.output) == ("ok", "done\n")
    first = bench.changes().digest
    time.sleep(0.2)
    assert bench.changes().digest == first


def test_a_stop_ends_it_at_once(make: Make) -> None:
    stop = Stop()
    began = time.monotonic()
    ran = make().run("echo ready; sleep 100", stop=stop, show=lambda text: threading.Thread(target=stop.cancel).start())
    assert ran.status == "stopped"
    assert time.monotonic() - began < 50


@pytest.mark.skipif(not has_groups(), reason="no control groups here")
def test_a_fork_bomb_meets_the_limit(make: Make) -> None:
    ran = make(tasks=40).run("bomb() { bomb | bomb & }; bomb; sleep 1", timeout=20)
    assert ran.status == "limit"
    assert "40 processes" in ran.reason


@pytest.mark.skipif(not has_groups(), reason="no control groups here")
def test_memory_is_limited(make: Make) -> None:
    ran = make(memory=64 * MIB).run(["python3", "-c", "x = bytearray(1 << 30); print(len(x))"])
    assert ran.status == "limit"
    assert "memory" in ran.reason


def test_endless_writing_meets_the_limit_on_disk(make: Make) -> None:
    ran = make(disk=20 * MIB).run("yes > big1 & yes > big2 & yes > /tmp/big3 & wait", timeout=60)
    assert ran.status == "limit"
    assert "bytes" in ran.reason


def test_many_small_files_meet_the_limit(make: Make) -> None:
    ran = make(files=500).run("mkdir d; i=0; while :; do echo > d/$i; i=$((i+1)); done", timeout=60)
    assert ran.status == "limit"
    assert "500" in ran.reason


def test_a_file_of_holes_costs_nothing_and_one_beyond_the_limit_cannot_be_made(make: Make, workspace: Path) -> None:
    bench = make(disk=64 * MIB)
    ran = bench.run("truncate -s 60M holes; truncate -s 5G more; ls -s holes")
    assert "0 holes" in ran.output
    assert [change.path for change in ran.changes] == ["holes", "more"] or "File too large" in ran.output
    bench.run("rm -f more")
    bench.commit()
    assert (workspace / "holes").stat().st_size == 60 * MIB
    assert (workspace / "holes").stat().st_blocks < 100


def test_output_is_counted_whole_and_kept_in_part(make: Make) -> None:
    ran = make(output=1000).run("seq 1 100000")
    assert ran.status == "ok"
    assert ran.whole == 588_895
    assert ran.output.startswith("1\n2\n3\n")
    assert ran.output.endswith("99999\n100000\n")
    assert len(ran.output) < 1100


def test_output_is_cleaned_and_shown_as_it_comes(bench: Workbench) -> None:
    parts: list[str] = []
    script = r"printf '\033[31mred\033[0m\tx\n10%%\r55%%\r100%%\n\033]0;title\007ab\bc\000d\n'; sleep 0.1; echo end >&2"
    ran = bench.run(script, show=parts.append)
    assert ran.output == "red\tx\n100%\nacd\nend\n"
    assert "".join(parts) == ran.output
    assert len(parts) > 1


def test_killing_everything_in_sight_kills_no_more_than_itself(bench: Workbench) -> None:
    ran = bench.run("sleep 100 & kill -9 -1; wait; echo alone", timeout=20)
    assert ran.output.endswith("alone\n")
    assert bench.run("echo still here").output == "still here\n"


def test_killing_the_first_process_does_nothing(bench: Workbench) -> None:
    ran = bench.run("kill -9 1; kill -STOP 1; echo $?; ls /proc/1/fd 2>&1 | head -1; cat /proc/1/environ | wc -c")
    assert ran.status == "ok"
    assert "Permission denied" in ran.output


@pytest.mark.parametrize(
    ("command", "code"), [(["no-such-program"], 127), (["/etc/passwd"], 126), ("exit 3", 3), ("kill -9 $$", 137)]
)
def test_how_a_command_ended(bench: Workbench, command: str | list[str], code: int) -> None:
    ran = bench.run(command)
    assert (ran.status, ran.code) == ("failed", code)


def test_input_arguments_directory_and_environment(bench: Workbench) -> None:
    ran = bench.run(
        ["sh", "-c", 'cat; echo "$1" "$X"; pwd', "sh", "a  b"], stdin=b"in\n", cwd="src", environment={"X": "y"}
    )
    assert ran.output == f"in\na  b y\n{bench.workspace}/src\n"
    for wrong in ("..", "/etc", "src/../.."):
        with pytest.raises(InputError):
            bench.run(["true"], cwd=wrong)
    assert bench.run(["true"], cwd="nowhere").code == 127


def test_keep_false_forgets(bench: Workbench) -> None:
    ran = bench.run("echo x > c.txt", keep=False)
    assert len(ran.changes) == 1
    assert len(bench.changes()) == 0
