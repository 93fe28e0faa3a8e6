"""A model from plain code, from coroutines, in threads and across a fork."""

from __future__ import annotations

import asyncio
import gc
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from mayfly.core import Cost, Stop
from mayfly.models import Answer, ModelError, ModelPool, SaidText, open_model

from .conftest import QUICK, Script
from .server import Send, Server, says


def test_a_coroutine_can_ask(script: Script) -> None:
    model = script({"for": "chat", "answer": "hello"})
    assert asyncio.run(model.aask("chat", "?")).text == "hello"


def test_plain_code_can_ask_inside_a_running_loop(script: Script) -> None:
    model = script({"for": "chat", "answer": "hello"})

    async def inside() -> Answer[None]:
        return model.ask("chat", "?")

    assert asyncio.run(inside()).text == "hello"


def test_one_model_serves_one_loop_after_another(server: Server) -> None:
    server.play(says("x"))
    with open_model(server.url, QUICK) as model:
        for _ in range(2):
            assert asyncio.run(model.aask("chat", "?")).text == "x"


def test_many_coroutines_ask_at_once(server: Server) -> None:
    together = threading.Barrier(8)

    def wait(send: Send) -> None:
        together.wait(100)
        says("x")(send)

    server.play(wait)

    async def ask_all() -> list[Answer[None]]:
        return await asyncio.gather(*(model.aask("chat", "?") for _ in range(8)))

    with open_model(server.url, QUICK) as model:
        assert len(asyncio.run(ask_all())) == 8


def test_cancelling_a_coroutine_settles_its_reservation(script: Script) -> None:
    model = script({"for": "chat", "answer": "x", "delay": 60, "output_tokens": 5})
    pool = ModelPool(output_tokens=10)

    async def give_up() -> None:
        task = asyncio.create_task(model.aask("chat", "?", pool=pool))
        while pool.left("output_tokens") == 10:
            await asyncio.sleep(0.001)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        while not pool.used.output_tokens:
            await asyncio.sleep(0.001)

    asyncio.run(give_up())
    assert pool.used.output_tokens == 5


def test_what_has_to_stop_ends_the_call_under_way_and_lets_none_begin(server: Server) -> None:
    stop = Stop()
    pool = ModelPool(stop=stop, output_tokens=10_000)

    def stops(send: Send) -> None:
        stop.cancel()
        server.closing.wait(100)

    server.play(stops)
    with open_model(server.url, QUICK) as model:
        told: list[str] = []
        asks: tuple[Callable[[], object], ...] = (
            lambda: model.ask("chat", "?", pool=pool),
            lambda: model.converse([SaidText(role="user", text="?")], pool=pool, emit=told.append),
        )
        for ask in asks:
            with pytest.raises(ModelError, match="ended before its answer") as caught:
                ask()
            assert caught.value.kind == "cut"
        with pytest.raises(ModelError, match="ended before its answer"):
            asyncio.run(model.aask("chat", "?", pool=pool))
    assert len(server.requests) == 1
    assert pool.used.model_calls == 1
    assert pool.used.output_tokens == QUICK.max_output


def test_a_closed_model_can_be_asked_again(server: Server) -> None:
    server.play(says("x"))
    model = open_model(server.url, QUICK)
    for _ in range(2):
        assert model.ask("chat", "?").text == "x"
        model.close()


def test_closing_ends_the_thread(script: Script) -> None:
    model = script({"for": "chat", "answer": "x"})
    before = set(threading.enumerate())
    model.ask("chat", "?")
    model.close()
    assert not set(threading.enumerate()) - before


def test_a_forgotten_model_ends_its_thread(script: Script, tmp_path: Path) -> None:
    path = tmp_path / "script.jsonl"
    path.write_text('{"for": "chat", "answer": "x"}\n', encoding="utf-8")
    before = set(threading.enumerate())
    open_model(f"scripted:{path}").ask("chat", "?")
    gc.collect()
    for thread in set(threading.enumerate()) - before:
        thread.join(100)
    assert not set(threading.enumerate()) - before


@pytest.mark.later
def test_a_child_process_asks_on_its_own(server: Server) -> None:
    server.play(says("x"))
    script = f"""
import os
from mayfly.models import open_model
with open_model("{server.url}") as model:
    first = model.ask("chat", "parent").text
    child = os.fork()
    if not child:
        os._exit(0 if model.ask("chat", "child").text == first else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    print(model.ask("chat", "parent").text)
"""
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=200)
    assert ran.stdout == "x\n", ran.stderr
    assert [request["messages"][0]["content"] for request in server.requests] == ["parent", "child", "parent"]


@pytest.mark.later
def test_a_program_that_forgets_to_close_ends_quietly(server: Server) -> None:
    server.play(says("x"))
    script = f"from mayfly.models import open_model; m = open_model('{server.url}'); print(m.ask('chat', '?').text)"
    command = [sys.executable, "-W", "always::ResourceWarning", "-c", script]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=200)
    assert ran.stdout == "x\n"
    assert ran.stderr == ""


def test_text_that_utf8_cannot_hold_is_sent_without_it(server: Server) -> None:
    server.play(says("x"))
    with open_model(server.url, QUICK) as model:
        assert model.ask("chat", "file \udcff name").text == "x"
    assert server.requests[0]["messages"][0]["content"] == "file ? name"


def test_an_answer_larger_than_the_limit_is_refused_from_a_script_too(script: Script) -> None:
    model = script({"for": "chat", "answer": "é" * 600}, options=replace(QUICK, max_answer=1000))
    with pytest.raises(ModelError, match="larger than 1,000 bytes"):
        model.ask("chat", "?")


def test_an_error_survives_pickling() -> None:
    error = ModelError("no", kind="busy", fix="wait", cost=Cost(model_calls=2), text="t")
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.kind, again.cost, again.text) == ("no; wait", "busy", Cost(model_calls=2), "t")
