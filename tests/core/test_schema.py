"""The subset of JSON schema that capabilities use: what fits, and how what does not is told."""

import pytest

from mayfly.core import mismatch

PERSON = {
    "type": "object",
    "properties": {"name": {"type": "string", "minLength": 1}, "age": {"type": "integer", "minimum": 0}},
    "required": ["name"],
    "additionalProperties": False,
}
TREE = {"$ref": "#/$defs/node", "$defs": {"node": {"type": "array", "items": {"$ref": "#/$defs/node"}}}}


@pytest.mark.parametrize(
    ("value", "schema"),
    [
        ({"name": "Ada", "age": 36}, PERSON),
        (1, {}),
        (1, True),
        (1.0, {"type": "number"}),
        ([1, "a"], {"type": "array", "prefixItems": [{"type": "integer"}], "items": {"type": "string"}}),
        (None, {"type": ["string", "null"]}),
        ("b", {"enum": ["a", "b"]}),
        (True, {"const": True}),
        ("abc", {"anyOf": [{"type": "integer"}, {"type": "string"}]}),
        ([[], [[]]], TREE),
        ({"x": 1}, {"type": "object", "additionalProperties": {"type": "integer"}}),
        ("a.txt", {"type": "string", "not": {"pattern": "csv$"}}),
    ],
)
def test_what_fits_is_told_by_nothing(value: object, schema: dict[str, object]) -> None:
    assert mismatch(value, schema) == ""


@pytest.mark.parametrize(
    ("value", "schema", "told"),
    [
        ({}, PERSON, "name is missing"),
        ({"name": ""}, PERSON, "name is empty"),
        ({"name": "a", "age": -1}, PERSON, "age must be at least 0, not -1"),
        ({"name": "a", "age": True}, PERSON, "age must be a whole number, not true or false"),
        ({"name": "a", "age": 1.0}, PERSON, "age must be a whole number, not a number"),
        ({"name": "a", "x": 1}, PERSON, "'x' is not known; known are name, age"),
        ([1], PERSON, "the value must be a record, not a list"),
        (1, {"const": True}, "the value must be True, not 1"),
        ("c", {"enum": ["a", "b"]}, "the value must be one of 'a', 'b', not 'c'"),
        ([1, "x"], {"items": {"type": "integer"}}, "item 2 of the value must be a whole number, not text"),
        ("abc", {"maxLength": 2}, "the value has more than 2 characters"),
        ([1], {"type": "array", "minItems": 2}, "the value has fewer than 2 items"),
        ("a\n", {"pattern": "\\A[^\\n]*\\Z"}, "the value does not have the form"),
        (float("nan"), {"type": "number"}, "the value must be a number, not a float"),
        ("\ud800", {"type": "string"}, "half of a character"),
        ({"a": {"b": 1}}, {"properties": {"a": {"properties": {"b": {"type": "string"}}}}}, "b of a must be text"),
        ([[1]], TREE, "must be a list, not a whole number"),
        ("x.csv", {"not": {"pattern": "csv$"}}, "what it may not be"),
    ],
)
def test_what_does_not_fit_is_told_in_words(value: object, schema: dict[str, object], told: str) -> None:
    assert told in mismatch(value, schema)


def test_a_schema_that_refers_to_itself_without_end_ends() -> None:
    assert "nested deeper" in mismatch(1, {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}})
