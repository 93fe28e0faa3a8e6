from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from market.shops import Shop, open_shop
from mayfly.core import Settings, StoreSettings
from mayfly.testing.chain import LocalChain, RpcServer


@pytest.fixture(scope="module", autouse=True)
def depth() -> Iterator[None]:
    """Fail where a library of Ethereum lifted the limit of recursion: whatever reads JSON afterwards may crash."""
    before = sys.getrecursionlimit()
    yield
    assert sys.getrecursionlimit() == before


@pytest.fixture
def database(request: pytest.FixtureRequest) -> str:
    """Return where the store is: SQLite in the state directory, or the PostgreSQL of a test that asks for it."""
    kind = getattr(request, "param", "sqlite")
    return str(request.getfixturevalue("postgres_url")) if kind == "postgres" else ""


@pytest.fixture
def shop(chain: LocalChain, rpc: RpcServer, tmp_path: Path, database: str) -> Iterator[Shop]:
    """Yield a shop with a store of its own."""
    settings = Settings(state_dir=str(tmp_path / "state"), store=StoreSettings(database_url=database))
    with open_shop(chain, rpc, settings) as opened:
        yield opened
