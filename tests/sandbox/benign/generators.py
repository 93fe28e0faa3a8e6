"""Generators, send, yield from and a pipeline."""

ARGUMENT = 12


def fibonacci():
    a, b = 0, 1
    while True:
        yield a
        a, b = b, a + b


def averager():
    total = count = 0
    average = None
    while True:
        value = yield average
        total += value
        count += 1
        average = total / count


def flatten(items):
    for item in items:
        if isinstance(item, list):
            yield from flatten(item)
        else:
            yield item


def main(argument):
    source = fibonacci()
    first = [next(source) for _ in range(argument)]
    average = averager()
    next(average)
    means = [average.send(value) for value in first]
    evens = (n for n in first if n % 2 == 0)
    return {"first": first, "means": means[-3:], "even": sum(evens), "flat": list(flatten([1, [2, [3, [4]]], 5]))}
