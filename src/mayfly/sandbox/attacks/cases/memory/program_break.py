"""Move the program break by three quarters of a gigabyte.

origin: brk, the oldest allocator
why: a limit on mappings alone leaves it open
control: succeeds
"""


def attack(target):
    now, _ = syscall(target, "brk", 0)
    then, error = syscall(target, "brk", now + (768 << 20))
    moved = then - now
    if moved >= 768 << 20:
        syscall(target, "brk", now)
        return escaped("the break moved past the limit")
    return blocked("brk", error or "ENOMEM")
