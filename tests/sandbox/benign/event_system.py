"""An observer with weak callbacks, a plugin registry and simple dependency injection."""

from collections import defaultdict
from collections.abc import Callable
from typing import Any, Self

ARGUMENT = ["saved", "deleted", "saved"]


class Bus:
    def __init__(self) -> None:
        self.handlers: dict[str, list[Callable[..., Any]]] = defaultdict(list)

    def on(self, name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        def register(function: Callable[..., Any]) -> Callable[..., Any]:
            self.handlers[name].append(function)
            return function

        return register

    def emit(self, name: str, **data: Any) -> list[Any]:
        return [handler(**data) for handler in self.handlers[name]]


class Query:
    def __init__(self) -> None:
        self.parts: list[str] = []

    def where(self, **conditions: Any) -> Self:
        self.parts += [f"{key} = {value!r}" for key, value in conditions.items()]
        return self

    def __str__(self) -> str:
        return " AND ".join(self.parts)


def main(argument):
    bus, log = Bus(), []

    @bus.on("saved")
    def first(number):
        log.append(f"first {number}")
        return number

    @bus.on("saved")
    @bus.on("deleted")
    def second(number):
        return -number

    results = [bus.emit(name, number=number) for number, name in enumerate(argument)]
    return {"results": results, "log": log, "query": str(Query().where(a=1, b="x").where(c=None))}
