"""Print an integer of sixty million digits.

origin: CVE-2020-10735 (int to str is quadratic), with its guard switched off
why: the guard is the job's own to remove
control: succeeds
harm: hangs
timeout: 0.5
expect: timeout memory
"""

import sys


def attack(target):
    sys.set_int_max_str_digits(0)
    return len(str(1 << 200_000_000))
