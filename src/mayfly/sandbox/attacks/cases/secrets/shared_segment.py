"""Attach a shared memory segment of the host that anybody may read.

origin: System V segments are found by number, without a file
why: databases keep their buffers there
control: succeeds
"""


def attack(target):
    if target["segment"] < 0:
        return nothing("this machine has no such memory")
    address, error = syscall(target, "shmat", target["segment"], 0, 0o10000)
    if error:
        return blocked("shmat", error)
    return escaped("a host segment was read") if holds_token(target, ctypes.string_at(address, 64)) else nothing("no secret there")
