"""Which outputs are classes, and which class has too few examples."""

from __future__ import annotations

import pytest

from mayfly.core import Example, missing_class, sorts_into_classes


def examples(*pairs: tuple[object, object]) -> list[Example]:
    return [Example(input=given, output=output) for given, output in pairs]


@pytest.mark.parametrize(
    ("pairs", "classes"),
    [
        ([("a", True)], True),
        ([("a", "x"), ("b", "x"), ("c", "y"), ("d", "y")], True),
        ([("a", 1), ("b", 1), ("c", 2), ("d", 2)], True),
        ([("a", None), ("b", "q")], True),
        ([("a", {"n": "A", "ok": True}), ("b", {"n": "B", "ok": False})], True),
        ([([1, 2], [True, False])], True),
        ([("a", "x"), ("b", "y")], False),
        ([("1 ERROR", "ERROR"), ("2 ERROR", "ERROR"), ("3 INFO", "INFO"), ("4 INFO", "INFO")], False),
        ([("a", {"kind": "line"}), ("b", {"kind": "line"})], False),
        ([([1], [1]), ([1, 2], [])], False),
        ([("a", 1.5), ("b", 2.5), ("c", 1.5)], False),
        ([], False),
    ],
)
def test_classes_are_truths_missing_values_and_labels_that_come_again(
    pairs: list[tuple[object, object]], classes: bool
) -> None:
    assert sorts_into_classes(examples(*pairs)) is classes


@pytest.mark.parametrize(
    ("pairs", "told"),
    [
        ([("a", True), ("b", False), ("c", False)], "the class true has one example; two are needed"),
        ([("a", True), ("b", True)], "every example gives true"),
        ([("a", "hi"), ("b", "hi"), ("c", "hi"), ("d", "lo")], 'the class "lo" has one example'),
        ([("a", None), ("b", "p"), ("c", "q")], "the class null has one example"),
        ([("a", {"ok": True}), ("b", {"ok": False}), ("c", {"ok": True})], "the class false of ok has one example"),
        ([("a", True), ("b", True), ("c", False), ("d", False)], ""),
        ([("a", "x"), ("b", "y")], ""),
    ],
)
def test_the_class_that_lacks_an_example_is_named(pairs: list[tuple[object, object]], told: str) -> None:
    said = missing_class(examples(*pairs))
    assert said.startswith(told) if told else not said
    assert not said or "--examples" in said


def test_further_cases_count_for_the_classes_of_the_examples() -> None:
    known = examples(("a", True), ("b", False), ("c", False))
    assert missing_class(known, examples(("d", True))) == ""
    # Labels that only further cases have need no second one.
    assert missing_class(examples(("a", 1), ("b", 1), ("c", 2), ("d", 2)), examples(("e", 3))) == ""
