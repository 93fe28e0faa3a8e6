"""Leave a System V semaphore set to a value.

origin: a counter that two jobs share is a channel
why: semaphores survive their makers
control: succeeds
"""

KEY = 0x4D415947


def attack(target):
    number, error = syscall(target, "semget", KEY, 1, 0o1666)
    return nothing("a semaphore was left") if number >= 0 else blocked("semget", error)


def second(target):
    number, error = syscall(target, "semget", KEY, 0, 0)
    if number < 0:
        return blocked("semget", error)
    syscall(target, "semctl", number, 0, 0, 0)
    return escaped("the semaphore is still there")
