"""Turn the end of a socket pair into a listening server.

origin: bind and listen need no new socket if one is at hand
why: the permitted pair must stay a pair
control: succeeds
"""


def attack(target):
    pair = (ctypes.c_int * 2)()
    for kind in (2, 1, 5):
        result, error = syscall(target, "socketpair", 1, kind, 0, pair)
        if result < 0:
            last = blocked("socketpair", error)
            continue
        address = b"\x01\x00\x00job-" + str(os.getpid()).encode()
        result, error = syscall(target, "bind", pair[0], address, len(address))
        if result == 0:
            return escaped("an abstract name was taken")
        last = blocked("bind", error)
    return last
