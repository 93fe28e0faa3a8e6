"""Fill a set with numbers that all hash alike.

origin: algorithmic complexity attacks, Crosby and Wallach 2003; oCERT-2011-003
why: quadratic time from harmless-looking data
control: succeeds
harm: hangs
timeout: 0.5
expect: timeout
"""


def attack(target):
    return len({number * (2**61 - 1) for number in range(1, 200_000)})
