"""Match a pattern that backtracks exponentially.

origin: ReDoS, CWE-1333
why: model-written patterns do this by accident
control: succeeds
harm: hangs
timeout: 0.5
expect: timeout
"""


def attack(target):
    return bool(re.match(r"(a+)+$", "a" * 48 + "!"))
