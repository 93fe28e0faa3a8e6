"""Become another program.

origin: plain
why: a shell in our place would keep our open descriptors
control: succeeds
harm: stage
"""


def attack(target):
    script = f"echo owned > '{target['stage']}/owned'"
    arguments = (ctypes.c_char_p * 4)(b"sh", b"-c", script.encode(), None)
    _, error = syscall(target, "execve", b"/bin/sh", arguments, (ctypes.c_char_p * 1)(None))
    return blocked("execve", error)
