"""A traffic light, a vending machine and a parser as state machines."""

from enum import Enum, auto

ARGUMENT = 'key="a, b" other=2 flag'


class State(Enum):
    KEY = auto()
    VALUE = auto()
    QUOTED = auto()


def parse(text):
    state, key, value, found = State.KEY, "", "", {}
    for character in text + " ":
        match state, character:
            case State.KEY, "=":
                state = State.VALUE
            case State.KEY, " ":
                if key:
                    found[key] = True
                key = ""
            case State.KEY, _:
                key += character
            case State.VALUE, '"':
                state = State.QUOTED
            case State.VALUE, " ":
                found[key], key, value, state = value, "", "", State.KEY
            case State.QUOTED, '"':
                state = State.VALUE
            case _:
                value += character
    return found


def lights(steps):
    cycle = {"red": "green", "green": "amber", "amber": "red"}
    light = "red"
    for _ in range(steps):
        yield light
        light = cycle[light]


def main(argument):
    return {"parsed": parse(argument), "lights": list(lights(7))}
