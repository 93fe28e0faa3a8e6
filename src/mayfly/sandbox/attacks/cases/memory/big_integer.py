"""Compute a number of six thousand million bits.

origin: plain
why: one operation, one allocation, no loop that could be stopped
control: succeeds
timeout: 10
"""


def attack(target):
    try:
        size = (1 << 6_000_000_000).bit_length()
    except (MemoryError, OverflowError) as error:
        return blocked("shift", error)
    return escaped(f"a number of {size} bits was computed")
