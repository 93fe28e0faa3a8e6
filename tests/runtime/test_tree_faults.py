"""A store that goes away, comes back or is full, workers that are killed, clocks that jump: a run always ends right."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any, Self

import pytest

from mayfly.core import (
    Capability,
    ConflictError,
    Invocation,
    LibrarySettings,
    Outcome,
    PromiseSettings,
    SandboxSettings,
    Settings,
    StoreSettings,
)
from mayfly.promise import Done, Job, LocalEngine, Promise, State, cancel, saved
from mayfly.runtime import Runtime
from mayfly.store import Ledger
from mayfly.testing import (
    PostgresServer,
    RunWatch,
    behind_the_wall,
    in_background,
    keep_spinner,
    kill,
    own_postgres,
    spinning,
    until,
)

TURN = 800_000
FOR_EVER = 10**15


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    with own_postgres() as made:
        yield made


@pytest.fixture
def settings(server: PostgresServer, tmp_path: Path) -> Settings:
    return Settings(
        state_dir=str(tmp_path / "state"),
        store=StoreSettings(database_url=server.url),
        promise=PromiseSettings(parallel=2, retries=10, retry_delay=0.1),
    )


def numbers(outcome: Outcome[Any]) -> list[int]:
    assert outcome.resolved, outcome.reason
    return list(outcome.value.values())


def executed(settings: Settings, run: str) -> list[str]:
    """Return which leaves of *run* were executed to their end, as the ledger has it."""
    with Ledger.open(settings) as ledger:
        return [event.subject for event in ledger.read(kind="agent.executed") if event.subject.startswith(run)]


def squares(below: int) -> int:
    return sum(number * number for number in range(below)) % 1000003


def test_a_store_that_comes_back_in_the_middle_changes_nothing(settings: Settings, server: PostgresServer) -> None:
    def away(watch: RunWatch) -> None:
        server.stop(signal.SIGQUIT)
        in_background(server.start, after=1.5)

    watch = RunWatch(when=away, after=1)
    with Runtime(settings, observer=watch) as runtime:
        wanted = [TURN + number for number in range(8)]
        outcome = runtime.resolve(spinning(keep_spinner(runtime), wanted))
    assert numbers(outcome) == [squares(number) for number in wanted]
    with Ledger.open(settings) as ledger:
        found = saved(ledger, outcome.id)
        assert (found.status, found.tree.value) == ("resolved", outcome.value)
        ledger.claim(outcome.id).close()


def test_an_effect_waits_for_a_store_that_is_away(settings: Settings, server: PostgresServer) -> None:
    given: list[str] = []
    noted = Capability(name="note", summary="note", effect="once", call=lambda asked: given.append(asked.key) or 1)  # type: ignore[func-returns-value]
    promise: Promise[Any] = Promise("note it", ground="ground", capability="note")
    quick = replace(settings, promise=replace(settings.promise, kill_cache=0))
    with Runtime(quick, capabilities=[noted]) as runtime:
        check = runtime.parts.switch.check
        runtime.parts.switch.check = away_once(server, check)  # type: ignore[method-assign]
        outcome = runtime.resolve(promise)
    assert (outcome.status, outcome.value, given) == ("resolved", 1, [f"{outcome.id}/0"])


def test_a_store_that_stays_away_ends_the_run_and_what_is_in_the_ledger_holds(
    settings: Settings, server: PostgresServer
) -> None:
    brief = replace(settings, promise=replace(settings.promise, retries=2))
    watch = RunWatch(when=lambda _: server.stop(signal.SIGQUIT), after=2)
    wanted = [TURN + number for number in range(6)]
    with Runtime(brief, observer=watch) as runtime:
        outcome = runtime.resolve(spinning(keep_spinner(runtime), wanted))
    server.start()
    assert (outcome.resolved, outcome.code, outcome.value) == (False, "STORE", None)
    with Ledger.open(settings) as ledger:
        found = saved(ledger, outcome.id)
    assert found.status == "interrupted"
    proven = {promise.id for promise in found.tree.walk() if promise.state is State.RESOLVED}
    assert proven == set(found.values)
    assert len(proven) < len(wanted)
    watch = RunWatch()
    with Runtime(settings, observer=watch) as runtime:
        again = runtime.resume(outcome.id)
    assert numbers(again) == [squares(number) for number in wanted]
    assert not proven & set(watch.began)


def test_the_claim_is_taken_again_from_a_server_that_came_back(settings: Settings, server: PostgresServer) -> None:
    refused: list[str] = []

    def restart_and_look(asked: Invocation) -> bool:
        server.stop(signal.SIGQUIT)
        server.start()
        with Ledger.open(settings) as ledger:
            # Whoever claims it to see whether it is claimed has taken it up, so first somebody else must have it.
            run = asked.key.partition("/")[0]
            return until(lambda: bool(ledger.claimed([run])) and refusal(ledger, run, refused))

    looks = Capability(name="look", summary="look", call=restart_and_look)
    with Runtime(settings, capabilities=[looks]) as runtime:
        promise: Promise[Any] = Promise("look", ground=None, capability="look")
        outcome = runtime.resolve(promise)
    assert outcome.value is True, outcome.reason
    assert f"is being run by process {os.getpid()} on" in refused[0]


def refusal(ledger: Ledger, run: str, refused: list[str]) -> bool:
    """Note why *run* cannot be claimed, if it cannot."""
    try:
        ledger.claim(run).close()
    except ConflictError as error:
        refused.append(str(error))
    return bool(refused)


def away_once(server: PostgresServer, work: Callable[[], None]) -> Callable[[], None]:
    """Return *work*; the server is away when it is called first, and comes back soon after."""
    calls: list[None] = []

    def first() -> None:
        calls.append(None)
        if len(calls) == 1:
            server.stop(signal.SIGQUIT)
            in_background(server.start, after=0.5)
        work()

    return first


def resume(settings: Settings, run: str) -> subprocess.Popen[str]:
    """Go on with *run* in a process of its own."""
    environment = {
        **os.environ,
        "MAYFLY_STATE_DIR": settings.state_dir,
        "MAYFLY_DATABASE_URL": settings.store.database_url,
        "MAYFLY_PROMISE_PARALLEL": "1",
    }
    command = [sys.executable, "-m", "mayfly.cli", "resume", run, "--json", "--quiet"]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_of_two_processes_that_go_on_with_a_run_one_wins(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    do, asked, refused = LocalEngine.do, list[str](), list[tuple[int, str, str]]()

    async def second_is_cancelled(engine: LocalEngine, job: Job) -> Done:
        asked.append(job.node)
        if len(asked) > 1:
            await asyncio.to_thread(stop, settings)
            await asyncio.Event().wait()
        return await do(engine, job)

    def other_tries(watch: RunWatch) -> None:
        other = resume(settings, outcome.id)
        said = other.communicate(timeout=200)
        refused.append((other.returncode, *said))

    wanted = [1000 + number for number in range(4)]
    one_by_one = replace(settings, promise=replace(settings.promise, parallel=1))
    with monkeypatch.context() as patched, Runtime(one_by_one) as runtime:
        patched.setattr(LocalEngine, "do", second_is_cancelled)
        outcome = runtime.resolve(spinning(keep_spinner(runtime), wanted))
    assert (outcome.code, len(asked)) == ("CANCELLED", 2)
    with Runtime(settings, observer=RunWatch(when=other_tries, after=1)) as runtime:
        assert numbers(runtime.resume(outcome.id)) == [squares(number) for number in wanted]
    [(code, value, said)] = refused
    assert (code > 0, value, len(said.strip().splitlines())) == (True, "", 1), refused
    assert f"{outcome.id} is being run by process {os.getpid()} on" in said


def stop(settings: Settings) -> None:
    """Cancel whatever began last."""
    with Ledger.open(settings) as ledger:
        run = ledger.last(kind="run.began")
        assert run is not None
        cancel(ledger, run.subject.partition("/")[0], by="ada")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Yield a directory on a disk of a few megabytes."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", place], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("no disk can be made here")
    yield place
    subprocess.run(["umount", "-l", place], check=True)


def test_a_full_disk_ends_the_run_and_room_lets_it_go_on(small_disk: Path) -> None:
    settings = Settings(state_dir=str(small_disk), promise=PromiseSettings(parallel=1, retries=1, retry_delay=0.05))
    filler = small_disk / "filler"

    def fill(watch: RunWatch) -> None:
        with filler.open("wb", buffering=0) as file, suppress(OSError):
            while True:
                file.write(b"x" * 4096)

    wanted = list(range(1000, 1060))
    with Runtime(settings, observer=RunWatch(when=fill, after=5)) as runtime:
        outcome = runtime.resolve(spinning(keep_spinner(runtime), wanted))
        assert (outcome.resolved, outcome.code) == (False, "STORE"), outcome
        assert "what was acknowledged is kept" in outcome.reason
        filler.unlink()
        proven = set(saved(runtime.parts.ledger, outcome.id).values)
        assert proven
        assert numbers(runtime.resume(outcome.id)) == [squares(number) for number in wanted]


@pytest.mark.parametrize("jump", [-3600.0, 3600.0], ids=["back", "forward"])
def test_a_clock_that_jumps_in_the_middle_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jump: float
) -> None:
    now, shift = time.time, [0.0]
    monkeypatch.setattr(time, "time", lambda: now() + shift[0])

    class Moved(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Self:
            return super().now(tz) + timedelta(seconds=shift[0])

    for name, module in list(sys.modules.items()):
        if name.startswith("mayfly.") and getattr(module, "datetime", None) is datetime:
            monkeypatch.setattr(module, "datetime", Moved)

    do, asked = LocalEngine.do, list[str]()

    async def leaps_after_ten(engine: LocalEngine, job: Job) -> Done:
        asked.append(job.node)
        if len(asked) == 11:
            ledger = runtime.parts.ledger
            assert await asyncio.to_thread(until, lambda: ledger.count(kind="promise.resolved", subject=job.run) == 10)
            shift[0] = jump
        return await do(engine, job)

    monkeypatch.setattr(LocalEngine, "do", leaps_after_ten)
    settings = Settings(
        state_dir=str(tmp_path), promise=PromiseSettings(seconds=900, parallel=1), library=LibrarySettings(ttl=600)
    )
    wanted = list(range(100, 120))
    with Runtime(settings) as runtime:
        agent = keep_spinner(runtime)
        outcome = runtime.resolve(spinning(agent, wanted))
        assert numbers(outcome) == [squares(number) for number in wanted]
        found = saved(runtime.parts.ledger, outcome.id)
        assert (found.status, found.tree.value) == ("resolved", outcome.value)
        again = runtime.resolve(spinning(agent, wanted))
        assert numbers(again) == numbers(outcome)
        ran = executed(settings, again.id)
    # Only how old a value is goes by the clock on the wall: an hour on, what was proven before is too old.
    assert len(ran) == (10 if jump > 0 else 0)


def sandboxes() -> list[int]:
    """Return the processes behind the wall that this process started."""
    return behind_the_wall(os.getpid())


def computing() -> list[int]:
    """Return those of them that have computed for a while and still do."""
    return [pid for pid in sandboxes() if computes(pid)]


def computes(pid: int) -> bool:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return False
    return fields[0] == "R" and int(fields[11]) > 10


@pytest.mark.parametrize("who", ["all", "busy"])
def test_what_runs_behind_the_wall_is_killed_in_the_middle_and_the_run_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, who: str
) -> None:
    settings = Settings(
        state_dir=str(tmp_path),
        # Room for all three: those that never end must not keep the first one from its turn.
        promise=PromiseSettings(parallel=3, retries=2, retry_delay=0.05),
        sandbox=SandboxSettings(timeout=200),
    )
    wanted = [1000, 1001, 1002]
    do = LocalEngine.do

    async def all_but_the_first_for_ever(engine: LocalEngine, job: Job) -> Done:
        return await do(engine, job if job.argument == wanted[0] else replace(job, argument=FOR_EVER))

    def strike(watch: RunWatch) -> None:
        in_background(both_compute)

    def both_compute() -> None:
        busy: list[int] = []

        def two() -> bool:
            busy[:] = computing()
            return len(busy) == 2

        assert until(two)
        kill(*(sandboxes() if who == "all" else busy))

    with monkeypatch.context() as patched, Runtime(settings, observer=RunWatch(when=strike, after=1)) as runtime:
        patched.setattr(LocalEngine, "do", all_but_the_first_for_ever)
        outcome = runtime.resolve(spinning(keep_spinner(runtime), wanted))
    assert (outcome.resolved, outcome.code, "died" in outcome.reason) == (False, "RUN_DIED", True), outcome
    with Runtime(settings) as runtime:
        assert numbers(runtime.resume(outcome.id)) == [squares(number) for number in wanted]
