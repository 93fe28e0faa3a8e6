"""One contract for all that can be called: arguments are checked, time is limited, a stop is heard."""

import asyncio
import threading
import time
from typing import Any

import pytest

from mayfly.core import Capability, InputError, Invocation, LimitError, agent

NUMBER = {"type": "object", "properties": {"number": {"type": "integer"}}, "required": ["number"]}


def doubler(**more: Any) -> Capability:
    return Capability(name="double", call=lambda call: call.arguments["number"] * 2, input_schema=NUMBER, **more)


def test_a_call_by_arguments_gives_its_value() -> None:
    assert asyncio.run(doubler().invoke({"number": 4})) == 8


def test_arguments_that_do_not_fit_are_never_passed_on() -> None:
    with pytest.raises(InputError, match="double: number must be a whole number, not text"):
        asyncio.run(doubler().invoke({"number": "4"}))


def test_a_capability_composes_like_any_agent() -> None:
    text = doubler() >> agent(str)
    assert asyncio.run(text.invoke({"number": 4})) == "8"


def test_a_call_may_be_a_coroutine() -> None:
    async def later(call: Invocation) -> object:
        return call.key

    assert asyncio.run(Capability(name="later", call=later).invoke(Invocation(key="k"))) == "k"


@pytest.mark.parametrize("seconds", [None, 0.05])
def test_a_call_that_takes_too_long_is_left_and_told_to_stop(seconds: float | None) -> None:
    heard = threading.Event()

    def slow(call: Invocation) -> None:
        with call.stop.ending(heard.set):
            time.sleep(0.5)

    capability = Capability(name="slow", call=slow, seconds=0.05 if seconds is None else 10)
    with pytest.raises(LimitError, match=r"seconds of slow: 0\.05"):
        asyncio.run(capability.invoke(Invocation(seconds=seconds)))
    assert heard.wait(1)


def test_who_cancels_a_call_tells_it_to_stop() -> None:
    heard = threading.Event()

    def slow(call: Invocation) -> None:
        with call.stop.ending(heard.set):
            time.sleep(0.5)

    async def cancel() -> None:
        work = asyncio.ensure_future(Capability(name="slow", call=slow).invoke({}))
        await asyncio.sleep(0.05)
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work

    asyncio.run(cancel())
    assert heard.wait(1)


def test_a_timeout_of_the_call_itself_is_what_it_says() -> None:
    def fail(_: Invocation) -> None:
        raise TimeoutError("the server did not answer")

    with pytest.raises(TimeoutError, match="did not answer"):
        asyncio.run(Capability(name="fail", call=fail).invoke({}))


def test_a_function_that_would_end_the_program_ends_its_call() -> None:
    def leave(_: Invocation) -> None:
        raise SystemExit(3)

    for quick in (True, False):
        with pytest.raises(RuntimeError, match="SystemExit"):
            asyncio.run(Capability(name="leave", call=leave, quick=quick).invoke({}))


@pytest.mark.parametrize(
    ("check", "value", "told"),
    [
        (lambda call, value: True, 8, ""),
        (lambda call, value: 1, 8, "gave 1, not True"),
        (lambda call, value: value == 9, 8, "gave False, not True"),
        (lambda call, value: 1 / 0, 8, "the test of double failed: ZeroDivisionError"),
        (lambda call, value: True, "8", "its value must be a whole number, not text"),
        (lambda call, value: time.sleep(1), 8, "took longer than 0.1 s"),
    ],
)
def test_only_true_from_its_own_test_accepts_a_value(check: Any, value: object, told: str) -> None:
    capability = doubler(check=check, output_schema={"type": "integer"}, check_seconds=0.1)
    said = asyncio.run(capability.verify(Invocation(arguments={"number": 4}), value))
    assert told in said if told else said == ""


def test_without_a_test_anything_but_nothing_passes() -> None:
    capability = doubler()
    assert not capability.has_test
    assert asyncio.run(capability.verify(Invocation(), 1)) == ""
    assert asyncio.run(capability.verify(Invocation(), None)) != ""
