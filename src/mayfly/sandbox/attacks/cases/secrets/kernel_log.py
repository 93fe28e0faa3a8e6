"""Read the kernel's log.

origin: syslog(2); logs leak addresses and what other programs do
why: one call, no file
control: depends — many machines keep the log for root
"""


def attack(target):
    buffer = ctypes.create_string_buffer(4096)
    error = ""
    for action in (10, 3, 9):
        result, error = syscall(target, "syslog", action, buffer, 4096)
        if result >= 0:
            return escaped("the kernel's log was read")
    return blocked("syslog", error)
