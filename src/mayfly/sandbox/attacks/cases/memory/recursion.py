"""Lift the recursion limit and recurse until the memory for frames is gone.

origin: sys.setrecursionlimit
why: since Python 3.11 frames live on the heap, so depth is memory
control: succeeds
timeout: 3
expect: ok memory error died timeout
"""

import sys


def dive(depth, a=0, b=0, c=0, d=0, e=0, f=0, g=0, h=0, i=0, j=0, k=0, l=0, m=0, n=0, o=0):
    return depth if depth == 0 else dive(depth - 1)


def attack(target):
    sys.setrecursionlimit(10**8)
    try:
        dive(3_500_000)
    except (MemoryError, RecursionError) as error:
        return blocked("call", type(error).__name__)
    return escaped("three and a half million frames were alive")
