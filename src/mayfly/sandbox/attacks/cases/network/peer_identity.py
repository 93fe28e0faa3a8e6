"""Ask who is at the other end of what we were handed.

origin: SO_PEERCRED and SO_PEERPIDFD, unix(7)
why: the host's process id, its user and a handle on it
control: needs a socket as the way to whoever runs it
"""


def attack(target):
    last = nothing("there is no socket")
    for number in [number for number in range(64) if is_open(number)]:
        for option in (17, 59, 31, 77):
            data, size = ctypes.create_string_buffer(256), ctypes.c_int(256)
            result, error = syscall(target, "getsockopt", number, 1, option, data, ctypes.byref(size))
            if result == 0:
                return escaped(f"option {option} of descriptor {number}: {data.raw[: size.value].hex()}")
            last = last if error == "ENOTSOCK" else blocked("getsockopt", error)
    return last
