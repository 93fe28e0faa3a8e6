"""The contract of a tool, read off its source: names, types, defaults; nothing is run."""

from __future__ import annotations

from typing import Any

import pytest

from mayfly.core import InputError, mismatch
from mayfly.library import callable_source, check_name, read_signature


def types(source: str, name: str = "f") -> tuple[dict[str, Any], dict[str, Any]]:
    found = read_signature(source, name)
    return dict(found.input_schema["properties"]), dict(found.output_schema)


@pytest.mark.parametrize(
    ("annotation", "schema"),
    [
        ("str", {"type": "string"}),
        ("int", {"type": "integer"}),
        ("float", {"type": "number"}),
        ("bool", {"type": "boolean"}),
        ("list[int]", {"type": "array", "items": {"type": "integer"}}),
        ("typing.Sequence[str]", {"type": "array", "items": {"type": "string"}}),
        ("dict[str, float]", {"type": "object", "additionalProperties": {"type": "number"}}),
        ("str | None", {"anyOf": [{"type": "string"}, {"type": "null"}]}),
        ("Optional[int]", {"anyOf": [{"type": "integer"}, {"type": "null"}]}),
        ("Literal['a', 'b']", {"enum": ["a", "b"]}),
        ("'list[str]'", {"type": "array", "items": {"type": "string"}}),
        ("object", {}),
        (
            "tuple[int, str]",
            {
                "type": "array",
                "prefixItems": [{"type": "integer"}, {"type": "string"}],
                "minItems": 2,
                "maxItems": 2,
            },
        ),
        ("tuple[int, ...]", {"type": "array", "items": {"type": "integer"}}),
        ("Rows", {"type": "array", "items": {"type": "string"}}),
        ("Point", {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}),
    ],
)
def test_annotations_become_schemas(annotation: str, schema: dict[str, Any]) -> None:
    source = (
        f"Rows = list[str]\n\n\nclass Point(TypedDict):\n    x: int\n\n\ndef f(a: {annotation}) -> {annotation}: ...\n"
    )
    given, gives = types(source)
    assert given["a"] == schema
    assert gives == schema


def test_defaults_are_optional_and_said() -> None:
    found = read_signature("def f(a: str, *, width: int = 80) -> str: ...\n", "f")
    assert found.required == ("a",)
    assert found.input_schema["properties"]["width"] == {"type": "integer", "default": 80}
    assert mismatch({"a": "x"}, found.input_schema) == ""
    assert "'b' is not known" in mismatch({"a": "x", "b": 1}, found.input_schema)


def test_a_class_with_invoke_is_a_tool_too() -> None:
    found = read_signature('class f:\n    """Do it."""\n\n    def invoke(self, a: int) -> int: ...\n', "f")
    assert (found.parameters, found.is_class, found.doc) == (("a",), True, "Do it.")
    assert "f().invoke(**argument)" in callable_source("", found)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def g(a: int) -> int: ...", "defines no function f, but g"),
        ("def f() -> int: ...", "takes nothing"),
        ("def f(*a: int) -> int: ...", "by the names of its parameters"),
        ("def f(a: int, /) -> int: ...", "by the names of its parameters"),
        ("def f(a) -> int: ...", "the parameter a has no type"),
        ("def f(a: int): ...", "the result has no type"),
        ("def f(a: Path) -> int: ...", "the parameter a is Path, which is not plain JSON"),
        ("@dataclass\nclass P:\n    x: int\n\ndef f(a: P) -> int: ...", "the parameter a is P"),
        ("class f:\n    x = 1", "has no method invoke"),
        ("def f(a: Literal[b'x']) -> int: ...", "the parameter a is b'x'"),
        ("def f(a: int -> int", "not Python"),
        ("def f(" + "(" * 500, "not Python"),
        ("", "defines no function f"),
    ],
)
def test_what_has_no_contract_is_refused_in_one_line(source: str, said: str) -> None:
    with pytest.raises(InputError, match=said.replace("(", r"\(")) as error:
        read_signature(source, "f")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", ["", "A", "1a", "a-b", "a b", "é", "import", "a" * 65, "../x", "a\nb", "_a"])
def test_s_40_a_name_is_small_letters_digits_and_underscores(name: str) -> None:
    with pytest.raises(InputError, match="cannot be the name of a tool"):
        check_name(name)


def test_examples_may_be_written_by_name_or_by_order() -> None:
    one = read_signature("def f(numeral: str) -> int: ...", "f")
    assert one.positional({"numeral": "IV"}) == "IV"
    assert one.positional("IV") == "IV"
    two = read_signature("def f(a: int, b: int = 2) -> int: ...", "f")
    assert two.positional({"a": 1}) == [1, 2]
    assert two.positional({"a": 1, "b": 5}) == [1, 5]
    record = read_signature("def f(row: dict[str, int]) -> int: ...", "f")
    assert record.positional({"row": 1}) == {"row": 1}


def test_the_same_types_have_the_same_shape_whatever_the_names() -> None:
    first = read_signature("def f(a: str, n: int = 1) -> int: ...", "f")
    second = read_signature("def g(text: str, count: int = 2) -> int: ...", "g")
    third = read_signature("def g(text: str, count: int = 2) -> str: ...", "g")
    assert first.shape == second.shape
    assert second.shape != third.shape


@pytest.mark.parametrize("default", ["b'x'", "1e999", "{1, 2}", "make()", "..."])
def test_a_default_that_json_cannot_carry_is_left_out(default: str) -> None:
    given, _ = types(f"def f(a: object = {default}) -> int: ...")
    assert given == {"a": {}}


@pytest.mark.parametrize(
    ("parameters", "given", "handed"),
    [
        ("text: str", "hi", "hi"),
        ("text: str", {"text": "hi"}, "hi"),
        ("text: str = 'a'", {}, {}),
        ("record: dict[str, int]", {"record": 1}, {"record": 1}),
        ("text: str, times: int = 1", "hi", ["hi"]),
        ("text: str, times: int = 1", ["hi", 2], ["hi", 2]),
        ("text: str, times: int = 1", {"text": "hi"}, ["hi", 1]),
        ("text: str, times: int = 1", {"text": "hi", "times": 3}, ["hi", 3]),
        ("items: list[int], most: int = 2", [1, 2], [[1, 2]]),
        ("items: list[int], most: int = 2", [[1, 2], 1], [[1, 2], 1]),
        ("items: list[int], most: int = 2", {"items": [1], "most": 1}, [[1], 1]),
        ("a: int, b: int", [1, 2], [1, 2]),
        ("a: int, b: int", {"b": 2, "a": 1}, [1, 2]),
        ("a: int = 1, b: int = 2", {"b": 5}, [1, 5]),
    ],
)
def test_an_input_is_written_by_name_by_order_or_alone(parameters: str, given: object, handed: object) -> None:
    signature = read_signature(f'def tool({parameters}) -> int:\n    """Do it."""\n    return 1\n', "tool")
    assert signature.positional(given) == handed
