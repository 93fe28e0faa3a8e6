"""Make a process with the raw call under fork.

origin: filters that name fork and vfork but forget clone's flags
why: the same call makes threads, so it cannot simply be closed
control: succeeds
"""


def attack(target):
    child, error = syscall(target, "clone", 17, 0, 0, 0, 0)
    if child == 0:
        syscall(target, "exit_group", 0)
    if child < 0:
        return blocked("clone", error)
    os.waitpid(child, 0)
    return escaped("a child was cloned")
