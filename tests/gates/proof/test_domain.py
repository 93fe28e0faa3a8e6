"""Inputs that can occur: types never change, formats stay, and the same content gives the same inputs."""

import ast
import re
from random import Random

import pytest

from mayfly.gates import Entry, find_entry
from mayfly.gates.proof._domain import Domain, Shape


def entry(source: str) -> Entry:
    return find_entry(ast.parse(source))


ONE = entry("def f(x: object) -> int:\n    return 0\n")
TWO = entry("def f(items: list[int], word: str) -> int:\n    return 0\n")
CALLS: list[object] = [[[3, 1, 2], "ab"], [[5, 9, 7, 1], "c"]]


def made(known: list[object], count: int = 60, *, of: Entry = ONE) -> list[object]:
    return [given.input for given in Domain(of, known).make(count)]


def test_the_same_content_gives_the_same_inputs_in_whatever_order() -> None:
    assert made(CALLS, of=TWO) == made(CALLS[::-1], of=TWO)


def test_arguments_keep_their_types() -> None:
    for given in made(CALLS, of=TWO):
        assert isinstance(given, list)
        assert [type(part) for part in given] == [list, str]


def test_no_known_input_is_made_again_and_none_that_cannot_be() -> None:
    found = made(CALLS, of=TWO)
    assert not [given for given in found if given in CALLS]
    never = found[:3]
    again = [given.input for given in Domain(TWO, CALLS, never=never).make(60)]
    assert not [given for given in again if given in never]


def test_texts_keep_their_format() -> None:
    known: list[object] = ["2025-03-14 09:12:01", "2024-11-02 23:59:10", "2025-07-30 00:00:00"]
    found = made(known)
    assert len(found) > 10
    for text in found:
        assert isinstance(text, str)
        assert re.fullmatch(
            r"202[45]-(0[3-9]|1[01])-(0[2-9]|[12][0-9]|30) ([01][0-9]|2[0-3]):[0-5][0-9]:(0[0-9]|10)", text
        )


def test_numbers_stay_between_those_that_were_seen() -> None:
    found = made([3, 250, 17])
    assert all(isinstance(number, int) and 3 <= number <= 250 for number in found)
    assert all(isinstance(number, float) for number in made([0.5, 2.25]))


def test_records_keep_the_keys_that_all_have() -> None:
    known: list[object] = [{"id": 1, "tags": ["a"]}, {"id": 7, "tags": ["b", "c"], "note": "x"}]
    for record in made(known):
        assert isinstance(record, dict)
        assert {"id", "tags"} <= record.keys() <= {"id", "tags", "note"}
        assert isinstance(record["tags"], list)


def test_a_list_is_empty_only_where_one_was() -> None:
    assert [] not in made([[1, 2], [3]])
    holding: list[object] = [{"tags": []}, {"tags": ["a"]}, {"tags": ["b", "c"]}]
    assert {"tags": []} not in made(holding)
    assert any(isinstance(one, dict) and one["tags"] == ["a", "a"] for one in made(holding, 300))


@pytest.mark.parametrize(
    ("known", "holds"),
    [
        ([[1, 2, 3], [2, 5, 8], [1, 4, 9]], lambda value: value == sorted(value)),
        ([[1, 3, 2], [2, 8, 5], [9, 1, 4]], lambda value: len(set(value)) == len(value)),
    ],
)
def test_order_and_difference_of_all_lists_are_kept(known: list[object], holds: object) -> None:
    assert callable(holds)
    assert all(holds(given) for given in made(known))


def test_relations_between_arguments_are_kept() -> None:
    pair = entry("def f(a: list[int], b: list[int]) -> int:\n    return 0\n")
    for given in made([[[1, 2], [3, 4]], [[1], [2]], [[5, 6, 7], [1, 1, 1]]], of=pair):
        assert isinstance(given, list)
        assert len(given[0]) == len(given[1])


def test_a_pattern_of_the_contract_holds_for_every_text() -> None:
    domain = Domain(ONE, ["ab-12", "cd-7"], pattern=r"[a-z]{2}-[0-9]+")
    assert all(re.fullmatch(r"[a-z]{2}-[0-9]+", str(given.input)) for given in domain.make(40))


def test_nothing_known_gives_nothing() -> None:
    assert made([]) == []


def test_a_mapping_keeps_the_form_of_its_keys() -> None:
    known = [{f"k{at}": at for at in range(start, start + 8)} for start in (0, 8, 16, 24)]
    shape = Shape(known)
    assert shape.mapping
    found = shape.another(known[0], Random(1))
    assert isinstance(found, dict)
    assert all(re.fullmatch(r"k[0-9]+", key) for key in found)
