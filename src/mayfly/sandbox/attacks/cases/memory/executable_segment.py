"""Attach shared memory with the right to execute.

origin: shmat with SHM_EXEC, the third way to executable memory
why: it is neither mmap nor mprotect
control: succeeds
"""


def attack(target):
    segment, error = syscall(target, "shmget", 0, 4096, 0o1700)
    if segment < 0:
        return blocked("shmget", error)
    _, error = syscall(target, "shmat", segment, 0, 0o100000)
    syscall(target, "shmctl", segment, 0, 0)
    return escaped("executable shared memory was attached") if error == "" else blocked("shmat", error)
