"""The product passes itself: our own stability gate runs over our own source."""

from pathlib import Path

import pytest

from mayfly.core import Tier
from mayfly.gates._profile import Profile
from mayfly.gates._syntax import check_syntax
from mayfly.gates.stability._stability import check_stability

SOURCE = Path(__file__).parents[2] / "src" / "mayfly"
# Material and processes of their own: hostile, or waiting for work for ever, on purpose.
LEFT_OUT = {
    "cli/demo/": "programs that the demonstration shows being stopped",
    "sandbox/attacks/cases/": "attacks: endless loops and recursion are what they try",
    "sandbox/jail/": "workers wait for jobs in endless loops until they are killed",
    "gates/types/typeserver/": "a process that waits for sources to check until it is stopped",
    "sandbox/probe.py": "a program the sandbox runs to look at itself",
}
PROFILE = Profile(tier=Tier.AUTHORED, depth=0, grants=("package",))
DEMANDED = {"COMPLEXITY", "ARMS", "RECURSION", "LOOP", "SIZE", "NESTING"}
FILES = [p for p in sorted(SOURCE.rglob("*.py")) if not p.relative_to(SOURCE).as_posix().startswith(tuple(LEFT_OUT))]


def name(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


@pytest.mark.parametrize("path", FILES, ids=name)
def test_our_own_source_is_stable(path: Path) -> None:
    parsed = check_syntax(path.read_bytes())
    if parsed.tree is None:
        assert [verdict.code for verdict in parsed.verdicts] == ["EMPTY"]
        return
    found = check_stability(parsed.tree, parsed.text, PROFILE).verdicts
    assert not [v.message for v in found if v.decision == "reject" and v.code in DEMANDED]


@pytest.mark.parametrize("prefix", LEFT_OUT)
def test_what_is_left_out_is_there(prefix: str) -> None:
    assert (SOURCE / prefix).exists()
