"""Shapes with an abstract base class."""

import math
from abc import ABC, abstractmethod

ARGUMENT = {"radius": 2, "sides": [3, 4]}


class Shape(ABC):
    @property
    @abstractmethod
    def area(self): ...

    def describe(self):
        return f"{type(self).__name__} of {self.area:.3f}"


class Circle(Shape):
    def __init__(self, radius):
        self.radius = radius

    @property
    def area(self):
        return math.pi * self.radius**2


class Rectangle(Shape):
    def __init__(self, width, height):
        self.width, self.height = width, height

    @property
    def area(self):
        return self.width * self.height


def main(argument):
    try:
        Shape()
    except TypeError as error:
        message = type(error).__name__
    return [Circle(argument["radius"]).describe(), Rectangle(*argument["sides"]).describe(), message]
