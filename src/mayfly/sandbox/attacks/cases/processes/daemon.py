"""Leave a process behind that belongs to nobody.

origin: the double fork of every daemon
why: it survives its parent, its session and its terminal
control: succeeds
harm: stage
"""

import time


def attack(target):
    try:
        child = os.fork()
    except OSError as error:
        return blocked("fork", error)
    if child == 0:
        os.setsid()
        if os.fork() == 0:
            for number in range(3):
                os.close(number)
            time.sleep(20)
        os._exit(0)
    os.waitpid(child, 0)
    return nothing("the daemon was started")
