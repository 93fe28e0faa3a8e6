"""Make a named pipe where the host will stumble over it.

origin: a reader that opens a fifo hangs; denial of service by file type
why: mknod without privilege
control: succeeds
harm: stage
"""

import stat


def attack(target):
    result, error = syscall(target, "mknodat", AT_FDCWD, os.fsencode(f"{target['stage']}/pipe"), stat.S_IFIFO | 0o666, 0)
    return escaped("a fifo was made") if result == 0 else blocked("mknodat", error)
