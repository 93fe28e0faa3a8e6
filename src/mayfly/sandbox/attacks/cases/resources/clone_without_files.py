"""Make a thread with the raw call, and leave out that it shares the descriptors.

origin: filters that ask for CLONE_THREAD alone
why: 64 descriptors for each of 16 threads are a thousand
control: succeeds
"""


def attack(target):
    stack = ctypes.create_string_buffer(1 << 16)
    top = (ctypes.addressof(stack) + (1 << 16)) & ~15
    libc.clone.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)
    sleep = ctypes.cast(libc.sleep, ctypes.c_void_p)
    # VM, FS, SIGHAND, THREAD, SYSVSEM, and not FILES
    thread = libc.clone(sleep, top, 0x00050B00, 3600)
    if thread > 0:
        target["kept"] = stack
        return escaped(f"thread {thread} has descriptors of its own")
    return blocked("clone", errno.errorcode.get(ctypes.get_errno(), "EUNKNOWN"))
