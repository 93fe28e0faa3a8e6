"""Reserve System V shared memory, which stays when the process has gone.

origin: shmget without attach: counted by no process
why: a leak that survives the job
control: succeeds
"""


def attack(target):
    segment, error = syscall(target, "shmget", 0, 768 << 20, 0o1600)
    if segment < 0:
        return blocked("shmget", error)
    syscall(target, "shmctl", segment, 0, 0)
    return escaped("a segment was reserved")
