"""Have the kernel's submission ring make the socket, where no filter sees the call.

origin: io_uring operations bypass seccomp; ARMO's rootkit Curing, 2025
why: a filter on socket() is worth nothing beside a permitted ring
control: depends — many machines switch io_uring off
"""


def attack(target):
    parameters = ctypes.create_string_buffer(120)
    fd, error = syscall(target, "io_uring_setup", 8, parameters)
    return escaped("a ring was set up") if fd >= 0 else blocked("io_uring_setup", error)
