"""Sleep for ever, using no processor time at all.

origin: plain
why: limits on processor time never strike
control: succeeds
harm: hangs
timeout: 0.5
expect: timeout
"""

import time


def attack(target):
    time.sleep(10**6)
