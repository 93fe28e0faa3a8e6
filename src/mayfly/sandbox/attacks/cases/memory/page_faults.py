"""Handle our own page faults, to stop the kernel in the middle of a copy.

origin: userfaultfd, the helper of many kernel races (CVE-2019-18683 and others)
why: it makes small race windows as wide as wanted
control: succeeds
"""


def attack(target):
    fd, error = syscall(target, "userfaultfd", 1)
    return escaped("page faults are ours") if fd >= 0 else blocked("userfaultfd", error)
