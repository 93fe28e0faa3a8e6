"""Make a process with the newest call, whose flags lie in memory.

origin: clone3 cannot be filtered by its flags; Docker answered ENOSYS for it in 2021
why: only a refusal of the whole call is safe
control: succeeds
"""


def attack(target):
    arguments = (ctypes.c_uint64 * 11)(0, 0, 0, 0, 17, 0, 0, 0, 0, 0, 0)
    child, error = syscall(target, "clone3", arguments, 88)
    if child == 0:
        syscall(target, "exit_group", 0)
    if child < 0:
        return blocked("clone3", error)
    os.waitpid(child, 0)
    return escaped("a child was cloned")
