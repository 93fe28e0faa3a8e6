"""The same tests as a person would hand them to pytest."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest
from access_errors import ClientErrors

CASES = json.loads((Path(__file__).parent / "cases.json").read_text())


@pytest.mark.parametrize("case", CASES)
def test_case(case: dict) -> None:  # type: ignore[type-arg]
    assert [asdict(record) for record in ClientErrors().invoke(case["input"])] == case["output"]
