"""Compute a power that takes minutes, inside one C function.

origin: plain
why: no bytecode runs, so no hook, signal handler or async exception is ever looked at
control: succeeds
harm: hangs
timeout: 0.5
expect: timeout
"""


def attack(target):
    return len(str(7 ** (10**8) % 10))
