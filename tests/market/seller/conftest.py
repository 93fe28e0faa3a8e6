from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from market.shops import Shop, open_shop
from mayfly.core import Settings, StoreSettings
from mayfly.testing.chain import LocalChain, RpcServer


@pytest.fixture
def shop(chain: LocalChain, rpc: RpcServer, tmp_path: Path, database: str) -> Iterator[Shop]:
    settings = Settings(state_dir=str(tmp_path / "state"), store=StoreSettings(database_url=database))
    with open_shop(chain, rpc, settings) as opened:
        yield opened
