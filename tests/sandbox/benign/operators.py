"""Operator overloading: a vector, a matrix and a polynomial."""

from numbers import Number

ARGUMENT = [[1, 2], [3, 4]]


class Vector:
    def __init__(self, *values):
        self.values = values

    def __add__(self, other):
        return Vector(*(a + b for a, b in zip(self.values, other.values, strict=True)))

    def __mul__(self, other):
        if isinstance(other, Number):
            return Vector(*(a * other for a in self.values))
        return sum(a * b for a, b in zip(self.values, other.values))

    __rmul__ = __mul__

    def __matmul__(self, other):
        return self * other

    def __neg__(self):
        return -1 * self

    def __abs__(self):
        return (self * self) ** 0.5

    def __getitem__(self, index):
        return self.values[index]

    def __repr__(self):
        return f"Vector{self.values}"

    def __bool__(self):
        return any(self.values)

    def __contains__(self, item):
        return item in self.values

    def __call__(self, x):
        return sum(c * x**i for i, c in enumerate(self.values))

    def __iadd__(self, other):
        self.values = (self + other).values
        return self


def main(argument):
    a, b = (Vector(*row) for row in argument)
    c = Vector(0, 0)
    c += a
    return {
        "sum": repr(a + b),
        "dot": a @ b,
        "scaled": repr(3 * a),
        "negated": repr(-a),
        "size": abs(b),
        "tests": [bool(c), 2 in a, bool(Vector(0, 0)), a[::-1]],
        "called": b(10),
    }
