"""A question about many files in parts: the answer and the account of one machine, or one line that says why not."""

from __future__ import annotations

import asyncio
import gzip
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mayfly.core import LimitError, PromiseSettings, Settings, Stop, limit
from mayfly.forge import PartFile
from mayfly.promise import Done, Job, LocalEngine
from mayfly.runtime import Runtime, _spread, called_by
from mayfly.runtime._leaf import LeafWorker
from mayfly.runtime._spread import deal_out
from mayfly.store import KillSwitch

INTENT = "sum of amount by name"


class Nodes(LocalEngine):
    """Nodes of a cluster, in this process; *meddle* sees every job before it is done."""

    def __init__(self, settings: Settings, worker: LeafWorker, meddle: Callable[[Job], Job]) -> None:
        super().__init__(settings, lambda _: worker)
        self.jobs: list[Job] = []
        self.meddle = meddle
        self.begun, self.held = threading.Event(), asyncio.Event()

    def cores(self) -> int:
        return 2

    async def do(self, job: Job) -> Done:
        self.jobs.append(job)
        self.begun.set()
        return await super().do(self.meddle(job))


class Cluster:
    """A runtime whose questions are spread, and what became of them."""

    def __init__(self, runtime: Runtime, told: list[tuple[str, Any]]) -> None:
        self.runtime, self.told = runtime, told
        self.meddle: Callable[[Job], Job] = lambda job: job
        self.engines: list[Nodes] = []

    def open(self, settings: Settings) -> Nodes:
        worker = LeafWorker(self.runtime.settings, parts=self.runtime.parts)
        self.engines.append(Nodes(settings, worker, self.meddle))
        return self.engines[-1]

    @property
    def jobs(self) -> list[Job]:
        return [job for engine in self.engines for job in engine.jobs]

    def said(self, what: str) -> list[Any]:
        return [about for name, about in self.told if name == what]


@pytest.fixture
def cluster(tmp_path: Path, runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    promise = PromiseSettings(engine="ray", split_from=1, retries=0, kill_cache=0)
    told: list[tuple[str, Any]] = []
    settings = replace(runtime.settings, state_dir=str(tmp_path / "state"), promise=promise)
    with Runtime(settings, observer=lambda what, about: told.append((what, about))) as made:
        found = Cluster(made, told)
        monkeypatch.setattr(_spread, "open_cluster", found.open)
        yield found


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    made = []
    for part in (1, 2, 3):
        path = tmp_path / f"day={part}" / "sales.csv"
        path.parent.mkdir()
        rows = [f"{'ann' if n % 3 else 'bob'},{n * part}.5\n" for n in range(40 * part)]
        path.write_text("".join(["name,amount\n", *rows]))
        made.append(path)
    return made


def alone(runtime: Runtime, files: Sequence[Path], intent: str = INTENT, **options: Any) -> Any:
    """Return the outcome of one machine."""
    return runtime.run(intent, lines=files, **options)


@pytest.mark.parametrize(
    "intent",
    [
        INTENT,
        *(
            pytest.param(other, marks=pytest.mark.later)
            for other in (
                "average amount by file",
                "count",
                "count by name, the largest first",
                "sum of amount by name, the 1 largest",
            )
        ),
    ],
)
def test_the_answer_and_the_account_are_those_of_one_machine(
    cluster: Cluster, runtime: Runtime, files: list[Path], intent: str
) -> None:
    outcome, other = cluster.runtime.run(intent, lines=files), alone(runtime, files, intent)
    assert outcome.resolved, outcome.reason
    assert (outcome.value, outcome.account, outcome.reading) == (other.value, other.account, other.reading)
    assert cluster.said("spread") == [(3, 2)]
    assert sorted(len(job.argument["files"]) for job in cluster.jobs) == [1, 2]  # type: ignore[index]
    (noted,) = cluster.runtime.ledger.read(subject=outcome.id, kind="agent.spread")
    assert (noted.payload["files"], noted.payload["tasks"]) == (3, 2)
    again = cluster.runtime.run(intent, lines=files)
    assert (again.value, again.account, again.cached) == (outcome.value, outcome.account, True)
    assert len(cluster.jobs) == 4


def test_packed_files_are_spread(cluster: Cluster, runtime: Runtime, files: list[Path]) -> None:
    packed = [path.with_name("sales.csv.gz") for path in files]
    for path, other in zip(files, packed, strict=True):
        other.write_bytes(gzip.compress(path.read_bytes()))
    outcome, other_outcome = cluster.runtime.run(INTENT, lines=packed), alone(runtime, packed)
    assert (outcome.value, outcome.account) == (other_outcome.value, other_outcome.account)
    assert len(cluster.jobs) == 2


def test_the_first_bad_line_is_that_of_the_first_file(cluster: Cluster, runtime: Runtime, files: list[Path]) -> None:
    for path in files[1:]:
        path.write_text(path.read_text() + "broken\n")
    outcome, other = cluster.runtime.run(INTENT, lines=files), alone(runtime, files)
    assert outcome.account is not None
    assert outcome.account["not_understood"] == 2
    assert outcome.account["first_not_understood"] == {"file": "day=2/sales.csv", "line": 82, "text": "broken"}
    assert outcome.account == other.account
    strict = cluster.runtime.run(INTENT, lines=files, bad_lines="stop")
    assert (strict.code, "of day=2/sales.csv" in strict.reason) == ("BAD_LINES", True)


def test_what_does_not_follow_from_parts_is_answered_on_one_machine_and_said(
    cluster: Cluster, runtime: Runtime, files: list[Path]
) -> None:
    outcome = cluster.runtime.run("median amount by name", lines=files)
    assert outcome.value == alone(runtime, files, "median amount by name").value
    assert cluster.said("alone") == ["median amount cannot be computed from partial results"]
    assert not cluster.engines


def test_little_and_what_is_one_file_stays_here(cluster: Cluster, files: list[Path]) -> None:
    assert cluster.runtime.run(INTENT, lines=files[:1]).resolved
    cluster.runtime.parts.settings = replace(cluster.runtime.settings, promise=PromiseSettings(engine="ray"))
    assert cluster.runtime.run(INTENT, lines=files).resolved
    assert not cluster.engines
    assert not cluster.said("alone")


def test_programs_that_do_not_agree_are_not_spread(
    cluster: Cluster, files: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    from mayfly.synthesis.records import _spread as records_spread

    count = [records_spread._Aggregate("count(*)", "int")]
    monkeypatch.setattr(records_spread, "_divided_numbers", lambda *_: records_spread._Division(count, "max({0})"))
    outcome = cluster.runtime.run(INTENT, lines=files)
    assert outcome.resolved
    assert cluster.said("alone") == ["the joined partial results differ from the answer over all lines"]
    assert not cluster.engines


def test_files_that_only_this_machine_sees_are_not_spread(cluster: Cluster, files: list[Path]) -> None:
    uploads = cluster.runtime.settings.state / "uploads"
    uploads.mkdir(parents=True)
    for number, path in enumerate(files):
        (uploads / f"{number}.csv").write_bytes(path.read_bytes())
    told = "some of them were handed over or made here, where no other machine sees them"
    assert cluster.runtime.run(INTENT, lines=sorted(uploads.iterdir())).resolved
    assert cluster.said("alone") == [told]
    files[0].write_bytes(files[0].read_text().replace("bob", "b\u00f6b").encode("cp1252"))
    assert cluster.runtime.run(INTENT, lines=files).value.keys() == {"ann", "bob", "b\u00f6b"}
    assert cluster.said("alone") == [told, told]
    assert not cluster.engines


def changed(job: Job, **told: Any) -> Job:
    """Return a job whose last file is another one where it is done."""
    argument: Any = job.argument
    *others, last = argument["files"]
    return replace(job, argument={**argument, "files": [*others, {**last, **told}]})


@pytest.mark.parametrize(
    ("told", "reason"),
    [
        ({"path": "/nowhere/sales.csv"}, "cannot read /nowhere/sales.csv: No such file or directory"),
        ({"size": 7}, "sales.csv, and not 7"),
    ],
)
def test_a_node_that_does_not_see_the_files_ends_the_run(
    cluster: Cluster, files: list[Path], told: dict[str, Any], reason: str
) -> None:
    cluster.meddle = lambda job: changed(job, **told) if job.node == "part-2" else job
    outcome = cluster.runtime.run(INTENT, lines=files, ground="none")
    assert (outcome.status, outcome.value, outcome.code) == ("collapsed", "none", "INPUT")
    assert outcome.reason.startswith("the node ")
    assert reason in outcome.reason
    assert "\n" not in outcome.reason


def test_columns_of_another_file_are_told_by_the_node(cluster: Cluster, files: list[Path], tmp_path: Path) -> None:
    assert cluster.runtime.run(INTENT, lines=files).resolved
    strange = tmp_path / "strange.csv"
    strange.write_text(files[-1].read_text().replace("name,amount", "amount,name"))
    told = {"path": str(strange), "size": strange.stat().st_size}
    for part in (1, 2):
        cluster.meddle = lambda job, part=f"part-{part}": changed(job, **told) if job.node == part else job  # type: ignore[misc]
        outcome = cluster.runtime.run(INTENT, lines=files)
        # It is written again and asked again, and sees the same.
        assert (outcome.status, outcome.code) == ("collapsed", "OTHER_ROWS")


def test_a_part_that_fails_leaves_no_answer(cluster: Cluster, files: list[Path]) -> None:
    def broken(job: Job) -> Job:
        argument: Any = job.argument
        source = argument["source"].replace("fsum(", "no_such_function(")
        return replace(job, argument={**argument, "source": source}) if job.node == "part-1" else job

    cluster.meddle = broken
    outcome = cluster.runtime.run(INTENT, lines=files)
    assert (outcome.status, outcome.value, outcome.code) == ("collapsed", None, "RUN_ERROR")
    assert "no_such_function" in outcome.reason


def test_a_node_with_other_gates_refuses(cluster: Cluster, files: list[Path]) -> None:
    cluster.meddle = lambda job: replace(job, versions="others")
    assert cluster.runtime.run(INTENT, lines=files).code == "VERSION"


def holding(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Let parts hang on their nodes; the event says that all of them were cancelled."""
    cancelled, open_parts = threading.Event(), [0]

    async def hang(engine: Nodes, job: Job) -> Done:
        open_parts[0] += 1
        engine.jobs.append(job)
        engine.begun.set()
        try:
            return await asyncio.sleep(500, Done(status="resolved"))
        except asyncio.CancelledError:
            open_parts[0] -= 1
            if not open_parts[0]:
                cancelled.set()
            raise

    monkeypatch.setattr(Nodes, "do", hang)
    return cancelled


def test_a_run_that_is_stopped_stops_its_parts(
    cluster: Cluster, files: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    cancelled, stop, found = holding(cluster, monkeypatch), Stop(), []

    def run() -> None:
        with called_by(stop=stop):
            found.append(cluster.runtime.run(INTENT, lines=files))

    thread = threading.Thread(target=run)
    thread.start()
    while thread.is_alive() and not any(engine.begun.wait(0.1) for engine in cluster.engines):
        pass
    stop.cancel()
    thread.join(60)
    assert [one.code for one in found] == ["CANCELLED"]
    assert cancelled.is_set()


def test_a_limit_of_time_ends_parts(cluster: Cluster, files: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    assert cluster.runtime.run(INTENT, lines=files).resolved
    cancelled = holding(cluster, monkeypatch)
    with limit(seconds=1):
        outcome = cluster.runtime.run(INTENT, lines=files)
    assert (outcome.status, outcome.code) == ("collapsed", LimitError.code)
    assert cancelled.is_set()


def test_the_kill_switch_holds_for_parts(cluster: Cluster, files: list[Path]) -> None:
    switch = KillSwitch(cluster.runtime.parts.ledger)

    def pull(job: Job) -> Job:
        switch.turn_on(by="ada", reason="enough")
        return job

    cluster.meddle = pull
    outcome = cluster.runtime.run(INTENT, lines=files)
    assert (outcome.status, outcome.code) == ("collapsed", "KILLED")


def test_files_are_dealt_out_by_size() -> None:
    files = [PartFile(path=f"/{at}", name=f"{at}", size=size) for at, size in enumerate((5, 1, 1, 9, 3, 0))]
    assert [[file.size for file in part] for part in deal_out(files, 2)] == [[1, 9], [5, 1, 3, 0]]
    assert [len(part) for part in deal_out(files, 99)] == [1] * 6
    assert deal_out(files, 1) == [tuple(files)]
    empty = [replace(file, size=0) for file in files]
    assert [len(part) for part in deal_out(empty, 3)] == [2, 2, 2]
