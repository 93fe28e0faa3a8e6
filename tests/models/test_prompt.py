"""Prompts are filled with text that is never a prompt itself, and material stands behind a fence it cannot close."""

from __future__ import annotations

from pathlib import Path

import pytest

from mayfly.models import Prompt, fenced, object_in


def test_a_prompt_is_the_systems_text_and_the_users(tmp_path: Path) -> None:
    path = tmp_path / "ask.md"
    path.write_text("At most ${most} steps.\n---\nPlan this:\n${intent}\n")
    prompt = Prompt.load(path)
    assert prompt.fill(most="3", intent="x") == ("At most 3 steps.", "Plan this:\nx")
    with pytest.raises(KeyError):
        prompt.fill(most="3")


def test_a_value_is_no_prompt_of_its_own() -> None:
    assert Prompt("", "${intent}").fill(intent="${most}", most="3").user == "${most}"


def test_a_fence_is_the_same_for_the_same_text_and_cannot_be_closed_by_it() -> None:
    once = fenced("data")
    assert once == fenced("data")
    assert fenced(once).splitlines()[-1] != once.splitlines()[-1]


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ('Here: {"a": {"b": 1}} as asked.', {"a": {"b": 1}}),
        ('{"a": 1} and {"b": 2}', None),
        ("no braces", None),
        ("} {", None),
        ("{" * 100_000 + "}" * 100_000, None),
    ],
)
def test_an_object_is_found_from_the_first_brace_to_the_last(answer: str, found: object) -> None:
    assert object_in(answer) == found
