"""A pickle round trip of our own classes."""

import pickle
from dataclasses import dataclass, field

ARGUMENT = [1, 2, 3]


@dataclass
class Basket:
    items: list = field(default_factory=list)


class Counter:
    def __init__(self, start):
        self.start, self.cache = start, {"big": 1}

    def __getstate__(self):
        return {"start": self.start}

    def __setstate__(self, state):
        self.start, self.cache = state["start"], {}


def main(argument):
    basket = pickle.loads(pickle.dumps(Basket(argument)))
    counter = pickle.loads(pickle.dumps(Counter(5), protocol=4))
    return {"basket": basket, "equal": basket == Basket(argument), "counter": [counter.start, counter.cache]}
