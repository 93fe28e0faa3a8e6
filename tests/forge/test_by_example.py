"""Programs by example in the forge: one search for the same examples, within the time that all of them share."""

from __future__ import annotations

import gc
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from mayfly.core import Example
from mayfly.forge import Attempt, Request
from mayfly.forge._by_example import ExampleArchitect, ask
from mayfly.forge._request import CannotWrite
from mayfly.synthesis import examples

DURATIONS = ("1h30m", "45m", "2h", "10h05m", "3h15m20s", "50s", "1d2h", "7m30s")


def of(pairs: list[tuple[object, object]]) -> Request:
    return Request(intent="x", examples=tuple(Example(input=given, output=output) for given, output in pairs))


def test_the_same_examples_are_searched_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[object] = []
    real = examples.synthesize

    def counted(shown: Sequence[Example], **options: Any) -> examples.Synthesis:
        calls.append(shown)
        return real(shown, **options)

    monkeypatch.setattr(examples, "synthesize", counted)
    architect = ExampleArchitect(seconds=5.0)
    request = of([("Ada King", "King"), ("Bo Li", "Li"), ("Cy Ray", "Ray")])
    first = architect.write(request)
    with pytest.raises(CannotWrite, match="was refused"):
        architect.write(replace(request, attempts=(Attempt(number=1, source=first.source),)))
    assert len(calls) == 1
    architect.write(of([("Ada King", "Ada"), ("Bo Li", "Bo"), ("Cy Ray", "Cy")]))
    assert len(calls) == 2


def test_all_searches_share_the_time() -> None:
    architect = ExampleArchitect(seconds=1.0)
    pairs = [(given, sum(map(ord, given)) * 7919 % 1000) for given in DURATIONS]
    # The garbage of a large test process is not what is measured.
    gc.disable()
    began = time.thread_time()
    for shown in (len(pairs) - 1, len(pairs)):
        with pytest.raises(CannotWrite):
            architect.write(of(list(pairs[:shown])))
    took = time.thread_time() - began
    gc.enable()
    # The second gets a fifth of the time, and a search overruns its own by little; two of their own would take two.
    assert took < 1.9


def test_a_question_without_answers_is_one() -> None:
    assert ask("ES", ()) == 'what should "ES" give?'
    assert ask("ES", ("EU", "other")) == 'what should "ES" give: "EU" or "other"?'
