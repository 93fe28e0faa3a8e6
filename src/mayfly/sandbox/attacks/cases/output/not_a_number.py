"""Return numbers that JSON does not have.

origin: plain
why: other readers of the same text refuse it, or read something else
control: succeeds
harm: result
expect: error
"""


def attack(target):
    return {"escaped": False, "evidence": [float("nan"), float("inf"), -float("inf")]}
