"""What written code may use: the imports of its tier, and later what it was granted."""

from __future__ import annotations

from typing import Any

import pytest

from mayfly.runtime import Runtime

from .conftest import Script
from .test_run import fenced

EXACT = '''"""Prices."""

from decimal import Decimal
from urllib.parse import quote


class Adder:
    """Add prices without rounding."""

    def invoke(self, input: list[str]) -> str:
        """Return the exact sum, quoted."""
        return quote(str(sum((Decimal(price) for price in input), Decimal(0))))
'''
PRICES: list[dict[str, Any]] = [
    {"input": ["0.1", "0.2"], "output": "0.3"},
    {"input": [], "output": "0"},
    {"input": ["1.10"], "output": "1.10"},
    {"input": ["-2.5", "1"], "output": "-1.5"},
    {"input": ["3", "4", "5.55"], "output": "12.55"},
    {"input": ["0.001"], "output": "0.001"},
]
ADD: dict[str, Any] = {"input": ["0.7", "0.1"], "examples": PRICES, "accept_weak": True}


def test_sums_that_have_to_be_exact_may_use_decimal(runtime: Runtime, script: Script) -> None:
    outcome = runtime.run("add the prices exactly", model=script(("architect", fenced(EXACT))), **ADD)
    assert (outcome.status, outcome.value) == ("resolved", "0.8"), outcome.reason


def test_at_tier_ephemeral_they_may_not(runtime: Runtime, script: Script) -> None:
    outcome = runtime.run("add the prices", model=script(("architect", fenced(EXACT))), tier="ephemeral", **ADD)
    assert outcome.status == "collapsed"
    assert "decimal is not on the list" in outcome.reason


@pytest.mark.parametrize("line", ["import uuid\n\nmade = uuid.uuid4()", "import random\n\nmade = random.random()"])
def test_chance_is_refused_before_anything_runs(runtime: Runtime, script: Script, line: str) -> None:
    source = EXACT.replace("\n\n\nclass", f"\n{line}\n\n\nclass")
    outcome = runtime.run("add the prices", model=script(("architect", fenced(source))), **ADD)
    assert outcome.status == "collapsed"
    assert "gives another value in every run" in outcome.reason
