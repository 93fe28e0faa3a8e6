"""The gates for any language: their order, where they stop, and what is told, of a language made for this."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import pytest

from mayfly.core import Artifact, Verdict
from mayfly.forge._request import Request
from mayfly.forge.languages import LanguageGates, Reading
from mayfly.forge.languages._language import ChoiceFact, Facts, FunctionFact
from mayfly.gates import Entry, Profile, Suite, Test
from mayfly.gates.proof import Answer
from mayfly.sandbox import Sandbox

DOUBLES = [Test(name=f"case {n}", kind="intent", input=n, expected=2 * n) for n in (1, 2, 30)]


@dataclass(kw_only=True)
class Doubles:
    """A language in which every program doubles a number."""

    syntax: tuple[Verdict, ...] = ()
    types: tuple[Verdict, ...] = ()
    complexity: int = 1
    arms: int = 1
    name: str = "doubles"
    title: str = "Doubles"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return

    def code_in(self, answer: str) -> str | None:
        return answer

    def called(self, request: Request) -> str:
        return "as it is"

    def read(self, source: str, *, entry: str = "") -> Reading:
        module, double = FunctionFact("the module", 1, 1), FunctionFact("double", 1, self.complexity)
        facts = Facts(functions=(module, double), choices=(ChoiceFact(self.arms, 1, "double"),), lines=1)
        found = None if self.syntax else Entry(name="double", kind="function")
        return Reading(source=source, syntax=self.syntax, types=self.types, facts=facts, entry=found)

    def ask(self, reading: Reading, inputs: Sequence[object]) -> list[Answer]:
        return [Answer(value=2 * one) for one in inputs if isinstance(one, int)]


def told(gate: str) -> Verdict:
    return Verdict(decision="reject", gate=gate, code="WRONG", message="it is wrong")


def gates_of(language: Doubles, *, last: bool = True, tests: Sequence[Test] = DOUBLES) -> tuple[str, list[str], float]:
    """Return the decision, what each gate that was asked said, and the time that the proof took."""
    heard: list[Verdict] = []
    artifact = Artifact(kind="agent", source="double", entry="", author="given")
    with Sandbox() as box:
        admission = LanguageGates(language, box).admit(
            artifact, profile=Profile(), suite=Suite(tests=tuple(tests)), last=last, tell=heard.append
        )
    assert tuple(heard) == admission.verdicts
    assert admission.metrics is not None
    assert (admission.metrics.cyclomatic, admission.metrics.function_count) == (language.complexity, 1)
    said = [f"{verdict.gate}: {verdict.decision}" for verdict in admission.verdicts]
    return admission.decision, said, admission.milliseconds.get("proof", 0.0)


ACCEPTED = [f"{gate}: accept" for gate in ("syntax", "stability", "judge", "types", "proof")]


def test_a_program_passes_every_gate_in_their_order() -> None:
    decision, said, took = gates_of(Doubles())
    assert (decision, said) == ("accept", ACCEPTED)
    assert took > 0


@pytest.mark.parametrize(
    ("language", "asked"),
    [
        (Doubles(syntax=(told("syntax"),)), 0),
        (Doubles(complexity=99), 1),
        (Doubles(types=(told("types"),)), 3),
    ],
)
def test_the_first_gate_that_refuses_is_the_last_that_is_asked(language: Doubles, asked: int) -> None:
    decision, said, took = gates_of(language)
    assert decision == "reject"
    assert said[:asked] == ACCEPTED[:asked]
    assert len(said) == asked + 1
    assert not took


def test_a_wish_for_simpler_code_is_only_noted_on_the_last_attempt() -> None:
    many = Doubles(arms=Profile().max_arms + 1)
    assert gates_of(many)[:2] == ("accept", [ACCEPTED[0], "stability: revise", *ACCEPTED[2:]])
    assert gates_of(many, last=False)[:2] == ("revise", [ACCEPTED[0], "stability: revise"])


def test_a_program_that_fails_its_tests_is_refused_by_the_proof() -> None:
    wrong = [Test(name="case", kind="intent", input=2, expected=5)]
    decision, said, _ = gates_of(Doubles(), tests=wrong)
    assert (decision, said[-1]) == ("reject", "proof: reject")
