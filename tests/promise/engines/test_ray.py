"""The engine on a real cluster of two nodes: what is done, what is lost, what is told."""

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

import pytest

from mayfly.promise._job import Done, Part
from mayfly.promise.engines import EngineLost, RayEngine
from mayfly.testing._processes import command_of, parent_of

from .conftest import DATABASE, SECRET, Ground, Joined, Opener
from .crew import job, make_broken

pytestmark = pytest.mark.timeout(600)


def text_of(path: Path) -> str:
    """Return what a file says, nothing where it is gone by now: processes and their files come and go."""
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""


def children(parent: int) -> list[int]:
    stats = [stat for stat in map(text_of, Path("/proc").glob("[0-9]*/stat")) if stat]
    return [int(stat.split()[0]) for stat in stats if int(stat.rpartition(")")[2].split()[1]) == parent]


def opened_by(pid: int) -> set[str]:
    """Return what a process has open, as far as it can be told."""
    found = set()
    with suppress(OSError):
        for name in os.listdir(f"/proc/{pid}/fd"):
            with suppress(OSError):
                found.add(os.readlink(f"/proc/{pid}/fd/{name}"))
    return found


async def true(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(400):
        while not condition():
            await asyncio.sleep(0.02)


async def all_of(*jobs: Awaitable[Done]) -> list[Done]:
    return await asyncio.gather(*jobs)


def test_jobs_are_done_on_every_node(shared: RayEngine, ground: Ground) -> None:
    jobs = [shared.do(job("double", node, argument=node)) for node in range(20)]
    done = asyncio.run(all_of(*jobs))
    assert [each.value for each in done] == [node * 2 for node in range(20)]
    assert {parent_of(int(each.where)) for each in done} == set(ground.cluster.raylets)
    assert str(os.getpid()) not in {each.where for each in done}


def test_the_part_of_a_file_travels_with_its_job(shared: RayEngine, tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_bytes(b"before...." + b"first line" + b"x" * 12_000_000 + b"last line\n" + b"after")
    done = asyncio.run(shared.do(job("data", part=Part(path=str(path), start=10, stop=12_000_030))))
    assert done.value == [12_000_020, "first line", "last line\n"]


def test_a_part_that_is_gone_is_a_failure_with_its_reason(shared: RayEngine, tmp_path: Path) -> None:
    done = asyncio.run(shared.do(job("data", part=Part(path=str(tmp_path / "gone"), start=0, stop=9))))
    assert (done.status, done.code) == ("failed", "INPUT")
    assert "gone" in done.reason


def test_a_large_value_comes_back_whole(shared: RayEngine) -> None:
    assert asyncio.run(shared.do(job("large 20000000"))).value == "x" * 20_000_000


def test_what_a_worker_raises_is_a_failure_and_not_tried_again(shared: RayEngine) -> None:
    done = asyncio.run(shared.do(job("raise")))
    assert (done.status, done.code, done.reason) == ("failed", "WORKER", "unexpected ValueError: no such thing")


def test_the_worker_has_the_settings_but_works_locally(shared: RayEngine) -> None:
    done = asyncio.run(shared.do(job("hello")))
    assert isinstance(done.value, list)
    assert done.value[1] == "local"


def test_no_worker_has_the_secrets_of_whoever_started_it_or_uses_it(shared: RayEngine, ground: Ground) -> None:
    assert os.environ["OPENAI_API_KEY"] == SECRET
    done = asyncio.run(all_of(*(shared.do(job("environment", node)) for node in range(8))))
    told = {each.value[0]: each.value[1:] for each in done}  # type: ignore[index]
    assert len(told) >= 2
    for pid, (variables, at_start) in told.items():
        assert "OPENAI_API_KEY" not in variables
        for text in (str(variables), at_start, Path(f"/proc/{pid}/environ").read_text()):
            assert SECRET not in text
            assert DATABASE not in text


def test_no_process_of_the_cluster_has_the_secret_and_no_log_the_database(shared: RayEngine, ground: Ground) -> None:
    from mayfly.promise.engines import cluster_processes

    assert asyncio.run(shared.do(job("hello"))).status == "resolved"
    assert not [pid for pid in cluster_processes(ground.cluster) if SECRET in text_of(Path(f"/proc/{pid}/environ"))]
    found = [Path(folder, name) for folder, _, names in os.walk(ground.cluster.directory) for name in names]
    logs = [path for path in found if path.is_file() and not path.is_symlink()]
    assert len(logs) > 5
    assert not [path for path in logs if "do-not-tell" in text_of(path)]


def test_every_door_of_the_cluster_is_on_loopback(ground: Ground) -> None:
    from mayfly.promise.engines import cluster_processes

    sockets = {entry for pid in cluster_processes(ground.cluster) for entry in opened_by(pid)}
    rows = [line.split() for name in ("tcp", "tcp6") for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]]
    doors = [row[1].split(":")[0] for row in rows if row[3] == "0A" and f"socket:[{row[9]}]" in sockets]
    assert len(doors) >= 4
    assert {door[-8:] for door in doors} == {"0100007F"}


def test_cancelling_reaches_the_worker(shared: RayEngine, tmp_path: Path) -> None:
    notes, started = tmp_path / "notes", tmp_path / "notes.begun"

    async def main() -> None:
        task = asyncio.create_task(shared.do(job(f"note {notes}")))
        await true(started.exists)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await true(notes.exists)

    asyncio.run(main())
    assert notes.read_text() == "stopped"


def test_a_job_whose_process_died_is_done_by_another(opened: Opener, tmp_path: Path) -> None:
    engine = opened()
    jobs = [engine.do(job("wait 0.3", node)) for node in range(1, 9)]
    done = asyncio.run(all_of(engine.do(job(f"die-once {tmp_path / 'mark'}")), *jobs))
    assert {each.status for each in done} == {"resolved"}


def test_a_job_that_kills_every_worker_is_given_up_and_harms_no_other(opened: Opener) -> None:
    engine = opened(retries=3)

    async def main() -> list[Done | BaseException]:
        others = [engine.do(job("wait 0.05", node)) for node in range(1, 9)]
        return await asyncio.gather(engine.do(job("die")), *others, return_exceptions=True)

    lost, *done = asyncio.run(main())
    assert isinstance(lost, EngineLost)
    assert (lost.attempts, lost.last) == (4, "its process died")
    assert [each.status if isinstance(each, Done) else each for each in done] == ["resolved"] * 8


def test_a_node_that_joins_gets_work_and_one_killed_in_the_middle_loses_no_job(
    opened: Opener, join: Callable[[], Joined], tmp_path: Path
) -> None:
    engine, open_door = opened(), tmp_path / "open"

    async def main() -> list[Done]:
        joined = await asyncio.to_thread(join)
        tasks = [asyncio.create_task(engine.do(job(f"hold {open_door}", node))) for node in range(12)]
        await true(lambda: any(b"do_leaf" in command_of(pid) for pid in children(joined.raylet)))
        for pid in (joined.raylet, *children(joined.raylet)):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        open_door.touch()
        return await asyncio.gather(*tasks)

    assert [(each.status, each.value) for each in asyncio.run(main())] == [("resolved", "held")] * 12


def test_a_cluster_that_falls_silent_is_given_up(opened: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = opened()
    monkeypatch.setattr("mayfly.promise.engines._ray.CHECK_SECONDS", 0.01)
    monkeypatch.setattr(engine._connection, "answers", lambda: False)
    with pytest.raises(EngineLost, match="the cluster does not answer"):
        asyncio.run(engine.do(job("wait 30")))
    monkeypatch.undo()


def test_a_worker_that_cannot_be_made_is_told_without_the_password(opened: Opener) -> None:
    engine = opened(make=make_broken, retries=0)
    with pytest.raises(EngineLost, match="cannot reach the database"):
        asyncio.run(engine.do(job("hello")))


def test_two_engines_of_one_process_share_the_cluster(opened: Opener) -> None:
    first, second = opened(), opened()
    assert asyncio.run(first.do(job("double", argument=1))).value == 2
    asyncio.run(first.aclose())
    assert asyncio.run(second.do(job("double", argument=2))).value == 4


def test_ray_prints_nothing(opened: Opener, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    engine = opened()
    asyncio.run(engine.do(job(f"die-once {tmp_path / 'mark'}")))
    asyncio.run(engine.aclose())
    assert capfd.readouterr().out == ""
