"""What a job buys is counted for the strategy and the agent of its run, whoever resumes it and wherever a leaf runs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from mayfly.core import MarketSettings, Settings
from mayfly.forge import Within
from mayfly.forge._events import RunBegan
from mayfly.runtime import Runtime
from mayfly.sandbox import PurchaseReply, PurchaseRequest


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(state_dir=str(tmp_path), market=MarketSettings(strategy="of-today"))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[PurchaseRequest]:
    seen: list[PurchaseRequest] = []

    def purchase(settings: Settings, request: PurchaseRequest) -> PurchaseReply:
        seen.append(request)
        return PurchaseReply(status="delivered")

    monkeypatch.setattr("mayfly.market.purchase", purchase)
    return seen


@pytest.mark.parametrize(
    ("run", "strategy"),
    [
        ("r-tagged", "of-then"),
        ("r-tagged/0.1", "of-then"),
        ("r-untagged", ""),
        ("r-new", "of-today"),
        ("job-1", "of-today"),
    ],
)
def test_s_35_a_purchase_is_counted_for_the_strategy_its_run_began_with(
    settings: Settings, asked: list[PurchaseRequest], run: str, strategy: str
) -> None:
    with Runtime(settings) as runtime:
        for name, tag in (("r-tagged", "of-then"), ("r-untagged", "")):
            began = RunBegan(intent="buy", tier="memo", depth=0, model=None, examples=0, input="", strategy=tag)
            runtime.ledger.append(began, subject=name)
        runtime.parts.purchase(PurchaseRequest(op="buy", call_id="c", run=run))
        runtime.parts.purchase(PurchaseRequest(op="buy", call_id="c", run=run, strategy="said"))
    assert [one.strategy for one in asked] == [strategy, "said"]


def test_all_leaves_of_a_run_share_the_cap_of_one_agent_and_no_call_ids() -> None:
    leaves = [Within(seconds=1, run=f"r-1/0.{number}").spender for number in range(2)]
    assert {one.agent for one in leaves} == {"r-1"}
    assert len({one.call("c") for one in leaves}) == 2
    assert replace(Within(seconds=1), run="r-2").spender.agent == "r-2"
