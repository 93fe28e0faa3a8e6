"""Rename a file so that a device is left in its place.

origin: RENAME_WHITEOUT, made for overlay file systems, needs no privilege since Linux 5.8
why: a device comes out of a directory where devices cannot be made
control: depends — some file systems do not know it
harm: stage
grants: fs:workspace:rw
"""


def attack(target):
    result, error = syscall(target, "renameat2", AT_FDCWD, b"note", AT_FDCWD, b"moved", 4)
    return escaped("a device was left") if result == 0 else blocked("renameat2", error)
