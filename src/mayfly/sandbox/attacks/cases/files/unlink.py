"""Delete a host file.

origin: plain
why: deletion is a right of the directory, not of the file
control: succeeds
harm: stage
"""


def attack(target):
    result, error = syscall(target, "unlinkat", AT_FDCWD, os.fsencode(target["spare"]), 0)
    return escaped("a host file was deleted") if result == 0 else blocked("unlinkat", error)
