"""Become root again, take capabilities and groups.

origin: plain; jails that set the user id without the saved one
why: a uid that was only put aside can be taken back
control: needs root
"""


def attack(target):
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    data = (ctypes.c_uint32 * 6)(*[0xFFFFFFFF] * 3, *[0xFFFFFFFF] * 3)
    tries = {"setresuid": (0, 0, 0), "setuid": (0,), "setgroups": (1, (ctypes.c_uint32 * 1)(0)), "capset": (header, data)}
    error = call = ""
    for call, arguments in tries.items():
        result, error = syscall(target, call, *arguments)
        if result == 0:
            return escaped(f"{call} was accepted")
    return blocked(call, error)
