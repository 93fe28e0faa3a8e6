"""Wait for a lock that nobody will release.

origin: plain
why: the thread sleeps in the kernel and cannot be interrupted from Python
control: succeeds
harm: hangs
timeout: 0.5
expect: timeout
"""

import threading


def attack(target):
    lock = threading.Lock()
    lock.acquire()
    lock.acquire()
