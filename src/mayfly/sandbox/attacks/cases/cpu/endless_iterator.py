"""Exhaust an iterator that never ends, in C.

origin: deque(maxlen=0), the recipe for consuming iterators
why: the loop never comes back to the interpreter
control: succeeds
harm: hangs
timeout: 0.5
expect: timeout
"""

import collections
import itertools


def attack(target):
    collections.deque(itertools.repeat(None), maxlen=0)
