"""Hold a lock on a library file that every job can see.

origin: flock on a read-only descriptor; a covert channel
why: readers can lock, and locks are visible to others
control: succeeds
"""

import fcntl
import sys


def attack(target):
    try:
        sys.mayfly_lock = open(os.__file__)
        fcntl.flock(sys.mayfly_lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return blocked("flock", error)
    return nothing("a lock is held")


def second(target):
    try:
        with open(os.__file__) as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return escaped("the lock is held") if error.errno == errno.EAGAIN else blocked("flock", error)
    return nothing("the file is not locked")
