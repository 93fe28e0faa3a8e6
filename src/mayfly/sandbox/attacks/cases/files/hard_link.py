"""Make a second name for a host file.

origin: hard-link attacks, the reason for protected_hardlinks
why: the second name survives a deletion of the first
control: succeeds
harm: stage
"""


def attack(target):
    link = f"{target['stage']}/hard"
    result, error = syscall(target, "linkat", AT_FDCWD, os.fsencode(target["canary"]), AT_FDCWD, os.fsencode(link), 0)
    return escaped("a hard link was made") if result == 0 else blocked("linkat", error)
