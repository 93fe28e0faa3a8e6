"""The trust page cannot lie: every claim in its lists names tests, and the tests exist."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "trust.md").read_text(encoding="utf-8")


def claims() -> list[str]:
    """Return the list items before the section on what is not protected."""
    protected = PAGE.partition("## What is not protected")[0]
    return re.findall(r"^- (.*?)(?=^- |^#|^\||\Z)", protected, re.MULTILINE | re.DOTALL)


def known_tests() -> set[str]:
    names = set()
    for path in (ROOT / "tests").rglob("test_*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names |= {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    return names


@pytest.mark.later
def test_every_claim_names_a_test_that_exists() -> None:
    tests = known_tests()
    found = claims()
    assert len(found) >= 20
    for claim in found:
        named = re.findall(r"`(test_\w+)`", claim)
        assert named, f"no test stands behind: {claim}"
        assert set(named) <= tests, set(named) - tests
