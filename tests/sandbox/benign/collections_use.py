"""Counter, defaultdict, deque, OrderedDict, ChainMap and UserDict."""

from collections import ChainMap, Counter, OrderedDict, UserDict, defaultdict, deque

ARGUMENT = "the cat and the hat and the bat"


class Lower(UserDict):
    def __setitem__(self, key, value):
        super().__setitem__(key.lower(), value)


def main(argument):
    words = argument.split()
    index = defaultdict(list)
    for position, word in enumerate(words):
        index[word].append(position)
    ring = deque(words, maxlen=3)
    ring.rotate(1)
    ordered = OrderedDict.fromkeys(words)
    ordered.move_to_end("the")
    lower = Lower(A=1)
    lower["B"] = 2
    return {
        "common": Counter(words).most_common(2),
        "difference": dict(Counter("aab") - Counter("ab")),
        "index": index,
        "ring": list(ring),
        "ordered": list(ordered),
        "chained": dict(ChainMap({"a": 1}, {"a": 2, "b": 3})),
        "lower": dict(lower),
    }
