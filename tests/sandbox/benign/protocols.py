"""A Protocol checked at run time."""

from typing import Protocol, runtime_checkable

ARGUMENT = [3, 4]


@runtime_checkable
class HasArea(Protocol):
    def area(self) -> float: ...


class Square:
    def __init__(self, side):
        self.side = side

    def area(self):
        return self.side**2


class Line:
    pass


def main(argument):
    things = [Square(argument[0]), Line(), Square(argument[1])]
    return [thing.area() if isinstance(thing, HasArea) else None for thing in things]
