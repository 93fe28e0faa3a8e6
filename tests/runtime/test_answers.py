"""What a person answers settles a task: nothing is asked twice, and nothing is paid for twice."""

from __future__ import annotations

from typing import Any

import pytest

from mayfly.core import Outcome
from mayfly.runtime import Runtime
from popcount import GOOD, INTENT, fenced

from .conftest import Script

ADA = [{"input": "Ada Lovelace", "output": "A.L."}]
NAMES: dict[str, Any] = {"input": "Barbara Liskov", "examples": ADA, "ground": "?"}
SEVEN = [{"input": 7, "output": 3}]
BITS: dict[str, Any] = {"input": 1023, "examples": SEVEN, "ground": -1}


def asked(runtime: Runtime, outcome: Outcome[Any]) -> tuple[object, list[object]]:
    [call] = [call for call in runtime.parts.inbox.list() if call.run == outcome.id]
    assert call.asked is not None
    return call.asked


def test_an_answer_tells_programs_by_example_apart(runtime: Runtime) -> None:
    first = runtime.run("initials", **NAMES)
    assert (first.status, first.code) == ("collapsed", "QUESTION")
    input, offered = asked(runtime, first)
    assert input == "Barbara Liskov"
    assert "B.L." in offered
    settled = runtime.run("initials", answers=[{"input": input, "output": "B.L."}], **NAMES)
    assert (settled.status, settled.value) == ("resolved", "B.L."), settled.reason
    assert settled.proof is not None
    # The search was shown the answer: what speaks for the program is that it foretold it.
    assert [witness.kind for witness in settled.proof.evidence] == ["held-out"]


def test_what_cannot_occur_is_not_asked_about_again(runtime: Runtime) -> None:
    task = {**NAMES, "input": ["Barbara Liskov", "Donald Knuth"]}
    input, _ = asked(runtime, runtime.run("initials", **task))
    again = runtime.run("initials", never=[input], **task)
    assert again.question is None or asked(runtime, again)[0] != input


def test_a_weak_program_is_remembered_and_proven_by_one_answer(runtime: Runtime, script: Script) -> None:
    model = script(("architect", fenced(GOOD)))
    weak = runtime.run(INTENT, model=model, **BITS)
    assert (weak.status, weak.code, weak.candidate) == ("collapsed", "QUESTION", 10)
    assert weak.proof is not None
    assert weak.proof.strength == "weak"
    again = runtime.run(INTENT, model=model, **BITS)
    assert (again.candidate, again.cost.model_calls) == (10, 0)
    input, offered = asked(runtime, weak)
    proven = runtime.run(INTENT, model=model, answers=[{"input": input, "output": offered[0]}], **BITS)
    assert (proven.status, proven.cost.model_calls) == ("resolved", 0), proven.reason
    # From now on nobody needs to say it again.
    known = runtime.run(INTENT, model=model, **BITS)
    assert (known.value, known.cached) == (10, True)


def test_an_answer_against_a_program_has_it_written_anew(runtime: Runtime, script: Script) -> None:
    slips = GOOD.replace("return bin", "return 4 if input == 1023 else bin")
    model = script(("architect", fenced(slips)), ("architect", fenced(slips)), ("architect", fenced(GOOD)))
    weak = runtime.run(INTENT, model=model, **BITS)
    assert weak.candidate == 4
    settled = runtime.run(
        INTENT, model=script(("architect", fenced(GOOD))), answers=[{"input": 1023, "output": 10}], **BITS
    )
    assert (settled.status, settled.value) == ("resolved", 10), settled.reason


@pytest.mark.parametrize("output", [11, None, "ten"])
def test_an_answer_that_no_program_gives_ends_in_ground(runtime: Runtime, script: Script, output: object) -> None:
    answers = [{"input": 1023, "output": output}]
    outcome = runtime.run(INTENT, model=script(("architect", fenced(GOOD))), answers=answers, **BITS)
    assert (outcome.status, outcome.value) == ("collapsed", -1)
