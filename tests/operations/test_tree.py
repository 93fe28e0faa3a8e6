"""Places of a tree: who is the last of its siblings, and who comes after whom."""

from cli.trees import sample
from mayfly.operations import ground_reason, is_ground, places


def test_places_come_in_the_order_of_the_tree() -> None:
    assert [place.promise.id for place in places(sample())] == ["0", "0.1", "0.1.1", "0.1.2", "0.2", "0.2.1"]


def test_each_place_knows_whether_it_and_those_above_are_the_last() -> None:
    last = {place.promise.id: place.last for place in places(sample())}
    assert last["0"] == ()
    assert last["0.1"] == (False,)
    assert last["0.1.2"] == (False, True)
    assert last["0.2.1"] == (True, True)


def test_a_need_is_told_by_the_intent_of_the_sibling() -> None:
    after = {place.promise.id: place.after for place in places(sample())}
    assert after["0.2"] == ("Diagnose the bug",)
    assert after["0.1"] == ()


def test_what_nothing_serves_is_ground_and_says_why() -> None:
    leaf = list(sample().walk())[-1]
    assert is_ground(leaf)
    assert ground_reason(leaf) == "needs a model (--model)"
