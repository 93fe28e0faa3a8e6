from __future__ import annotations

import asyncio
import threading
from types import SimpleNamespace
from typing import Any

import pytest

from mayfly.core import Asked, InputError, Invocation, MayflyError, NotSent
from mayfly.library import Committed
from mayfly.promise import Promise, State, settle_effect, unknown_effects
from mayfly.promise._events import RunCancelled
from promise.bed import RUN, Bed, leaf, tree


class Killed(BaseException):
    """The process dies here."""


class Receiver:
    """Count what arrives, by key; dies or fails where a test says so."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.trouble: list[BaseException | None] = []

    def __call__(self, invocation: Invocation) -> object:
        self.calls.append(invocation.key)
        trouble = self.trouble.pop(0) if self.trouble else None
        if trouble is not None:
            raise trouble
        return {"sent": invocation.arguments}


def send(intent: str = "send", **more: Any) -> Promise[Any]:
    return Promise(intent, ground="not sent", capability="send", argument={"n": 1}, **more)


@pytest.fixture
def receiver(bed: Bed) -> Receiver:
    return Receiver()


def effects(bed: Bed) -> list[str]:
    return [event.kind for event in bed.ledger.read(subject=f"{RUN}/0")]


@pytest.mark.parametrize("effect", ["idempotent", "once"])
def test_an_effect_is_recorded_before_it_is_sent_and_after(bed: Bed, receiver: Receiver, effect: Any) -> None:
    told: list[list[str]] = []

    def call(invocation: Invocation) -> object:
        told.append(effects(bed))
        return receiver(invocation)

    bed.capability("send", call, effect=effect)
    root = bed.resolve(send())
    assert root.value == {"sent": {"n": 1}}
    assert told == [["effect.began"]]
    assert effects(bed) == ["effect.began", "effect.done"]
    assert receiver.calls == [f"{RUN}/0"]


@pytest.mark.parametrize("effect", ["idempotent", "once"])
def test_an_effect_that_is_done_is_not_sent_again(bed: Bed, receiver: Receiver, effect: Any) -> None:
    """The run died after the effect was recorded and before its promise was."""
    bed.capability("send", receiver, effect=effect, check=_dies_once())
    with pytest.raises(Killed):
        bed.resolve(send())
    assert bed.resume().value == {"sent": {"n": 1}}
    assert len(receiver.calls) == 1


def _dies_once() -> Any:
    left = [Killed()]

    def check(invocation: Invocation, value: object) -> bool:
        if left:
            raise left.pop()
        return True

    return check


def test_an_idempotent_effect_that_was_cut_off_is_sent_again_with_the_same_key(bed: Bed, receiver: Receiver) -> None:
    receiver.trouble = [Killed()]
    bed.capability("send", receiver, effect="idempotent", quick=True)
    with pytest.raises(Killed):
        bed.resolve(send())
    assert bed.resume().state is State.RESOLVED
    assert receiver.calls == [f"{RUN}/0"] * 2


def test_an_effect_nobody_can_tell_about_is_never_sent_again(bed: Bed, receiver: Receiver) -> None:
    receiver.trouble = [Killed()]
    bed.capability(
        "send", receiver, effect="once", quick=True, asks=lambda _: (Asked("http_post", "http://shop/order"),)
    )
    with pytest.raises(Killed):
        bed.resolve(send("Order a book"))
    for _ in range(2):
        root = bed.resume()
        assert (root.state, root.code, root.value) == (State.COLLAPSED, "UNKNOWN", "not sent")
    assert len(receiver.calls) == 1
    (unknown,) = unknown_effects(bed.ledger)
    assert (unknown.id, unknown.capability, unknown.target) == (f"{RUN}/0", "send", "http://shop/order")
    assert unknown.intent == "Order a book"


def test_an_error_of_a_once_effect_is_unknown_too(bed: Bed, receiver: Receiver) -> None:
    receiver.trouble = [TimeoutError("no answer")]
    bed.capability("send", receiver, effect="once")
    root = bed.resolve(send())
    assert root.code == "UNKNOWN"
    assert "TimeoutError" in root.reason
    assert len(unknown_effects(bed.ledger)) == 1


def test_a_once_effect_that_is_under_way_when_the_run_stops_is_unknown_at_once(bed: Bed) -> None:
    async def slow(invocation: Invocation) -> object:
        await asyncio.sleep(60)
        return 1

    bed.limits = {"seconds": 0.5}
    bed.capability("send", slow, effect="once")
    bed.resolve(send())
    (unknown,) = unknown_effects(bed.ledger)
    assert unknown.reason == "the run was stopped while it was being sent"


@pytest.mark.parametrize("error", [ConnectionRefusedError("nobody listens"), NotSent("the host is unknown")])
def test_what_certainly_did_not_happen_may_be_tried_again(bed: Bed, receiver: Receiver, error: Exception) -> None:
    receiver.trouble = [error]
    bed.capability("send", receiver, effect="once")
    first = bed.resolve(send())
    assert first.state is not State.RESOLVED
    assert unknown_effects(bed.ledger) == []
    assert bed.resume().state is State.RESOLVED
    assert len(receiver.calls) == 2


@pytest.mark.parametrize(
    ("verdict", "state", "value", "calls"),
    [
        ("done", State.RESOLVED, {"receipt": 7}, 1),
        ("again", State.RESOLVED, {"sent": {"n": 1}}, 2),
        ("failed", State.COLLAPSED, "not sent", 1),
    ],
)
def test_a_person_settles_what_is_unknown(
    bed: Bed, receiver: Receiver, verdict: str, state: State, value: object, calls: int
) -> None:
    receiver.trouble = [TimeoutError()]
    bed.capability("send", receiver, effect="once")
    bed.resolve(send())
    given = {"receipt": 7} if verdict == "done" else None
    settle_effect(bed.ledger, f"{RUN}/0", verdict=verdict, by="ada", value=given)
    assert unknown_effects(bed.ledger) == []
    root = bed.resume()
    assert (root.state, root.value) == (state, value)
    assert len(receiver.calls) == calls


def test_an_effect_sent_again_by_hand_and_lost_again_is_unknown_again(bed: Bed, receiver: Receiver) -> None:
    receiver.trouble = [TimeoutError(), Killed()]
    bed.capability("send", receiver, effect="once", quick=True)
    bed.resolve(send())
    settle_effect(bed.ledger, f"{RUN}/0", verdict="again", by="ada")
    with pytest.raises(Killed):
        bed.resume()
    assert bed.resume().code == "UNKNOWN"
    assert len(receiver.calls) == 2
    assert len(unknown_effects(bed.ledger)) == 1


@pytest.mark.parametrize(("id", "verdict"), [(f"{RUN}/0", "maybe"), ("r-9/0", "done")])
def test_settling_what_is_not_unknown_is_an_error(bed: Bed, id: str, verdict: str) -> None:
    with pytest.raises(InputError):
        settle_effect(bed.ledger, id, verdict=verdict, by="ada")


def test_a_lost_connection_is_tried_again_where_the_receiver_knows_the_key(bed: Bed, receiver: Receiver) -> None:
    receiver.trouble = [OSError("reset"), OSError("reset")]
    bed.effect_delays = (1.0, 2.0, 4.0)
    bed.capability("send", receiver, effect="idempotent")
    assert bed.resolve(send()).state is State.RESOLVED
    assert set(receiver.calls) == {f"{RUN}/0"}
    assert len(receiver.calls) == 3
    assert bed.sleeps == [1.0, 2.0]


def test_a_transactional_effect_is_recorded_with_its_promise_or_not_at_all(bed: Bed) -> None:
    def call(invocation: Invocation) -> object:
        return Committed(value="noted", events=(RunCancelled(by="test", reason="as an event"),))

    bed.capability("send", call, effect="transactional", quick=True, check=_dies_once())
    with pytest.raises(Killed):
        bed.resolve(send())
    assert bed.events("run.cancelled") == []
    assert bed.resume().value == "noted"
    assert len(bed.events("run.cancelled")) == 1


@pytest.mark.parametrize(("decision", "words"), [("deny", "is not permitted"), ("approval", "policy approve d-7")])
def test_what_the_rules_do_not_permit_is_not_sent(bed: Bed, receiver: Receiver, decision: str, words: str) -> None:
    asked: list[tuple[str, str, str]] = []

    def permit(action: str, target: str, payload: str) -> Any:
        asked.append((action, target, payload))
        return SimpleNamespace(decision=decision, because=("outside the workspace",), reasons=(), id="d-7")

    bed.permit = permit
    bed.capability("send", receiver, effect="once", asks=lambda _: (Asked("http_post", "shop", "1"),))
    root = bed.resolve(send())
    assert (root.state, root.code) == (State.COLLAPSED, "DENIED")
    assert words in root.reason
    assert asked == [("http_post", "shop", "1")]
    assert receiver.calls == []
    assert effects(bed) == []


def test_without_rules_nothing_that_has_to_be_asked_for_is_done(bed: Bed, receiver: Receiver) -> None:
    bed.permit = None
    bed.capability("send", receiver, asks=lambda _: (Asked("http_post"),))
    assert bed.resolve(send()).code == "DENIED"
    assert receiver.calls == []


def test_the_kill_switch_is_asked_before_each_effect(bed: Bed, receiver: Receiver) -> None:
    class Off(MayflyError):
        code = "TEST_KILLED"

    def kill() -> None:
        if receiver.calls:
            raise Off("somebody pulled it")

    bed.kill = kill
    bed.capability("send", receiver, effect="once")
    first = send(name="first")
    root = bed.resolve(tree("both", first, send(name="second", needs=("first",))))
    assert (root.state, root.code) == (State.COLLAPSED, "TEST_KILLED")
    assert len(receiver.calls) == 1


@pytest.mark.parametrize("said", [1, None, "True", 0, [True]])
def test_only_true_accepts_what_a_capability_gave(bed: Bed, said: object) -> None:
    bed.capability("send", lambda invocation: 5, check=lambda invocation, value: said)
    root = bed.resolve(send())
    assert (root.state, root.code, root.value) == (State.COLLAPSED, "TEST", "not sent")


def test_a_check_that_raises_or_hangs_accepts_nothing(bed: Bed) -> None:
    stop = threading.Event()
    bed.capability("raises", lambda invocation: 5, check=lambda invocation, value: 1 / 0)
    bed.capability("hangs", lambda invocation: 5, check=lambda invocation, value: stop.wait(30), check_seconds=0.3)
    for name in ("raises", "hangs"):
        promise: Promise[Any] = Promise("x", ground=None, capability=name)
        assert bed.resolve(promise, run=f"r-{name}").code == "TEST"
    stop.set()


LEAVE = [SystemExit(3), asyncio.CancelledError(), KeyboardInterrupt()]


@pytest.mark.parametrize("error", LEAVE, ids=lambda error: type(error).__name__)
def test_a_capability_that_would_end_the_program_fails_alone(bed: Bed, error: BaseException) -> None:
    def leave(invocation: Invocation) -> object:
        raise error

    bed.capability("send", leave)
    bed.capability("other", lambda invocation: 1)
    other: Promise[Any] = Promise("other", ground=0, capability="other")
    root = bed.resolve(tree("both", send(), other))
    assert [promise.state for promise in root.walk()] == [State.COLLAPSED, State.FAILED, State.RESOLVED]
    assert type(error).__name__ in root.children[0].error


@pytest.mark.parametrize("error", LEAVE[:2], ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("quick", [True, False])
def test_a_coroutine_that_would_end_the_program_fails_alone(bed: Bed, error: BaseException, quick: bool) -> None:
    async def leave(invocation: Invocation) -> object:
        raise error

    bed.capability("send", leave, quick=quick)
    assert bed.resolve(send()).state is State.FAILED


def test_a_once_effect_that_would_end_the_program_is_unknown(bed: Bed, receiver: Receiver) -> None:
    receiver.trouble = [SystemExit(1)]
    bed.capability("send", receiver, effect="once")
    assert bed.resolve(send()).code == "UNKNOWN"
    assert len(unknown_effects(bed.ledger)) == 1


@pytest.mark.parametrize("quick", [True, False])
def test_a_check_that_would_end_the_program_accepts_nothing(bed: Bed, receiver: Receiver, quick: bool) -> None:
    def leave(invocation: Invocation, value: object) -> object:
        raise SystemExit(1)

    bed.capability("send", receiver, check=leave, quick=quick)
    assert bed.resolve(send()).code == "TEST"


def test_what_a_check_answered_is_shown_without_asking_it(bed: Bed, receiver: Receiver) -> None:
    class Liar:
        def __eq__(self, other: object) -> bool:
            return True

        def __hash__(self) -> int:
            return 1

        def __str__(self) -> str:
            raise ValueError("no words")

    bed.capability("send", receiver, check=lambda invocation, value: Liar())
    root = bed.resolve(send())
    assert (root.code, root.reason) == ("TEST", "the test of send gave a Liar, not True: there is a value")


def test_a_steady_value_of_another_run_has_to_pass_the_test_of_today(bed: Bed) -> None:
    """The function of that name may be another by now, and so may what it has to be."""
    factor = 2

    def times(invocation: Invocation) -> object:
        argument: Any = invocation.arguments
        return argument["n"] * factor

    def is_times(invocation: Invocation, value: object) -> bool:
        return value == times(invocation)

    bed.capability("send", times, steady=True, check=is_times)
    assert bed.resolve(send(), run="r-00000001").value == 2
    factor = 3
    assert bed.resolve(send(), run="r-00000002").value == 3


def test_a_steady_value_without_a_test_is_not_used_again_in_another_run(bed: Bed, receiver: Receiver) -> None:
    bed.capability("send", receiver, steady=True)
    for run in ("r-00000001", "r-00000002"):
        bed.resolve(send(), run=run)
    assert len(receiver.calls) == 2


def test_an_unknown_capability_collapses_its_promise(bed: Bed) -> None:
    root = bed.resolve(send())
    assert (root.state, root.code) == (State.COLLAPSED, "LEAF_INPUT")


def test_a_capability_may_be_a_coroutine(bed: Bed) -> None:
    async def call(invocation: Invocation) -> object:
        await asyncio.sleep(0)
        return invocation.arguments

    bed.capability("send", call, quick=True)
    assert bed.resolve(send()).value == {"n": 1}


def test_what_is_proven_is_not_run_again_after_a_crash(bed: Bed) -> None:
    """One leaf is proven, the other dies with the process; the first is not asked again."""
    deaths = [Killed()]

    def second(job: Any) -> int:
        if deaths:
            raise deaths.pop()
        return 2

    bed.engine.table = {"one": lambda job: 1, "two": second}
    root = tree("both", leaf("one", name="a"), leaf("two", name="b", needs=("a",)), combine="list")
    with pytest.raises(BaseException):  # noqa: B017, PT011 - a group around it
        bed.resolve(root)
    assert bed.resume().value == [1, 2]
    assert [job.intent for job in bed.engine.jobs] == ["one", "two", "two"]
    began = [payload["node"] for payload in bed.events("promise.began")]
    assert began.count("0.1") == 1
    assert began.count("0.2") == 2
