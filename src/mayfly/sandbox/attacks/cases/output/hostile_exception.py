"""Raise an exception that is no Exception and cannot be printed.

origin: plain
why: whoever reports the error calls its methods
control: succeeds
harm: dies
expect: error died
"""


class Hostile(BaseException):
    def __str__(self):
        raise Hostile

    __repr__ = __str__


def attack(target):
    raise Hostile
