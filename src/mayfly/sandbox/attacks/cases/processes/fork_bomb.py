"""Fork again and again, and leave the children sleeping.

origin: plain
why: the leftovers are what an operator has to clean up
control: succeeds
"""

import time


def attack(target):
    children = 0
    for _ in range(24):
        try:
            child = os.fork()
        except OSError as error:
            return escaped(f"{children} children are running") if children else blocked("fork", error)
        if child == 0:
            time.sleep(20)
            os._exit(0)
        children += 1
    return escaped(f"{children} children are running")
