"""Assignment expressions and structural pattern matching."""

from dataclasses import dataclass

ARGUMENT = [["move", 1, 2], {"type": "say", "text": "hi", "extra": 1}, 42, "quit", [1, 2, 3, 4], None, -7, ["stop"]]


@dataclass
class Move:
    x: int
    y: int


def describe(value):
    match value:
        case Move(x=0, y=0):
            return "nowhere"
        case Move(x, y):
            return f"move to {x},{y}"
        case ["move", int(x), int(y)]:
            return describe(Move(x, y))
        case {"type": "say", "text": str(text), **rest}:
            return f"say {text} with {len(rest)} more"
        case int(n) if n < 0:
            return f"negative {n}"
        case int() | float():
            return f"number {value}"
        case [first, *_, last] if first != last:
            return f"from {first} to {last}"
        case "quit" | ["stop"]:
            return "end"
        case None:
            return "nothing"
        case _:
            return "unknown"


def main(argument):
    data = iter([3, 1, 4, 0, 5])
    taken = []
    while (item := next(data)) != 0:
        taken.append(item)
    long = [length for text in ("a", "bbb", "cc") if (length := len(text)) > 1]
    return {"said": [describe(value) for value in argument], "taken": taken, "long": long}
