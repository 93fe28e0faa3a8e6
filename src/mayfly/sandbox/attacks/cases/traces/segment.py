"""Leave a System V shared memory segment with data in it.

origin: ipcs shows what such programs forget
why: the segment belongs to no process
control: succeeds
"""

KEY = 0x4D415946


def attack(target):
    segment, error = syscall(target, "shmget", KEY, 4096, 0o1666)
    return nothing("a segment was left") if segment >= 0 else blocked("shmget", error)


def second(target):
    segment, error = syscall(target, "shmget", KEY, 0, 0)
    if segment < 0:
        return blocked("shmget", error)
    syscall(target, "shmctl", segment, 0, 0)
    return escaped("the segment is still there")
