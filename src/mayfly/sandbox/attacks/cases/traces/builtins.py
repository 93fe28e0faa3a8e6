"""Replace a built-in function for whoever comes next.

origin: plain
why: builtins are shared by all code of an interpreter
control: succeeds
"""

import builtins


def attack(target):
    real = builtins.sorted
    builtins.sorted = lambda *arguments, **options: real(*arguments, **options)[::-1]
    return nothing("sorted() was replaced")


def second(target):
    return escaped("sorted() sorts backwards") if sorted([1, 2]) != [1, 2] else nothing("the next job has builtins of its own")
