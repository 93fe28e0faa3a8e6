"""Class features: multiple inheritance, super, class methods, private names, __getattr__, __missing__."""

ARGUMENT = 3


class Base:
    def __init__(self, **options):
        self.order = [*getattr(self, "order", []), "Base"]

    def who(self):
        return ["Base"]


class Left(Base):
    def __init__(self, left=1, **options):
        super().__init__(**options)
        self.__hidden = left

    def who(self):
        return ["Left", *super().who()]

    def reveal(self):
        return self.__hidden


class Right(Base):
    def who(self):
        return ["Right", *super().who()]


class Both(Left, Right):
    def who(self):
        return ["Both", *super().who()]


class Proxy:
    def __init__(self, target):
        self._target = target

    def __getattr__(self, name):
        return getattr(self._target, name)


class Squares(dict):
    def __missing__(self, key):
        self[key] = key * key
        return self[key]


class Temperature:
    def __init__(self, celsius):
        self.celsius = celsius

    @classmethod
    def from_fahrenheit(cls, degrees):
        return cls((degrees - 32) * 5 / 9)

    @property
    def kelvin(self):
        return self.celsius + 273.15

    @kelvin.setter
    def kelvin(self, value):
        self.celsius = value - 273.15

    @staticmethod
    def valid(value):
        return value >= -273.15


def main(argument):
    both, squares = Both(left=argument), Squares()
    warm = Temperature.from_fahrenheit(212)
    warm.kelvin = 300
    return {
        "who": both.who(),
        "mro": [cls.__name__ for cls in Both.__mro__],
        "hidden": [both.reveal(), hasattr(both, "_Left__hidden"), hasattr(both, "__hidden")],
        "proxy": Proxy("text").upper(),
        "squares": [squares[4], dict(squares)],
        "warm": round(warm.celsius, 2),
        "valid": Temperature.valid(-300),
        "fields": sorted(both.__dict__),
    }
