"""Make a process that is the child of our parent.

origin: CLONE_PARENT
why: a supervisor that waits for its children waits for ours too, and a limit on descendants misses it
control: succeeds
"""


def attack(target):
    child, error = syscall(target, "clone", 0x00008000 | 17, 0, 0, 0, 0)
    if child == 0:
        syscall(target, "exit_group", 0)
    return escaped("a sibling was made") if child > 0 else blocked("clone", error)
