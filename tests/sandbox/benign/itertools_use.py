"""itertools: products, groups, windows and running totals."""

import itertools
import operator

ARGUMENT = "AAABBCDAA"


def main(argument):
    return {
        "runs": [(key, len(list(group))) for key, group in itertools.groupby(argument)],
        "product": ["".join(pair) for pair in itertools.product("ab", "12")],
        "permutations": list(itertools.permutations(range(3), 2)),
        "combinations": list(itertools.combinations("abcd", 3)),
        "totals": list(itertools.accumulate([1, 2, 3, 4], operator.mul)),
        "chain": list(itertools.chain.from_iterable([[1], [2, 3]])),
        "slice": list(itertools.islice(itertools.count(10, 5), 3)),
        "zip": list(itertools.zip_longest([1, 2, 3], "ab", fillvalue="-")),
        "take": list(itertools.takewhile(lambda n: n < 3, [1, 2, 3, 1])),
        "pairs": list(itertools.pairwise([1, 4, 9])),
        "star": list(itertools.starmap(pow, [(2, 3), (3, 2)])),
        "compress": list(itertools.compress("abcd", [1, 0, 1, 0])),
    }
