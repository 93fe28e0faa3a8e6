from __future__ import annotations

import asyncio
import threading
from types import SimpleNamespace
from typing import Any

import pytest

from mayfly.core import InputError, MayflyError
from mayfly.library import Committed, Invocation, NotSent
from mayfly.promise import Promise, Service, State, settle_effect, unknown_effects
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
        return {"sent": invocation.argument}


def send(intent: str = "send", **more: Any) -> Promise[Any]:
    return Promise(
        intent, ground="not sent", service=Service(kind="capability", name="send"), argument={"n": 1}, **more
    )


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
    bed.capability("send", receiver, effect="once", quick=True, target=lambda _: "http://shop/order")
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
        return SimpleNamespace(decision=decision, because=("outside the workspace",), id="d-7")

    bed.permit = permit
    bed.capability("send", receiver, effect="once", action="http_post", target=lambda _: "shop", payload=lambda _: "1")
    root = bed.resolve(send())
    assert (root.state, root.code) == (State.COLLAPSED, "DENIED")
    assert words in root.reason
    assert asked == [("http_post", "shop", "1")]
    assert receiver.calls == []
    assert effects(bed) == []


def test_without_rules_nothing_that_has_to_be_asked_for_is_done(bed: Bed, receiver: Receiver) -> None:
    bed.permit = None
    bed.capability("send", receiver, action="http_post")
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
        promise: Promise[Any] = Promise("x", ground=None, service=Service(kind="capability", name=name))
        assert bed.resolve(promise, run=f"r-{name}").code == "TEST"
    stop.set()


def test_an_unknown_capability_collapses_its_promise(bed: Bed) -> None:
    root = bed.resolve(send())
    assert (root.state, root.code) == (State.COLLAPSED, "LEAF_INPUT")


def test_a_capability_may_be_a_coroutine(bed: Bed) -> None:
    async def call(invocation: Invocation) -> object:
        await asyncio.sleep(0)
        return invocation.argument

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
