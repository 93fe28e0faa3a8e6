"""Annotations read at run time: get_type_hints, Annotated, Literal, overload, NewType, cast."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Annotated, Any, Final, Literal, NewType, Optional, Union, cast, get_args, get_origin, get_type_hints, overload

ARGUMENT = {"id": "7", "size": "3.5", "mode": "fast"}
UserId = NewType("UserId", int)
LIMIT: Final = 10


@dataclass
class Request:
    id: int
    size: float
    mode: Literal["fast", "slow"] = "slow"
    note: Optional[str] = None
    weight: Annotated[int, "grams"] = 0


@overload
def twice(value: int) -> int: ...
@overload
def twice(value: str) -> str: ...
def twice(value: Any) -> Any:
    return value * 2


def build(data: dict[str, str]) -> Request:
    hints = get_type_hints(Request)
    made = {name: hints[name](value) if isinstance(hints[name], type) else value for name, value in data.items()}
    return Request(**made)


def main(argument: dict[str, str]) -> dict[str, object]:
    hints = get_type_hints(Request, include_extras=True)
    return {
        "request": build(argument),
        "fields": [field.name for field in fields(Request)],
        "choices": get_args(hints["mode"]),
        "meta": hints["weight"].__metadata__,
        "union": get_origin(Union[int, str]) is Union,
        "id": UserId(5) + LIMIT,
        "twice": [twice(2), twice("ab")],
        "cast": cast(str, 5),
        "name": Request.__module__ == build.__module__,
    }
