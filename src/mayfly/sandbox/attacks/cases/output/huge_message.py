"""Raise an exception with a text of a hundred megabytes.

origin: plain
why: errors travel too, and are often stored
control: succeeds
harm: result
timeout: 5
expect: error memory died
"""


def attack(target):
    raise ValueError("x" * (100 << 20))
