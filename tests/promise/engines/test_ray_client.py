"""The engine through the client port of a cluster, as from a machine that is none of its nodes."""

import asyncio
import os
from importlib import import_module
from pathlib import Path

import pytest

from mayfly.promise._job import Done, Part
from mayfly.promise.engines import EngineLost
from mayfly.testing._processes import alive, parent_of, until

from .conftest import Ground, Opener
from .crew import job

pytestmark = [
    pytest.mark.timeout(600),
    # Ray's client advises against many calls through it; here they are meant.
    pytest.mark.filterwarnings(r"ignore:More than .* (messages|remote tasks) have been:UserWarning:ray.util.client"),
]


def test_jobs_parts_and_losses_are_as_on_the_cluster_itself(opened: Opener, ground: Ground, tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_bytes(b"first line" + b"x" * 12_000_000 + b"last line\n")
    engine = opened(f"ray://127.0.0.1:{ground.cluster.client}", retries=1)

    async def main() -> None:
        done = await asyncio.gather(*(engine.do(job("double", node, argument=node)) for node in range(20)))
        assert [each.value for each in done] == [node * 2 for node in range(20)]
        assert len({parent_of(int(each.where)) for each in done}) == 2
        part = await engine.do(job("data", part=Part(path=str(path), start=0, stop=12_000_020)))
        assert part.value == [12_000_020, "first line", "last line\n"]
        assert (await engine.do(job("raise"))).code == "WORKER"
        again = await engine.do(job(f"die-once {tmp_path / 'mark'}"))
        assert again.status == "resolved"
        with pytest.raises(EngineLost, match="its process died"):
            await engine.do(job("die"))

    asyncio.run(main())


def test_the_token_of_a_cluster_is_forgotten_with_the_connection(opened: Opener) -> None:
    engine = opened()
    assert os.environ["RAY_AUTH_MODE"] == "token"
    asyncio.run(engine.aclose())
    assert "RAY_AUTH_TOKEN_PATH" not in os.environ


def test_an_engine_that_was_closed_takes_no_more_jobs_and_starts_no_cluster_for_them(opened: Opener) -> None:
    engine = opened()
    asyncio.run(engine.aclose())
    with pytest.raises(EngineLost, match="the engine was closed"):
        asyncio.run(engine.do(job("double", argument=1)))
    assert not import_module("ray").is_initialized()


def test_nothing_of_an_engine_is_left_on_the_cluster_when_the_last_one_is_closed(opened: Opener) -> None:
    engine = opened()

    async def main() -> list[Done]:
        done = await asyncio.gather(*(engine.do(job("hello", node)) for node in range(8)))
        await engine.aclose()
        return done

    pids = {each.value[0] for each in asyncio.run(main())}  # type: ignore[index]
    assert pids
    assert until(lambda: not any(map(alive, pids)))
