from __future__ import annotations

import gc
import time
from itertools import count

import pytest

from mayfly.core import Example
from mayfly.synthesis.examples import synthesize
from synthesis.examples.helpers import learn


def test_no_examples_are_refused_with_what_is_needed() -> None:
    found = synthesize([])
    assert not found.programs
    assert "no examples" in found.reason


def test_contradicting_examples_are_named() -> None:
    found = learn([("x", "1"), ("y", "2"), ("x", "3")])
    assert not found.programs
    assert found.reason == "the examples contradict each other: 'x' gives both '1' and '3'"


def test_what_cannot_be_done_is_said_with_what_would_help() -> None:
    found = learn([([3, 1], {"k": [1, {"deep": "q"}]}), ([4], {"z": [7, {"deep": "r"}]})], seconds=2.0)
    assert not found.programs
    assert "more examples" in found.reason
    assert "model" in found.reason


def test_one_example_is_never_enough_for_a_claim() -> None:
    found = learn([("Ada King", "King")])
    assert found.programs
    assert not found.confident


def test_three_examples_that_predict_each_other_are() -> None:
    assert learn([("Ada King", "King"), ("Bo Li", "Li"), ("Cy Ray", "Ray")]).confident


def test_rivals_lead_to_a_question_about_a_probe() -> None:
    found = learn([("10-20", "20"), ("30-40", "40")], probes=["50-60-70"])
    assert not found.confident
    assert found.question is not None
    assert found.question.input == "50-60-70"
    assert {"60", "70"} <= set(found.question.answers)


def test_the_answer_to_the_question_settles_it() -> None:
    pairs = [("10-20", "20"), ("30-40", "40")]
    for answer in ("60", "70"):
        found = learn([*pairs, ("50-60-70", answer)])
        assert found.programs[0].apply("1-2-3") == ("2" if answer == "60" else "3")


def test_a_program_that_fails_on_a_probe_is_not_believed() -> None:
    pairs = [("a1", "1"), ("b2", "2"), ("c3", "3")]
    assert learn(pairs, probes=["d4", "e5"]).confident
    found = learn(pairs, probes=["d4", "none"])
    assert not found.confident
    assert found.question is not None
    assert found.question.input == "none"


def test_probes_decide_how_a_date_is_read() -> None:
    pairs = [("03/04/2020", "2020"), ("05/06/2021", "2021")]
    found = learn([*pairs, ("01/02/2022", "2022")], probes=["25/12/2020"])
    assert found.programs[0].apply("25/12/2020") == "2020"


def test_examples_decide_how_an_ambiguous_date_is_read() -> None:
    found = learn([("03/04/2020", "3 April 2020"), ("05/06/2021", "5 June 2021"), ("01/02/2022", "1 February 2022")])
    assert found.programs[0].apply("07/08/2023") == "7 August 2023"


def test_a_table_knows_only_what_it_was_shown() -> None:
    found = learn([("M", "male"), ("F", "female"), ("U", "unknown")])
    assert found.programs[0].apply("F") == "female"
    assert not found.confident
    with pytest.raises(ValueError, match="known values"):
        found.programs[0].apply("Q")


def test_an_arm_that_rests_on_one_example_is_not_claimed() -> None:
    found = learn([("12", "12"), ("7", "7"), ("", "none"), ("31", "31")])
    assert found.programs[0].apply("") == "none"
    assert found.programs[0].apply("58") == "58"
    assert not found.confident


def test_missing_values_get_their_own_arm() -> None:
    found = learn([({"n": None}, "?"), ({"n": "a"}, "A"), ({"n": None}, "?"), ({"n": "bc"}, "BC")])
    assert found.programs[0].apply({"n": None}) == "?"
    assert found.programs[0].apply({"n": "xyz"}) == "XYZ"


def test_programs_are_ranked_and_differ() -> None:
    found = learn([("ab cd", "cd"), ("ef gh", "gh")], rivals=5)
    costs = [program.cost for program in found.programs]
    assert costs == sorted(costs)
    assert len({program.source for program in found.programs}) == len(costs) <= 5


def test_many_examples_are_all_fitted() -> None:
    pairs = [(f"item {number:03d} of {number * 7}", str(number * 7)) for number in range(1, 60)]
    found = learn(pairs)
    assert found.confident
    assert all(found.programs[0].apply(given) == output for given, output in pairs)


def test_an_exception_late_in_the_list_is_not_overlooked() -> None:
    pairs = [(f"a{number}", str(number)) for number in range(20)] + [("", "empty"), (" ", "empty")]
    found = learn(pairs)
    assert all(found.programs[0].apply(given) == output for given, output in pairs) if found.programs else found.reason


def test_tuples_count_as_lists() -> None:
    found = synthesize([Example(input=("a", "b"), output="a b"), Example(input=("c", "d"), output="c d")])
    assert found.programs[0].apply(("x", "y")) == "x y"


def test_true_is_not_one() -> None:
    found = learn([(2, True), (3, False), (10, True), (7, False)])
    assert found.programs[0].apply(4) is True


def test_no_time_is_said_and_not_hidden() -> None:
    found = learn([("a b", "b a"), ("c d", "d c")], seconds=0.0)
    assert not found.programs
    assert "0 seconds" in found.reason


def test_what_is_found_does_not_depend_on_what_else_the_machine_does(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = [("Ada King", "KING, A."), ("Bo Li", "LI, B."), ("Cy Ray", "RAY, C.")]
    alone, hours = learn(pairs), count(0, 3600)
    monkeypatch.setattr(time, "monotonic", lambda: float(next(hours)))
    beside = learn(pairs)
    assert [program.source for program in beside.programs] == [program.source for program in alone.programs] != []


def test_the_description_is_in_plain_words() -> None:
    found = learn([("Ada King", "King"), ("Bo Li", "Li"), ("Cy Ray", "Ray")])
    assert found.programs[0].description == "Give word the last one of the input."


def test_an_input_that_does_not_fit_the_parameters_is_named() -> None:
    found = learn([([1, 2], 3), ([1], 1)], name="add", parameters=("left", "right"))
    assert "[1]" in found.reason


def test_a_name_that_is_no_identifier_becomes_one() -> None:
    found = learn([("Ada King", "King"), ("Bo Li", "Li")], name="last name")
    assert found.programs[0].entry == "LastName"


def test_lists_that_are_all_empty_in_one_arm_are_no_error() -> None:
    found = learn([([""], 0), ({"a": "x", "b": [["", 0]]}, [])], seconds=2.0)
    assert found.reason or found.programs


DURATIONS = ("1h30m", "45m", "2h", "10h05m", "3h15m20s", "50s", "1d2h", "7m30s")


@pytest.mark.later
@pytest.mark.parametrize("write", [int, str], ids=["numbers", "texts"])
def test_a_search_that_finds_nothing_ends_at_its_limit(write: type) -> None:
    pairs = [(given, write(sum(map(ord, given)) * 7919 % 1000)) for given in DURATIONS]
    # The garbage of a large test process is not what is measured.
    gc.disable()
    try:
        began = time.thread_time()
        learn(pairs, seconds=1.0)
        assert time.thread_time() - began < 2.5
    finally:
        gc.enable()


def test_rows_are_no_items() -> None:
    found = learn([([["a", "b"], ["c", "d"]], "a,b\nc,d"), ([["x"], ["y"]], "x\ny"), ([["p", "q"]], "p,q")])
    for program in found.programs:
        assert program.apply([["a", "b"], ["c", "d"]]) == "a,b\nc,d"


@pytest.mark.parametrize(
    ("pairs", "probes"),
    [
        ([("red", "stop"), ("green", "go"), ("blue", "stop"), ("pink", "stop")], ["red", "teal"]),
        ([("a kiwi 3", "-"), ("a plum 4", "4"), ("a kiwi 5", "-"), ("a pear 9", "9"), ("a kiwi 1", "-")], ["a fig 5"]),
        ([("a1", "ok"), ("b2", "ok"), ("c3", "ok")], ["d4", "e5"]),
        ([("a1", "1"), ("", "none"), ("b22", "22"), ("c3", "3")], ["d4"]),
    ],
    ids=["a table with a default", "a question about a word", "a constant", "an arm for one example"],
)
def test_what_says_no_more_than_it_was_shown_is_not_claimed(pairs: list[tuple[str, str]], probes: list[str]) -> None:
    found = learn(pairs, probes=probes)
    assert found.programs
    assert not found.confident


def test_answers_that_look_like_no_example_are_not_claimed() -> None:
    pairs = [("20-30-41", "20-30-41"), ("(52) 94 22", "52-94-22"), ("(17) 19 45", "17-19-45")]
    assert learn(pairs, probes=["89-38-90", "(24) 55 19"]).confident
    assert not learn(pairs, probes=["89-38-90", "95-12"]).confident


def test_whether_a_place_is_filled_up_is_asked_where_an_input_shows_it() -> None:
    pairs = [("4.512", "4.5 mm"), ("61.27", "61.3 mm"), ("7.84113", "7.8 mm")]
    assert learn(pairs, probes=["9.664"]).confident
    found = learn(pairs, probes=["9.664", "5"])
    assert {program.apply("5") for program in found.programs} >= {"5.0 mm", "5 mm"}


def test_a_short_year_has_two_digits() -> None:
    found = learn([("2023-04-17", "Apr 23"), ("2019-11-02", "Nov 19"), ("2021-07-30", "Jul 21")])
    assert found.programs[0].apply("2005-10-21") == "Oct 05"


LINES = [("ERROR disk full", True), ("ERROR timeout", True), ("ERROR no route", True)]
OTHERS = [("INFO ERROR seen", False), ("INFO stopped", False), ("WARN slow", False)]


@pytest.mark.first(3)
@pytest.mark.parametrize(
    ("pairs", "intent"),
    [
        ([("red bus", True), ("blue car", False), ("old van", False), ("big cab", False)], "Can it carry many people?"),
        ([("anna", True), ("paul", True), ("greg", False), ("todd", False)], "Is she on the list?"),
        ([("kiwi", True), ("fig", True), ("lime", True), ("orange", False), ("tangerine", False)], "Is it green?"),
        ([(20, True), (35, True), (60, True), (80, True), (3, False), (5, False), (9, False), (1, False)], "Adult?"),
        ([("a", True), ("b", True), ("c", True), ("d", True)], "Is it fine?"),
        ([("oak", 1), ("elm", 1), ("birch", 3), ("pine", 2)], "how hard the wood is"),
        ([("oak", 1), ("plum", 1), ("granite", 0), ("marble", 0)], "1 for wood"),
    ],
    ids=["one of a class", "a shared letter", "a length", "a gap between limits", "one class", "few numbers", "0 or 1"],
)
def test_a_class_by_accident_is_not_claimed(pairs: list[tuple[object, object]], intent: str) -> None:
    for further in ([], [pairs[0][0]], ["something else"] if isinstance(pairs[0][0], str) else [17]):
        assert not learn(pairs, intent=intent, probes=further).confident


@pytest.mark.parametrize(
    ("pairs", "intent"),
    [
        ([*LINES, *OTHERS], "Does the line start with ERROR?"),
        ([(101, True), (150, True), (400, True), (100, False), (99, False), (20, False)], "Is the amount over 100?"),
        ([({"id": n, "paid": n > 2}, n > 2) for n in range(1, 5)], "Has the order been paid?"),
        ([("a1", True), ("7", True), ("x 9 y", True), ("route 66", True), ("b", False), ("c d", False), ("!", False),
          ("No", False)], "Does it have a digit?"),
        ([([1, 2, 3, 4], [2, 4]), ([5, 6], [6]), ([8, 9, 10], [8, 10])], "keep the even numbers"),
        ([("a b", 2), ("one two three", 3), ("x", 1)], "number of words"),
    ],
    ids=["a word that is named", "a limit", "a field that is named", "enough examples", "items", "named numbers"],
)  # fmt: skip
def test_a_class_that_examples_and_words_settle_is_claimed(pairs: list[tuple[object, object]], intent: str) -> None:
    assert learn(pairs, intent=intent).confident


@pytest.mark.parametrize(
    ("pairs", "intent", "asked"),
    [
        # Whether capital letters matter, where the word stands, and whether the other field matters: nothing says so.
        ([(f"{word} ok", True) for word in ("done", "done it", "done all")]
         + [("well done", False), ("todo", False), ("open", False)], "Does it start with done?", None),
        ([*LINES, ("INFO a", False), ("WARN b", False), ("DEBUG c", False)], "Does the line have an ERROR?", None),
        ([({"total": total, "vip": False}, total > 50) for total in (51, 60, 70, 80, 50, 49, 20, 5)],
         "total above 50", None),
    ],
    ids=["letters", "place", "field"],
)  # fmt: skip
def test_a_rival_question_is_asked_about(pairs: list[tuple[object, object]], intent: str, asked: object | None) -> None:
    found = learn(pairs, intent=intent)
    assert not found.confident
    assert found.question is not None
    assert asked is None or found.question.input == asked
    assert set(found.question.answers) == {True, False}


def test_a_condition_of_several_needs_more_than_one_that_happens_to_fit() -> None:
    pairs = [({"age": age, "member": age > 18}, age > 18) for age in (20, 30, 40, 9, 10, 11)]
    assert not learn(pairs, intent="Is it an adult and a member?").confident


def test_what_one_person_more_answers_settles_a_class() -> None:
    pairs = [*LINES, ("INFO a", False), ("WARN b", False), ("DEBUG c", False)]
    found = learn(pairs, intent="Does the line have an ERROR?")
    for _ in range(3):
        if found.question is None:
            break
        pairs.append((found.question.input, "ERROR" in str(found.question.input)))  # type: ignore[arg-type]
        found = learn(pairs, intent="Does the line have an ERROR?")
    assert found.confident
