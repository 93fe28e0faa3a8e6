"""What was recorded is answered again: in a fresh state a replay ends as the run did, and asks nobody."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mayfly.core import Outcome
from mayfly.runtime import Runtime
from popcount import EXAMPLES, GOOD, INTENT, PAIRS, TESTS, WRONG, fenced

from .conftest import Script

CONTRACT = json.dumps({"input": "int", "output": "int", "edges": {"empty": "zero has none"}, "assumptions": ["n >= 0"]})
# Five has two bits and not nine: the program is right, and this test is not.
WRONG_TEST = json.dumps({"cases": [*json.loads(TESTS)["cases"], {"input": 5, "output": 9}]})
CAUSE = json.dumps({"root_cause": "it counts the others", "suggestions": ["count ones"], "confidence": 0.9})
FINE = json.dumps({"decision": "accept", "scores": {}, "reasons": ["it is plain"]})
CRUEL = json.dumps({"decision": "reject", "scores": {}, "reasons": ["it is cruel"]})
TWO, UNSURE = json.dumps({"output": 2, "sure": True}), json.dumps({"sure": False})
TASK: dict[str, Any] = {"input": 1023, "examples": EXAMPLES, "ground": -1}
EVERY = (
    ("contract", CONTRACT),
    ("tests", WRONG_TEST),
    ("architect", fenced(WRONG)),
    ("architect", fenced(GOOD)),
    ("reflect", CAUSE),
    ("judge", FINE),
    ("arbiter", TWO),
)


def told(outcome: Outcome[Any]) -> dict[str, object]:
    """Return what a caller sees of an outcome, without the names of the two models and the time that it took."""
    proof = outcome.proof
    return {
        "status": outcome.status,
        "value": outcome.value,
        "reason": outcome.reason,
        "code": outcome.code,
        "candidate": outcome.candidate,
        "question": outcome.question,
        "source": outcome.source_hash,
        "calls": outcome.cost.model_calls,
        "tokens": (outcome.cost.input_tokens, outcome.cost.output_tokens),
        "proof": proof and (proof.strength, proof.tests, *map(str, proof.evidence), *map(str, proof.open)),
    }


def purposes(record: Path) -> Counter[str]:
    return Counter(json.loads(line)["for"] for line in record.read_text().splitlines())


@pytest.fixture
def fresh(runtime: Runtime, tmp_path: Path) -> Iterator[Runtime]:
    """Give a runtime that remembers nothing but what the type checker has read."""
    state = tmp_path / "fresh"
    state.mkdir()
    (state / "mypy-cache").symlink_to(runtime.settings.state / "mypy-cache")
    with Runtime(replace(runtime.settings, state_dir=str(state))) as made:
        yield made


def test_every_purpose_of_a_run_is_answered_from_its_record(
    runtime: Runtime, fresh: Runtime, script: Script, tmp_path: Path
) -> None:
    record = tmp_path / "record.jsonl"
    first = runtime.run(INTENT, model=script(*EVERY), record=record, **TASK)
    assert (first.status, first.value) == ("resolved", 10), first.reason
    # The judge and the architect were asked for both programs, everybody else once.
    asked = {"contract": 1, "tests": 1, "architect": 2, "reflect": 1, "judge": 2, "arbiter": 1}
    assert purposes(record) == asked
    again = fresh.run(INTENT, model=f"replay:{record}", **TASK)
    assert told(again) == told(first)
    assert again.cached is False


@pytest.mark.parametrize(
    ("changed", "code"),
    [({"judge": CRUEL}, "HELP"), ({"arbiter": UNSURE}, "QUESTION"), ({"tests": "none", "contract": "prose"}, "")],
    ids=["the judge refuses", "a tie is a question", "neither tests nor contract"],
)
def test_a_run_that_ends_otherwise_ends_so_again(
    runtime: Runtime, fresh: Runtime, script: Script, tmp_path: Path, changed: dict[str, str], code: str
) -> None:
    record = tmp_path / "record.jsonl"
    lines = [(purpose, changed.get(purpose, answer)) for purpose, answer in EVERY]
    first = runtime.run(INTENT, model=script(*lines), record=record, **TASK)
    assert first.code == code
    assert told(fresh.run(INTENT, model=f"replay:{record}", **TASK)) == told(first)


@pytest.mark.later
def test_a_second_program_written_apart_is_replayed_too(
    runtime: Runtime, fresh: Runtime, script: Script, tmp_path: Path
) -> None:
    record = tmp_path / "record.jsonl"
    given, wanted = PAIRS[1]
    task = {**TASK, "examples": [{"input": given, "output": wanted}]}
    first = runtime.run(INTENT, model=script(("architect", fenced(GOOD))), record=record, **task)
    assert purposes(record) == {"architect": 2}
    assert told(fresh.run(INTENT, model=f"replay:{record}", **task)) == told(first)


def test_a_record_without_an_answer_to_what_is_asked_ends_in_ground(
    runtime: Runtime, fresh: Runtime, script: Script, tmp_path: Path
) -> None:
    record = tmp_path / "record.jsonl"
    runtime.run(INTENT, model=script(*EVERY), record=record, **TASK)
    outcome = fresh.run(f"{INTENT}, please", model=f"replay:{record}", **TASK)
    assert (outcome.status, outcome.value) == ("collapsed", -1)
    assert "no recorded answer" in outcome.reason
