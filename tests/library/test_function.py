"""Functions of the host's own program as capabilities."""

import asyncio
from dataclasses import dataclass
from typing import Any, Literal, TypedDict

import pytest

import mayfly
from mayfly.core import Capability, InputError, Invocation, Tier


@mayfly.capability(does=[("double", "number")])
def double(number: int, *, times: int = 1) -> int:
    """Double a number.

    As often as it is said.
    """
    return number << times


def test_name_summary_and_schemas_are_those_of_the_function() -> None:
    assert isinstance(double, Capability)
    assert (double.name, double.summary, double.tier) == ("double", "Double a number.", Tier.AUTHORED)
    assert double.does == (("double", "number"),)
    assert double.input_schema == {
        "type": "object",
        "properties": {"number": {"type": "integer"}, "times": {"type": "integer", "default": 1}},
        "required": ["number"],
        "additionalProperties": False,
    }
    assert double.output_schema == {"type": "integer"}


def test_it_is_called_by_arguments_and_still_is_a_function() -> None:
    assert asyncio.run(double.invoke({"number": 3, "times": 2})) == 12
    assert double(3) == 6


def test_a_parameter_for_the_call_is_given_it_and_is_no_argument() -> None:
    @mayfly.capability(effect="idempotent")
    async def send(text: str, call: Invocation) -> str:
        """Send."""
        return f"{text} {call.key}"

    assert list(send.input_schema["properties"]) == ["text"]
    assert asyncio.run(send.invoke(Invocation(arguments={"text": "hi"}, key="k"))) == "hi k"


class Point(TypedDict):
    x: int


@dataclass(frozen=True)
class Record:
    x: int


def test_annotations_become_schemas() -> None:
    @mayfly.capability()
    def draw(points: list[Point], colour: Literal["red", "blue"] = "red", more: dict[str, Any] | None = None) -> None:
        """Draw."""

    assert asyncio.run(draw.invoke({"points": [{"x": 1}]})) is None
    for wrong in ({"points": [{"x": "a"}]}, {"points": [], "colour": "green"}, {}, {"points": [], "other": 1}):
        with pytest.raises(InputError):
            asyncio.run(draw.invoke(wrong))


def test_what_has_no_schema_is_refused_at_once() -> None:
    with pytest.raises(InputError, match="the parameter value has no schema"):

        @mayfly.capability()
        def untyped(value) -> None:  # type: ignore[no-untyped-def]
            """Do."""

    with pytest.raises(InputError, match="the parameter values has no schema"):

        @mayfly.capability()
        def many(*values: int) -> None:
            """Do."""

    for kind in (Record, bytes):

        def taking(value: Any) -> None:
            """Do."""

        taking.__annotations__["value"] = kind
        with pytest.raises(InputError, match="not plain JSON"):
            mayfly.capability()(taking)
