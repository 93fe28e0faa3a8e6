"""Yield nothings by the thousand, each batch small enough.

origin: limits on a message, and none on their sum
why: what is collected grows without any message being large
control: succeeds
harm: result
timeout: 20
expect: error memory
"""


def attack(target):
    for _ in range(5_000):
        yield [[]] * 1_000
