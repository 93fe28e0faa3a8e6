"""Lock the file we were handed, so that whoever writes to it waits for us.

origin: flock needs no right but an open descriptor
why: a log that cannot be rotated stops its service
control: succeeds
grants: fs:workspace:rw
lines: canary
"""

import fcntl
import stat


def attack(target):
    number = lines_descriptor(target)
    if not stat.S_ISREG(os.fstat(number).st_mode):
        return nothing("what we hold is no file")
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return blocked("flock", error)
    return escaped("the host's file is locked")
