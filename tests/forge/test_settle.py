"""What tests leave open is settled by an oracle where there is one; where the two disagree it stays open."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mayfly.core import Artifact
from mayfly.forge._settle import settled
from mayfly.gates import Criteria, Gates, Judge, Profile, Prover, Suite, Test, TypeGate
from mayfly.sandbox import Sandbox

SOURCE = '''"""Count."""


class Counter:
    """Count what is long."""

    def invoke(self, input: list[str]) -> int:
        """Return how many lines are longer than three letters."""
        return len([line for line in input if len(line) > 3])
'''
SUITE = Suite(
    tests=(
        Test(name="a", kind="example", input=["abcdefgh", "a"], expected=1),
        Test(name="b", kind="example", input=["a", "b"], expected=0),
        Test(name="c", kind="example", input=["abcdefgh", "abcdefghi", "x"], expected=2),
    )
)


@pytest.fixture(scope="module")
def gates(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gates]:
    with Sandbox() as box, TypeGate(cache_dir=tmp_path_factory.mktemp("cache")) as types:
        yield Gates(judge=Judge(Criteria.load()), types=types, prover=Prover(box))


def right(input: object) -> object:
    assert isinstance(input, list)
    return sum(len(line) > 3 for line in input if isinstance(line, str))


def wrong(input: object) -> object:
    return 99


def test_an_oracle_makes_a_weak_proof_strong(gates: Gates) -> None:
    admission = gates.admit(Artifact(kind="agent", source=SOURCE), profile=Profile(), suite=SUITE)
    assert admission.proof is not None
    assert admission.proof.strength == "weak"
    after, suite = settled(gates, admission, SUITE, right, Profile())
    assert after.proof is not None
    assert after.proof.strength == "strong"
    assert len(suite.tests) > len(SUITE.tests)


def test_where_two_readings_differ_nothing_is_settled_and_nothing_refused(gates: Gates) -> None:
    admission = gates.admit(Artifact(kind="agent", source=SOURCE), profile=Profile(), suite=SUITE)
    after, suite = settled(gates, admission, SUITE, wrong, Profile())
    assert after == admission
    assert suite == SUITE
