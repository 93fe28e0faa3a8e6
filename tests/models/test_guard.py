"""A guard is asked before every attempt at a call, and what it raises ends the call unmade."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

import pytest

from mayfly.core import LimitError
from mayfly.core import Pool as Limits
from mayfly.models import ModelError, ModelPool, SaidText, open_model

from .conftest import QUICK, Script
from .server import Server, fails

LINE = {"for": "chat", "answer": "x", "input_tokens": 5, "output_tokens": 3}


class Stopped(Exception):
    """What the guard raises."""


class Guard:
    """Let a number of attempts pass."""

    def __init__(self, passes: int) -> None:
        self.asked = 0
        self._passes = passes

    def __call__(self) -> None:
        self.asked += 1
        if self.asked > self._passes:
            raise Stopped("stopped")


def test_a_guard_that_raises_ends_the_call_before_it_is_made(script: Script) -> None:
    pool = ModelPool(calls=1)
    model = script(LINE, options=replace(QUICK, guard=Guard(0)))
    for _ in range(2):
        with pytest.raises(Stopped):
            model.ask("chat", "?", pool=pool)
    assert pool.left("calls") == 1
    assert pool.used.model_calls == 0


def test_a_guard_is_asked_for_every_way_to_ask(script: Script) -> None:
    guard = Guard(3)
    model = script(LINE, options=replace(QUICK, guard=guard))
    assert model.ask("chat", "?").text == "x"
    assert asyncio.run(model.aask("chat", "?")).text == "x"
    talk = [SaidText(role="user", text="?")]
    assert model.converse(talk, emit=lambda piece: None).text == "x"
    uses: tuple[Callable[[], object], ...] = (lambda: model.ask("chat", "?"), lambda: model.converse(talk))
    for use in uses:
        with pytest.raises(Stopped):
            use()
    with pytest.raises(Stopped):
        asyncio.run(model.aask("chat", "?"))
    assert guard.asked == 6


def test_a_guard_is_asked_before_every_attempt(server: Server) -> None:
    guard = Guard(2)
    pool = ModelPool()
    server.play(fails(500))
    options = replace(QUICK, guard=guard, attempts=5)
    with open_model(f"{server.url}#small", options) as model, pytest.raises(Stopped):
        model.ask("chat", "hi", pool=pool)
    assert guard.asked == 3
    assert pool.used.model_calls == 2


def test_a_guard_that_lets_pass_changes_nothing(script: Script) -> None:
    guard = Guard(9)
    with pytest.raises(ModelError):
        script({"for": "chat", "error": "no"}, options=replace(QUICK, guard=guard)).ask("chat", "?")
    assert guard.asked == 1


def test_a_limit_comes_before_the_guard(script: Script) -> None:
    guard = Guard(9)
    model = script(LINE, options=replace(QUICK, guard=guard))
    with pytest.raises(LimitError):
        model.ask("chat", "?", pool=ModelPool(parent=Limits(model_calls=0)))
    assert guard.asked == 0
