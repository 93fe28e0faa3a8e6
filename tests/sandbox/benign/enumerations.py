"""Enum, IntEnum, StrEnum and Flag."""

from enum import Enum, Flag, IntEnum, StrEnum, auto, unique

ARGUMENT = ["red", "blue", "red"]


@unique
class Colour(Enum):
    RED = "red"
    GREEN = "green"
    BLUE = "blue"

    @classmethod
    def parse(cls, text):
        return cls(text.lower())


class Level(IntEnum):
    LOW = 1
    HIGH = 10


class Role(StrEnum):
    ADMIN = auto()
    GUEST = auto()


class Right(Flag):
    READ = auto()
    WRITE = auto()
    ALL = READ | WRITE


def main(argument):
    colours = [Colour.parse(text) for text in argument]
    return {
        "names": [colour.name for colour in colours],
        "levels": sorted([Level.HIGH, Level.LOW]),
        "role": Role.ADMIN,
        "rights": (Right.READ | Right.WRITE) == Right.ALL,
        "has_write": Right.WRITE in Right.READ,
        "members": list(Colour.__members__),
        "text": f"{Colour.RED} {Level.LOW} {Role.GUEST} {Right.ALL!r}",
    }
