"""Return more than any caller can want.

origin: plain
why: the host reads what the job sends
control: succeeds
harm: result
timeout: 5
expect: error memory died
"""


def attack(target):
    return ["x" * (1 << 20)] * 100
