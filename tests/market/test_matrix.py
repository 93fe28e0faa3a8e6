"""Each step of a payment, each fault: no money is lost, doubled or made up, and nothing is had for nothing."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from market.matrix.case import Bench, Case
from market.matrix.cases import CASES, OFTEN
from market.matrix.world import judged
from mayfly.testing.chain import LocalChain, RpcServer


@pytest.fixture(scope="module")
def bench(chain_and_rpc: tuple[LocalChain, RpcServer], compiled_rules: Path) -> Iterator[Bench]:
    """Yield what all cases share; the money they are given is taken back, for others count all there is."""
    with chain_and_rpc[0].taken_back():
        made = Bench(chain_and_rpc[0], compiled_rules)
        yield made
        made.close()


def test_the_cases_have_names_of_their_own() -> None:
    assert len({case.name for case in CASES}) == len(CASES)


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in OFTEN])
def test_money_is_conserved_and_every_purchase_charged_at_most_once(case: Case, bench: Bench, tmp_path: Path) -> None:
    assert judged(bench, case, tmp_path) == []
