"""Make a process that borrows our place until it is done.

origin: vfork, the forgotten sister of fork
why: it has a number of its own and flags of its own
control: succeeds
"""


def attack(target):
    child, error = syscall(target, "clone", 0x00004000 | 17, 0, 0, 0, 0)
    if child == 0:
        syscall(target, "exit_group", 7)
    if child < 0:
        return blocked("clone", error)
    return escaped("a child ran first") if os.waitpid(child, 0)[1] == 7 << 8 else nothing("it did not run")
