from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from market.shops import Shop, open_shop
from mayfly.core import Settings
from mayfly.testing.chain import LocalChain, RpcServer


@pytest.fixture
def shop(chain: LocalChain, rpc: RpcServer, tmp_path: Path) -> Iterator[Shop]:
    with open_shop(chain, rpc, Settings(state_dir=str(tmp_path / "state"))) as opened:
        yield opened
