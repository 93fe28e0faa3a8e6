"""pprint, reprlib and copies."""

import copy
import pprint
import reprlib

ARGUMENT = {"name": "x" * 30, "items": [{"id": n, "tags": ["a", "b"]} for n in range(4)]}


class Node:
    def __init__(self, value, children=()):
        self.value, self.children = value, list(children)

    def __copy__(self):
        return Node(self.value, self.children)


def main(argument):
    pprint.pprint(argument, width=60)
    deep, shallow = copy.deepcopy(argument), copy.copy(argument)
    deep["items"][0]["id"] = 99
    ring = [1]
    ring.append(ring)
    node = Node(1, [Node(2)])
    return {
        "text": pprint.pformat(argument, width=50, compact=True),
        "short": reprlib.repr(list(range(100))),
        "independent": argument["items"][0]["id"],
        "shared": shallow["items"] is argument["items"],
        "ring": repr(ring),
        "deep_ring": copy.deepcopy(ring)[1][0],
        "node": copy.deepcopy(node).children[0].value,
    }
