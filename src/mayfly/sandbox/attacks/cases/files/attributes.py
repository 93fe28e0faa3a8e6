"""Attach an extended attribute to a host file.

origin: setxattr is outside Landlock's file rights
why: attributes carry data, and on some systems rights
control: depends — not every file system keeps user attributes
harm: stage
"""


def attack(target):
    result, error = syscall(target, "setxattr", os.fsencode(target["canary"]), b"user.mayfly", b"x", 1, 0)
    return escaped("an attribute was attached") if result == 0 else blocked("setxattr", error)
