"""A ticket lets another thread end a job, however it was begun."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from mayfly.core import SandboxSettings
from mayfly.sandbox import Result, Sandbox, Ticket

LOOP = "def f(x):\n    while True:\n        pass\n"
COUNT = "def f(lines):\n    for line in lines:\n        yield line\n"


def test_a_ticket_ends_a_run() -> None:
    ticket = Ticket()
    with Sandbox(SandboxSettings(workers=1)) as box, ThreadPoolExecutor() as threads:
        work = threads.submit(box.run, LOOP, "f", 1, timeout=200, ticket=ticket)
        ticket.cancel()
        assert work.result(timeout=100).status == "died"


def test_a_ticket_ends_a_stream() -> None:
    ticket = Ticket()

    def watch(box: Sandbox) -> Result | None:
        with box.stream(LOOP, "f", 1, timeout=200, ticket=ticket) as stream:
            assert list(stream) == []
        return stream.result

    with Sandbox(SandboxSettings(workers=1)) as box, ThreadPoolExecutor() as threads:
        work = threads.submit(watch, box)
        ticket.cancel()
        found = work.result(timeout=100)
    assert found is not None
    assert found.status == "died"


def test_a_ticket_that_nobody_uses_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text("a\nb\n")
    ticket = Ticket()
    with Sandbox(SandboxSettings(workers=1)) as box:
        for _ in range(2):
            with box.stream(COUNT, "f", lines=path, ticket=ticket) as stream:
                assert list(stream) == ["a", "b"]
        ticket.cancel()
        assert box.run("def f(x):\n    return x\n", "f", 3).value == 3
