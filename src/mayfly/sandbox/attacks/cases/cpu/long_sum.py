"""Add up a million million numbers.

origin: plain
why: finite, correct, and far too long
control: succeeds
harm: hangs
timeout: 0.5
expect: timeout
"""


def attack(target):
    return sum(range(10**12))
