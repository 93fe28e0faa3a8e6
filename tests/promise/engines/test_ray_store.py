"""Workers on several nodes that write into one PostgreSQL."""

import asyncio
import os
from dataclasses import replace

import pytest

from mayfly.core import StoreSettings
from mayfly.promise._job import Done
from mayfly.promise.engines import RayEngine, open_engine
from mayfly.store import Ledger

from .conftest import Ground
from .crew import job, make_scribe


@pytest.mark.timeout(600)
def test_every_node_writes_into_the_ledger_of_the_settings(ground: Ground, postgres_url: str) -> None:
    settings = replace(ground.settings, store=StoreSettings(database_url=postgres_url))
    engine = open_engine(settings, make_scribe)
    assert isinstance(engine, RayEngine)

    async def main() -> list[Done]:
        try:
            return await asyncio.gather(*(engine.do(job("note down", node)) for node in range(8)))
        finally:
            await engine.aclose()

    done = asyncio.run(main())
    assert {(each.status, each.reason) for each in done} == {("resolved", "")}
    with Ledger.open(settings) as ledger:
        events = list(ledger.read(kind="doctor.attacked"))
    assert sorted(event.subject for event in events) == [f"r/{node}" for node in range(8)]
    assert {event.id for event in events} == {each.value for each in done}
    assert len({event.payload["level"] for event in events} - {str(os.getpid())}) >= 2
