"""The test of one value: only exactly True accepts, and what a test is worth is told with its answer."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from mayfly.core import UNSET, Example, InputError, Unset, agent
from mayfly.promise._promise import Evidence, Promise
from mayfly.promise._tester import JudgedValue, Tester, TestGenerator, TestInput, TestOutput
from mayfly.sandbox import Result, Sandbox

GOOD = "def test(result):\n    return result == [1, 2, 3]\n"


@pytest.fixture(scope="module")
def tester(wall: Sandbox) -> Tester:
    return Tester(wall, seconds=60.0)


@pytest.fixture(scope="module")
def hasty(wall: Sandbox) -> Tester:
    """One that does not wait long for a test that never answers."""
    return Tester(wall, seconds=3.0)


def held(tester: Tester, promise: Promise[Any], value: object, input: object | Unset = UNSET) -> JudgedValue:
    evidence = tester.choose(promise, input)
    return asyncio.run(tester.holds(evidence, value=value, input=input, context=promise.context))


def given(tester: Tester, test: str, value: object, input: object | Unset = UNSET, **context: object) -> JudgedValue:
    return held(tester, Promise("do it", ground=None, test=test, context=context), value, input)


class Lazy(Sequence[Any]):
    """Items that are made when they are looked at."""

    def __init__(self, length: int, make: Callable[[int], object] = lambda at: at) -> None:
        self._length = length
        self._make = make
        self.looked = 0

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[Any]:
        for at in range(self._length):
            self.looked += 1
            yield self._make(at)

    def __getitem__(self, index: Any) -> Any:
        return self._make(range(self._length)[index])


def test_a_test_that_answers_true_accepts(tester: Tester) -> None:
    said = given(tester, GOOD, [1, 2, 3])
    assert (said.accepted, said.strength, said.reason) == (True, "strong", "")


def test_a_test_that_answers_false_does_not_accept(tester: Tester) -> None:
    said = given(tester, GOOD, [1, 2])
    assert (said.accepted, said.reason) == (False, "the test answered False, not True")


@pytest.mark.parametrize(
    "answer",
    ["1", "None", "'True'", "[True]", "{'ok': True}", "1.0", "object()", "(True,)", "test", "...", "{True}", "b'1'"],
)
def test_what_is_only_like_true_does_not_accept(tester: Tester, answer: str) -> None:
    said = given(tester, f"def test(result):\n    return {answer}\n", 1)
    assert not said.accepted
    assert said.reason.count("\n") == 0


def test_an_object_that_calls_itself_true_does_not_accept(tester: Tester) -> None:
    source = (
        "class Yes:\n    def __bool__(self): return True\n    def __eq__(self, other): return True\n"
        "    def __repr__(self): return 'True'\n\ndef test(result):\n    return Yes()\n"
    )
    assert not given(tester, source, 1).accepted


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("def test(result):\n    raise ValueError('a\\nb')\n", "ValueError: a b"),
        ("def test(result):\n    raise SystemExit(True)\n", "SystemExit"),
        ("def test(result):\n    return [0] * 10**11\n", "memory"),
        ("def test(result):\n    print('True')\n    return True\n", "printed"),
        ("def test(result):\n    return test(result)\n", "RecursionError"),
        ("import os\ndef test(result):\n    return True\n", "import of 'os' is not allowed"),
        ("def test(result):\n    return open('/etc/passwd') is not None\n", "open"),
        ("def test(result):\n    return eval('True')\n", "eval"),
        ("def test(result:\n", "not Python"),
        ("def test(result):\nreturn True", "not Python"),
        ("x = 1\n", "no function"),
        ("True", "no function"),
        ("class test:\n    pass\n", "no function"),
        ("async def test(result):\n    return True\n", "async"),
        ("def test():\n    return True\n", "has to take the result"),
        ("def test(a, b, c, d):\n    return True\n", "has to take the result"),
        ("def test(result, *, strict):\n    return True\n", "keyword arguments"),
        ("def test(result):\n    yield True\n", "answered [True], not True"),
        ("\x00", "not Python"),
        ("(" * 5000, "not Python"),
        ("#" * 200_000, "longer than"),
        ("raise SystemExit\ndef test(result):\n    return True\n", "SystemExit"),
        ("def test(result):\n    return True\ndel test\n", "NameError"),
        ("'\ud800'\ndef test(result):\n    return True\n", ""),
    ],
)
def test_a_test_that_cannot_answer_is_refused_in_one_line(tester: Tester, source: str, reason: str) -> None:
    said = given(tester, source, [1])
    assert not said.accepted
    assert reason in said.reason
    assert "\n" not in said.reason
    assert len(said.reason) <= 500


def test_a_test_that_never_answers_is_refused_when_its_time_is_up(hasty: Tester) -> None:
    said = given(hasty, "def test(result):\n    while True: pass\n", [1])
    assert (said.accepted, "timeout" in said.reason, "\n" in said.reason) == (False, True, False)


@pytest.mark.parametrize(
    "source",
    [
        "def test(result, input):\n    return result == sorted(input)\n",
        "def test(input, output):\n    return output == sorted(input)\n",
        "def check(input, output):\n    return output == sorted(input)\n",
        "def check(before, after):\n    return after == sorted(before)\n",
        "def check(output):\n    return output == [1, 2, 3]\n",
        "def check(input):\n    return input == [1, 2, 3]\n",
        "def test(result, given):\n    return result == sorted(given)\n",
        "def test(result, input=None):\n    return result == sorted(input)\n",
        "def test(result, strict=True):\n    return strict and result == [1, 2, 3]\n",
        "def test(result, /, input):\n    return result == sorted(input)\n",
        "def test(result, input, context):\n    return result == sorted(input) and context['seen'] == 1\n",
        "def test(context, result):\n    return context['seen'] == 1 and result == [1, 2, 3]\n",
        "def test_sorts(result):\n    return result == [1, 2, 3]\n",
        "test = lambda result: result == [1, 2, 3]\n",
        "lambda result, input: result == sorted(input)",
        "import re, json\ndef helper(x):\n    return x\ndef test(result):\n    return helper(result) == [1, 2, 3]\n",
        "from __future__ import annotations\ndef test(result: list[int]) -> bool:\n    return result == [1, 2, 3]\n",
        "def test_one(result):\n    return len(result) == 3\ndef test_two(result):\n    return result == [1, 2, 3]\n",
    ],
)
def test_a_test_may_be_written_in_several_ways(tester: Tester, source: str) -> None:
    said = given(tester, source, [1, 2, 3], [3, 1, 2], seen=1)
    assert (said.accepted, said.strength) == (True, "strong"), said.reason


def test_of_several_tests_all_have_to_answer_true(tester: Tester) -> None:
    source = "def test_one(result):\n    return True\ndef test_two(result):\n    return result == 2\n"
    assert not given(tester, source, 1).accepted


@pytest.mark.parametrize(
    "source",
    ["lambda r: True", "def test(result):\n    return True\n", "def check(input, output):\n    return 1 == 1\n"],
)
@pytest.mark.parametrize("value", [1, [], [1], "x", "", None, {}, {"a": 1}, True, False, 0, 1.5])
def test_a_test_that_accepts_anything_accepts_nothing(tester: Tester, source: str, value: object) -> None:
    said = given(tester, source, value)
    assert (said.accepted, said.strength, said.reason) == (False, "none", "the test accepts anything")


@pytest.mark.parametrize(
    ("source", "value", "missed"),
    [
        ("lambda r: r is not None", [1, 2], "an empty list"),
        ("lambda r: isinstance(r, list)", [1, 2], "an empty list"),
        ("lambda r: isinstance(r, bool)", True, "False"),
        ("lambda r: isinstance(r, int)", 7, "0"),
        ("lambda r: isinstance(r, str) and len(r) > 0", "abcdef", "half the text"),
        ("lambda r: isinstance(r, dict) and 'a' in r", {"a": 1, "b": 2}, "a further field"),
    ],
)
def test_a_test_that_misses_what_is_obviously_wrong_is_weak(
    tester: Tester, source: str, value: object, missed: str
) -> None:
    said = given(tester, source, value)
    assert (said.accepted, said.strength) == (True, "weak")
    assert missed in said.reason
    assert missed in said.evidence.description


def test_a_test_that_counts_its_calls_is_found_out(tester: Tester) -> None:
    source = "calls = []\ndef test(result):\n    calls.append(1)\n    return len(calls) == 1\n"
    said = given(tester, source, [1, 2])
    assert said.strength != "strong" or not said.accepted


def test_a_test_that_answers_otherwise_when_asked_again_is_refused(tester: Tester) -> None:
    source = "calls = []\ndef test(result):\n    calls.append(1)\n    return len(calls) == 1 and result == [1, 2]\n"
    said = given(tester, source, [1, 2])
    assert not said.accepted
    assert "asked again" in said.reason


def test_a_test_that_spoils_its_arguments_is_asked_fairly(tester: Tester) -> None:
    source = "def test(result, input):\n    return result.pop() == input.pop() and result == [1, 2]\n"
    assert given(tester, source, [1, 2, 3], [3]).strength == "strong"


@pytest.mark.later
def test_a_test_that_hangs_on_wrong_results_is_weak(hasty: Tester) -> None:
    said = given(hasty, "def test(result):\n    while result != [1]: pass\n    return True\n", [1])
    assert (said.accepted, said.strength) == (True, "weak")


def test_the_stored_evidence_can_be_asked_again(tester: Tester) -> None:
    for promise, value, input in (
        (Promise("x", ground=None, test=GOOD), [1, 2, 3], UNSET),
        (Promise("Sort the numbers", ground=None), [1, 2, 3], [3, 2, 1]),
    ):
        first = held(tester, promise, value, input)
        stored = Evidence(**first.evidence.to_json())
        again = asyncio.run(tester.holds(stored, value=value, input=input))
        assert again.accepted
        assert not asyncio.run(tester.holds(stored, value=[9], input=input)).accepted


def test_evidence_of_ours_that_was_tampered_with_runs_behind_the_wall(tester: Tester) -> None:
    evil = "import os\ndef check(input, output):\n    return True\n"
    evidence = Evidence(description="", confidence=1.0, check="sort", source=evil)
    said = asyncio.run(tester.holds(evidence, value=[1]))
    assert "import of 'os'" in said.reason


@pytest.mark.parametrize(
    ("intent", "value", "input"), [("Sort the numbers", [1, 2], [2, 1]), ("Fix the Python code", "x = 1", "x =")]
)
def test_a_test_of_an_earlier_release_still_runs(tester: Tester, intent: str, value: object, input: object) -> None:
    now = tester.choose(Promise(intent, ground=None), input)
    earlier = replace(now, source=f"# An earlier release.\n{now.source}")
    assert asyncio.run(tester.holds(earlier, value=value, input=input)).accepted
    assert not asyncio.run(tester.holds(earlier, value=None, input=input)).accepted


def test_evidence_without_a_test_accepts_nothing(tester: Tester) -> None:
    assert not asyncio.run(tester.holds(Evidence(description="", confidence=1.0), value=1)).accepted
    assert not asyncio.run(tester.holds(Evidence(description="", confidence=1.0, check="sort"), value=1)).accepted


class NoWall(Sandbox):
    """Stand for a machine that gives no sandbox."""

    async def arun(self, *_: object, **__: object) -> Result:
        return Result(status="refused", error="this machine gives no sandbox")


def test_a_machine_without_a_wall_accepts_nothing_that_was_given() -> None:
    said = given(Tester(NoWall()), GOOD, [1, 2, 3])
    assert (said.accepted, said.reason) == (False, "the test ended in refused: this machine gives no sandbox")


@pytest.mark.parametrize(
    ("intent", "input", "check"),
    [
        ("Parse the config", "a = 1 b", "parse"),
        ("Find TODO comments in code", "x # TODO y", "find"),
        ("Fix the bug in the module", "def f", "fix"),
        ("Generate a user", UNSET, "generate"),
        ("Transform the table to JSON", [1], "transform"),
        ("Sort the numbers", [2, 1], "sort"),
        ("Count the lines", "a\nb", "count"),
        ("Validate the address", "a@b", "validate"),
        ("Filter the even numbers", [1, 2], "filter"),
        ("Reticulate the splines", 1, "present"),
    ],
)
def test_the_intent_decides_the_test(tester: Tester, intent: str, input: object | Unset, check: str) -> None:
    promise = Promise(intent, ground=None, context={"schema": {"type": "object"}})
    assert tester.choose(promise, input).check == check


def test_a_test_of_its_own_comes_before_the_intent(tester: Tester) -> None:
    evidence = tester.choose(Promise("Sort the numbers", ground=None, test=GOOD), [2, 1])
    assert (evidence.check, evidence.source) == ("", GOOD)


def test_the_docstring_of_a_test_describes_it(tester: Tester) -> None:
    test = 'def test(result):\n    """The list is sorted.\n\n    Really."""\n    return True\n'
    assert tester.choose(Promise("x", ground=None, test=test)).description == "The list is sorted."


def test_an_example_for_this_input_is_the_test(tester: Tester) -> None:
    promise = Promise("square it", ground=None, examples=(Example(input=3, output=9), Example(input=4, output=16)))
    said = held(tester, promise, 16, 4)
    assert (said.accepted, said.strength, said.evidence.check) == (True, "strong", "example")
    assert not held(tester, promise, 9, 4).accepted
    assert tester.choose(promise, 5).check == "present"


@pytest.mark.parametrize(
    ("intent", "input", "value", "strength"),
    [
        ("Sum the numbers", [1, 2], 3, "strong"),
        ("Sort the numbers", [2, 1], [1, 2], "strong"),
        ("Find TODO comments", "a TODO b", ["TODO"], "weak"),
        ("Reticulate", 1, 1, "weak"),
    ],
)
def test_our_own_tests_are_tried_on_wrong_results_too(
    tester: Tester, intent: str, input: object, value: object, strength: str
) -> None:
    said = held(tester, Promise(intent, ground=None), value, input)
    assert (said.accepted, said.strength) == (True, strength)


def test_our_own_tests_do_not_need_the_wall() -> None:
    assert held(Tester(NoWall()), Promise("Sort the numbers", ground=None), [1, 2], [2, 1]).accepted


def test_our_own_refusal_says_what_does_not_hold(tester: Tester) -> None:
    said = held(tester, Promise("Sort the numbers", ground=None), [2, 1], [2, 1])
    assert said.reason == "it does not hold that the same items, in order"


def deep(levels: int) -> object:
    value: object = 1
    for _ in range(levels):
        value = [value]
    return value


def cyclic() -> object:
    value: list[object] = []
    value.append(value)
    return value


class Hostile:
    """Raise at every touch."""

    def __getattr__(self, name: str) -> object:
        raise RuntimeError(name)

    def __eq__(self, other: object) -> bool:
        raise RuntimeError

    def __bool__(self) -> bool:
        raise RuntimeError

    __hash__ = None  # type: ignore[assignment]


INTENTS = [
    "Parse it", "Find the words", "Filter it", "Remove duplicates", "Sort it", "Count it", "Validate it", "Fix it",
    "Convert it to JSON", "Convert it to an integer", "Sum the numbers", "Join the words", "Reverse the list", "Do it",
]  # fmt: skip


@pytest.mark.first(30)
@pytest.mark.parametrize("intent", INTENTS)
@pytest.mark.parametrize(
    "make", [lambda: deep(10_000), cyclic, Hostile, lambda: float("nan"), lambda: {1: {2}}, lambda: b"x"]
)
def test_strange_values_raise_nothing(tester: Tester, intent: str, make: Callable[[], object]) -> None:
    for input in (UNSET, [1, 2], "a b", make()):
        said = held(tester, Promise(intent, ground=None), make(), input)
        assert isinstance(said.accepted, bool)
        assert "\n" not in said.reason


@pytest.mark.parametrize("make", [lambda: deep(10_000), cyclic])
def test_what_is_too_deep_is_refused(tester: Tester, make: Callable[[], object]) -> None:
    said = held(tester, Promise("Do it", ground=None), make())
    assert (said.accepted, said.reason) == (False, "the value is nested deeper than 100")
    assert not given(tester, "lambda r: r is not None", make()).accepted


@pytest.mark.parametrize("value", [float("nan"), float("inf"), b"x", {1, 2}, object(), "\ud800", [10**5000]])
def test_values_that_cannot_cross_the_wall_raise_nothing(tester: Tester, value: object) -> None:
    assert isinstance(given(tester, "lambda r: r == 1", value).accepted, bool)


def test_ten_million_items_cost_no_more_than_a_look_at_the_first(tester: Tester) -> None:
    value = Lazy(10_000_000)
    said = held(tester, Promise("Sort the numbers", ground=None), value, [3, 1, 2])
    assert (said.accepted, said.strength) == (True, "weak")
    assert "too large" in said.evidence.description
    assert value.looked < 500_000


def test_of_ten_million_items_not_all_of_the_first_may_be_nothing(tester: Tester) -> None:
    assert not held(tester, Promise("Do it", ground=None), Lazy(10_000_000, lambda _: None)).accepted


def test_a_given_test_refuses_what_is_too_large_for_it(tester: Tester) -> None:
    said = given(tester, GOOD, Lazy(10_000_000))
    assert (said.accepted, said.reason) == (False, "the value is too large to be tested")


def test_a_middling_value_is_tested_behind_the_wall(tester: Tester) -> None:
    numbers = list(range(30_000))
    promise = Promise("Sort the numbers", ground=None)
    assert held(tester, promise, numbers, numbers[::-1]).accepted
    assert not held(tester, promise, numbers[:-1], numbers[::-1]).accepted


def test_a_sequence_that_is_no_list_is_tested_as_one(tester: Tester) -> None:
    assert held(tester, Promise("Sort the numbers", ground=None), Lazy(3), [2, 1, 0]).strength == "strong"
    assert given(tester, GOOD, Lazy(3, lambda at: at + 1)).strength == "strong"


def test_a_context_that_is_no_data_stays_here(tester: Tester) -> None:
    source = "def test(result, input, context):\n    return context == {} and result == 1\n"
    assert given(tester, source, 1, thing=object()).accepted


def test_many_values_are_tested_at_once(tester: Tester) -> None:
    async def all_of_them() -> list[JudgedValue]:
        evidence = tester.choose(Promise("x", ground=None, test="lambda r: r == 5"))
        return await asyncio.gather(*(tester.holds(evidence, value=number) for number in range(20)))

    assert [said.accepted for said in asyncio.run(all_of_them())].index(True) == 5


@pytest.mark.parametrize("confidence", [-0.1, 1.1, float("nan"), True, "1", None])
def test_a_confidence_outside_0_to_1_is_refused(confidence: Any) -> None:
    with pytest.raises(InputError, match="confidence"):
        TestOutput(test_code="", test_description="", confidence=confidence)


def test_the_generator_of_tests_is_an_agent() -> None:
    code = TestGenerator() >> agent(lambda output: output.test_code)
    asked = TestInput(intent="Sort the numbers", result=[1], context={"input": [1]})
    assert "def check(input, output)" in asyncio.run(code.invoke(asked))
    assert 0 <= asyncio.run(TestGenerator().invoke(asked)).confidence <= 1
