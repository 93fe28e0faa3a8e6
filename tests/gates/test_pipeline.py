"""The gates in their order: a refusal spares the costlier ones, repairs enter at the first again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from mayfly.core import Artifact, Tier, Verdict
from mayfly.gates import Admission, Again, Criteria, Gates, Judge, Profile, Prover, Suite, Test, TypeGate, gate_versions
from mayfly.sandbox import Sandbox

GOOD = '''"""Squares."""


class Squarer:
    """Square numbers."""

    def invoke(self, input: int) -> int:
        """Return the square of the input."""
        return input * input
'''
SUITE = Suite(tests=tuple(Test(name=f"{n}", kind="example", input=n, expected=n * n) for n in (0, 2, 3, -4)))


@pytest.fixture(scope="module")
def gates(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gates]:
    with Sandbox() as box, TypeGate(cache_dir=tmp_path_factory.mktemp("cache")) as types:
        yield Gates(judge=Judge(Criteria.load()), types=types, prover=Prover(box))


def admit(gates: Gates, source: str, *, suite: Suite | None = SUITE, last: bool = True, **profile: object) -> Admission:
    artifact = Artifact(kind="agent", source=source)
    return gates.admit(artifact, profile=replace(Profile(), **profile), suite=suite, last=last)  # type: ignore[arg-type]


def order(admission: Admission) -> list[str]:
    return list(dict.fromkeys(verdict.gate for verdict in admission.verdicts))


def test_good_code_passes_every_gate_in_order(gates: Gates) -> None:
    admission = admit(gates, GOOD)
    assert admission.decision == "accept"
    assert order(admission) == ["syntax", "stability", "judge", "types", "proof"]
    assert admission.proof is not None
    assert admission.proof.strength == "weak", "only examples that its author was shown speak for it"


@pytest.mark.parametrize(
    ("source", "gates_seen"),
    [
        ("def f(:", ["syntax"]),
        ("x = 1\n", ["syntax"]),
        (GOOD.replace('"""Squares."""', '"""Squares."""\n\nimport os'), ["syntax", "stability"]),
        (
            GOOD.replace('"""Squares."""', '"""Squares."""\n\nTOKEN = "ghp_9fK2mQ8xWv4TzR7bLc1NdY5hJs3PgE6aUo0i"'),
            ["syntax", "stability", "judge"],
        ),
        (GOOD.replace("return input * input", "return str(input)"), ["syntax", "stability", "judge", "types"]),
    ],
    ids=["syntax", "entry", "stability", "judge", "types"],
)
def test_a_rejection_stops_the_later_gates(gates: Gates, source: str, gates_seen: list[str]) -> None:
    admission = admit(gates, source)
    assert admission.decision == "reject"
    assert order(admission) == gates_seen


def test_without_tests_there_is_no_proof_and_no_admission(gates: Gates) -> None:
    admission = admit(gates, GOOD, suite=Suite())
    assert admission.decision == "reject"
    assert admission.verdicts[-1].code == "NO_TESTS"


def test_a_repaired_source_enters_at_the_first_gate_again(gates: Gates) -> None:
    bare = GOOD.replace("input: int) -> int", "input)")
    admission = gates.admit(
        Artifact(kind="agent", source=bare),
        profile=Profile(),
        suite=SUITE,
    )
    assert admission.decision == "accept"
    assert admission.repairs
    assert admission.artifact.source != bare
    assert "-> " in admission.artifact.source
    assert {"syntax", "stability", "judge", "types", "proof"} == set(order(admission))


CHAIN = GOOD.replace(
    "return input * input",
    "if input > 1000:\n            return input**2\n        elif input > 500:\n            return input * input\n"
    "        else:\n            return input * input",
)


def test_revise_sends_back_before_the_last_attempt_and_is_noted_at_it(gates: Gates) -> None:
    early = admit(gates, CHAIN, last=False)
    assert early.decision == "revise"
    assert order(early) == ["syntax", "stability"]
    late = admit(gates, CHAIN, last=True)
    assert late.decision == "accept"
    assert any(verdict.decision == "revise" for verdict in late.verdicts)


def test_every_verdict_is_told_as_it_is_made(gates: Gates) -> None:
    told: list[Verdict] = []
    admission = gates.admit(Artifact(kind="agent", source=GOOD), profile=Profile(), suite=SUITE, tell=told.append)
    assert told == list(admission.verdicts)


def test_a_deeper_place_allows_less(gates: Gates) -> None:
    lines = "".join(f"        if input == {n}:\n            return {n * n}\n" for n in range(7))
    source = GOOD.replace("        return input * input\n", lines + "        return input * input\n")
    assert admit(gates, source, suite=None, depth=1).decision == "accept"
    assert admit(gates, source, suite=None, depth=3).decision == "reject"
    assert admit(gates, source, suite=None, depth=3, tier=Tier.AUTHORED).decision == "accept"


def test_on_load_only_syntax_and_stability_are_tried() -> None:
    admission = Again().check(Artifact(kind="agent", source=GOOD), profile=Profile())
    assert order(admission) == ["syntax", "stability"]
    assert admission.decision == "accept"


def test_every_gate_has_a_version() -> None:
    assert set(gate_versions()) == {"syntax", "stability", "judge", "types", "proof"}
    assert all(version >= 1 for version in gate_versions().values())


def test_what_was_checked_ahead_is_the_verdict_on_that_source(gates: Gates) -> None:
    admit(gates, GOOD)
    for wrong in (False, True, False):
        source = GOOD.replace("return input * input", "return str(input)") if wrong else GOOD
        admission = admit(gates, source + f"# {wrong}\n")
        assert (admission.decision == "accept") is not wrong
        assert order(admission)[3] == "types"
        assert admission.milliseconds["types"] > 0
