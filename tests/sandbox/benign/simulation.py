"""A queue simulation, a Monte Carlo estimate and a random walk, all seeded."""

import heapq
import math
import random

ARGUMENT = 11


def queue(generator, customers):
    clock, free, waits, events = 0.0, 0.0, [], []
    for number in range(customers):
        clock += generator.expovariate(1.0)
        start = max(clock, free)
        waits.append(start - clock)
        free = start + generator.uniform(0.5, 1.2)
        heapq.heappush(events, (free, number))
    return round(sum(waits) / customers, 9), heapq.heappop(events)[1]


def main(argument):
    generator = random.Random(argument)
    inside = sum(math.hypot(generator.random(), generator.random()) <= 1 for _ in range(20_000))
    position, highest = 0, 0
    for _ in range(1000):
        position += generator.choice((-1, 1))
        highest = max(highest, position)
    return {"queue": queue(generator, 100), "pi": 4 * inside / 20_000, "walk": [position, highest], "bytes": generator.randbytes(4).hex()}
