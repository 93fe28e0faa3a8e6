"""vars() and dir() as models use them to look at objects."""

ARGUMENT = [1, 2]


class Point:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def norm(self):
        return (self.x**2 + self.y**2) ** 0.5


def main(argument):
    point = Point(*argument)
    return {
        "vars": vars(point),
        "public": [name for name in dir(point) if not name.startswith("_")],
        "methods": sorted(name for name, value in vars(Point).items() if callable(value)),
        "joined": ", ".join(f"{key}={value}" for key, value in vars(point).items()),
    }
