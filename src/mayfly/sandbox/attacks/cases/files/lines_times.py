"""Set the times of the file we were handed to read.

origin: futimens asks for the file's owner, not for the right to write
why: a grant for a workspace opens the call, and this descriptor needs no path
control: succeeds
harm: stage
grants: fs:workspace:rw
lines: canary
"""


def attack(target):
    times = (ctypes.c_long * 4)(1, 0, 1, 0)
    result, error = syscall(target, "utimensat", lines_descriptor(target), None, times, 0)
    return nothing("times of something were set") if result == 0 else blocked("utimensat", error)
