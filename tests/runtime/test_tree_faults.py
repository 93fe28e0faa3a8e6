"""A store that goes away, comes back or is full, workers that are killed, clocks that jump: a run always ends right."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import postgres
import pytest

from bench._cluster import Watch, below, in_background, keep_spinner, kill, spinning, until
from mayfly.core import ConflictError, Outcome, PromiseSettings, Settings, StoreSettings
from mayfly.library import Builtin
from mayfly.promise import Promise, Service, State, cancel, saved
from mayfly.runtime import Runtime
from mayfly.store import Ledger

TURN = 1_500_000


class Server:
    """A PostgreSQL that can be stopped and started again."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self._account = postgres._account(home)
        self._programs = postgres._programs(home, self._account)
        # The server ends with the thread that started it, so that is one that stays.
        self._starter = ThreadPoolExecutor(1)
        self._process = self._starter.submit(postgres._start, home, self._programs, self._account).result()

    @property
    def url(self) -> str:
        return f"postgresql://postgres@/postgres?host={quote(str(self.home))}"

    def stop(self) -> None:
        self._process.send_signal(signal.SIGQUIT)
        self._process.wait(30)

    def start(self) -> None:
        self._starter.submit(self._start).result()

    def _start(self) -> None:
        log = self.home / "log"
        command = [self._programs / "postgres", "-D", self.home / "data", "-k", self.home, "-c", "listen_addresses="]
        with log.open("ab") as output:
            self._process = subprocess.Popen(
                command, stdout=output, stderr=output, cwd="/", preexec_fn=postgres._die_with_parent, **self._account
            )
        postgres._wait(self._process, self.home, log)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    home = Path(tempfile.mkdtemp(prefix="mayfly-pg-", dir="/tmp"))
    try:
        made = Server(home)
        yield made
        made.stop()
    finally:
        shutil.rmtree(home)


@pytest.fixture
def settings(server: Server, tmp_path: Path) -> Settings:
    return Settings(
        state_dir=str(tmp_path / "state"),
        store=StoreSettings(database_url=server.url),
        promise=PromiseSettings(parallel=2, retries=6, retry_delay=0.1),
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


def test_a_store_that_comes_back_in_the_middle_changes_nothing(settings: Settings, server: Server) -> None:
    def away(watch: Watch) -> None:
        server.stop()
        in_background(lambda: (time.sleep(1.5), server.start()))

    watch = Watch(when=away, after=1)
    with Runtime(settings, observer=watch) as runtime:
        wanted = [TURN + number for number in range(8)]
        outcome = runtime.resolve(spinning(keep_spinner(runtime), wanted))
    assert numbers(outcome) == [squares(number) for number in wanted]
    with Ledger.open(settings) as ledger:
        found = saved(ledger, outcome.id)
        assert (found.status, found.tree.value) == ("resolved", outcome.value)
        ledger.claim(outcome.id).close()


def test_an_effect_waits_for_a_store_that_is_away(settings: Settings, server: Server) -> None:
    given: list[object] = []
    noted = Builtin(name="note", description="note", effect="once", call=lambda asked: given.append(asked.argument))
    promise: Promise[Any] = Promise("note it", ground="ground", service=Service(kind="capability", name="note"))
    quick = replace(settings, promise=replace(settings.promise, kill_cache=0))
    with Runtime(quick, capabilities=[noted]) as runtime:
        check = runtime.parts.switch.check
        runtime.parts.switch.check = away_once(server, check)  # type: ignore[method-assign]
        outcome = runtime.resolve(promise)
    assert (outcome.status, outcome.reason, given) == ("resolved", outcome.reason, [None])


def test_a_store_that_stays_away_ends_the_run_and_what_is_in_the_ledger_holds(
    settings: Settings, server: Server
) -> None:
    brief = replace(settings, promise=replace(settings.promise, retries=2))
    watch = Watch(when=lambda _: server.stop(), after=2)
    wanted = [TURN + number for number in range(6)]
    with Runtime(brief, observer=watch) as runtime:
        outcome = runtime.resolve(spinning(keep_spinner(runtime), wanted))
    server.start()
    assert (outcome.status, outcome.code, outcome.value) == ("collapsed", "STORE", None)
    with Ledger.open(settings) as ledger:
        found = saved(ledger, outcome.id)
    assert found.status == "interrupted"
    proven = {promise.id for promise in found.tree.walk() if promise.state is State.RESOLVED}
    assert proven == set(found.values)
    assert len(proven) < len(wanted)
    watch = Watch()
    with Runtime(settings, observer=watch) as runtime:
        again = runtime.resume(outcome.id)
    assert numbers(again) == [squares(number) for number in wanted]
    assert not proven & set(watch.began)


def test_the_claim_is_taken_again_from_a_server_that_came_back(settings: Settings, server: Server) -> None:
    refused: list[str] = []

    def back(watch: Watch) -> None:
        server.stop()
        server.start()
        in_background(try_to_claim)

    def try_to_claim() -> None:
        with Ledger.open(settings) as ledger:
            run = ledger.last(kind="run.began")
            assert run is not None
            until(lambda: refusal(ledger, run.subject, refused), 20)

    with Runtime(settings, observer=Watch(when=back, after=1)) as runtime:
        outcome = runtime.resolve(spinning(keep_spinner(runtime), [3 * TURN + number for number in range(8)]))
    assert outcome.resolved
    assert f"is being run by process {os.getpid()} on" in refused[0]


def refusal(ledger: Ledger, run: str, refused: list[str]) -> bool:
    """Note why *run* cannot be claimed, if it cannot."""
    try:
        ledger.claim(run).close()
    except ConflictError as error:
        refused.append(str(error))
    return bool(refused)


def away_once(server: Server, work: Callable[[], None]) -> Callable[[], None]:
    """Return *work*; the server is away when it is called first, and comes back soon after."""
    calls: list[None] = []

    def first() -> None:
        calls.append(None)
        if len(calls) == 1:
            server.stop()
            in_background(lambda: (time.sleep(0.5), server.start()))
        work()

    return first


def resume(settings: Settings, run: str) -> subprocess.Popen[str]:
    """Go on with *run* in a process of its own."""
    environment = {
        **os.environ,
        "MAYFLY_STATE_DIR": settings.state_dir,
        "MAYFLY_DATABASE_URL": settings.store.database_url,
        "MAYFLY_PROMISE_PARALLEL": "2",
    }
    command = [sys.executable, "-m", "mayfly.cli", "resume", run, "--json", "--quiet"]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_of_two_processes_that_go_on_with_a_run_one_wins(settings: Settings) -> None:
    with Runtime(settings, observer=Watch(when=lambda _: stop(settings), after=1)) as runtime:
        outcome = runtime.resolve(spinning(keep_spinner(runtime), [5 * TURN + number for number in range(4)]))
    assert outcome.code == "CANCELLED"
    both = [resume(settings, outcome.id) for _ in range(2)]
    ended = sorted((process.wait(60), *process.communicate()) for process in both)
    assert [code for code, _, _ in ended] == [0, ended[1][0]]
    assert list(json.loads(ended[0][1])["value"].values()) == [squares(5 * TURN + number) for number in range(4)]
    said = ended[1][2].strip().splitlines()
    assert (ended[1][0] > 0, len(said)) == (True, 1), ended[1]
    assert f"{outcome.id} is being run by process" in said[0]


def stop(settings: Settings) -> None:
    """Cancel whatever began last."""
    with Ledger.open(settings) as ledger:
        run = ledger.last(kind="run.began")
        assert run is not None
        cancel(ledger, run.subject.partition("/")[0], by="ada")
