"""functools.lru_cache, cache, cached_property, partial, reduce, singledispatch and total_ordering."""

import operator
from functools import cache, cached_property, lru_cache, partial, reduce, singledispatch, total_ordering, wraps

ARGUMENT = 90


@lru_cache(maxsize=None)
def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


@cache
def ways(amount, coins):
    if amount == 0:
        return 1
    return sum(ways(amount - coin, coins[i:]) for i, coin in enumerate(coins) if coin <= amount)


@singledispatch
def show(value):
    return f"object {value}"


@show.register
def _(value: int):
    return f"int {value}"


@show.register(list)
def _(value):
    return f"list of {len(value)}"


@total_ordering
class Version:
    def __init__(self, text):
        self.parts = tuple(map(int, text.split(".")))

    def __eq__(self, other):
        return self.parts == other.parts

    def __lt__(self, other):
        return self.parts < other.parts

    @cached_property
    def major(self):
        return self.parts[0]


def twice(function):
    @wraps(function)
    def inner(*arguments):
        return function(function(*arguments))

    return inner


@twice
def double(n):
    """Double a number."""
    return 2 * n


def main(argument):
    return {
        "fibonacci": fibonacci(argument),
        "hits": fibonacci.cache_info().hits,
        "ways": ways(100, (50, 20, 10, 5)),
        "product": reduce(operator.mul, range(1, 21)),
        "power": partial(pow, 2)(10),
        "shown": [show(1), show([1, 2]), show("x")],
        "newest": max(Version("1.10"), Version("1.9")).parts,
        "double": [double(3), double.__name__, double.__doc__],
    }
