"""JSON, constants and arithmetic."""

from __future__ import annotations

import pytest

from mayfly.core import InputError, LimitError

from .conftest import Checks, Run

DATA = {"name": "Ada", "tags": ["x", {"y": 2}]}


def test_json_is_read_from_a_file(run: Run) -> None:
    assert run("read_json", {"path": "data.json"}) == DATA


@pytest.mark.parametrize(
    ("key", "value"), [("name", "Ada"), ("tags.1.y", 2), ("tags.-2", "x"), (["tags", 0], "x"), (None, DATA)]
)
def test_a_part_of_it_is_found_by_its_key(run: Run, key: object, value: object) -> None:
    assert run("read_json", {"path": "data.json", "key": key}) == value


@pytest.mark.parametrize("key", ["age", "tags.7", "name.first", "tags.y", 3])
def test_a_key_that_is_not_there_is_an_error(run: Run, key: object) -> None:
    with pytest.raises(InputError, match="there is no"):
        run("read_json", {"path": "data.json", "key": key})


def test_a_file_that_is_no_json_is_an_error(run: Run) -> None:
    with pytest.raises(InputError, match=r"a.txt is not JSON"):
        run("read_json", {"path": "a.txt"})


@pytest.mark.parametrize(("text", "value"), [('{"a": [1, null]}', {"a": [1, None]}), ("3", 3), ('"x"', "x")])
def test_json_text_is_parsed(run: Run, text: str, value: object) -> None:
    assert run("parse_json", {"text": text}) == value


@pytest.mark.parametrize("text", ["{", "NaN", "[1, Infinity]", '{"a": 1, "a": 2}', "[" * 5000, "[" * 102 + "]" * 102])
def test_what_is_no_json_or_means_two_things_is_an_error(run: Run, text: str) -> None:
    with pytest.raises(InputError):
        run("parse_json", {"text": text})


def test_data_that_the_text_does_not_hold_is_not_accepted(checks: Checks) -> None:
    assert checks("parse_json", {"text": "[1]"}, [1]) is True
    assert checks("parse_json", {"text": "[1]"}, [True]) is False
    assert checks("parse_json", {"text": "[1]"}, [1.0]) is True
    assert checks("parse_json", {"text": "[1]"}, [1.1]) is False
    assert checks("parse_json", {"text": "[1]"}, {1}) is False


@pytest.mark.parametrize("argument", ['{"b":1,"a":"é"}', {"b": 1, "a": "é"}])
def test_json_is_formatted_in_its_own_order(run: Run, argument: object) -> None:
    assert run("format_json", {"data": argument}) == '{\n  "b": 1,\n  "a": "é"\n}'


@pytest.mark.parametrize("argument", ["{", {"a": {1, 2}}, float("nan")])
def test_what_has_no_form_as_json_is_an_error(run: Run, argument: object) -> None:
    with pytest.raises(InputError):
        run("format_json", {"data": argument})


@pytest.mark.parametrize("value", [0, "", [], False, {"value": 3}])
def test_a_given_constant_is_returned_whatever_it_is(run: Run, value: object) -> None:
    assert run("return_constant", {"value": value}) == value


def test_another_constant_is_not_accepted(checks: Checks) -> None:
    assert checks("return_constant", {"value": 1}, True) is False
    assert checks("return_constant", {"value": 1}, 2) is False


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("2 + 2", 4),
        ("2 * (3 + 4)", 14),
        ("7 / 2", 3.5),
        ("0.1 + 0.2", 0.3),
        ("-7 // 2", -4),
        ("-7 % 3", 2),
        ("2 ** 100", 2**100),
        ("2 ^ 10", 1024),
        ("2 ** -1", 0.5),
        ("9 ** 0.5", 3),
        ("6 × 7", 42),
        ("12 ÷ 4 − 1", 2),
        ("1e3 + 1_000", 2000),
        ("3 ** 2 ** 2", 81),
        ("1/3*3", 1),
        ("10 ** 3000 + 1", 10**3000 + 1),
        ("2 + 2 =", 4),
    ],
)
def test_arithmetic_is_exact_where_it_can_be(run: Run, expression: str, value: float) -> None:
    assert run("calculate", {"expression": expression}) == value


@pytest.mark.parametrize(
    "expression",
    [
        "",
        "x",
        "__import__('os')",
        "(1).real",
        "[1][0]",
        "1 if 1 else 2",
        "True + 1",
        "'a' * 3",
        "1 < 2",
        "1j",
        "1 / 0",
        "0 ** -1",
        "(-8) ** 0.5",
        "1e999",
        "lambda: 1",
        "1 << 2",
        "(" * 300 + "1" + ")" * 300,
        "1;2",
        "1\n2",
    ],
)
def test_what_is_not_arithmetic_is_an_error(run: Run, expression: str) -> None:
    with pytest.raises(InputError):
        run("calculate", {"expression": expression})


@pytest.mark.parametrize(
    "expression",
    ["9 ** 9 ** 9", "10 ** 100000", "2 ** 10000 * 2 ** 10000", "-" * 150 + "1", "9**9999**9999", "(0.1 ** 9999) ** 9"],
)
def test_arithmetic_that_grows_without_end_is_a_limit(run: Run, expression: str) -> None:
    with pytest.raises((LimitError, InputError)):
        run("calculate", {"expression": expression})


def test_a_wrong_result_is_not_accepted(checks: Checks) -> None:
    assert checks("calculate", {"expression": "2 + 2"}, 5) is False
    assert checks("calculate", {"expression": "2 + 2"}, "4") is False
    assert checks("calculate", {"expression": "10 ** 3000 + 1"}, 10**3000) is False
    assert checks("calculate", {"expression": "1 / 3"}, 0.3334) is False
    assert checks("calculate", {"expression": "1 - 0.9"}, 0.1) is True


def test_the_value_at_a_key_is_taken_out_of_data(run: Run) -> None:
    assert run("get_value", {"data": DATA, "key": "tags.1.y"}) == 2
    assert run("parse_json", {"text": '{"a.b": 1}', "key": "a.b"}) == 1
