"""What is under way is ended when the work has to end."""

from __future__ import annotations

from mayfly.core import Stop


def test_what_is_under_way_is_ended_once_and_what_is_over_is_not() -> None:
    stop, ended = Stop(), list[str]()
    with stop.ending(lambda: ended.append("over")):
        pass
    with stop.ending(lambda: ended.append("outer")), stop.ending(lambda: ended.append("inner")):
        assert not stop.cancelled
        stop.cancel()
        assert stop.cancelled
    assert ended == ["outer", "inner"]


def test_what_is_begun_too_late_is_ended_at_once() -> None:
    stop, ended = Stop(), list[str]()
    stop.cancel()
    with stop.ending(lambda: ended.append("late")):
        assert ended == ["late"]
