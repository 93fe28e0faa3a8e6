"""heapq and bisect: a running median and a grade table."""

import bisect
import heapq

ARGUMENT = [5, 15, 1, 3, 8, 7, 9, 2]


def running_median(numbers):
    low, high, medians = [], [], []
    for number in numbers:
        heapq.heappush(high, -heapq.heappushpop(low, -number))
        if len(high) > len(low):
            heapq.heappush(low, -heapq.heappop(high))
        medians.append(-low[0] if len(low) > len(high) else (high[0] - low[0]) / 2)
    return medians


def main(argument):
    ordered = []
    for number in argument:
        bisect.insort(ordered, number)
    return {
        "medians": running_median(argument),
        "ordered": ordered,
        "grades": ["FDCBA"[bisect.bisect([60, 70, 80, 90], score)] for score in (33, 99, 77, 70, 89, 90, 100)],
        "largest": heapq.nlargest(3, argument),
        "merged": list(heapq.merge([1, 4], [2, 3], [0, 9])),
    }
