"""Reflection: the common errors have a root cause, suggestions and a confidence; a model may say more."""

import json
from pathlib import Path

import pytest

from mayfly.core import Artifact, Verdict
from mayfly.forge._reflect import Reflector, by_patterns, patterns
from mayfly.models import open_model
from mayfly.testing import write_script

ARTIFACT = Artifact(kind="agent", source="x = 1\n")


def verdict(message: str, *, gate: str = "proof", code: str = "TEST_FAILED", fix: str | None = None) -> Verdict:
    return Verdict(decision="reject", gate=gate, code=code, message=message, fix=fix)


@pytest.mark.parametrize(
    ("gate", "message", "words", "confidence"),
    [
        ("syntax", "Syntax error at line 3: '(' was never closed", "not closed", 0.8),
        ("syntax", "Syntax error at line 2: unexpected indent", "indentation", 0.9),
        ("types", "Name 'foo' is not defined", "not defined", 0.85),
        ("proof", "KeyError: 'size'", "key", 0.7),
        ("proof", "example 1: expected 3, got 4", "another result", 0.6),
        ("stability", "import csv is not allowed", "imported", 0.85),
    ],
)
def test_a_known_error_has_its_root_cause(gate: str, message: str, words: str, confidence: float) -> None:
    codes = {"stability": "IMPORT", "types": "NAME_DEFINED", "syntax": "SYNTAX", "proof": "TEST_FAILED"}
    found = by_patterns((verdict(message, gate=gate, code=codes[gate]),))
    assert words in found.root_cause
    assert found.confidence == pytest.approx(confidence)
    assert 1 <= len(found.suggestions) <= 5


def test_the_failing_values_are_kept_for_the_next_prompt() -> None:
    found = by_patterns((verdict("example 1, input [1, 2]: expected 3, got 4"),))
    assert "expected 3, got 4" in found.failing[0]


def test_an_unknown_error_is_named_as_it_is() -> None:
    found = by_patterns((verdict("something odd", gate="judge", code="ODD"),))
    assert "something odd" in found.root_cause
    assert found.confidence == 0.5


def test_the_fix_of_a_verdict_comes_first() -> None:
    found = by_patterns((verdict("NameError: x", fix="define x"),))
    assert found.suggestions[0] == "define x"


def test_every_shipped_pattern_says_something() -> None:
    assert all(p.root_cause and p.suggestions and 0 < p.confidence <= 1 for p in patterns())


def test_a_model_that_serves_reflection_is_asked(tmp_path: Path) -> None:
    said = {"root_cause": "off by one", "suggestions": ["use <="], "confidence": 0.9}
    with open_model(write_script(tmp_path / "script.jsonl", ("reflect", json.dumps(said)))) as model:
        found = Reflector(model).reflect(ARTIFACT, (verdict("expected 3, got 4"),))
    assert (found.root_cause, found.suggestions, found.confidence) == ("off by one", ("use <=",), 0.9)
    assert "expected 3" in found.failing[0]


def test_a_model_that_answers_nonsense_leaves_the_patterns_standing(tmp_path: Path) -> None:
    with open_model(write_script(tmp_path / "script.jsonl", ("reflect", "no idea"))) as model:
        found = Reflector(model).reflect(ARTIFACT, (verdict("NameError: x is not defined"),))
    assert "not defined" in found.root_cause
