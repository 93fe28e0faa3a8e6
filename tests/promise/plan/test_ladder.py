"""The deeper, the simpler."""

import pytest

from mayfly.core import PromiseSettings
from mayfly.promise.plan import rung


@pytest.mark.parametrize(
    ("depth", "expected"),
    [(0, "full"), (1, "full"), (2, "simple"), (3, "heuristic"), (4, "ground"), (9, "ground")],
)
def test_each_depth_has_its_rung(depth: int, expected: str) -> None:
    assert rung(depth, PromiseSettings()) == expected


def test_a_smaller_limit_comes_to_the_ground_earlier() -> None:
    assert [rung(depth, PromiseSettings(max_depth=1)) for depth in range(3)] == ["full", "full", "ground"]


def test_a_larger_limit_goes_on_without_a_model() -> None:
    assert [rung(depth, PromiseSettings(max_depth=5)) for depth in (4, 5, 6)] == ["heuristic", "heuristic", "ground"]


def test_too_little_budget_is_the_ground() -> None:
    assert rung(2, PromiseSettings(chaos_threshold=0.4)) == "ground"
