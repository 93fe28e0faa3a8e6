"""The laws of the small pieces: identity, composition, ground, fixed point, contradiction, judgement."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mayfly.core import Agent, Identity, InputError, agent
from mayfly.promise import Contradict, Fix, FixOutcome, Ground, OpinionJudge, PromiseOpinion, ValueClaim, attempt
from mayfly.promise._judge import Detector

STEPS: list[Callable[[int], int]] = [lambda n: n + 1, lambda n: -n, lambda n: n * 3, lambda n: n // 2, lambda n: 7]
AGENTS = st.sampled_from([agent(step) for step in STEPS])
DATA = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
OPINIONS = st.lists(st.builds(PromiseOpinion, passed=st.booleans(), confidence=st.floats(0, 1)), min_size=1, max_size=6)
ORDER = {"reject": 0, "revise": 1, "accept": 2}


def run(piece: Agent[Any, Any], input: object) -> Any:
    return asyncio.run(piece.invoke(input))


@given(AGENTS, st.integers())
def test_identity_changes_nothing_on_either_side(piece: Agent[int, int], number: int) -> None:
    identity: Agent[int, int] = Identity()
    assert run(identity >> piece, number) == run(piece, number) == run(piece >> identity, number)


@given(AGENTS, AGENTS, AGENTS, st.integers())
def test_composition_is_associative(f: Agent[int, int], g: Agent[int, int], h: Agent[int, int], number: int) -> None:
    assert run((f >> g) >> h, number) == run(f >> (g >> h), number)


@given(AGENTS, DATA, st.integers())
def test_ground_gives_its_value_whatever_went_before(piece: Agent[int, object], value: object, number: int) -> None:
    assert run(piece >> Ground(value), number) == run(Ground(value), number) == value


@pytest.mark.parametrize(
    ("budget", "steps"), [(1.0, 10), (0.5, 5), (0.33, 3), (1 / 3, 3), (0.25, 2), (0.3, 3), (0.1, 1), (0.09, 0), (0, 0)]
)
def test_the_budget_says_how_many_steps_are_taken(budget: float, steps: int) -> None:
    fixed = run(Fix(lambda n: n + 1, budget=budget), 0)
    assert (fixed.value, fixed.iterations, fixed.converged) == (steps, steps, False)


def test_the_budget_is_divided_by_the_steps_taken() -> None:
    assert run(Fix(lambda n: n + 1, budget=0.5), 0).entropy_remaining == pytest.approx(0.5 / 6)


@given(DATA)
def test_the_identity_converges_in_one_step(value: object) -> None:
    fixed: FixOutcome[object] = run(Fix(Identity()), value)
    assert (fixed.converged, fixed.iterations, fixed.proximity) == (True, 1, 1.0)
    assert fixed.value == value


@given(st.integers(-1000, 1000))
def test_a_fixed_point_stays_fixed(start: int) -> None:
    halve = Fix(lambda n: int(n / 2), budget=10)
    first: FixOutcome[int] = run(halve, start)
    again: FixOutcome[int] = run(halve, first.value)
    assert first.converged
    assert (again.value, again.iterations) == (first.value, 1)


@given(AGENTS, st.integers(-5, 5), st.floats(0, 3), st.integers(0, 12))
def test_a_fix_always_ends_within_its_bounds(piece: Agent[int, int], start: int, budget: float, most: int) -> None:
    fixed: FixOutcome[int] = run(Fix(piece, budget=budget, max_iterations=most), start)
    assert fixed.iterations <= most
    assert fixed.iterations <= budget / 0.1 + 1e-6
    assert len(fixed.history) == fixed.iterations + 1
    assert fixed.history[0] == start
    assert fixed.history[-1] == fixed.value
    assert 0 <= fixed.proximity <= 1


def test_max_iterations_bound_a_large_budget() -> None:
    assert run(Fix(lambda n: n + 1, budget=1e9), 0).iterations == 100


def test_no_iterations_means_none() -> None:
    fixed = run(Fix(lambda n: n + 1, max_iterations=0), 5)
    assert (fixed.value, fixed.iterations, fixed.converged) == (5, 0, False)


def test_a_step_to_something_that_never_equals_itself_ends_all_the_same() -> None:
    class Odd:
        def __eq__(self, other: object) -> bool:
            raise RuntimeError

        __hash__ = None  # type: ignore[assignment]

    assert run(Fix(lambda _: Odd()), Odd()).iterations == 10


def test_not_a_number_is_a_fixed_point() -> None:
    assert run(Fix(lambda _: float("nan")), 1.0).converged


def test_only_true_says_that_nothing_changed() -> None:
    equal: Any = lambda one, other: "yes"  # noqa: E731
    assert not run(Fix(Identity(), equal=equal), 1).converged


def test_an_asynchronous_step_is_awaited() -> None:
    async def step(number: int) -> int:
        return min(number + 1, 3)

    assert run(Fix(step), 0).value == 3


def test_a_fix_composes() -> None:
    last: Agent[FixOutcome[int], int] = agent(lambda fixed: fixed.value)
    assert run(agent(lambda n: n * 2) >> Fix(lambda n: n // 2) >> last, 8) == 0


@pytest.mark.parametrize(("one", "other"), [("abcd", "abxd"), ([1, 2], [1, 3]), ({"a": 1, "b": 2}, {"a": 1}), (1, 2)])
def test_proximity_says_how_alike_the_last_two_are(one: object, other: object) -> None:
    pair = {repr(one): other, repr(other): one}
    assert 0.3 < run(Fix(lambda value: pair[repr(value)], max_iterations=3), one).proximity < 1


@pytest.mark.parametrize("budget", [-1, float("nan"), float("inf"), "1"])
def test_a_budget_that_is_no_number_is_refused(budget: Any) -> None:
    with pytest.raises(InputError, match="budget"):
        Fix(Identity(), budget=budget)


@pytest.mark.parametrize("most", [-1, 1.5, True])
def test_iterations_that_are_no_number_are_refused(most: Any) -> None:
    with pytest.raises(InputError, match="max_iterations"):
        Fix(Identity(), max_iterations=most)


@given(DATA)
def test_nothing_contradicts_itself(value: object) -> None:
    assert run(Contradict(), ValueClaim(value=value, known=(value,))).found == ()


@given(DATA, DATA)
def test_contradiction_is_symmetric(one: object, other: object) -> None:
    there = Contradict().contradict(ValueClaim(value=one, known=(other,)))
    back = Contradict().contradict(ValueClaim(value=other, known=(one,)))
    assert [found.detector for found in there.found] == [found.detector for found in back.found]


@pytest.mark.parametrize(
    ("known", "value", "detectors"),
    [
        (True, False, ["logical", "equality"]),
        ("The server is up", "the server is not up", ["logical", "equality"]),
        ("it never ends", "it ends", ["logical", "equality"]),
        ("enable the cache", "disable the cache", ["equality", "pragmatic"]),
        (3, 4, ["equality"]),
        ({"a": 1}, {"a": 2, "b": 3}, ["equality"]),
        ({"ok": True}, {"ok": False}, ["logical", "equality"]),
        ({"a": 1}, {"b": 1}, []),
        (1, True, ["equality"]),
        ([1, 2], [1, 2], []),
    ],
)
def test_each_detector_finds_its_kind(known: object, value: object, detectors: list[str]) -> None:
    found = Contradict().contradict(ValueClaim(value=value, known=(known,)))
    assert [one.detector for one in found.found] == detectors


def test_the_gravest_comes_first() -> None:
    found = Contradict().contradict(ValueClaim(value=False, known=(True,)))
    assert [one.severity for one in found.found] == [1.0, 0.9]
    assert found.severity == 1.0


def test_advice_on_different_things_is_no_opposition() -> None:
    found = Contradict().contradict(ValueClaim(value="disable the log", known=("enable the cache",)))
    assert "pragmatic" not in [one.detector for one in found.found]


@pytest.mark.parametrize(("answer", "severity"), [(True, 0.0), (1, 0.8), (None, 0.8), ("True", 0.8), (False, 0.8)])
def test_a_test_that_is_not_answered_with_true_contradicts(answer: object, severity: float) -> None:
    contradict = Contradict([attempt(lambda _: answer)])
    assert contradict.contradict(ValueClaim(value=1)).severity == severity


def test_a_test_that_raises_contradicts_every_time() -> None:
    contradict = Contradict([attempt(lambda value: value / 0)])  # type: ignore[operator]
    assert [contradict.contradict(ValueClaim(value=1)).severity for _ in range(5)] == [0.8] * 5


def test_a_detector_that_fails_three_times_is_not_asked_again() -> None:
    calls = []

    def broken(_: object, __: object) -> str:
        calls.append(1)
        raise RuntimeError

    contradict = Contradict([Detector(name="broken", severity=1.0, detect=broken)])
    skipped = [contradict.contradict(ValueClaim(value=1, known=(2,))).skipped for _ in range(5)]
    assert skipped == [(), (), ("broken",), ("broken",), ("broken",)]
    assert len(calls) == 3


def test_a_detector_that_recovers_is_asked_on() -> None:
    answers: list[Any] = [None, None, "", None, None, "wrong"]

    def moody(_: object, __: object) -> str:
        answer = answers.pop(0)
        if answer is None:
            raise RuntimeError
        return str(answer)

    contradict = Contradict([Detector(name="moody", severity=1.0, detect=moody)])
    assert [contradict.contradict(ValueClaim(value=1, known=(2,))).severity for _ in range(6)] == [0, 0, 0, 0, 0, 1]


def test_two_detectors_of_one_name_are_refused() -> None:
    with pytest.raises(InputError, match="same name"):
        Contradict([attempt(bool), attempt(bool)])


@pytest.mark.parametrize(
    "value", ["not " * 100_000, "x" * 10_000_000, list(range(1_000_000)), {str(n): n for n in range(100_000)}]
)
def test_large_values_are_contradicted_too(value: object) -> None:
    assert Contradict().contradict(ValueClaim(value=value, known=("enable it", True, {"0": 1}))).skipped == ()


@pytest.mark.parametrize(
    ("opinions", "decision"),
    [
        ([(True, 1.0), (True, 0.1)], "accept"),
        ([(True, 0.2), (False, 0.8)], "reject"),
        ([(True, 0.3), (False, 0.7)], "revise"),
        ([(True, 0.9), (False, 0.1)], "revise"),
        ([(False, 1.0)], "reject"),
        ([(False, 0.0)], "reject"),
        ([], "reject"),
    ],
)
def test_opinions_are_weighed_by_confidence(opinions: list[tuple[bool, float]], decision: str) -> None:
    judged = run(OpinionJudge(), [PromiseOpinion(passed=passed, confidence=sure) for passed, sure in opinions])
    assert judged.decision == decision


@given(OPINIONS, st.integers(0, 5))
def test_a_pass_in_the_place_of_a_fail_never_makes_it_worse(opinions: list[PromiseOpinion], at: int) -> None:
    at %= len(opinions)
    better = [*opinions[:at], PromiseOpinion(passed=True, confidence=opinions[at].confidence), *opinions[at + 1 :]]
    before, after = OpinionJudge().judge(opinions), OpinionJudge().judge(better)
    assert ORDER[after.decision] >= ORDER[before.decision]
    assert after.rate >= before.rate


@given(OPINIONS)
def test_only_when_all_pass_is_it_accepted(opinions: list[PromiseOpinion]) -> None:
    assert (OpinionJudge().judge(opinions).decision == "accept") == all(opinion.passed for opinion in opinions)


def test_the_reasons_of_those_that_fail_are_kept() -> None:
    judged = OpinionJudge().judge(
        [PromiseOpinion(passed=False, reason="too slow"), PromiseOpinion(passed=True, reason="fine")]
    )
    assert judged.reasons == ("too slow",)


@pytest.mark.parametrize("confidence", [-0.1, 1.1, float("nan"), "1", None])
def test_a_confidence_outside_0_to_1_is_refused(confidence: Any) -> None:
    with pytest.raises(InputError, match="confidence"):
        PromiseOpinion(passed=True, confidence=confidence)


def test_an_answer_that_is_not_a_bool_is_no_opinion() -> None:
    passed: Any = 1
    with pytest.raises(InputError, match="passed"):
        PromiseOpinion(passed=passed)
